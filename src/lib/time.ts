/** Units of time, in milliseconds. */
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** Volume is counted per quarter of an hour. */
export const QUARTER_MS = 15 * MINUTE;

/** How precisely a time is known, best first: `exact` as given, otherwise to the unit of a relative time. */
export const TIME_PRECISIONS = ['exact', 'minute', 'hour', 'day', 'week', 'month', 'year'] as const;
export type TimePrecision = (typeof TIME_PRECISIONS)[number];

/** Null if none is known. */
export function findEarliest(times: readonly (Date | null)[]): Date | null {
  return times.reduce((best, at) => (at !== null && (best === null || at < best) ? at : best), null);
}

/** Null if none is known. */
export function findLatest(times: readonly (Date | null)[]): Date | null {
  return times.reduce((best, at) => (at !== null && (best === null || at > best) ? at : best), null);
}
