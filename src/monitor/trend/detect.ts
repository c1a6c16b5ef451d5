/** Whether there is more than usual, by one rule; docs/trends.md says where it comes from. Pure. */
import { DAY, HOUR } from '../../engine/clock.ts';
import { type Baseline, baselineAt, DAYS, usualAt } from './baseline.ts';
import {
  hoursObserved,
  QUARTER_MS,
  QUARTERS_A_DAY,
  type Series,
  type Window,
  type Windows,
  windowsOver,
} from './series.ts';
import { widthOf } from './width.ts';

export const THRESHOLDS = { low: 6, normal: 4.5, high: 3.5 } as const;
export type Listening = keyof typeof THRESHOLDS;

/** Fewer posts are nothing to tell. */
export const LEAST = 5;
/** Times the usual. */
export const LEAST_RATIO = 2;
/** Until so many hours were observed, nothing is told; until three days, only what is beyond doubt. */
export const LEARNING_HOURS = 12;
export const PROVISIONAL_HOURS = 72;
const PROVISIONAL = { threshold: 6, least: 20 } as const;
/** After an alert there is none for a day, and none before an hour in a row was below the threshold. */
export const COOLDOWN_MS = DAY;
const REARM_QUARTERS = 4;
/** Late posts may fill an old window: that is no news any more. */
export const NEWS_MS = 6 * HOUR;

/** What a detector needs to see before the first window that may raise an alert. */
export const HISTORY_MS = DAYS * DAY;

export type Spike = Window &
  Pick<Baseline, 'mean' | 'sd' | 'usual' | 'days' | 'windows'> & {
    /** Milliseconds since 1970. */
    start: number;
    end: number;
    score: number;
    threshold: number;
    provisional: boolean;
  };

export type Watch = {
  sensitivity: Listening;
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
export function detect(series: Series, watch: Watch): Spike | null {
  const quarters = series.counts.length;
  const windows = windowsOver(series, widthOf(series, watch.everySeconds));
  const oldest = Math.ceil((watch.now - NEWS_MS - series.from) / QUARTER_MS);
  let most: Spike | null = null;
  for (let end = Math.max(windows.width, oldest); end <= quarters; end += 1) {
    const spike = spikeAt(series, windows, end, watch.sensitivity);
    if (spike === null || (most !== null && spike.score <= most.score)) continue;
    if (watch.mayTell?.(spike) !== false && isFree(series, windows, end, watch)) most = spike;
  }
  return most;
}

/** The window that ends before a quarter, where it is one by itself, whatever was told before. */
function spikeAt(series: Series, windows: Windows, end: number, sensitivity: Listening): Spike | null {
  if (!windows.tellable(end)) return null;
  const window = windows.at(end);
  const value = window.lowerBound ? window.n : window.n / window.coverage;
  if (window.n < LEAST || !(value >= LEAST_RATIO * Math.max(usualAt(windows, end), 1))) return null;
  const hours = hoursObserved(series, end - DAYS * QUARTERS_A_DAY, end - windows.width);
  if (hours < LEARNING_HOURS) return null;
  const baseline = baselineAt(windows, end);
  if (baseline === null) return null;
  const provisional = hours < PROVISIONAL_HOURS;
  const threshold = Math.max(THRESHOLDS[sensitivity], provisional ? PROVISIONAL.threshold : 0);
  const score = (value - baseline.expected) / baseline.sd;
  if (score < threshold || (provisional && window.n < PROVISIONAL.least)) return null;
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
function isFree(series: Series, windows: Windows, end: number, { alerted, sensitivity }: Watch): boolean {
  const at = series.from + end * QUARTER_MS;
  if (alerted.some((other) => Math.abs(at - other) < COOLDOWN_MS)) return false;
  const before = alerted.filter((other) => other < at);
  if (before.length === 0) return true;
  const since = Math.round((Math.max(...before) - series.from) / QUARTER_MS);
  let quiet = 0;
  for (let other = Math.max(since + 1, windows.width); other < end; other += 1) {
    if (!windows.tellable(other)) continue;
    quiet = spikeAt(series, windows, other, sensitivity) === null ? quiet + 1 : 0;
    if (quiet >= REARM_QUARTERS) return true;
  }
  return since < 0;
}
