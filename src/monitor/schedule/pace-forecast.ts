/**
 * What a schedule makes of a day and of 30: runs and, by the measured rate of a search, the share of posts that they find. Pure;
 * times are milliseconds since 1970.
 */
import { normalCdf } from '../../lib/normal-distribution.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../lib/time.ts';
import { countSlots, FAR_FUTURE, nextSlot } from './cadence.ts';
import { fitFill, sustainCalls } from './call-budget.ts';
import { fillPosts, UNKNOWN_ROOM, USUAL_FILL } from './pace-interval.ts';
import { listExpected, type Pace, settle } from './pace.ts';
import type { AdaptiveSchedule, Schedule } from './schedule.ts';

/** What a plan makes of a day: calls, and the share of posts it finds. */
export type PaceForecast = { callsPerDay: number; caught: number };

/** @returns null while the rate is unknown */
export function forecastFixed(pace: Pace, everyMs: number): PaceForecast | null {
  return forecastDay(pace, () => everyMs);
}

/**
 * @param limits.calls its own calls in 24 hours; null: no limit of its own
 * @param limits.ofService the calls per day of its service; null: no limit
 * @param limits.fill that of its service
 * @returns null while the rate is unknown
 */
export function forecastAdaptive(
  pace: Pace,
  bounds: { leastMs: number; mostMs: number },
  limits: { calls: number | null; ofService: number | null; fill: number },
): PaceForecast | null {
  const most = [limits.calls === null ? null : sustainCalls(limits.calls), limits.ofService];
  const calls = Math.min(...most.filter(isNumber));
  const own = fitFill([{ pace: settle(pace), ...bounds }], { calls, from: 0, until: DAY });
  const posts = fillPosts(pace, Math.max(own, limits.fill));
  const day = forecastDay(pace, (perHour) =>
    Math.min(Math.max((posts / perHour) * HOUR, bounds.leastMs), bounds.mostMs),
  );
  // The limit also holds where the longest interval would need more calls.
  return day === null || day.callsPerDay <= calls ? day : forecastFixed(pace, DAY / calls);
}

function forecastDay(pace: Pace, intervalAt: (perHour: number) => number): PaceForecast | null {
  if (pace.rate === null) return null;
  let calls = 0;
  let posts = 0;
  let caught = 0;
  for (const { perHour } of listExpected(settle(pace), 0, DAY)) {
    const ms = intervalAt(perHour);
    calls += HOUR / ms;
    posts += perHour;
    caught += perHour * shareWithin((perHour * ms) / HOUR, pace.room ?? UNKNOWN_ROOM);
  }
  return { callsPerDay: calls, caught: posts === 0 ? 1 : caught / posts };
}

/** Volume of an hour varies by this part of what is usual then, besides chance. */
const HOURLY_NOISE = 0.5;

/** The expected share of posts within the newest `room`, for a normal count with this mean. Without calls the mean is infinite. */
function shareWithin(mean: number, room: number): number {
  if (mean === 0) return 1;
  if (!Number.isFinite(mean)) return 0;
  const deviation = Math.sqrt(mean + (HOURLY_NOISE * mean) ** 2);
  const z = (room - mean) / deviation;
  const density = Math.exp(-(z ** 2) / 2) / Math.sqrt(2 * Math.PI);
  const beyond = deviation * (density - z * (1 - normalCdf(z)));
  return Math.min(1, Math.max(0, 1 - beyond / mean));
}

/** The runs that a schedule makes. */
export type RunPlan = {
  /** In the 24 hours from now; of an adaptive interval, the expected number, or the most while the rate is unknown. */
  runsPerDay: number;
  /** On the busiest of the seven days that start with its next run: a single day may be a weekend without runs. */
  mostRunsPerDay: number;
  /** On a day that costs may be planned with: the busiest, or the expected one of an adaptive interval. */
  plannedRunsPerDay: number;
  /** In the 30 days from now. */
  runsPerMonth: number;
  /** The same, if an adaptive interval uses all it may. */
  mostRunsPerMonth: number;
  /** By the measured rate of its posts: calls per day, and the share of posts found; null if it is unknown. */
  expected: PaceForecast | null;
};

const DAYS_IN_WEEK = 7;
export const DAYS_IN_MONTH = 30;

export function planFixed(schedule: Schedule, now: number, pace: Pace): RunPlan {
  const countDays = (after: number, days: number) => countSlots(schedule, after, after + days * DAY);
  // The first day starts just before the first run, so that it includes that run.
  const first = nextSlot(schedule, now) - 1;
  const week = Array.from({ length: DAYS_IN_WEEK }, (_, day) => countDays(first + day * DAY, 1));
  const mostRunsPerDay = first + 1 < FAR_FUTURE ? Math.max(...week) : 0;
  const runsPerMonth = countDays(now, DAYS_IN_MONTH);
  return {
    runsPerDay: countDays(now, 1),
    plannedRunsPerDay: mostRunsPerDay,
    mostRunsPerDay,
    runsPerMonth,
    mostRunsPerMonth: runsPerMonth,
    expected: schedule.kind === 'every' ? forecastFixed(pace, schedule.seconds * SECOND) : null,
  };
}

/**
 * @param limits.calls its own calls in 24 hours; null: no limit of its own
 * @param limits.ofService the calls per day of its service; null: no limit
 */
export function planAdaptive(
  schedule: AdaptiveSchedule,
  {
    pace,
    fill = USUAL_FILL,
    calls,
    ofService,
  }: { pace: Pace; fill: number | undefined; calls: number | null; ofService: number | null },
): RunPlan {
  const shortest = Math.max(1, Math.floor(DAY / schedule.leastMs));
  const mostRunsPerDay = Math.min(...[calls, ofService, shortest].filter(isNumber));
  const expected = forecastAdaptive(pace, schedule, { calls, ofService, fill });
  const runsPerDay =
    expected === null ? mostRunsPerDay : Math.min(Math.ceil(expected.callsPerDay), mostRunsPerDay);
  return {
    runsPerDay,
    plannedRunsPerDay: runsPerDay,
    mostRunsPerDay,
    runsPerMonth: runsPerDay * DAYS_IN_MONTH,
    mostRunsPerMonth: mostRunsPerDay * DAYS_IN_MONTH,
    expected,
  };
}

const isNumber = (value: number | null) => value !== null;

/** Intervals that people choose. */
const USUAL_INTERVALS_MS = [1, 2, 3, 5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 720, 1_440].map(
  (minutes) => minutes * MINUTE,
);
/** What a sufficient interval finds. */
const SUFFICIENT_SHARE = 0.98;

/** The longest usual interval that finds at least 98 % of the posts; null if none does, or the rate is unknown. */
export function findSufficientInterval(pace: Pace): number | null {
  return (
    USUAL_INTERVALS_MS.findLast((ms) => (forecastFixed(pace, ms)?.caught ?? 0) >= SUFFICIENT_SHARE) ?? null
  );
}
