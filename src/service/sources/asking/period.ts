import { DAY, MINUTE } from '../../../engine/clock.ts';

/** The last day, week, month and year, as several sources call them; with their lengths in days. */
export const PERIODS = [
  ['day', 1],
  ['week', 7],
  ['month', 30],
  ['year', 365],
] as const;

/** What passed between the window's making and the request. */
const GRACE_MS = 10 * MINUTE;

/**
 * The shortest period that reaches back to a window's start, where a source knows none but "the last week".
 * @param periods by name, each with its length in days, the shortest first
 * @returns undefined where none reaches that far, or the window has no start
 */
export function shortestPeriod<T extends string>(
  periods: readonly (readonly [name: T, days: number])[],
  from: Date | undefined,
  now: Date,
): T | undefined {
  if (from === undefined) return undefined;
  const backMs = now.getTime() - from.getTime() - GRACE_MS;
  return periods.find(([, days]) => days * DAY >= backMs)?.[0];
}

/** A day in UTC, where a window is asked for in whole days with both ends included. */
export function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
