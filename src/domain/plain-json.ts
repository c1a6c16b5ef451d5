/** JSON from outside: its values, and safe access to members of objects. */

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

/** An object's *own* member. Plain access with an outside name (`constructor`, `toString`) returns inherited ones. */
export function own(object: Plain, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
