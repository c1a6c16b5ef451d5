/**
 * What is usual, from the days before a window: a rate for each time of day, and how much hours of this search vary beyond chance.
 * Everything is weighted by exposure, so that a truncated response counts for what it measured. Pure.
 */

import { DAY, HOUR } from '../../../domain/time.ts';
import {
  accumulate,
  QUARTER_MS,
  QUARTERS_PER_DAY,
  QUARTERS_PER_HOUR,
  type Series,
  type Sums,
  sumWindow,
} from './time-series.ts';

/** Copies: in hot loops, an imported binding costs a call where modules are transpiled. */
const DAY_QUARTERS = QUARTERS_PER_DAY;
const HOUR_QUARTERS = QUARTERS_PER_HOUR;

/** How many days back a window is compared. */
export const BASELINE_DAYS = 14;
/** Around this time of day: an hour before and after, in quarters. */
const NEARBY_QUARTERS = 4;
/** The rate of a time of day is shrunk to the overall rate, which counts as much as this exposure (in quarters). */
const PRIOR_EXPOSURE = 8;
/**
 * Squared coefficient of variation assumed when quarters are averaged: with it, a minute of a busy hour counts nearly as much as
 * the whole hour, because hours vary more than the count is uncertain.
 */
const ASSUMED_DISPERSION = 0.25;
/** Hours further above the expected count than so many standard deviations are averaged as if they were not. */
const CAP_DEVIATIONS = 3;

export type Baseline = {
  /** Expected count of a quarter with full exposure, by time of day: quarters modulo a day. */
  profile: Float64Array;
  /** Relative variance of the profile at each time of day: few posts, or a time of day that was hardly observed. */
  uncertainty: Float64Array;
  /** Mean count of a quarter with full exposure. */
  mean: number;
  /** Variance of hourly rates beyond chance, relative to their square: 0 for a Poisson process. */
  dispersion: number;
  /** The same of windows of three hours; computed when asked, because few windows need it. */
  longDispersion: () => number;
  /** The same for windows of six hours, but no more than those of three account for. */
  cascadeDispersion: () => number;
  /** The present rate relative to the profile. */
  level: number;
  /** Number of hours compared with. */
  hours: number;
  /** From the first observed quarter, rounded up. */
  days: number;
};

/**
 * From the observed quarters of the fourteen days before the quarter `end`.
 * @param riseEnd the level may have risen until this quarter, in a window that is judged
 * @returns null if nothing was observed
 */
export function computeBaseline(series: Series, sums: Sums, end: number, riseEnd = end): Baseline | null {
  const first = Math.max(0, end - BASELINE_DAYS * QUARTERS_PER_DAY);
  const observed = (sums.exposure[end] ?? 0) - (sums.exposure[first] ?? 0);
  if (!(observed > 0)) return null;
  const { counts, seconds } = series;
  const rough = ((sums.counts[end] ?? 0) - (sums.counts[first] ?? 0)) / observed;
  let earliest = first;
  while (earliest < end && !((seconds[earliest] ?? 0) > 0)) earliest += 1;

  const span = { first, end };
  const uncapped = computeProfile(counts, seconds, first, end, rough, null);
  const uncappedSums = accumulateExpected(sums, uncapped.profile, first, end);
  const scale = computeScale(uncappedSums, computeDispersion(uncappedSums, span).dispersion, span);
  const capped = computeProfile(counts, seconds, first, end, rough, scale);
  const cappedSums = accumulateExpected(sums, capped.profile, first, Math.max(end, riseEnd));
  const { dispersion, hours } = computeDispersion(cappedSums, span);
  const disperseOver = (width: number) => computeDispersion(cappedSums, span, width, width).dispersion;
  const longDispersion = () => Math.max(disperseOver(LONG_HOURS), dispersion / LONG_HOURS);
  return {
    ...capped,
    dispersion,
    longDispersion,
    // More than twice the excess of three hours over independent ones is a change of the level or a burst, not clumping.
    cascadeDispersion: () =>
      Math.min(disperseOver(CASCADE_HOURS), longDispersion() - dispersion / CASCADE_HOURS),
    level: computeLevel(cappedSums, dispersion, span, riseEnd),
    hours,
    days: Math.min(BASELINE_DAYS, Math.ceil((end - earliest) / QUARTERS_PER_DAY)),
  };
}

/** Expected count of a window with the exposure it had. */
export function expectCount(
  { seconds }: Series,
  { profile, level }: Pick<Baseline, 'profile' | 'level'>,
  end: number,
  width: number,
): number {
  let sum = 0;
  for (let i = Math.max(0, end - width); i < end; i += 1)
    sum += ((profile[i % DAY_QUARTERS] ?? 0) * (seconds[i] ?? 0)) / 900;
  return level * sum;
}

/** A stretch without posts is a silent source if chance explains it less often than this. */
const SILENCE_CHANCE = 1e-4;

/** Consecutive quarters, `end` excluded, of which something was observed and nothing found. */
export type Silence = { start: number; end: number };

/**
 * Stretches without posts that chance does not explain: the source said nothing, which is not zero. Quarters that were not
 * observed do not interrupt one. Nights in which there are never posts are no silence.
 */
export function findSilences(series: Series, sums: Sums): Silence[] {
  const { counts, seconds } = series;
  const end = counts.length;
  const first = Math.max(0, end - BASELINE_DAYS * DAY_QUARTERS);
  if (!mayBeSilent(series, sums, first, end)) return [];
  const all = computeProfile(counts, seconds, first, end, 0, null, 0);
  const { profile } = computeProfile(counts, seconds, first, end, 0, null);
  const { dispersion } = computeDispersion(accumulateExpected(sums, profile, first, end), { first, end });
  const shape = 1 / Math.max(dispersion, 1e-6);
  const silences: Silence[] = [];
  let start = -1;
  let evidence = 0;
  for (let i = first; i <= end; i += 1) {
    const share = (seconds[i] ?? 0) / 900;
    if (i < end && !((counts[i] ?? 0) > 0)) {
      if (share > 0 && start < 0) start = i;
      // Of a quarter whose rate varies as much as an hour's.
      evidence +=
        (shape / HOUR_QUARTERS) *
        Math.log1p(((all.profile[i % DAY_QUARTERS] ?? 0) * share * HOUR_QUARTERS) / shape);
    } else {
      if (start >= 0 && evidence > -Math.log(SILENCE_CHANCE)) silences.push({ start, end: i });
      start = -1;
      evidence = 0;
    }
  }
  return silences;
}

/** A cheap condition before rates are computed: no time of day is more than four times as busy as the mean. */
function mayBeSilent(
  { counts }: Series,
  { counts: posts, exposure }: Sums,
  first: number,
  end: number,
): boolean {
  const observed = (exposure[end] ?? 0) - (exposure[first] ?? 0);
  const mean = ((posts[end] ?? 0) - (posts[first] ?? 0)) / observed;
  let longest = 0;
  let since = exposure[first] ?? 0;
  for (let i = first; i <= end; i += 1) {
    if (i < end && !((counts[i] ?? 0) > 0)) continue;
    longest = Math.max(longest, (exposure[i] ?? 0) - since);
    since = exposure[i + 1] ?? 0;
  }
  return 4 * longest * mean > -Math.log(SILENCE_CHANCE);
}

/** The series with these stretches unobserved. */
export function withoutSilences(series: Series, silences: readonly Silence[]): Series {
  if (silences.length === 0) return series;
  const seconds = new Float64Array(series.seconds);
  for (const { start, end } of silences) seconds.fill(0, start, end);
  return { ...series, seconds };
}

/** @param scale by hour, see {@link computeScale} */
export function computeProfile(
  counts: Series['counts'],
  seconds: Series['seconds'],
  first: number,
  end: number,
  rough: number,
  scale: Float64Array | null,
  priorExposure = PRIOR_EXPOSURE,
): Pick<Baseline, 'profile' | 'uncertainty' | 'mean'> {
  const posts = new Float64Array(DAY_QUARTERS);
  const exposure = new Float64Array(DAY_QUARTERS);
  const raw = new Float64Array(DAY_QUARTERS);
  let allPosts = 0;
  let allExposure = 0;
  for (let i = first; i < end; i += 1) {
    const share = (seconds[i] ?? 0) / 900;
    if (!(share > 0)) continue;
    const count = (counts[i] ?? 0) * (scale?.[Math.floor((end - 1 - i) / HOUR_QUARTERS)] ?? 1);
    const weight = 1 / (1 + ASSUMED_DISPERSION * rough * share);
    const time = i % DAY_QUARTERS;
    posts[time] = (posts[time] ?? 0) + weight * count;
    exposure[time] = (exposure[time] ?? 0) + weight * share;
    raw[time] = (raw[time] ?? 0) + count;
    allPosts += weight * count;
    allExposure += weight * share;
  }
  // Where nothing was found, as if one post had been.
  const mean = Math.max(allPosts, 1) / allExposure;
  const prior = priorExposure / (1 + ASSUMED_DISPERSION * rough);
  const profile = new Float64Array(DAY_QUARTERS);
  const uncertainty = new Float64Array(DAY_QUARTERS);
  for (let time = 0; time < DAY_QUARTERS; time += 1) {
    let near = prior * mean;
    let nearExposure = prior;
    let nearRaw = 1;
    for (let shift = -NEARBY_QUARTERS; shift <= NEARBY_QUARTERS; shift += 1) {
      const other = (time + shift + DAY_QUARTERS) % DAY_QUARTERS;
      near += posts[other] ?? 0;
      nearExposure += exposure[other] ?? 0;
      nearRaw += raw[other] ?? 0;
    }
    profile[time] = nearExposure > 0 ? near / nearExposure : 0;
    uncertainty[time] = nearExposure > 0 ? 1 / nearRaw + (prior / nearExposure) ** 2 : 1;
  }
  return { profile, uncertainty, mean };
}

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
function computeDispersion(
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
type Span = { first: number; end: number };

/** Sums over the quarters before each: of the counts, and from `first` on, of what a profile expects of what was observed. */
type RunningSums = { counts: ArrayLike<number>; expected: ArrayLike<number> };

function accumulateExpected(
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

type WindowOfBaseline = { n: number; expected: number };

/** Null if nothing was observed. */
function windowBefore({ counts, expected }: RunningSums, at: number, width: number): WindowOfBaseline | null {
  const usual = (expected[at] ?? 0) - (expected[at - width] ?? 0);
  return usual > 0 ? { n: (counts[at] ?? 0) - (counts[at - width] ?? 0), expected: usual } : null;
}

/** For each hour before `end`, newest first: what its counts are multiplied by, so that no hour is far above the expected count. */
function computeScale(sums: RunningSums, dispersion: number, { first, end }: Span): Float64Array {
  const scale = new Float64Array(Math.ceil((end - first) / HOUR_QUARTERS)).fill(1);
  for (let hour = 0; end - (hour + 1) * HOUR_QUARTERS >= first; hour += 1) {
    const current = windowBefore(sums, end - hour * HOUR_QUARTERS, HOUR_QUARTERS);
    if (current === null) continue;
    const most = computeHourCap(current, dispersion);
    if (current.n > most) scale[hour] = most / current.n;
  }
  return scale;
}

/** The most that an hour counts. */
function computeHourCap({ expected }: WindowOfBaseline, dispersion: number): number {
  return expected + CAP_DEVIATIONS * Math.sqrt(expected + dispersion * expected ** 2) + 1;
}

/** Hours that show the level of the last two days, in blocks of several, and the share of blocks, the busiest, that is left out: a burst is no level. */
const RECENT_HOURS = 48;
const BLOCK_HOURS = 6;
const BURST_SHARE = 0.25;
/** Hours that show the level of the last week, and how many of them must be observed. */
const WEEK_HOURS = 7 * 24;
const MIN_WEEK_HOURS = 5 * 24;
/** A level is shrunk to that of the profile, which counts as much as so many posts. */
const LEVEL_PRIOR_POSTS = 8;

/**
 * The present rate relative to the profile: that of the last two days or of the last week, whichever is higher. A level that rose a day
 * and a half ago is not a spike, and neither is what grows a little every day.
 * @param dispersion of hours
 * @param riseEnd see {@link computeBaseline}
 */
function computeLevel(sums: RunningSums, dispersion: number, { first }: Span, riseEnd: number): number {
  const listBefore = (hours: number, width: number) =>
    Array.from({ length: hours / width }, (_, i) => riseEnd - i * width * HOUR_QUARTERS).flatMap((at) =>
      at - width * HOUR_QUARTERS >= first ? (windowBefore(sums, at, width * HOUR_QUARTERS) ?? []) : [],
    );
  const computeRatio = (windows: readonly WindowOfBaseline[]) => {
    const n = windows.reduce((sum, window) => sum + window.n, LEVEL_PRIOR_POSTS);
    return n / windows.reduce((sum, window) => sum + window.expected, LEVEL_PRIOR_POSTS);
  };
  const blocks = listBefore(RECENT_HOURS, BLOCK_HOURS);
  blocks.sort((a, b) => a.n / a.expected - b.n / b.expected);
  const recent = computeRatio(blocks.slice(0, Math.floor(blocks.length * (1 - BURST_SHARE))));
  const hours = listBefore(WEEK_HOURS, 1);
  const capped = hours.map((hour) => ({ ...hour, n: Math.min(hour.n, computeHourCap(hour, dispersion)) }));
  return Math.max(recent, hours.length < MIN_WEEK_HOURS ? 1 : computeRatio(capped));
}

/** Sorts what it is given. NaN where that is nothing. */
export function median(values: number[]): number {
  if (values.length === 0) return Number.NaN;
  values.sort((a, b) => a - b);
  const middle = values.length >> 1;
  const upper = values[middle] ?? Number.NaN;
  return values.length % 2 === 1 ? upper : ((values[middle - 1] ?? upper) + upper) / 2;
}

const COMPARED_WEEKS = 4;
/** How far back a series must go, from the end of the window. */
export const WEEKDAY_HISTORY_MS = COMPARED_WEEKS * 7 * DAY + HOUR;
/** Windows observed less than this do not say what is usual on a weekday. */
const MIN_WEEKDAY_COVERAGE = 0.05;

/**
 * The median of the windows at this time of this weekday (an hour before and after) in the four weeks before.
 * @returns null where one of the weeks was not observed
 */
export function computeWeekdayUsual(
  series: Series,
  { start, end }: { start: number; end: number },
): number | null {
  const sums = accumulate(series);
  const width = Math.round((end - start) / QUARTER_MS);
  const at = Math.round((end - series.from) / QUARTER_MS);
  const nearby: number[] = [];
  for (let week = 1; week <= COMPARED_WEEKS; week += 1) {
    const observed = listWeekday(sums, at - week * 7 * QUARTERS_PER_DAY, width);
    if (observed.length === 0) return null;
    nearby.push(...observed);
  }
  return median(nearby);
}

/** Counts, scaled up to full exposure, of the windows that end within an hour of a quarter. */
export function listWeekday(sums: Sums, middle: number, width: number): number[] {
  const values: number[] = [];
  for (let shift = -NEARBY_QUARTERS; shift <= NEARBY_QUARTERS; shift += 1) {
    if (middle + shift < width) continue;
    const { n, coverage } = sumWindow(sums, middle + shift, width);
    if (coverage >= MIN_WEEKDAY_COVERAGE) values.push(n / coverage);
  }
  return values;
}
