/** Detects spikes. docs/internals/trends.md explains the rule. Pure. */

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

/** Fewer posts are never a spike. */
export const MIN_SPIKE_POSTS = 5;
/** Minimum ratio to the usual volume. */
export const MIN_SPIKE_RATIO = 2;
/** Observed hours before the first spike is reported; until three days, only clear spikes are. */
export const LEARNING_HOURS = 12;
export const PROVISIONAL_HOURS = 72;
const PROVISIONAL_LIMITS = { threshold: 6, least: 20 } as const;
/** After a spike there is none for a day, and none until a whole hour was below the threshold. */
const COOLDOWN_MS = DAY;
const REARM_QUARTERS = 4;
/** Late posts may fill an old window, which is no longer news. */
export const MAX_SPIKE_AGE_MS = 6 * HOUR;

/** History that detection needs before a window. */
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
  const quarters = series.counts.length;
  const windows = buildWindows(series, chooseWindowWidth(series, watch.everySeconds));
  const oldest = Math.ceil((watch.now - MAX_SPIKE_AGE_MS - series.from) / QUARTER_MS);
  let most: Spike | null = null;
  for (let end = Math.max(windows.width, oldest); end <= quarters; end += 1) {
    const spike = evaluateWindow(series, windows, end, watch.sensitivity);
    if (spike === null || (most !== null && spike.score <= most.score)) continue;
    if (watch.isEligible?.(spike) !== false && isRearmed(series, windows, end, watch)) most = spike;
  }
  return most;
}

/** The spike of the window that ends before a quarter, regardless of earlier spikes; null if it is none. */
function evaluateWindow(
  series: Series,
  windows: Windows,
  end: number,
  sensitivity: SpikeSensitivity,
): Spike | null {
  if (!windows.canAlert(end)) return null;
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

/** Whether no spike was within a day, and a whole hour since the last one was below the threshold. */
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
    if (!windows.canAlert(other)) continue;
    quiet = evaluateWindow(series, windows, other, sensitivity) === null ? quiet + 1 : 0;
    if (quiet >= REARM_QUARTERS) return true;
  }
  return since < 0;
}

/** Windows to choose from, in quarters of an hour: an hour; for slow searches 3, 6 or 24. */
const WINDOW_WIDTHS = [1, 3, 6, 24].map((hours) => (hours * HOUR) / QUARTER_MS);
/** Usual posts that a window needs: with fewer, chance alone makes peaks. */
const MIN_USUAL_POSTS = 1.5;

/**
 * The width of windows in quarters: the shortest in which a search has enough posts, but never shorter than its interval, because
 * the posts of one run would fall into shorter windows by chance.
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
