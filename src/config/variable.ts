/**
 * How a variable is declared: its name, what it may hold, and what holds without it, in one row. Where the row stands in
 * its table is where its value stands in what is read from it. The program's table is `variables.ts`; each source of the
 * search service declares its own.
 */

import { parseUrl } from '../domain/link.ts';
import { SECOND } from '../domain/time.ts';
import { z } from 'zod';

/** Reads a text; its description says in words what is allowed. */
type Kind<T> = z.ZodType<T, string>;

type Row = Readonly<{
  /** What holds where it is not set, as it would be written. */
  default?: string;
  /** What holds where it is not set and has no default, in words. */
  unset?: string;
  unit?: string;
  /** `whole`: its value. `password`: it is an address that may hold one. Either may come from a file, named by `NAME_FILE`. */
  secret?: 'whole' | 'password';
  /** Of a {@link Group}: without it the others mean nothing. */
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

/** Variables that hold together: undefined where none of the needed ones is set; some without the others are refused. */
export type Group<T extends Table = Table> = { readonly group: T };

export type Table = { readonly [place: string]: Variable | Group | Table };

/** What is read from a table. */
export type Values<T> =
  T extends Variable<infer V>
    ? V
    : T extends Group<infer Members>
      ? Values<Members> | undefined
      : { readonly [place in keyof T]: Values<T[place]> };

/** Where nothing is set the value is undefined, but for a default, and for what its group needs. */
export function variable<T, const R extends Row>(
  name: string,
  kind: Kind<T>,
  about: string,
  row: R,
): Variable<R extends { needed: true } ? NonNullable<T> : R extends { default: string } ? T : T | undefined>;
export function variable<T>(name: string, kind: Kind<T>, about: string): Variable<T | undefined>;
export function variable(name: string, kind: Kind<unknown>, about: string, row: Row = {}): Variable {
  const schema = row.default === undefined ? kind.optional() : kind.prefault(row.default);
  return { ...row, name, about, schema, allowed: kind.description ?? '' };
}

export function group<T extends Table>(members: T): Group<T> {
  return { group: members };
}

export function isVariable(part: Table[string]): part is Variable {
  return 'schema' in part;
}

export function isGroup(part: Table[string]): part is Group {
  return 'group' in part;
}

/** Every row, in the order of the table, with the rows that its group needs. */
export function listVariables(
  table: Table,
  needed: readonly Variable[] = [],
): [Variable, readonly Variable[]][] {
  return Object.values(table).flatMap((part) => {
    if (isVariable(part)) return [[part, needed] as [Variable, readonly Variable[]]];
    if (isGroup(part)) return listVariables(part.group, listNeeded(part));
    return listVariables(part);
  });
}

export function listNeeded({ group: members }: Group): Variable[] {
  return Object.values(members)
    .filter(isVariable)
    .filter(({ needed }) => needed);
}

export const anyText = z.string().min(1, 'a text').describe('a text');

/** @param words say what is allowed */
export function pattern(allowed: RegExp, words: string) {
  return z.string().regex(allowed, words).describe(words);
}

export function wordOf<const W extends readonly [string, ...string[]]>(...words: W) {
  const allowed = `one of ${words.join(', ')}`;
  return z.enum(words, allowed).describe(allowed);
}

export const yesOrNo = z
  .enum(['true', 'false'], 'true or false')
  .transform((text) => text === 'true')
  .describe('true or false');

function numberIn(min: number, max: number, words: string) {
  return z
    .string()
    .regex(/^\d{1,9}$/, words)
    .transform(Number)
    .refine((n) => n >= min && n <= max, words)
    .describe(words);
}

export const port = numberIn(0, 65_535, 'a port number from 0 to 65535');

export function wholeNumber(min: number, max: number) {
  return numberIn(min, max, `a whole number from ${min} to ${max}`);
}

/** Written in seconds, read as milliseconds. */
export function seconds(min: number, max: number) {
  const whole = wholeNumber(min, max);
  return whole.transform((s) => s * SECOND).describe(whole.description ?? '');
}

const ESCAPES = '; in a password, @ : / % # are written %40 %3A %2F %25 %23';

export function address(schemes: readonly string[], example: string) {
  const words = `an address such as ${example}`;
  return z
    .string()
    .refine(
      (text) => {
        const url = parseUrl(text);
        return url !== undefined && schemes.includes(url.protocol) && isEscaped(url);
      },
      `${words}${example.includes('@') ? ESCAPES : ''}`,
    )
    .describe(words);
}

/** A password is read as it was meant: with signs that stand for themselves it ends early, or cannot be read at all. */
function isEscaped({ password, hash }: URL): boolean {
  try {
    decodeURIComponent(password);
    return hash === '';
  } catch {
    return false;
  }
}

/** An address of HTTP without what opens a door: it is stored and shown. */
export function bareAddress(example: string, keyStandsIn = 'a key has a variable of its own') {
  return address(['http:', 'https:'], example)
    .refine(isBare, `an address without user, password, query and fragment; ${keyStandsIn}`)
    .describe(`an address such as ${example}`);
}

function isBare(text: string): boolean {
  const url = parseUrl(text);
  if (url === undefined) return true; // refused already
  const { username, password, search, hash } = url;
  return username + password + search + hash === '';
}

/** Texts separated by commas; none where nothing is set. */
export const list = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  )
  .describe('texts, separated by commas');
