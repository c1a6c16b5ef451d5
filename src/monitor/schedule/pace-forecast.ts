/**
 * What a plan of calls makes of the measured rate of a search: calls a day, and the share of posts that they find. Pure.
 */
import { normalCdf } from '../../domain/normal-distribution.ts';
import { DAY, HOUR, MINUTE } from '../../domain/time.ts';
import { fitFill, sustainCalls } from './call-budget.ts';
import { fillPosts, UNKNOWN_ROOM } from './pace-interval.ts';
import { listExpected, type Pace, settle } from './pace.ts';

/** What a plan makes of a day: calls, and the share of posts it finds. */
export type PaceForecast = { callsPerDay: number; caught: number };

/** @returns null while the rate is unknown */
export function forecastFixed(pace: Pace, everyMs: number): PaceForecast | null {
  return forecastDay(pace, () => everyMs);
}

/**
 * @param limits.calls its own calls in 24 hours; null: no limit of its own
 * @param limits.fill that of its service
 * @returns null while the rate is unknown
 */
export function forecastAdaptive(
  pace: Pace,
  bounds: { leastMs: number; mostMs: number },
  limits: { calls: number | null; fill: number },
): PaceForecast | null {
  const calls = limits.calls === null ? Number.POSITIVE_INFINITY : sustainCalls(limits.calls);
  const own = fitFill([{ pace: settle(pace), ...bounds }], { calls, from: 0, until: DAY });
  const posts = fillPosts(pace, Math.max(own, limits.fill));
  return forecastDay(pace, (perHour) =>
    Math.min(Math.max((posts / perHour) * HOUR, bounds.leastMs), bounds.mostMs),
  );
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

/** The expected share of posts within the newest `room`, for a normal count with this mean. */
function shareWithin(mean: number, room: number): number {
  if (mean === 0) return 1;
  const deviation = Math.sqrt(mean + (HOURLY_NOISE * mean) ** 2);
  const z = (room - mean) / deviation;
  const density = Math.exp(-(z ** 2) / 2) / Math.sqrt(2 * Math.PI);
  const beyond = deviation * (density - z * (1 - normalCdf(z)));
  return Math.min(1, Math.max(0, 1 - beyond / mean));
}

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
