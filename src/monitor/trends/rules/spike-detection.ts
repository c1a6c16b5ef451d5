/** Whether there is more than usual, by one rule; docs/trends.md says where it comes from. Pure. */

import { DAY, HOUR, SECOND } from '../../../domain/time.ts';
import { type Baseline, BASELINE_DAYS, computeBaseline, computeUsual } from './baseline.ts';
import {
  buildWindows,
  countObservedHours,
  QUARTER_MS,
  QUARTERS_PER_DAY,
  type Series,
  type Window,
  type Windows,
} from './time-series.ts';

const THRESHOLDS = { low: 6, normal: 4.5, high: 3.5 } as const;
type SpikeSensitivity = keyof typeof THRESHOLDS;

/** Fewer posts are nothing to tell. */
export const MIN_SPIKE_POSTS = 5;
/** Times the usual. */
export const MIN_SPIKE_RATIO = 2;
/** Until so many hours were observed, nothing is told; until three days, only what is beyond doubt. */
export const LEARNING_HOURS = 12;
export const PROVISIONAL_HOURS = 72;
const PROVISIONAL_LIMITS = { threshold: 6, least: 20 } as const;
/** After an alert there is none for a day, and none before an hour in a row was below the threshold. */
const COOLDOWN_MS = DAY;
const REARM_QUARTERS = 4;
/** Late posts may fill an old window: that is no news any more. */
export const MAX_SPIKE_AGE_MS = 6 * HOUR;

/** What a detector needs to see before the first window that may raise an alert. */
export const HISTORY_MS = BASELINE_DAYS * DAY;

export type Spike = Window &
  Pick<Baseline, 'mean' | 'sd' | 'usual' | 'days' | 'windows'> & {
    /** Milliseconds since 1970. */
    start: number;
    end: number;
    score: number;
    threshold: number;
    provisional: boolean;
  };

export type DetectionOptions = {
  sensitivity: SpikeSensitivity;
  /** Between two runs: no window is shorter. */
  everySeconds: number;
  /** When the windows of the search's alerts ended (ms); older than fourteen days may be left out. */
  alerted: readonly number[];
  /** When this is decided (ms). */
  now: number;
  /** What else must hold for a spike to be told; any may where it is left out. */
  mayTell?: (spike: Spike) => boolean;
};

/**
 * The spike among the windows that closed in the last six hours: the one that stands out most, for after a pause
 * all of a burst is seen at once. There is at most one, as no other may come for a day. The series ends with the
 * last quarter that is over and was observed.
 */
export function detectSpike(series: Series, watch: DetectionOptions): Spike | null {
  const quarters = series.counts.length;
  const windows = buildWindows(series, chooseWindowWidth(series, watch.everySeconds));
  const oldest = Math.ceil((watch.now - MAX_SPIKE_AGE_MS - series.from) / QUARTER_MS);
  let most: Spike | null = null;
  for (let end = Math.max(windows.width, oldest); end <= quarters; end += 1) {
    const spike = evaluateWindow(series, windows, end, watch.sensitivity);
    if (spike === null || (most !== null && spike.score <= most.score)) continue;
    if (watch.mayTell?.(spike) !== false && isRearmed(series, windows, end, watch)) most = spike;
  }
  return most;
}

/** The window that ends before a quarter, where it is one by itself, whatever was told before. */
function evaluateWindow(
  series: Series,
  windows: Windows,
  end: number,
  sensitivity: SpikeSensitivity,
): Spike | null {
  if (!windows.tellable(end)) return null;
  const window = windows.at(end);
  const value = window.lowerBound ? window.n : window.n / window.coverage;
  if (window.n < MIN_SPIKE_POSTS || !(value >= MIN_SPIKE_RATIO * Math.max(computeUsual(windows, end), 1)))
    return null;
  const hours = countObservedHours(series, end - BASELINE_DAYS * QUARTERS_PER_DAY, end - windows.width);
  if (hours < LEARNING_HOURS) return null;
  const baseline = computeBaseline(windows, end);
  if (baseline === null) return null;
  const provisional = hours < PROVISIONAL_HOURS;
  const threshold = Math.max(THRESHOLDS[sensitivity], provisional ? PROVISIONAL_LIMITS.threshold : 0);
  const score = (value - baseline.expected) / baseline.sd;
  if (score < threshold || (provisional && window.n < PROVISIONAL_LIMITS.least)) return null;
  const { mean, sd, usual, days, windows: compared } = baseline;
  return {
    ...window,
    start: series.from + (end - windows.width) * QUARTER_MS,
    end: series.from + end * QUARTER_MS,
    mean,
    sd,
    usual,
    days,
    windows: compared,
    score,
    threshold,
    provisional,
  };
}

/** None within a day, and an hour in a row below the threshold since the last one. */
function isRearmed(
  series: Series,
  windows: Windows,
  end: number,
  { alerted, sensitivity }: DetectionOptions,
): boolean {
  const at = series.from + end * QUARTER_MS;
  if (alerted.some((other) => Math.abs(at - other) < COOLDOWN_MS)) return false;
  const before = alerted.filter((other) => other < at);
  if (before.length === 0) return true;
  const since = Math.round((Math.max(...before) - series.from) / QUARTER_MS);
  let quiet = 0;
  for (let other = Math.max(since + 1, windows.width); other < end; other += 1) {
    if (!windows.tellable(other)) continue;
    quiet = evaluateWindow(series, windows, other, sensitivity) === null ? quiet + 1 : 0;
    if (quiet >= REARM_QUARTERS) return true;
  }
  return since < 0;
}

/** Windows to choose from, in quarters of an hour: an hour; for slow searches 3, 6 or 24. */
const WINDOW_WIDTHS = [1, 3, 6, 24].map((hours) => (hours * HOUR) / QUARTER_MS);
/** A window is wide enough when so many posts are usual in it: with fewer, chance alone makes peaks. */
const MIN_USUAL_POSTS = 1.5;

/**
 * How many quarters a window has: the shortest in which a search has enough posts, never shorter than its
 * interval. With a window shorter than the interval, posts of one run would fall into windows by chance.
 */
export function chooseWindowWidth({ counts, minutes }: Series, everySeconds: number): number {
  let posts = 0;
  let observed = 0;
  for (let i = Math.max(0, counts.length - BASELINE_DAYS * QUARTERS_PER_DAY); i < counts.length; i += 1) {
    if ((minutes[i] ?? 0) === 0) continue;
    posts += counts[i] ?? 0;
    observed += minutes[i] ?? 0;
  }
  const aQuarter = observed === 0 ? 0 : (posts / observed) * 15;
  const interval = Math.ceil((everySeconds * SECOND) / QUARTER_MS);
  const wide = WINDOW_WIDTHS.find((width) => width * aQuarter >= MIN_USUAL_POSTS) ?? QUARTERS_PER_DAY;
  return Math.max(interval, wide);
}
