/** Time series for spike detection: consecutive quarters of an hour, and windows over them. */

export const QUARTERS_PER_DAY = 96;
export const QUARTERS_PER_HOUR = 4;
const SECONDS_PER_QUARTER = 900;

/** Consecutive quarters of an hour from `from` (ms since 1970). Unobserved is not zero. */
export type Series = {
  from: number;
  /** Posts or engagement of the observed time. */
  counts: ArrayLike<number>;
  /** Observed seconds of the quarter, 0 to 900; more on weekends that are scaled up. */
  seconds: ArrayLike<number>;
  /** Offset of local time from UTC, in milliseconds: weekends begin at local midnight. Default: 0. */
  offset?: number;
};

/** A window of some quarters. */
export type Window = {
  /** As counted, in the observed time. */
  n: number;
  /** Share that was observed, 0 to 1; more on weekends that are scaled up. */
  coverage: number;
};

/** Running sums of a series. */
export type Sums = { counts: Float64Array; exposure: Float64Array };

/** Sums before each quarter; exposure in quarters. */
export function accumulate({ counts, seconds }: Series): Sums {
  const length = counts.length;
  const sums = { counts: new Float64Array(length + 1), exposure: new Float64Array(length + 1) };
  for (let i = 0; i < length; i += 1) {
    sums.counts[i + 1] = (sums.counts[i] ?? 0) + (counts[i] ?? 0);
    sums.exposure[i + 1] = (sums.exposure[i] ?? 0) + (seconds[i] ?? 0) / SECONDS_PER_QUARTER;
  }
  return sums;
}

/** The window of `width` quarters that ends before the quarter `end`. */
export function sumWindow({ counts, exposure }: Sums, end: number, width: number): Window {
  const start = Math.max(0, end - width);
  return {
    n: (counts[end] ?? Number.NaN) - (counts[start] ?? Number.NaN),
    coverage: ((exposure[end] ?? Number.NaN) - (exposure[start] ?? Number.NaN)) / width,
  };
}

/** Hours before a quarter of which something was observed, in steps of `width` quarters. */
export function countObservedHours({ exposure }: Sums, from: number, end: number, width: number): number {
  let steps = 0;
  for (let i = end; i > from && i > 0; i -= width)
    if ((exposure[i] ?? 0) > (exposure[Math.max(0, i - width)] ?? 0)) steps += 1;
  return (steps * width) / QUARTERS_PER_HOUR;
}
