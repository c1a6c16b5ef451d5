/** Input of page requests: form fields, list filters, slugs and keys. */

import { InvalidInput, type Problem, Refused } from '../model/errors.ts';
import { idKey } from '../model/value-shapes.ts';
import type { Id } from '../store/db/database.ts';
import { type FormValues, OPENED } from './components/form.tsx';
import { z } from 'zod';

/** What a form shows again after it was refused. */
export type FormOutcome = { values?: FormValues; problems?: readonly Problem[]; status?: number };

/** Any fields, single or repeated; the functions of the monitor validate them. */
export const formBody = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

export const slugParams = z.object({ slug: z.string().max(63) });

/** An empty filter of a form is no filter. */
export const emptyField = z.literal('').transform(() => undefined);

/** The text of a field; undefined if empty. */
export function readField(form: FormValues, name: string): string | undefined {
  const [value = ''] = [form[name] ?? ''].flat();
  return value.trim() === '' ? undefined : value.trim();
}

/**
 * The problems of a form; a conflict, usually a taken slug, is a problem of a field.
 * @param named the field by the kind of thing that it names, which may have been removed since the form was shown
 * @throws errors that are not about the input
 */
export function toFormProblems(
  error: unknown,
  form: FormValues,
  conflict = 'slug',
  named: Readonly<Record<string, string>> = {},
): readonly Problem[] {
  if (error instanceof InvalidInput) return error.problems;
  if (!(error instanceof Refused)) throw error;
  const path = named[error.missing ?? ''] ?? (error.kind === 'conflict' ? conflict : undefined);
  if (path === undefined) throw error;
  return [{ path, given: readField(form, path), expected: `another one: ${error.message}` }];
}

/** What a form shows again after an error. Parameters and errors as in {@link toFormProblems}. */
export function toFormOutcome(
  error: unknown,
  values: FormValues,
  conflict?: string,
  named?: Readonly<Record<string, string>>,
): Required<FormOutcome> {
  const problems = toFormProblems(error, values, conflict, named);
  return { values, problems, status: chooseFormStatus(error) };
}

/** The status of a form that is shown again: what was typed is invalid, or conflicts with what exists or another edit. */
export function chooseFormStatus(error: unknown): 400 | 409 {
  if (!(error instanceof InvalidInput)) return 409;
  return error.problems.some(({ path }) => path === OPENED) ? 409 : 400;
}

/** All values of a repeated field. */
export function readFieldList(form: FormValues, name: string): string[] {
  return [form[name] ?? []].flat().filter((value) => value !== '');
}

/** Whether a box was ticked. */
export function isChecked(form: FormValues, name: string): boolean {
  return readField(form, name) === 'yes';
}

/** The id in a path; undefined if invalid. */
export function readKey(text: string): Id | undefined {
  return z.safeDecode(idKey, text).data;
}

/** @throws Refused `not_found` */
export function requireKey(kind: string, text: string): Id {
  const key = readKey(text);
  if (key === undefined) throw new Refused('not_found', `there is no ${kind} ${text.slice(0, 40)}`);
  return key;
}
