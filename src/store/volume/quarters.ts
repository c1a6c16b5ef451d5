/** Quarters of an hour: what volume is counted in. Times are milliseconds since 1970. */
import { MINUTE } from '../../engine/clock.ts';
import type { Reach } from './reach.ts';

export const QUARTER_MS = 15 * MINUTE;
export const MINUTES_OF_QUARTER = 15;

/** What a run saw of a quarter: the minutes it saw in full (a bit each, the first one first), and whether it should have seen more. */
export type Quarter = { at: number; minutes: string; cut: boolean };

/** How far back coverage is written down: twice what is ever compared with, and some. */
export const MEMORY_MS = 35 * 24 * 60 * MINUTE;

export function quarterOf(time: number): number {
  return Math.floor(time / QUARTER_MS) * QUARTER_MS;
}

/**
 * What a run saw of the quarters of its search, oldest first. Ranges are rounded down to the minute at both
 * ends, so that a range that begins where another ended leaves no minute out.
 */
export function quartersOf(reach: Reach): Quarter[] {
  const quarters: Quarter[] = [];
  const until = minuteOf(reach.until);
  const from = minuteOf(reach.from);
  const reached = Math.max(minuteOf(reach.reached), until - MEMORY_MS);
  for (let at = quarterOf(reached); at < until; at += QUARTER_MS) {
    const minutes = minutesBetween(at, from, until);
    const cut = at < from && reached < from;
    if (minutes !== NONE || cut) quarters.push({ at, minutes, cut });
  }
  return quarters;
}

const NONE = '0'.repeat(MINUTES_OF_QUARTER);

function minutesBetween(start: number, from: number, until: number): string {
  let bits = '';
  for (let minute = start; minute < start + QUARTER_MS; minute += MINUTE)
    bits += minute >= from && minute < until ? '1' : '0';
  return bits;
}

function minuteOf(time: number): number {
  return Math.floor(time / MINUTE) * MINUTE;
}
