/** Volume over time as the detector reads it: quarters of an hour without a gap in the row, and windows over them. */
import { MINUTE } from '../../../domain/time.ts';

export const QUARTER_MS = 15 * MINUTE;
export const QUARTERS_PER_DAY = 96;
const MINUTES_PER_QUARTER = 15;

/** Quarters of an hour, one after the other from `from` (ms since 1970). What was not observed is not zero. */
export type Series = {
  from: number;
  /** Posts, or whatever is counted, as counted. */
  counts: ArrayLike<number>;
  /** Minutes of the quarter that were observed in full, 0 to 15. */
  minutes: ArrayLike<number>;
  /** Whether an answer that should have reached the quarter was cut at its limit. */
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

/** Under this share a window says nothing. */
export const MIN_COVERAGE = 0.5;

/** Windows of one length over a series, each named by the quarter that it ends before. */
export type Windows = {
  width: number;
  quarters: number;
  at(end: number): Window;
  /**
   * What counts in a comparison: scaled up by coverage. NaN where it was not observed; infinite where it is a
   * lower bound, for it may have been anything above.
   */
  values: Float64Array;
  /** Whether a window may raise an alert: half of it was observed, or at least reached. */
  tellable(end: number): boolean;
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
    tellable: (end) => !Number.isNaN(values[end]),
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
