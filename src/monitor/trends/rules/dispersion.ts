/** How much the hours of a search vary beyond chance, compared with what a profile expects of them. Pure. */

import { ASSUMED_DISPERSION } from './profile.ts';
import { QUARTERS_PER_DAY, QUARTERS_PER_HOUR, type Sums } from './time-series.ts';

/** Copies: in hot loops, an imported binding costs a call where modules are transpiled. */
const DAY_QUARTERS = QUARTERS_PER_DAY;
const HOUR_QUARTERS = QUARTERS_PER_HOUR;

/** Hours further above the expected count than so many standard deviations are averaged as if they were not. */
const CAP_DEVIATIONS = 3;
/** Share of pairs of neighbouring hours that is left out, those that differ most: a burst should not hide the next one. */
const TRIMMED_SHARE = 0.01;
/** From this length on, windows are judged by how much windows of so many hours vary, and not by hours. */
export const LONG_HOURS = 3;
/** Windows of so many hours show how far posts bring others: the variance of independent hours would fall to a sixth. */
export const CASCADE_HOURS = 6;

/**
 * How much more neighbouring windows differ than chance explains. A Poisson process has a variance as large as its mean; real hours vary in
 * proportion to it as well. Taken from neighbours, because a level that changes over days is no noise.
 * @param width of windows, in hours. One begins each hour.
 * @param distance between the starts of two that are compared, in hours. One hour lies between two hours: noise does not begin with
 *   our hours, and neighbours would share it.
 */
export function computeDispersion(
  { counts, expected }: RunningSums,
  { first, end }: Span,
  width = 1,
  distance = 2,
): { dispersion: number; hours: number } {
  const quarters = width * HOUR_QUARTERS;
  const windows = Math.max(0, Math.floor((end - first - quarters) / HOUR_QUARTERS) + 1);
  const usual = new Float64Array(windows);
  const ratios = new Float64Array(windows);
  let hours = 0;
  // As windowBefore, without an object for each: they cost a fifth of all detection.
  for (let i = 0, at = end; i < windows; i += 1, at -= HOUR_QUARTERS) {
    const x = (expected[at] ?? 0) - (expected[at - quarters] ?? 0);
    if (!(x > 0)) continue;
    usual[i] = x;
    ratios[i] = ((counts[at] ?? 0) - (counts[at - quarters] ?? 0)) / x;
    hours += 1;
  }
  const excesses = new Float64Array(windows);
  const weights = new Float64Array(windows);
  let pairs = 0;
  for (let i = 0; i + distance < windows; i += 1) {
    const x = usual[i] ?? 0;
    const y = usual[i + distance] ?? 0;
    if (!(x > 0) || !(y > 0)) continue;
    const harmonic = (x * y) / (x + y);
    const weight = (harmonic / (1 + ASSUMED_DISPERSION * harmonic)) ** 2;
    weights[pairs] = weight;
    excesses[pairs] = weight * (((ratios[i] ?? 0) - (ratios[i + distance] ?? 0)) ** 2 - 1 / x - 1 / y);
    pairs += 1;
  }
  // An hour is in as many windows as they are long.
  const kept = Math.floor(pairs * (1 - width * TRIMMED_SHARE));
  const most = excesses.slice(0, pairs).sort()[kept] ?? 0;
  let weight = 0;
  let excess = 0;
  for (let i = 0; i < pairs; i += 1) {
    const value = excesses[i] ?? 0;
    if (value >= most) continue;
    weight += weights[i] ?? 0;
    excess += value;
  }
  return { dispersion: weight > 0 ? Math.max(0, excess / weight / 2) : 0, hours };
}

/** Quarters compared, `end` excluded. */
export type Span = { first: number; end: number };

/** Sums over the quarters before each: of the counts, and from `first` on, of what a profile expects of what was observed. */
export type RunningSums = { counts: ArrayLike<number>; expected: ArrayLike<number> };

export function accumulateExpected(
  { counts, exposure }: Sums,
  profile: Float64Array,
  first: number,
  end: number,
): RunningSums {
  const expected = new Float64Array(end + 1);
  let sum = 0;
  for (let i = first; i < end; i += 1) {
    sum += (profile[i % DAY_QUARTERS] ?? 0) * ((exposure[i + 1] ?? 0) - (exposure[i] ?? 0));
    expected[i + 1] = sum;
  }
  return { counts, expected };
}

export type WindowOfBaseline = { n: number; expected: number };

/** Null if nothing was observed. */
export function windowBefore(
  { counts, expected }: RunningSums,
  at: number,
  width: number,
): WindowOfBaseline | null {
  const usual = (expected[at] ?? 0) - (expected[at - width] ?? 0);
  return usual > 0 ? { n: (counts[at] ?? 0) - (counts[at - width] ?? 0), expected: usual } : null;
}

/** For each hour before `end`, newest first: what its counts are multiplied by, so that no hour is far above the expected count. */
export function computeScale(sums: RunningSums, dispersion: number, { first, end }: Span): Float64Array {
  const scale = new Float64Array(Math.ceil((end - first) / HOUR_QUARTERS)).fill(1);
  for (let hour = 0; end - (hour + 1) * HOUR_QUARTERS >= first; hour += 1) {
    const current = windowBefore(sums, end - hour * HOUR_QUARTERS, HOUR_QUARTERS);
    if (current === null) continue;
    const most = computeHourCap(current, dispersion);
    if (current.n > most) scale[hour] = most / current.n;
  }
  return scale;
}

/** The most posts that an hour counts for. */
export function computeHourCap({ expected }: WindowOfBaseline, dispersion: number): number {
  return expected + CAP_DEVIATIONS * Math.sqrt(expected + dispersion * expected ** 2) + 1;
}
