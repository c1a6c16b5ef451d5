/**
 * How far back a response reaches. Pure functions, so that a rebuild gives the same result as the save. Times are
 * milliseconds since 1970.
 */

import { DATE_FILTER_DAYS, type DateFilter, type Operation } from '../../domain/enumerations.ts';
import { DAY, MINUTE, SECOND } from '../../domain/time.ts';

/** State of a search before a run of it is saved. */
export type RunBefore = {
  operation: Operation;
  dateFilter: DateFilter | null;
  /** Between two slots. */
  everySeconds: number;
  /** Number of posts that the request asks for, if specified. */
  requestedPosts: number | null;
  /** Until when the last succeeded run of the same request observed; null if there was none. */
  lastUntil: number | null;
  /** The most posts in an earlier response to this request. */
  mostPosts: number | null;
  /** Whether the response repeats the newest posts of the last run. */
  repeats: boolean;
  /** When the search was last resumed: posts published while it was stopped were not observed. */
  resumedAt: number | null;
  /** When the search was stopped, if the response came later. */
  stoppedAt: number | null;
};

/**
 * The response contains every post from `from` to `until`, but only some from `reached` to `from`, because it was cut
 * at its limit.
 */
export type Reach = { reached: number; from: number; until: number };

/** Interval of a search if unknown: for a first or manual run of a cron schedule. */
export const UNKNOWN_EVERY_SECONDS = 3_600;

/**
 * Computes what a run observed. Operation A reaches back as far as its date filter. Operation B is assumed to reach
 * back to the last succeeded run, at most two intervals.
 * A response with as many posts as requested, or as many as this request ever got, was cut at a limit. Only its newer
 * half counts as complete: a service may fill the rest with older popular posts (ours uses 40 %). The first response
 * of a request counts as cut, because its limit is unknown. If a response repeats the newest posts of the last run,
 * everything since then is in it.
 * A response without posts means that none were published since the last run; it says nothing about earlier ones.
 * @param times of all posts in the response that have a publication time
 * @param posts number of posts in the response
 * @returns null if the response does not show what was observed: operation A without any posts so far
 */
export function computeReach(
  before: RunBefore,
  answer: { observedAt: number; posts: number; times: readonly number[] },
): Reach | null {
  const { observedAt, posts, times } = answer;
  if (before.operation === 'ai' && posts === 0 && (before.mostPosts ?? 0) === 0) return null;
  const until = before.stoppedAt ?? observedAt;
  const clamped = (time: number) => Math.min(time, until);
  const reached = clamped(
    Math.max(limitReach(before, observedAt), before.resumedAt ?? Number.NEGATIVE_INFINITY),
  );
  const sinceLast = clamped(Math.max(reached, before.lastUntil ?? reached));
  if (posts === 0) return { reached: sinceLast, from: sinceLast, until };
  if (!isCut(before, posts)) return { reached, from: reached, until };
  if (before.repeats) return { reached, from: sinceLast, until };
  const newest = times.toSorted((a, b) => b - a);
  const whole = newest[Math.ceil(newest.length / 2) - 1] ?? until;
  return { reached, from: clamped(Math.max(reached, whole)), until };
}

function limitReach(before: RunBefore, observedAt: number): number {
  if (before.operation === 'ai')
    return observedAt - DATE_FILTER_DAYS[before.dateFilter ?? 'PAST_24_HOURS'] * DAY;
  const atMost = observedAt - 2 * before.everySeconds * SECOND;
  return Math.max(atMost, before.lastUntil ?? atMost);
}

function isCut({ requestedPosts, mostPosts }: RunBefore, posts: number): boolean {
  return posts > 0 && (posts >= (mostPosts ?? 0) || (requestedPosts !== null && posts >= requestedPosts));
}

/** Volume is counted per quarter-hour. */
export const QUARTER_MS = 15 * MINUTE;
export const MINUTES_PER_QUARTER = 15;

/**
 * What a run observed of a quarter-hour: one bit per fully observed minute, first minute first, and whether the
 * response was cut in it.
 */
type Quarter = { at: number; minutes: string; cut: boolean };

/** How far back coverage is stored: somewhat more than twice the longest comparison. */
const VOLUME_MEMORY_MS = 35 * 24 * 60 * MINUTE;

export function startOfQuarter(time: number): number {
  return Math.floor(time / QUARTER_MS) * QUARTER_MS;
}

/**
 * Quarter-hours observed by a run, oldest first. Both ends are rounded down to the minute, so that adjacent ranges
 * leave no gap.
 */
export function listQuarters(reach: Reach): Quarter[] {
  const quarters: Quarter[] = [];
  const until = minuteOfQuarter(reach.until);
  const from = minuteOfQuarter(reach.from);
  const reached = Math.max(minuteOfQuarter(reach.reached), until - VOLUME_MEMORY_MS);
  for (let at = startOfQuarter(reached); at < until; at += QUARTER_MS) {
    const minutes = maskMinutes(at, from, until);
    const cut = at < from && reached < from;
    if (minutes !== NO_MINUTES || cut) quarters.push({ at, minutes, cut });
  }
  return quarters;
}

const NO_MINUTES = '0'.repeat(MINUTES_PER_QUARTER);

function maskMinutes(start: number, from: number, until: number): string {
  let bits = '';
  for (let minute = start; minute < start + QUARTER_MS; minute += MINUTE)
    bits += minute >= from && minute < until ? '1' : '0';
  return bits;
}

function minuteOfQuarter(time: number): number {
  return Math.floor(time / MINUTE) * MINUTE;
}
