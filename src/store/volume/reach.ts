/**
 * How far back a response reaches. Pure functions, so that a rebuild gives the same result as the save. Times are
 * milliseconds since 1970.
 */

import { DATE_FILTER_DAYS, type DateFilter, type Operation } from '../../model/enumerations.ts';
import { findNewestBlock } from '../../model/response-rate.ts';
import { DAY, QUARTER_MS, SECOND } from '../../lib/time.ts';

/** State of a search before a run of it is saved, and how its response compares to it. */
export type RunBefore = {
  operation: Operation;
  dateFilter: DateFilter | null;
  /** Between two slots. */
  everySeconds: number;
  /** The end of what the last successful run of the same request observed; null without one, or if operation A has had no posts so far. */
  lastUntil: number | null;
  /** Whether the response has as many posts as requested, or as many as this request ever got. */
  isFull: boolean;
  /** Whether the response repeats the newest posts of the last run. */
  repeats: boolean;
  /** When the search was last resumed: posts published while it was stopped were not observed. */
  resumedAt: number | null;
  /** When the search was stopped, if the response came later. */
  stoppedAt: number | null;
};

/**
 * The response contains every post from `from` to `until` (excluded), but only some from `reached` to `from`, because it was cut at its
 * limit.
 */
export type Reach = { reached: number; from: number; until: number };

/** Interval of a search if unknown: for a first or manual run of a cron schedule. */
export const UNKNOWN_EVERY_SECONDS = 3_600;

/**
 * Computes what a run observed. Operation A reaches back as far as its date filter. Operation B is assumed to reach
 * back to the last succeeded run, at most two intervals, or as far as a response goes that was not cut: after an outage it
 * has everything since its oldest post.
 * A full response was cut at a limit. Only its newest block is complete: a service may fill the rest with older popular posts. The first
 * response of a request counts as full, because its limit is unknown. If a response repeats the newest posts of the last run, everything since then is in it.
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
  if (before.operation === 'ai' && posts === 0 && before.lastUntil === null) return null;
  const until = before.stoppedAt ?? observedAt;
  const earliest = Math.max(
    before.resumedAt ?? Number.NEGATIVE_INFINITY,
    limitReach(before, Number.NEGATIVE_INFINITY, observedAt),
  );
  const clamped = (time: number) => Math.min(Math.max(time, earliest), until);
  const reached = clamped(limitReach(before, observedAt - 2 * before.everySeconds * SECOND, observedAt));
  const sinceLast = clamped(Math.max(reached, before.lastUntil ?? reached));
  if (posts === 0) return { reached: sinceLast, from: sinceLast, until };
  if (!before.isFull) {
    const oldest = times.reduce((least, time) => Math.min(least, time), reached);
    const from = before.lastUntil === null ? reached : clamped(oldest);
    return { reached: from, from, until };
  }
  if (before.repeats) return { reached, from: sinceLast, until };
  const newest = findNewestBlock(times)?.from ?? until;
  // A block that goes back to the last run would have its newest posts: somewhere in between, it is not contiguous.
  const block = newest <= (before.lastUntil ?? Number.NEGATIVE_INFINITY) ? findNewerHalf(times) : newest;
  // After an outage, the newest block may go back further than two intervals.
  const from = before.lastUntil === null ? clamped(Math.max(reached, block)) : clamped(block);
  return { reached: Math.min(reached, from), from, until };
}

function findNewerHalf(times: readonly number[]): number {
  return times.toSorted((a, b) => b - a)[Math.ceil(times.length / 2) - 1] ?? Number.POSITIVE_INFINITY;
}

/** @param atMost how far back operation B is assumed to reach */
function limitReach(before: RunBefore, atMost: number, observedAt: number): number {
  if (before.operation === 'ai')
    return observedAt - DATE_FILTER_DAYS[before.dateFilter ?? 'PAST_24_HOURS'] * DAY;
  return Math.max(atMost, before.lastUntil ?? atMost);
}

/**
 * What a run observed of a quarter-hour, in milliseconds after its start (`end` is excluded), and whether the response was
 * cut in it. Nothing was observed if `start` is `end`.
 */
type Quarter = { at: number; start: number; end: number; cut: boolean };

/** How far back one response counts: five weeks, as states compare. Comparisons that go further use earlier responses, too. */
const MAX_REACH_MS = 35 * DAY;

export function startOfQuarter(time: number): number {
  return Math.floor(time / QUARTER_MS) * QUARTER_MS;
}

/**
 * Quarter-hours observed by a run, oldest first. The millisecond `from` is observed and `until` is not, so that adjacent ranges leave
 * no gap.
 */
export function listQuarters(reach: Reach): Quarter[] {
  const quarters: Quarter[] = [];
  const [first, end] = [Math.floor(reach.from), Math.floor(reach.until)];
  const reached = Math.max(Math.floor(reach.reached), end - MAX_REACH_MS);
  for (let at = startOfQuarter(reached); at < end; at += QUARTER_MS) {
    const [start, stop] = [Math.max(first, at), Math.min(end, at + QUARTER_MS)];
    const cut = at < first && reached < first;
    if (start < stop) quarters.push({ at, start: start - at, end: stop - at, cut });
    else if (cut) quarters.push({ at, start: 0, end: 0, cut });
  }
  return quarters;
}
