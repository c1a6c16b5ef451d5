/** Time series for spike detection: consecutive quarters of an hour, and windows over them. */
import { MINUTE } from '../../../domain/time.ts';

export const QUARTER_MS = 15 * MINUTE;
export const QUARTERS_PER_DAY = 96;
const MINUTES_PER_QUARTER = 15;

/** Consecutive quarters of an hour from `from` (ms since 1970). Unobserved is not zero. */
export type Series = {
  from: number;
  /** Counted posts or engagement. */
  counts: ArrayLike<number>;
  /** Observed minutes of the quarter, 0 to 15. */
  minutes: ArrayLike<number>;
  /** Whether a response that should have covered the quarter reached its limit. */
  cut: ArrayLike<number | boolean>;
};

/** A window of some quarters. */
export type Window = {
  /** As counted. */
  n: number;
  /** Share that was observed, 0 to 1. */
  coverage: number;
  /** `n` may have been more. */
  lowerBound: boolean;
};

/** Windows with less coverage are ignored. */
export const MIN_COVERAGE = 0.5;

/** Windows of one width over a series, each identified by the quarter that it ends before. */
export type Windows = {
  width: number;
  quarters: number;
  at(end: number): Window;
  /**
   * Values for comparisons, scaled up by coverage: NaN if not observed, infinite for lower bounds, whose true value is unknown.
   */
  values: Float64Array;
  /** Whether a window can be a spike: at least half of it was observed, or covered by a cut response. */
  canAlert(end: number): boolean;
};

/** @param width in quarters */
export function buildWindows({ counts, minutes, cut }: Series, width: number): Windows {
  const quarters = counts.length;
  const sums = runningSums(quarters, (i) => counts[i] ?? 0);
  const observed = runningSums(quarters, (i) => minutes[i] ?? 0);
  const isCut = (i: number) => Boolean(cut[i]) && (minutes[i] ?? 0) < MINUTES_PER_QUARTER;
  const cuts = runningSums(quarters, (i) => (isCut(i) ? 1 : 0));
  const reached = runningSums(quarters, (i) => (isCut(i) ? MINUTES_PER_QUARTER : (minutes[i] ?? 0)));
  const over = (all: Float64Array, end: number) =>
    (all[end] ?? Number.NaN) - (all[end - width] ?? Number.NaN);
  const most = width * MINUTES_PER_QUARTER;
  const values = new Float64Array(quarters + 1).fill(Number.NaN);
  for (let end = width; end <= quarters; end += 1) {
    if (over(reached, end) / most < MIN_COVERAGE) continue;
    values[end] =
      over(cuts, end) > 0 ? Number.POSITIVE_INFINITY : (over(sums, end) * most) / over(observed, end);
  }
  return {
    width,
    quarters,
    values,
    at: (end) => ({
      n: over(sums, end),
      coverage: over(observed, end) / most,
      lowerBound: over(cuts, end) > 0,
    }),
    canAlert: (end) => !Number.isNaN(values[end]),
  };
}

/** Hours of a series that were observed before the quarter `end`, from the quarter `from` on. */
export function countObservedHours({ minutes }: Series, from: number, end: number): number {
  let sum = 0;
  for (let i = Math.max(0, from); i < end; i += 1) sum += minutes[i] ?? 0;
  return sum / 60;
}

function runningSums(length: number, value: (i: number) => number): Float64Array {
  const sums = new Float64Array(length + 1);
  for (let i = 0; i < length; i += 1) sums[i + 1] = (sums[i] ?? 0) + value(i);
  return sums;
}
