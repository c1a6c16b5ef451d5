/** How many calls adaptive searches may make, and how they share those of their service. Pure; times are ms since 1970. */
import { DAY, HOUR } from '../../lib/time.ts';
import { fillPosts, USUAL_FILL } from './pace-interval.ts';
import { listExpected, type Pace } from './pace.ts';

/** The largest fill tried: fifty times as many posts as a response holds are expected between two calls. */
const MAX_FILL = 50;
/** The fill is exact to half a percent. */
const FILL_STEPS = 10;

/**
 * The least fill with which searches stay within so many calls of a time, together. All get the same, so that each call goes
 * where the response will be fullest. Searches without a rate are left out: their first response shows it.
 */
export function fitFill(
  searches: readonly { pace: Pace; leastMs: number; mostMs: number }[],
  { calls, from, until }: { calls: number; from: number; until: number },
): number {
  const expected = searches.map((search) => ({
    ...search,
    ahead: [...listExpected(search.pace, from, until)],
  }));
  const countCalls = (fill: number) => {
    let sum = 0;
    for (const { pace, leastMs, mostMs, ahead } of expected) {
      const posts = fillPosts(pace, fill);
      for (const { hours, perHour } of ahead)
        sum += (hours * HOUR) / Math.min(Math.max((posts / perHour) * HOUR, leastMs), mostMs);
    }
    return sum;
  };
  if (countCalls(USUAL_FILL) <= calls) return USUAL_FILL;
  let [low, high] = [USUAL_FILL, MAX_FILL];
  for (let step = 0; step < FILL_STEPS; step += 1) {
    const middle = Math.sqrt(low * high);
    if (countCalls(middle) <= calls) high = middle;
    else low = middle;
  }
  return high;
}

/** Calls are planned to the end of the UTC day, and at least this far ahead. */
const BUDGET_HORIZON_MS = 6 * HOUR;

/** Until when a limit per UTC day is planned, and its calls until then. @param left calls that are left of today */
export function planAhead(
  callsPerDay: number,
  left: number,
  now: number,
): { calls: number; from: number; until: number } {
  const midnight = now - (now % DAY) + DAY;
  const until = Math.max(midnight, now + BUDGET_HORIZON_MS);
  return { calls: left + (callsPerDay * (until - midnight)) / DAY, from: now, until };
}

/** The part of a search's calls per day that it may make at any time, besides the even rest. */
const BURST_PART = 1 / 8;

/**
 * The budget of a search as one time: until then its calls are spent. Any 24 hours have at most `callsPerDay` calls.
 * @param spentUntil null: no call was made
 * @returns the time after a call at `at`
 */
export function spendCall(spentUntil: number | null, at: number, callsPerDay: number): number {
  return Math.max(spentUntil ?? at, at) + evenly(callsPerDay);
}

/** When the budget allows the next call. @param callsPerDay null: no limit of its own */
export function earliestCall(spentUntil: number | null, callsPerDay: number | null): number {
  if (callsPerDay === null) return 0;
  return (spentUntil ?? 0) - countBurst(callsPerDay) * evenly(callsPerDay);
}

/** An interval in milliseconds, lengthened as far as the calls per day require. @param callsPerDay null: no limit of its own */
export function fitInterval(ms: number, callsPerDay: number | null): number {
  return callsPerDay === null ? ms : Math.max(ms, evenly(callsPerDay));
}

/** Its calls per day if it would make more at any time. */
export function sustainCalls(callsPerDay: number): number {
  return callsPerDay - countBurst(callsPerDay);
}

function countBurst(callsPerDay: number): number {
  return Math.floor(callsPerDay * BURST_PART);
}

function evenly(callsPerDay: number): number {
  return DAY / sustainCalls(callsPerDay);
}

/** Calls per day of an adaptive search if nobody set a limit: as many as the fixed plan that it replaces. */
const CALLS_PER_DAY_OF = { hourly: 24, quarterHourly: 96 } as const;

/**
 * The calls of an adaptive search in any 24 hours: as written; if `CALLS_PER_DAY` is set, no limit of its own, because searches
 * share that; otherwise as every 15 minutes, or as hourly if it is an AI search or its service is hosted.
 * @returns null: no limit of its own
 */
export function limitCalls(
  config: { callsPerDay?: number | undefined },
  search: { operation: 'ai' | 'microblog'; service_kind: 'sandbox' | 'own' | 'hosted' },
  schedule: { callsPerDay: number | null },
): number | null {
  if (schedule.callsPerDay !== null) return schedule.callsPerDay;
  if (config.callsPerDay !== undefined) return null;
  const isHourly = search.operation === 'ai' || search.service_kind === 'hosted';
  return isHourly ? CALLS_PER_DAY_OF.hourly : CALLS_PER_DAY_OF.quarterHourly;
}
