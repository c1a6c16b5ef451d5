/**
 * Merges the copies of a post or an author in one response, member by member: a known value of a later full copy replaces
 * that of an earlier one, and partial copies fill what no full copy says. The order of partial copies does not matter.
 */

import type { ParsedAuthor, ParsedPost } from '../../model/parsed-results.ts';
import { isPlain } from '../../lib/json-values.ts';

/** The merged copies of one post or author, by kind. */
export type Copies<T> = { full: T | null; partial: T | null };

/** Adds a copy to those of its post or author. */
export function addCopy<T extends ParsedPost | ParsedAuthor>(shelf: Map<string, Copies<T>>, copy: T): void {
  const copies = shelf.get(copy.external_id) ?? { full: null, partial: null };
  if (copy.is_partial)
    copies.partial = copies.partial === null ? copy : mergeMembers(copies.partial, copy, chooseFuller);
  else copies.full = copies.full === null ? copy : mergeMembers(copies.full, copy, chooseLater);
  shelf.set(copy.external_id, copies);
}

/** @returns the merged copy: partial only if every copy is */
export function mergeCopies<T extends ParsedPost | ParsedAuthor>({ full, partial }: Copies<T>): T {
  if (full !== null && partial !== null) return mergeMembers(partial, full, chooseLater);
  const only = full ?? partial;
  if (only === null) throw new Error('no copy was added');
  return only;
}

type Choose = (before: unknown, later: unknown) => unknown;

function mergeMembers<T extends object>(before: T, later: T, choose: Choose): T {
  const merged = { ...before } as Record<string, unknown>; // a copy, to set members by name
  for (const [member, value] of Object.entries(later)) {
    const known = merged[member];
    if (isUnknown(member, value)) continue;
    if (isUnknown(member, known)) merged[member] = value;
    else if (member === 'entities' && isPlain(known) && isPlain(value))
      // A copy may mention some of the lists only.
      merged[member] = mergeMembers(known, value, choose);
    else merged[member] = choose(known, value);
  }
  return merged as T; // both have the members of T
}

/** An empty text of a post only refers to it; an empty text of an author is known to be empty. */
function isUnknown(member: string, value: unknown): boolean {
  return value === null || value === undefined || (member === 'text' && value === '');
}

const chooseLater: Choose = (_, later) => later;

/** The value with more information: the higher number, the longer text or list. A total order, so that any order works. */
const chooseFuller: Choose = (before, later) => {
  if (typeof before === 'number' && typeof later === 'number') return Math.max(before, later);
  const [a, b] = [toComparable(before), toComparable(later)];
  return b.length > a.length || (b.length === a.length && b > a) ? later : before;
};

/** JSON of lists and objects: one post may have hundreds of copies, and each is compared with the fullest so far. */
const jsonOf = new WeakMap<object, string>();

/** A text itself; anything else as JSON, once. */
function toComparable(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const json = jsonOf.get(value) ?? JSON.stringify(value);
  jsonOf.set(value, json);
  return json;
}
