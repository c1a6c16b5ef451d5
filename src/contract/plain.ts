/** A JSON object as it came from outside: any member may hold anything, or be absent. */
export type Plain = Record<string, unknown>;

/** Whether a JSON value is an object (not null, not an array). */
export function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Keys that a copy never carries over: as assignments they reach into prototypes. */
export function isPoisonous(key: string): boolean {
  return key === '__proto__' || key === 'constructor' || key === 'prototype';
}

/**
 * The value of an object's *own* member. `JSON.parse` makes ordinary objects, so a plain look-up of a
 * name from outside (`constructor`, `toString`) would find what every object inherits.
 */
export function own(object: Plain, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
