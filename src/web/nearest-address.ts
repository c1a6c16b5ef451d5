/** Addresses that people write or change by hand: a value that a page does not have leads to the nearest one that it has. */
import { parseSpan } from '../lib/time-point.ts';

/** What the validation of a query says: where, and which values there are; of a union, in the errors of its members. */
type Issue = { instancePath?: unknown; params?: unknown };

/**
 * The address with the nearest values in place of those that the page does not have: `?range=14d` has `7d`, `?kind=posts` has
 * `post`. A choice that is near none, and a name that the page does not know, are left out.
 * @param error of a request for a page
 * @returns undefined if the error is about something else
 */
export function correctAddress(error: unknown, url: string): string | undefined {
  const issues = readIssues(error);
  if (issues === undefined || url.includes('%00')) return undefined;
  const address = new URL(url, 'http://strandline');
  for (const { instancePath, params } of issues) {
    const unknown = listNames(params);
    const name = typeof instancePath === 'string' ? instancePath.slice(1) : '';
    const [given, values] = [address.searchParams.get(name), listValues(params)];
    if (unknown.length === 0 && (given === null || values.length === 0)) return undefined;
    const nearest = given === null ? undefined : findNearest(given, values);
    if (nearest === undefined) for (const each of [name, ...unknown]) address.searchParams.delete(each);
    else address.searchParams.set(name, nearest);
  }
  return `${address.pathname}${address.search}`;
}

/** Names of parameters that the page does not know. */
function listNames(params: unknown): string[] {
  if (typeof params !== 'object' || params === null || !('keys' in params)) return [];
  return Array.isArray(params.keys) ? params.keys.filter((key) => typeof key === 'string') : [];
}

/** Those of a query that failed validation; undefined for other errors. */
function readIssues(error: unknown): readonly Issue[] | undefined {
  if (!(error instanceof Error) || !('validation' in error) || !Array.isArray(error.validation))
    return undefined;
  if (!('validationContext' in error) || error.validationContext !== 'querystring') return undefined;
  return error.validation as Issue[]; // Fastify's results
}

function listValues(params: unknown): string[] {
  if (typeof params !== 'object' || params === null) return [];
  if ('values' in params && Array.isArray(params.values))
    return params.values.filter((value) => typeof value === 'string' && value !== '');
  if ('errors' in params && Array.isArray(params.errors)) return params.errors.flat().flatMap(listValues);
  return [];
}

/** The same word in other letters, as one or many, or begun; of lengths of time, that with the smallest factor between them. */
export function findNearest(given: string, values: readonly string[]): string | undefined {
  const word = given.trim().toLowerCase();
  if (word === '') return undefined;
  const single = (text: string) => text.replace(/s$/, '');
  const same =
    values.find((value) => value.toLowerCase() === word) ??
    values.find((value) => single(value.toLowerCase()) === single(word));
  if (same !== undefined) return same;
  const span = readSpan(word);
  if (span === undefined || span === 0) {
    const begun = values.filter((value) => word.length > 1 && value.toLowerCase().startsWith(word));
    return begun.length === 1 ? begun[0] : undefined;
  }
  const lengths = values.flatMap((value) => {
    const length = readSpan(value);
    return length === undefined || length === 0 ? [] : [{ value, far: Math.abs(Math.log(length / span)) }];
  });
  return lengths.toSorted((a, b) => a.far - b.far)[0]?.value;
}

/** Lengths of time that have a name. */
const NAMED_SPANS: Readonly<Record<string, string>> = {
  hour: '1h',
  today: '1d',
  day: '1d',
  week: '7d',
  month: '30d',
  year: '365d',
};

/** In milliseconds; undefined: none. */
function readSpan(text: string): number | undefined {
  return parseSpan(NAMED_SPANS[text] ?? text);
}
