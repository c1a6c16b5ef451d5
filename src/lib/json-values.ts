/** Reads JSON from outside, and writes it for programs: one document per command, ids as strings, times in ISO 8601. */

import { escapeUnsafe } from './text.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

export function toJson(value: unknown, indent?: number): string {
  return escapeUnsafe(JSON.stringify(toJsonValue(value, ''), null, indent));
}

/**
 * Converts a value to JSON. A bigint becomes a string if its member is an id (`id`, `..._id`, `..._ids`, and lists of
 * links) or if a number would not be exact. Undefined members are omitted.
 */
function toJsonValue(value: unknown, name: string): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'bigint')
    return isIdMember(name) || !Number.isSafeInteger(Number(value)) ? String(value) : Number(value);
  if (typeof value !== 'object') return null;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((item: unknown) => toJsonValue(item, name));
  const members: { [name: string]: Json } = {};
  for (const [member, memberValue] of Object.entries(value)) {
    if (memberValue === undefined) continue;
    // Assigning this name would set the prototype.
    if (member === '__proto__')
      Object.defineProperty(members, member, { value: toJsonValue(memberValue, member), enumerable: true });
    else members[member] = toJsonValue(memberValue, member);
  }
  return members;
}

function isIdMember(name: string): boolean {
  return /(?:^|_)(?:ids?|completion_links|cited_links|not_returned)$/.test(name);
}

/** A JSON object: any member may be missing or have any type. */
export type Plain = Record<string, unknown>;

/** The value of a text; undefined if it is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a JSON value is an object (not null, not an array). */
export function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Keys that must not be copied: assigning them changes prototypes. */
export function isPoisonous(key: string): boolean {
  return key === '__proto__' || key === 'constructor' || key === 'prototype';
}

/**
 * The value of an object's *own* member. Plain access with an outside name (`constructor`, `toString`) would return inherited
 * members.
 */
export function own(object: Plain, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The index of the closing quote of the string that begins at `start` of a JSON text; its length if there is none. */
export function findStringEnd(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    // After an odd number of backslashes, a quote belongs to the string.
    let before = end;
    while (json[before - 1] === '\\') before--;
    if ((end - before) % 2 === 0) return end;
  }
  return json.length;
}
