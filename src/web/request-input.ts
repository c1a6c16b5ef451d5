/** What a form was sent with. */

import { Refused } from '../domain/errors.ts';
import type { Id } from '../store/database.ts';
import type { FormValues } from './components/form.tsx';
import { z } from 'zod';

/** Any fields, each once or several times: what they must be is said by the verbs, beside each field. */
export const formBody = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

/** A path with the slug of a topic or search; one that cannot be there is not found. */
export const slugParams = z.object({ slug: z.string().max(63) });

/** The text of a field; undefined where it was left empty. */
export function readField(given: FormValues, name: string): string | undefined {
  const [value = ''] = [given[name] ?? ''].flat();
  return value.trim() === '' ? undefined : value.trim();
}

/** All values of a field that can be sent several times. */
export function readFieldList(given: FormValues, name: string): string[] {
  return [given[name] ?? []].flat().filter((value) => value !== '');
}

/** Whether a box was ticked. */
export function isChecked(given: FormValues, name: string): boolean {
  return readField(given, name) === 'yes';
}

/** Keys are bigints of Postgres, which end at 2^63 - 1. */
const MAX_KEY = 9_223_372_036_854_775_807n;

/** The key in an address; undefined where it can be none. */
export function readKey(given: string): Id | undefined {
  if (!/^\d{1,19}$/.test(given)) return undefined;
  const key = BigInt(given);
  return key > MAX_KEY ? undefined : key;
}

/** @throws Refused `not_found` */
export function requireKey(what: string, given: string): Id {
  const key = readKey(given);
  if (key === undefined) throw createNotFound(what, given);
  return key;
}

export function createNotFound(what: string, given: string | Id): Refused {
  return new Refused('not_found', `there is no ${what} ${String(given).slice(0, 40)}`);
}
