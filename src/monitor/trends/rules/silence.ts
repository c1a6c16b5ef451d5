/** Whether a search is silent: observed without posts for longer than chance explains. docs/internals/trends.md explains the rule. Pure. */

import { DAY, HOUR, QUARTER_MS } from '../../../lib/time.ts';
import { QUARTERS_PER_DAY, type Series } from './time-series.ts';

const HOURS_PER_WEEK = 168;
/** Days before a stretch without posts from which the usual rate is taken, and how many of them must be observed. */
export const SILENCE_DAYS = 28;
const MIN_SILENCE_DAYS = 7;
/** A silence has so many observed hours, at least: some services index posts hours late. */
export const MIN_SILENT_HOURS = 6;
/** Chance must explain it less often than 1 in 100,000: every gap between posts is tried. */
export const MIN_SILENCE_EVIDENCE = Math.log(100_000);
/** It must be less likely than every earlier stretch without posts, by this factor of the logarithm. */
const MIN_RATIO_TO_EARLIER = 1.25;
/** A weekday is known if so many hours of it were observed. */
const MIN_WEEKDAY_HOURS = 12;
/**
 * The rate of a weekday is shrunk to the rate of all days by as much as one post; the rate of an hour of the week is shrunk
 * by two hours.
 */
const WEEKDAY_PRIOR_POSTS = 1;
const HOUR_PRIOR_HOURS = 2;
/** Quarters whose level counts, where it is lower than before: half a day, and three days. */
const LEVEL_QUARTERS = [48, 288];
/** Windows in which the dispersion is measured, in quarters, and the share of them, those that deviate most, that is left out. */
const DISPERSION_QUARTERS = 24;
const TRIMMED_SHARE = 0.02;

export type Silence = {
  /** Milliseconds since 1970: the end of the last quarter with a post. */
  since: number;
  /** Observed hours since then, and posts expected in them. */
  observedHours: number;
  expected: number;
  /** Minus the logarithm of the probability of no post. */
  evidence: number;
  /** Observed days compared with. */
  days: number;
};

/** The stretch without posts at the end of a series, if it is a silence. @param series time of earlier silences has no seconds */
export function findSilence({ from, counts, seconds }: Series): Silence | null {
  let end = counts.length;
  while (end > 0 && !((counts[end - 1] ?? 0) > 0)) end -= 1;
  const first = Math.max(0, end - SILENCE_DAYS * QUARTERS_PER_DAY);
  const observedHours = sumBetween(seconds, end, counts.length) / 3_600;
  const days = (sumBetween(seconds, first, end) * 1_000) / DAY;
  if (observedHours < MIN_SILENT_HOURS || days < MIN_SILENCE_DAYS) return null;

  const hourOf = (i: number) => Math.floor((from + i * QUARTER_MS) / HOUR) % HOURS_PER_WEEK;
  const week = computeWeek(counts, seconds, first, end, hourOf);
  const expected = Float64Array.from(seconds, (observed, i) => ((week[hourOf(i)] ?? 0) * observed) / 3_600);
  let [earlier, stretch] = [0, 0];
  for (let i = first; i < end; i += 1) {
    stretch = (counts[i] ?? 0) > 0 ? 0 : stretch + (expected[i] ?? 0);
    earlier = Math.max(earlier, stretch);
  }
  const levels = LEVEL_QUARTERS.map((length) => {
    const recent = Math.max(first, end - length);
    return (sumBetween(counts, recent, end) + 1) / (sumBetween(expected, recent, end) + 1);
  });
  const posts = Math.min(1, ...levels) * sumBetween(expected, end, counts.length);
  const evidence = posts * computeChance(counts, expected, first, end);
  if (evidence < MIN_SILENCE_EVIDENCE || posts < MIN_RATIO_TO_EARLIER * earlier) return null;
  return { since: from + end * QUARTER_MS, observedHours, expected: posts, evidence, days: Math.round(days) };
}

/**
 * Minus the logarithm of the probability that nothing is found, for each post expected: one for a Poisson process, less where posts come in
 * groups. Of a negative binomial distribution with the variance of windows of six hours.
 */
function computeChance(counts: Series['counts'], expected: Float64Array, first: number, end: number): number {
  const squares: number[] = [];
  for (let i = end; i - DISPERSION_QUARTERS >= first; i -= DISPERSION_QUARTERS) {
    const usual = sumBetween(expected, i - DISPERSION_QUARTERS, i);
    if (usual > 0) squares.push((sumBetween(counts, i - DISPERSION_QUARTERS, i) - usual) ** 2 / usual);
  }
  squares.sort((a, b) => a - b).length = Math.ceil(squares.length * (1 - TRIMMED_SHARE));
  const ratio = sumBetween(squares, 0, squares.length) / Math.max(1, squares.length);
  return ratio <= 1.01 ? 1 : Math.log(ratio) / (ratio - 1);
}

/** Posts expected in each hour of the week (UTC, from that of 1970-01-01 on); none where the weekday is not known. */
function computeWeek(
  counts: Series['counts'],
  seconds: Series['seconds'],
  first: number,
  end: number,
  hourOf: (i: number) => number,
): Float64Array {
  const posts = new Float64Array(HOURS_PER_WEEK);
  const exposure = new Float64Array(HOURS_PER_WEEK);
  for (let i = first; i < end; i += 1) {
    if (!((seconds[i] ?? 0) > 0)) continue;
    const hour = hourOf(i);
    posts[hour] = (posts[hour] ?? 0) + (counts[i] ?? 0);
    exposure[hour] = (exposure[hour] ?? 0) + (seconds[i] ?? 0) / 3_600;
  }
  const ofDay = Array.from({ length: 24 }, (_, hour) => {
    const each = [0, 1, 2, 3, 4, 5, 6].map((day) => day * 24 + hour);
    const observed = each.reduce((sum, at) => sum + (exposure[at] ?? 0), 0);
    return observed > 0 ? each.reduce((sum, at) => sum + (posts[at] ?? 0), 0) / observed : 0;
  });
  const shrunk = Float64Array.from({ length: HOURS_PER_WEEK }, (_, hour) => {
    const day = hour - (hour % 24);
    const usual = ofDay.reduce((sum, rate, at) => sum + rate * (exposure[day + at] ?? 0), 0);
    if (sumBetween(exposure, day, day + 24) < MIN_WEEKDAY_HOURS) return 0;
    const factor = (sumBetween(posts, day, day + 24) + WEEKDAY_PRIOR_POSTS) / (usual + WEEKDAY_PRIOR_POSTS);
    const prior = (ofDay[hour % 24] ?? 0) * factor;
    return ((posts[hour] ?? 0) + HOUR_PRIOR_HOURS * prior) / ((exposure[hour] ?? 0) + HOUR_PRIOR_HOURS);
  });
  // Not more than on average an hour before and after: what usually begins at ten may begin at eleven.
  return shrunk.map((rate, hour) => {
    const [before, after] = [shrunk.at(hour - 1) ?? 0, shrunk[(hour + 1) % HOURS_PER_WEEK] ?? 0];
    return Math.min(rate, (before + rate + after) / 3);
  });
}

function sumBetween(values: ArrayLike<number>, from: number, until: number): number {
  let sum = 0;
  for (let i = from; i < until; i += 1) sum += values[i] ?? 0;
  return sum;
}
