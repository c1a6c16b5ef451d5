/**
 * A counter: a whole number from 0 to 2^53 - 1, also written as digits. Everything else (null, absent,
 * negative, a fraction, `12K`, `1,234`, 1e30) is null, which is unknown and not zero.
 */
export function readCounter(value: unknown): number | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value + 0 : null;
  if (typeof value !== 'string' || !/^\d{1,16}$/.test(value)) return null;
  const count = Number(value);
  return Number.isSafeInteger(count) ? count : null;
}

const NONE: ReadonlySet<unknown> = new Set();

/**
 * The names of the counters that a service writes as 0 because it does not know them (`unknown_counters`,
 * an addition of the own service), as they are spelled on the wire. Anything else names none.
 */
export function readUnknownCounters(names: unknown): ReadonlySet<unknown> {
  return Array.isArray(names) ? new Set(names.slice(0, 100)) : NONE;
}
