/** How far back an answer saw: pure, so that a rebuild says what the save said. Times are milliseconds since 1970. */

import { DATE_FILTER_DAYS, type DateFilter, type Operation } from '../../domain/enumerations.ts';
import { DAY, MINUTE, SECOND } from '../../domain/time.ts';

/** What is known of a search when a run of it is saved. */
export type RunBefore = {
  operation: Operation;
  dateFilter: DateFilter | null;
  /** Between two slots. */
  everySeconds: number;
  /** How many posts the request asks for, where it says so. */
  asked: number | null;
  /** Up to when the last succeeded run of the same request saw; null where there was none. */
  lastUntil: number | null;
  /** The most posts an answer to this request held before this one. */
  mostPosts: number | null;
  /** The answer holds the newest posts of the last run again. */
  repeats: boolean;
  /** When the search last began to run again; what was posted while it rested was not observed. */
  resumedAt: number | null;
  /** When it came to rest, where the answer came after that. */
  stoppedAt: number | null;
};

/** Every post from `from` to `until` was in the answer; from `reached` to `from` some, for it was cut at its limit. */
export type Reach = { reached: number; from: number; until: number };

/** A search whose interval nobody knows yet: a first or manual run of a cron schedule. */
export const UNKNOWN_EVERY_SECONDS = 3_600;

/**
 * What a run could see of its search's posts. Operation A looks back as far as its date filter says. Operation
 * B is taken to see back to the last succeeded run, at most two intervals. An answer with as many posts as were
 * asked for, or as many as this request ever got, was cut at a limit. What is surely whole of a cut answer is
 * the newer half of it: a service may fill the rest with older posts that are read most (ours gives them 40 %).
 * The first answer of a request is taken to be cut, for nobody knows its limit yet. An answer that holds the newest
 * posts of the run before it again was cut before that: what came in between is there. An answer without
 * posts says that none came since the last run; how many there were before it cannot take back.
 * @param times of all posts of the answer, by their own clock; those without a time left out
 * @param posts how many posts the answer holds
 * @returns null where an answer says nothing of posts: operation A that never gave any
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

function isCut({ asked, mostPosts }: RunBefore, posts: number): boolean {
  return posts > 0 && (posts >= (mostPosts ?? 0) || (asked !== null && posts >= asked));
}

/** Volume is counted in quarters of an hour. */
export const QUARTER_MS = 15 * MINUTE;
export const MINUTES_PER_QUARTER = 15;

/** What a run saw of a quarter: the minutes it saw in full (a bit each, the first one first), and whether it should have seen more. */
type Quarter = { at: number; minutes: string; cut: boolean };

/** How far back coverage is written down: twice what is ever compared with, and some. */
const VOLUME_MEMORY_MS = 35 * 24 * 60 * MINUTE;

export function startOfQuarter(time: number): number {
  return Math.floor(time / QUARTER_MS) * QUARTER_MS;
}

/**
 * What a run saw of the quarters of its search, oldest first. Ranges are rounded down to the minute at both
 * ends, so that a range that begins where another ended leaves no minute out.
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
