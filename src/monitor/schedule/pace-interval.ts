/**
 * The interval of `--every auto`: when to call again. The next call is due as soon as the expected posts plus a margin fill the
 * chosen part of a response. Pure; times are milliseconds since 1970. The constants were chosen with the seeds 1 to 4 of
 * `bench/polling.ts`.
 */
import type { IntervalReason } from '../../model/enumerations.ts';
import { DAY, HOUR, MINUTE } from '../../lib/time.ts';
import { findTruncated, listExpected, type Pace, type PacedResponse } from './pace.ts';

/** Bounds of an adaptive interval, and what it may use. */
type PaceLimits = {
  leastMs: number;
  mostMs: number;
  /** How much of a response may fill up before the next call, by `fitFill` where calls are short. */
  fill: number;
};

/** How much of a response fills up, with a margin of {@link MARGIN} standard deviations, if calls are not short. */
export const USUAL_FILL = 0.6;
const MARGIN = 1.7;
/** While the limit of responses is unknown. */
export const UNKNOWN_ROOM = 20;
/** While the rate is unknown. */
const FIRST_INTERVAL_MS = 15 * MINUTE;
/** After a truncated response, at most this part of the time that was too long. */
const SOONER = 0.75;

/** The interval while nothing is known. */
export function firstInterval({ leastMs, mostMs }: Pick<PaceLimits, 'leastMs' | 'mostMs'>): number {
  return Math.min(Math.max(FIRST_INTERVAL_MS, leastMs), mostMs);
}

/** How long to wait after a response. @param last the response, if the pace was just learned from it */
export function chooseInterval(
  pace: Pace,
  at: number,
  { leastMs, mostMs, fill }: PaceLimits,
  last?: PacedResponse,
): { ms: number; reason: IntervalReason } {
  const within = (ms: number) => Math.min(Math.max(ms, leastMs), mostMs);
  if (pace.rate === null) return { ms: firstInterval({ leastMs, mostMs }), reason: 'learning' };
  const wanted = findWait(pace, at, fillPosts(pace, fill), mostMs);
  const isTruncated = last !== undefined && findTruncated(last) !== null;
  const tooLong = isTruncated && last.since !== null && fill <= 1 ? at - last.since : null;
  if (tooLong !== null && SOONER * tooLong <= wanted)
    return { ms: within(SOONER * tooLong), reason: SOONER * tooLong <= leastMs ? 'least' : 'truncated' };
  const passed = last?.newPosts === 0 && last.since !== null ? at - last.since : 0;
  if (passed > wanted) return { ms: within(passed), reason: 'quiet' };
  if (wanted <= leastMs) return { ms: leastMs, reason: 'least' };
  if (wanted >= mostMs) return { ms: mostMs, reason: last?.newPosts === 0 ? 'quiet' : 'most' };
  if (fill > USUAL_FILL) return { ms: wanted, reason: 'budget' };
  return { ms: wanted, reason: last?.newPosts === 0 ? 'quiet' : 'rate' };
}

/** Smaller changes are not recorded, because every response moves an interval a little. */
const CHANGED_BY = 0.1;

/** Whether an interval differs from the one that was recorded last, by a tenth or more. */
export function isChanged(seconds: number, recorded: number | null): boolean {
  return recorded === null || Math.abs(seconds - recorded) >= CHANGED_BY * recorded;
}

/** AI searches show no rate, so their interval gets shorter after a response with something new, and longer after one without. */
const AI_FIRST_MS = HOUR;
const AI_SHORTER = 0.8;
const AI_LONGER = 1.5;

/**
 * How long an AI search waits after a response. As many steps up as down are balanced where two responses of three find
 * something new.
 * @param beforeMs the previous interval; null: there was none
 */
export function chooseAiInterval(
  beforeMs: number | null,
  newItems: number,
  { leastMs, mostMs }: Pick<PaceLimits, 'leastMs' | 'mostMs'>,
): { ms: number; reason: IntervalReason } {
  const within = (ms: number) => Math.min(Math.max(ms, leastMs), mostMs);
  if (beforeMs === null) return { ms: within(AI_FIRST_MS), reason: 'learning' };
  const wanted = beforeMs * (newItems > 0 ? AI_SHORTER : AI_LONGER);
  if (wanted <= leastMs) return { ms: leastMs, reason: 'least' };
  if (wanted >= mostMs) return { ms: mostMs, reason: 'most' };
  return { ms: wanted, reason: newItems > 0 ? 'found' : 'quiet' };
}

/** The expected posts at which, with the margin, a part of a response is full. */
export function fillPosts({ room }: Pace, fill: number): number {
  return ((Math.sqrt(MARGIN ** 2 + 4 * fill * (room ?? UNKNOWN_ROOM)) - MARGIN) / 2) ** 2;
}

/** The time after which this many posts are expected, at most `mostMs`. Later weeks are as the first one. */
function findWait(pace: Pace, at: number, posts: number, mostMs: number): number {
  const ahead = Math.min(mostMs, 7 * DAY);
  let left = posts;
  for (const { start, hours, perHour } of listExpected(pace, at, at + ahead)) {
    if (perHour * hours >= left) return start - at + (left / perHour) * HOUR;
    left -= perHour * hours;
  }
  return Math.min((ahead * posts) / (posts - left), mostMs);
}
