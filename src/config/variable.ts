/**
 * How a variable is declared: its name, what it may hold, and what holds without it, in one row. Where the row stands in
 * its table is where its value stands in what is read from it. The program's table is `variables.ts`; each source of the
 * search service declares its own.
 */

import { parseUrl } from '../domain/link.ts';
import { SECOND } from '../domain/time.ts';
import { z } from 'zod';

type Row = Readonly<{
  /** What holds where it is not set, as it would be written. */
  default?: string;
  /** What holds where it is not set and has no default, in words. */
  unset?: string;
  /** What holds then for most, as it would be written, where `unset` says for whom it differs. */
  typical?: string;
  unit?: string;
  /** `whole`: its value. `password`: it is an address that may hold one. Either may come from a file, named by `NAME_FILE`. */
  secret?: 'whole' | 'password';
  /** Without it the others of its table mean nothing. */
  needed?: true;
  /** A page of `docs` that says more. */
  see?: string;
}>;

/** A row of a table. */
export type Variable<T = unknown> = Row & {
  readonly name: string;
  readonly about: string;
  readonly schema: z.ZodType<T, string | undefined>;
  /** What it may hold, in words. */
  readonly allowed: string;
};

/** Variables by place. Where some are needed they hold together: nothing is read where none of these is set, and some without the others are refused. */
export type Table = { readonly [place: string]: Variable | Table };

/** What is read from a variable or a table. */
export type Values<T> =
  T extends Variable<infer V>
    ? V
    : { readonly [place in keyof T]: Values<T[place]> } | (HasNeeded<T> extends true ? undefined : never);

type HasNeeded<T> = true extends {
  [place in keyof T]: T[place] extends { needed: true } ? true : false;
}[keyof T]
  ? true
  : false;

/** Reads what is set. @throws InvalidInput naming each variable that is wrong, and where it stands; the value of a secret is never shown */
export type ReadVariables = <const T extends Variable | Table>(part: T) => Values<T>;

/**
 * @param kind reads a text; its description says in words what is allowed
 * @returns a row whose value is undefined where nothing is set, but for a default, and for what its table needs
 */
export function variable<T, const R extends Row>(
  name: string,
  kind: z.ZodType<T, string>,
  about: string,
  row: R,
): R &
  Variable<R extends { needed: true } ? NonNullable<T> : R extends { default: string } ? T : T | undefined>;
export function variable<T>(name: string, kind: z.ZodType<T, string>, about: string): Variable<T | undefined>;
export function variable(
  name: string,
  kind: z.ZodType<unknown, string>,
  about: string,
  row: Row = {},
): Variable {
  const schema = row.default === undefined ? kind.optional() : kind.prefault(row.default);
  return { ...row, name, about, schema, allowed: kind.description ?? '' };
}

export function isVariable(part: Variable | Table): part is Variable {
  return 'schema' in part;
}

/** Every row, in the order of the table, with the rows that its own table needs. */
export function listVariables(table: Table): [Variable, readonly Variable[]][] {
  const needed = listNeeded(table);
  return Object.values(table).flatMap((part) =>
    isVariable(part) ? [[part, needed] as [Variable, readonly Variable[]]] : listVariables(part),
  );
}

export function listNeeded(table: Table): Variable[] {
  return Object.values(table)
    .filter(isVariable)
    .filter(({ needed }) => needed);
}

export const anyText = z.string().min(1).describe('a string');

/** @param words say what is allowed */
export function pattern(allowed: RegExp, words: string) {
  return z.string().regex(allowed).describe(words);
}

export function wordOf<const W extends readonly [string, ...string[]]>(...words: W) {
  return z.enum(words).describe(`one of ${words.join(', ')}`);
}

export const yesOrNo = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .describe('true or false');

/** @param unit what one of it is when it is read: seconds are read as milliseconds */
function numberIn(min: number, max: number, words = `a whole number from ${min} to ${max}`, unit = 1) {
  return z
    .string()
    .regex(/^\d{1,9}$/)
    .refine((text) => Number(text) >= min && Number(text) <= max)
    .transform((text) => Number(text) * unit)
    .describe(words);
}

export const port = numberIn(0, 65_535, 'a port number from 0 to 65535');

export function wholeNumber(min: number, max: number) {
  return numberIn(min, max);
}

/** Written in seconds, read as milliseconds. */
export function seconds(min: number, max: number) {
  return numberIn(min, max, undefined, SECOND);
}

const ESCAPES = '; in a password, @ : / % # are written %40 %3A %2F %25 %23';

export function address(schemes: readonly string[], example: string) {
  const words = `a URL such as ${example}`;
  return z
    .string()
    .refine(
      (text) => {
        const url = parseUrl(text);
        if (url === undefined || !schemes.includes(url.protocol)) return false;
        // A password with signs that stand for themselves ends early, or cannot be read at all.
        return decodePart(url.password) !== undefined && url.hash === '';
      },
      `${words}${example.includes('@') ? ESCAPES : ''}`,
    )
    .describe(words);
}

/** @returns undefined where a % stands for itself */
export function decodePart(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** An address of HTTP without what opens a door: it is stored and shown. */
export function bareAddress(example: string, keyStandsIn = 'a key has a variable of its own') {
  const schema = address(['http:', 'https:'], example);
  return schema
    .refine((text) => {
      const url = parseUrl(text); // undefined was refused already
      return url === undefined || url.username + url.password + url.search + url.hash === '';
    }, `a URL without user, password, query and fragment; ${keyStandsIn}`)
    .describe(schema.description ?? '');
}

/** Texts separated by commas; none where nothing is set. */
export const list = z.string().transform(splitList).describe('a comma-separated list');

/** What stands between commas, without what is empty. */
export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
