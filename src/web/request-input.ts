/** What a request to a page holds: the fields of a form, filters of a list, and the slug or key in its path. */

import { Refused } from '../domain/errors.ts';
import type { Id } from '../store/database.ts';
import type { FormValues } from './components/form.tsx';
import { z } from 'zod';

/** Any fields, each once or several times. What is wrong with them the verbs report, field by field. */
export const formBody = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

/** A path with the slug of a topic or search; one that cannot be there is not found. */
export const slugParams = z.object({ slug: z.string().max(63) });

/** A filter that was left empty in a form filters nothing. */
export const emptyField = z.literal('').transform(() => undefined);

/** The text of a field; undefined where it was left empty. */
export function readField(form: FormValues, name: string): string | undefined {
  const [value = ''] = [form[name] ?? ''].flat();
  return value.trim() === '' ? undefined : value.trim();
}

/** All values of a field that can be sent several times. */
export function readFieldList(form: FormValues, name: string): string[] {
  return [form[name] ?? []].flat().filter((value) => value !== '');
}

/** Whether a box was ticked. */
export function isChecked(form: FormValues, name: string): boolean {
  return readField(form, name) === 'yes';
}

/** Keys are bigints of Postgres. */
export const MAX_KEY = 2n ** 63n - 1n;

/** The key in an address; undefined where it can be none. */
export function readKey(text: string): Id | undefined {
  if (!/^\d{1,19}$/.test(text)) return undefined;
  const key = BigInt(text);
  return key > MAX_KEY ? undefined : key;
}

/** @throws Refused `not_found` */
export function requireKey(kind: string, text: string): Id {
  const key = readKey(text);
  if (key === undefined) throw createNotFound(kind, text);
  return key;
}

export function createNotFound(kind: string, key: string | Id): Refused {
  return new Refused('not_found', `there is no ${kind} ${String(key).slice(0, 40)}`);
}
