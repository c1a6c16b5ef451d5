/** Detects spikes. docs/internals/trends.md explains the rule. Pure. */

import { DAY, HOUR, QUARTER_MS, SECOND } from '../../../lib/time.ts';
import { type Baseline, computeBaseline } from './baseline.ts';
import { CASCADE_HOURS, LONG_HOURS } from './dispersion.ts';
import { BASELINE_DAYS, type History, readHistory } from './history.ts';
import { expectCount } from './profile.ts';
import {
  countObservedHours,
  QUARTERS_PER_DAY,
  QUARTERS_PER_HOUR,
  type Series,
  type Sums,
  sumWindow,
  type Window,
} from './time-series.ts';
import { listWeekday } from './weekday-usual.ts';

const THRESHOLDS = { low: 5, normal: 3.5, high: 2.8 } as const;
type SpikeSensitivity = keyof typeof THRESHOLDS;

/** Fewer posts are never a spike. */
export const MIN_SPIKE_POSTS = 5;
/** Minimum ratio to the usual volume. */
export const MIN_SPIKE_RATIO = 2;
const SCREENING_RATIO = 1.4;
/** Observed hours before the first spike is reported; until three days, only clear spikes are. */
export const LEARNING_HOURS = 12;
export const PROVISIONAL_HOURS = 72;
const PROVISIONAL_THRESHOLD = 5.5;
/** After a spike there is none for a day, and none until a whole hour was below the threshold. */
const COOLDOWN_MS = DAY;
const REARM_QUARTERS = 4;
/** Eighteen hours after a spike show whether it was the rise to a new level; after two days, the baseline has that level. */
const LEVEL_QUARTERS = 18 * QUARTERS_PER_HOUR;
/** What they show is shrunk to the profile, which counts as much as so many posts. */
const PROFILE_POSTS = 2;
const MAX_LEVEL_QUARTERS = 2 * QUARTERS_PER_DAY;
/** Late posts may fill an old window, which is no longer news. */
export const MAX_SPIKE_AGE_MS = 6 * HOUR;
/** A window is not news if as many were seen a week ago at this time: it must exceed them by this factor. */
const MIN_WEEKLY_RATIO = 1.5;

export type Spike = Window & {
  /** Milliseconds since 1970. */
  start: number;
  end: number;
  /** Mean count of a window, expected count of this one, and its standard deviation; all with full exposure. */
  mean: number;
  usual: number;
  sd: number;
  days: number;
  windows: number;
  score: number;
  threshold: number;
  provisional: boolean;
  /** That of the score. */
  spread: Spread;
};

/** Variance of counts, relative to their mean, and of rates beyond that, relative to their square. */
export type Spread = { clumping: number; dispersion: number };

export type DetectionOptions = {
  sensitivity: SpikeSensitivity;
  /** Interval of the search: no window is shorter. */
  everySeconds: number;
  /** Ends of the windows of earlier spikes (ms); those older than 14 days may be omitted. */
  alerted: readonly number[];
  /** Time of the evaluation (ms). */
  now: number;
  /** An additional condition for a spike; default: none. */
  isEligible?: (spike: Spike) => boolean;
};

/**
 * Finds the strongest spike among the windows that closed in the last six hours; after a pause, a whole burst is seen at once.
 * There is at most one, because of the cooldown of a day. The series ends with the last complete observed quarter.
 */
export function detectSpike(series: Series, watch: DetectionOptions): Spike | null {
  const history = readHistory(series);
  const quarters = series.counts.length;
  const oldest = Math.ceil((watch.now - MAX_SPIKE_AGE_MS - series.from) / QUARTER_MS);
  const rough = computeBaseline(history, quarters);
  if (rough === null) return null;
  let most: Spike | null = null;
  const widths = listWindowWidths(history.observed, watch.everySeconds);
  for (const width of widths) {
    // A longer window may begin only an hour or so before those that count; the last one counts always.
    const first = Math.min(quarters, oldest + width - (widths[0] ?? width));
    for (let end = Math.max(width, first); end <= quarters; end += 1) {
      // Its own posts are in the baseline of all quarters, which is why less is asked for than twice as many.
      const usual = expectCount(history.series, rough, end, width);
      if (!(sumWindow(history.observed, end, width).n >= SCREENING_RATIO * usual)) continue;
      const spike = evaluateWindow(history, end, width, watch);
      if (spike === null || (most !== null && spike.score <= most.score)) continue;
      if (watch.isEligible?.(spike) !== false && isRearmed(history, spike, watch)) most = spike;
    }
  }
  return most;
}

/**
 * How many hours of the last two weeks were observed before a window, counted in steps of its width or of the search's interval,
 * whichever is longer: one response a day observes a whole day.
 * @param start the first quarter of the window
 */
export function countBaselineHours(
  observed: Sums,
  start: number,
  width: number,
  everySeconds: number,
): number {
  const first = start + width - BASELINE_DAYS * QUARTERS_PER_DAY;
  return countObservedHours(observed, first, start, Math.max(width, toQuarters(everySeconds)));
}

/**
 * The most learned hours of any window width for the next hour, which shows whether the search is still learning. Reads the
 * same series as detection.
 */
export function countLearnedHours(series: Series, everySeconds: number): number {
  const { observed } = readHistory(series);
  const end = series.counts.length + QUARTERS_PER_HOUR;
  const widths = [QUARTERS_PER_HOUR, ...listWindowWidths(observed, everySeconds)];
  return Math.max(...widths.map((width) => countBaselineHours(observed, end - width, width, everySeconds)));
}

/** The spike of the window that ends before a quarter, regardless of earlier spikes; null if it is none. */
function evaluateWindow(
  history: History,
  end: number,
  width: number,
  { sensitivity, everySeconds }: Pick<DetectionOptions, 'sensitivity' | 'everySeconds'>,
): Spike | null {
  const { series, sums, observed } = history;
  const window = sumWindow(observed, end, width);
  if (!(window.n >= MIN_SPIKE_POSTS) || !(window.coverage > 0)) return null;
  const hours = countBaselineHours(observed, end - width, width, everySeconds);
  if (hours < LEARNING_HOURS) return null;
  const baseline = computeBaseline(history, end - width, end - QUARTERS_PER_HOUR);
  if (baseline === null) return null;
  const provisional = hours < PROVISIONAL_HOURS;
  const threshold = Math.max(THRESHOLDS[sensitivity], provisional ? PROVISIONAL_THRESHOLD : 0);
  const scaled = sumWindow(sums, end, width).coverage;
  const judged = judgeWindow(series, baseline, window, { end, width, threshold, scaled });
  if (judged === null || isWeekly(observed, window, end, width)) return null;
  return {
    ...window,
    ...judged,
    start: series.from + (end - width) * QUARTER_MS,
    end: series.from + end * QUARTER_MS,
    mean: (baseline.mean * width * scaled) / window.coverage,
    days: baseline.days,
    windows: baseline.hours,
    threshold,
    provisional,
  };
}

/**
 * How far a window lies above what is expected; null if that is less than the threshold, or less than twice the usual count.
 * @param scaled coverage with weekends scaled
 */
function judgeWindow(
  series: Series,
  baseline: Baseline,
  { n, coverage }: Window,
  { end, width, threshold, scaled }: { end: number; width: number; threshold: number; scaled: number },
): Pick<Spike, 'usual' | 'sd' | 'score' | 'spread'> | null {
  const expected = expectCount(series, baseline, end, width);
  if (n < MIN_SPIKE_RATIO * expected) return null;
  const usual = expected / coverage;
  const { dispersion, tail } = computeWindowDispersion(baseline, end, width);
  const judge = (clumping: number) => {
    const spread = { clumping, dispersion: tail };
    const score = computeScore(n, expected, spread);
    return score < threshold ? null : { usual, sd: computeDeviation(usual, dispersion), score, spread };
  };
  const judged = judge(1);
  if (judged === null || width >= LONG_HOURS * QUARTERS_PER_HOUR) return judged;
  return judge(computeClumping(baseline, scaled));
}

/**
 * Windows far above the usual are more frequent than with a negative binomial distribution, the more so the more they vary: rather as
 * with a log-normal one. In the tail, their own dispersion grows by so many times its square.
 */
const HEAVY_TAIL = 4;

/**
 * Squared relative deviation, beyond chance, of windows that end before a quarter, and the same for those far above the usual. That of
 * several hours together is smaller than that of one; that of the profile is not.
 */
export function computeWindowDispersion(
  { dispersion, computeLongDispersion, uncertainty }: Baseline,
  end: number,
  width: number,
): { dispersion: number; tail: number } {
  const hours = width / QUARTERS_PER_HOUR;
  const long = hours >= LONG_HOURS ? computeLongDispersion() : null;
  const own = long === null ? dispersion : (long.dispersion * LONG_HOURS) / hours;
  const ofCascades = long === null ? 0 : (long.ofCascades * CASCADE_HOURS) / hours;
  const ofProfile = uncertainty[(end - 1) % QUARTERS_PER_DAY] ?? 0;
  return {
    dispersion: Math.max(own, ofCascades) + ofProfile,
    tail: Math.max(own * (1 + HEAVY_TAIL * own), ofCascades) + ofProfile,
  };
}

/**
 * Variance of the count of an hour relative to its mean, as far as six hours vary more than they would if hours varied independently. It is
 * that of an hour at the mean rate: with the rate at its time of day, no more bursts were found.
 * @param coverage of the hour, with weekends scaled: only as many of the posts that came together were observed
 */
function computeClumping({ dispersion, computeLongDispersion, mean }: Baseline, coverage: number): number {
  const excess = Math.max(0, computeLongDispersion().ofCascades * CASCADE_HOURS - dispersion);
  return 1 + excess * mean * QUARTERS_PER_HOUR * coverage;
}

/** Standard deviation of a count with this mean. */
export function computeDeviation(usual: number, dispersion: number): number {
  return Math.sqrt(usual + dispersion * usual ** 2);
}

/**
 * The root of twice the log-likelihood ratio of a count against a negative binomial distribution: standard deviations of a
 * normal distribution with the same tail. With a dispersion of zero, the distribution is Poisson; with a clumping of c, it is that of
 * counts that come c at a time.
 */
export function computeScore(count: number, mean: number, { clumping, dispersion }: Spread): number {
  if (count <= mean) return 0;
  const n = count / clumping;
  const expected = mean / clumping;
  const shape = 1 / Math.max(dispersion, 1e-9);
  const excess = n * Math.log(n / expected) - (n + shape) * Math.log((n + shape) / (expected + shape));
  return Math.sqrt(2 * Math.max(0, excess));
}

/** Whether a spike would remain a spike with fewer posts, such as without the posts of the loudest author. */
export function holdsWith(spike: Spike, posts: number): boolean {
  const expected = spike.usual * spike.coverage;
  if (posts < MIN_SPIKE_POSTS || posts < MIN_SPIKE_RATIO * expected) return false;
  return computeScore(posts, expected, spike.spread) >= spike.threshold;
}

/** Whether as many were seen a week ago at this time. */
function isWeekly(sums: Sums, { n, coverage }: Window, end: number, width: number): boolean {
  const before = listWeekday(sums, end - 7 * QUARTERS_PER_DAY, width);
  const most = Math.max(...before);
  return before.length > 0 && n / coverage < MIN_WEEKLY_RATIO * most + 2 * Math.sqrt(most);
}

/**
 * Whether no spike was within a day, or ended in this window or where it begins; whether a whole hour since the last one was below the
 * threshold, and this is not its new level.
 */
function isRearmed(history: History, spike: Spike, watch: DetectionOptions): boolean {
  const { alerted } = watch;
  // Windows of searches that run every few days are longer than the cooldown.
  const overlaps = (other: number) => other >= spike.start && other <= spike.end;
  if (alerted.some((other) => Math.abs(spike.end - other) < COOLDOWN_MS || overlaps(other))) return false;
  const before = alerted.filter((other) => other < spike.end);
  if (before.length === 0) return true;
  const { from } = history.series;
  const since = Math.round((Math.max(...before) - from) / QUARTER_MS);
  if (since < 0) return true;
  const end = Math.round((spike.end - from) / QUARTER_MS);
  const width = Math.round((spike.end - spike.start) / QUARTER_MS);
  if (isNewLevel(history, spike, { since, end, width })) return false;
  let quiet = 0;
  for (let other = end - 1; other > Math.max(since, width); other -= 1) {
    if (!(sumWindow(history.observed, other, width).coverage > 0)) continue;
    quiet = evaluateWindow(history, other, width, watch) === null ? quiet + 1 : 0;
    if (quiet >= REARM_QUARTERS) return true;
  }
  return false;
}

/**
 * Whether a window has fewer than twice the posts that the eighteen hours before it lead to expect. They followed a spike, and the
 * baseline still has the level from before it.
 * @param since end of the last spike's window
 */
function isNewLevel(
  history: History,
  { n }: Spike,
  { since, end, width }: { since: number; end: number; width: number },
): boolean {
  const start = end - width;
  if (start - since < LEVEL_QUARTERS || start - since > MAX_LEVEL_QUARTERS) return false;
  const { series, sums } = history;
  const baseline = computeBaseline(history, start);
  if (baseline === null) return false;
  const { profile } = baseline;
  const expect = (before: number, quarters: number) =>
    expectCount(series, { profile, level: 1 }, before, quarters);
  const postCount = sumWindow(sums, start, LEVEL_QUARTERS).n + PROFILE_POSTS;
  const level = postCount / (expect(start, LEVEL_QUARTERS) + PROFILE_POSTS);
  return n < MIN_SPIKE_RATIO * level * expect(end, width);
}

/** Windows to choose from, in quarters of an hour: an hour; for slow searches 3, 6 or 24. */
const WINDOW_WIDTHS = [1, 3, 6, 24].map((hours) => (hours * HOUR) / QUARTER_MS);
/** Usual posts that a window needs: with fewer, chance alone makes peaks. */
const MIN_USUAL_POSTS = 1.5;
/** What rises slowly stands out in six hours. */
const LONG_WIDTH = (6 * HOUR) / QUARTER_MS;

/**
 * The widths of windows, in quarters: the shortest in which a search has enough posts, six hours, and its interval where that is longer,
 * so that what happened between two runs a day is found as well.
 */
export function listWindowWidths(sums: Sums, everySeconds: number): number[] {
  const end = sums.counts.length - 1;
  const quarters = Math.min(end, BASELINE_DAYS * QUARTERS_PER_DAY);
  const { n, coverage } = sumWindow(sums, end, quarters);
  const aQuarter = n / Math.max(1e-9, coverage * quarters);
  const wide = WINDOW_WIDTHS.find((width) => width * aQuarter >= MIN_USUAL_POSTS) ?? QUARTERS_PER_DAY;
  return [...new Set([wide, Math.max(wide, LONG_WIDTH), Math.max(wide, toQuarters(everySeconds))])];
}

function toQuarters(seconds: number): number {
  return Math.ceil((seconds * SECOND) / QUARTER_MS);
}
