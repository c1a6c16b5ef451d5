/** What a form was sent with. */
import { z } from 'zod';
import type { Given } from '../kit/form.tsx';

/** Any fields, each once or several times: what they must be is said by the verbs, beside each field. */
export const formBody = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

/** A path with the slug of a topic or search; one that cannot be there is not found. */
export const slugParams = z.object({ slug: z.string().max(63) });

/** The text of a field; undefined where it was left empty. */
export function one(given: Given, name: string): string | undefined {
  const [value = ''] = [given[name] ?? ''].flat();
  return value.trim() === '' ? undefined : value.trim();
}

/** All values of a field that can be sent several times. */
export function many(given: Given, name: string): string[] {
  return [given[name] ?? []].flat().filter((value) => value !== '');
}

/** Whether a box was ticked. */
export function ticked(given: Given, name: string): boolean {
  return one(given, name) === 'yes';
}
