/** What a window is compared with: the profile of six weeks, and the level and the variance of the two weeks before it. Pure. */

import {
  accumulateExpected,
  CASCADE_HOURS,
  computeDispersion,
  computeHourCap,
  LONG_HOURS,
  type RunningSums,
  type Span,
  windowBefore,
  type WindowOfBaseline,
} from './dispersion.ts';
import { BASELINE_DAYS, type History, readProfile } from './history.ts';
import { expectCount, HISTORY_DAYS, type Profile } from './profile.ts';
import { QUARTERS_PER_DAY, QUARTERS_PER_HOUR } from './time-series.ts';

/** Its profile is relative to the rate of these days. */
export type Baseline = Profile & {
  /** Variance of hourly rates beyond chance, relative to their square: 0 for a Poisson process. */
  dispersion: number;
  /**
   * The same for windows of three hours (`dispersion`), and for windows of six (`ofCascades`), limited to what those of three account
   * for. A function, because few windows need it.
   */
  computeLongDispersion: () => { dispersion: number; ofCascades: number };
  /** The present rate relative to the profile. */
  level: number;
  /** Number of hours compared with. */
  hours: number;
  /** From the first observed quarter, rounded up. */
  days: number;
};

/**
 * From what was observed before the quarter `end`.
 * @param riseEnd the level may have risen until this quarter, in a window that is judged
 * @returns null if nothing was observed in fourteen days
 */
export function computeBaseline(history: History, end: number, riseEnd = end): Baseline | null {
  const { series, sums, earliest } = history;
  const first = Math.max(0, end - BASELINE_DAYS * QUARTERS_PER_DAY);
  const usual = readProfile(history, end);
  if (usual === null) return null;
  const expected = expectCount(series, { ...usual, level: 1 }, end, end - first);
  if (!(expected > 0)) return null;
  // Without posts, the rate is that of one post: it must not be zero.
  const rate = Math.max(1, (sums.counts[end] ?? 0) - (sums.counts[first] ?? 0)) / expected;
  const profile = usual.profile.map((value) => value * rate);
  const running = accumulateExpected(sums, profile, first, Math.max(end, riseEnd));
  const span = { first, end };
  const { dispersion, hours } = computeDispersion(running, span);
  const disperseOver = (width: number) => computeDispersion(running, span, width, width).dispersion;
  const oldest = Math.max(earliest, end - HISTORY_DAYS * QUARTERS_PER_DAY);
  return {
    profile,
    uncertainty: usual.uncertainty,
    mean: usual.mean * rate,
    dispersion,
    computeLongDispersion: () => {
      const long = Math.max(disperseOver(LONG_HOURS), dispersion / LONG_HOURS);
      // More than twice the excess of three hours over independent ones is a change of the level or a burst, not clumping.
      const ofCascades = Math.min(disperseOver(CASCADE_HOURS), long - dispersion / CASCADE_HOURS);
      return { dispersion: long, ofCascades };
    },
    level: computeLevel(running, dispersion, span, riseEnd),
    hours,
    days: Math.ceil((end - oldest) / QUARTERS_PER_DAY),
  };
}

/** Hours that show the level of the last two days, in blocks of several, and the share of blocks, the busiest, that is left out: a burst is no level. */
const RECENT_HOURS = 48;
const BLOCK_HOURS = 6;
const BURST_SHARE = 0.25;
/** Hours that show the level of the last week, and how many of them must be observed; otherwise, those of two weeks count. */
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
    Array.from({ length: hours / width }, (_, i) => riseEnd - i * width * QUARTERS_PER_HOUR).flatMap((at) =>
      at - width * QUARTERS_PER_HOUR >= first
        ? (windowBefore(sums, at, width * QUARTERS_PER_HOUR) ?? [])
        : [],
    );
  const computeRatio = (windows: readonly WindowOfBaseline[]) => {
    const n = windows.reduce((sum, window) => sum + window.n, LEVEL_PRIOR_POSTS);
    return n / windows.reduce((sum, window) => sum + window.expected, LEVEL_PRIOR_POSTS);
  };
  const blocks = listBefore(RECENT_HOURS, BLOCK_HOURS);
  blocks.sort((a, b) => a.n / a.expected - b.n / b.expected);
  const recent = computeRatio(blocks.slice(0, Math.floor(blocks.length * (1 - BURST_SHARE))));
  const listCapped = (hours: number) =>
    listBefore(hours, 1).map((hour) => ({ ...hour, n: Math.min(hour.n, computeHourCap(hour, dispersion)) }));
  const week = listCapped(WEEK_HOURS);
  const isKnown = week.length >= MIN_WEEK_HOURS;
  return Math.max(recent, computeRatio(isKnown ? week : listCapped(BASELINE_DAYS * 24)));
}
