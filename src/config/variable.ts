/**
 * Declares a variable in one row: its name, the values it accepts, and its default. Tables of rows are read into objects of the
 * same shape. The program's table is in `variables.ts`; each source of the search service declares its own.
 */

import { parseUrl } from '../model/links/link.ts';
import { createBlockList } from '../lib/networks.ts';
import { SECOND } from '../lib/time.ts';
import { isIP } from 'node:net';
import { z } from 'zod';

type Row = Readonly<{
  /** The default, as it would be written. */
  default?: string;
  /** What applies if it is unset and has no default, in words. */
  unset?: string;
  /** The value that usually applies then, as it would be written, if `unset` names exceptions. */
  typical?: string;
  unit?: string;
  /** `whole`: the value is a secret. `password`: a URL that may contain one. Either may be in a file named by `NAME_FILE`. */
  secret?: 'whole' | 'password';
  /** Required by the other variables of its table. */
  needed?: true;
  /** A page of `docs` with more about it. */
  see?: string;
}>;

/** A row of a table. */
export type Variable<T = unknown> = Row & {
  readonly name: string;
  readonly about: string;
  readonly schema: z.ZodType<T, string | undefined>;
  /** The values it accepts, in words. */
  readonly allowed: string;
};

/** Variables by place. If some are `needed`, the table is undefined while none of them is set, and some without the others are an error. */
export type Table = { readonly [place: string]: Variable | Table };

/** The values of a variable or a table. */
export type Values<T> =
  T extends Variable<infer V>
    ? V
    : { readonly [place in keyof T]: Values<T[place]> } | (HasNeeded<T> extends true ? undefined : never);

type HasNeeded<T> = true extends {
  [place in keyof T]: T[place] extends { needed: true } ? true : false;
}[keyof T]
  ? true
  : false;

/** Reads variables. @throws InvalidInput with each invalid variable and where it is set; never includes secrets */
export type ReadVariables = <const T extends Variable | Table>(part: T) => Values<T>;

/**
 * @param kind parses the text; its description says in words what is accepted
 * @returns a row whose value is undefined if unset, unless it has a default or its table needs it
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

/** All rows, in the order of the table, each with the rows that its own table needs. */
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

/** @param words what is accepted */
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

/** @param unit factor of the value: seconds become milliseconds */
export function wholeNumber(min: number, max: number, words?: string, unit = 1) {
  return z
    .string()
    .regex(/^\d{1,9}$/)
    .refine((text) => Number(text) >= min && Number(text) <= max)
    .transform((text) => Number(text) * unit)
    .describe(words ?? `a whole number from ${min} to ${max}`);
}

export const port = wholeNumber(0, 65_535, 'a port number from 0 to 65535');

/** Written in seconds, read as milliseconds. */
export function seconds(min: number, max: number) {
  return wholeNumber(min, max, undefined, SECOND);
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
        // A password with unescaped characters ends early, or cannot be decoded.
        return decodePart(url.password) !== undefined && url.hash === '';
      },
      `${words}${example.includes('@') ? ESCAPES : ''}`,
    )
    .describe(words);
}

/** @returns undefined if a % is not part of an escape */
export function decodePart(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** An HTTP URL without credentials, because it is stored and shown. */
export function bareAddress(example: string, keyStandsIn = 'a key has a variable of its own') {
  const schema = address(['http:', 'https:'], example);
  return schema
    .refine((text) => {
      const url = parseUrl(text); // undefined was refused already
      return url === undefined || url.username + url.password + url.search + url.hash === '';
    }, `a URL without user, password, query and fragment; ${keyStandsIn}`)
    .describe(schema.description ?? '');
}

/** A comma-separated list; empty if unset. */
export const list = z.string().transform(splitList).describe('a comma-separated list');

/** A comma-separated list of addresses and networks. Networks of every address are refused, and names. */
export const networks = list
  .refine(
    (entries) => entries.every(isNetwork),
    'addresses or networks, comma-separated: 127.0.0.1, 10.0.0.0/8, fd00::/8',
  )
  .transform((entries) => (entries.length === 0 ? undefined : createBlockList(entries)))
  .describe('addresses or networks, comma-separated');

/** IPv4 is written as such: an IPv4-mapped IPv6 address counts as IPv4. */
function isNetwork(text: string): boolean {
  const [host = '', bits, ...rest] = text.split('/');
  const family = isIP(host);
  if (family === 0 || rest.length > 0 || /%|^::ffff:/i.test(host)) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32));
}

/** The items of a comma-separated list, without empty ones. */
export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
