/** Volume over time spans, and comparisons that account for coverage. Pure. */

import { DAY, HOUR } from '../../../domain/time.ts';
import { median } from './baseline.ts';
import { MIN_COVERAGE } from './time-series.ts';

/** Posts of an hour that begins at `at` (ms since 1970), and which part of it was observed, 0 to 1. */
type VolumeHour = { at: number; posts: number; coverage: number; lowerBound: boolean };

/** Volume of any number of hours. */
export type VolumeSpan = {
  /** Milliseconds since 1970; whole hours. */
  from: number;
  until: number;
  /** As counted, not scaled up by coverage. */
  posts: number;
  /** Share that was observed, 0 to 1. */
  coverage: number;
  lowerBound: boolean;
  /** Without hours that are lower bounds. */
  whole: { posts: number; coverage: number };
};

/** Hours by their start. Missing hours were not observed. */
export type VolumeHours = ReadonlyMap<number, VolumeHour>;

/** @param until end of the last complete hour: an incomplete hour would look quiet */
export function sumSpan(hours: VolumeHours, from: number, until: number): VolumeSpan {
  const span = { from, until, posts: 0, coverage: 0, lowerBound: false, whole: { posts: 0, coverage: 0 } };
  for (let at = from; at < until; at += HOUR) {
    const hour = hours.get(at);
    if (hour === undefined) continue;
    span.posts += hour.posts;
    span.lowerBound ||= hour.lowerBound;
    span.coverage += hour.coverage;
    if (hour.lowerBound) continue;
    span.whole.posts += hour.posts;
    span.whole.coverage += hour.coverage;
  }
  const length = (until - from) / HOUR;
  span.coverage /= length;
  span.whole.coverage /= length;
  return span;
}

/** Spans of `hoursEach`, of which the last ends at `until`; the first may be shorter. */
export function splitIntoSpans(
  hours: VolumeHours,
  from: number,
  until: number,
  hoursEach: number,
): VolumeSpan[] {
  const length = hoursEach * HOUR;
  const count = Math.ceil((until - from) / length);
  return Array.from({ length: count }, (_, i) => {
    const end = until - (count - 1 - i) * length;
    return sumSpan(hours, Math.max(from, end - length), end);
  });
}

/**
 * The volume of a span, scaled up by coverage, or as counted for a lower bound.
 * @returns null if less than half of it was observed
 */
export function estimateVolume({
  posts,
  coverage,
  lowerBound,
}: Pick<VolumeSpan, 'posts' | 'coverage' | 'lowerBound'>): number | null {
  if (lowerBound) return posts;
  return coverage < MIN_COVERAGE ? null : posts / coverage;
}

/** Coverage, 0 to 1, that two periods need to be compared. */
const MIN_COMPARED_COVERAGE = 0.8;

/**
 * The ratio to an earlier span. Hours that are lower bounds are excluded on both sides; as they are usually the busiest, there
 * must be few of them.
 * @returns null if less than four fifths of either span is left, or the earlier one is empty
 */
export function computeRatio({ whole }: VolumeSpan, { whole: before }: VolumeSpan): number | null {
  if (whole.coverage < MIN_COMPARED_COVERAGE || before.coverage < MIN_COMPARED_COVERAGE || before.posts === 0)
    return null;
  return whole.posts / whole.coverage / (before.posts / before.coverage);
}

/** Days from which the usual day is computed, and how many of them must be observed. */
const USUAL_DAYS = 14;
const MIN_USUAL_DAYS = 3;

/** History that the usual day needs. */
export const USUAL_DAY_HISTORY_MS = USUAL_DAYS * DAY;

/**
 * The median of the last 14 days (24 hours each, up to `until`), scaled up by coverage. Excludes days of which less than half was
 * observed, and hours that are lower bounds.
 * @returns null if fewer than three days are left
 */
export function computeUsualDay(hours: VolumeHours, until: number): number | null {
  const values: number[] = [];
  for (let day = 1; day <= USUAL_DAYS; day += 1) {
    const { whole } = sumSpan(hours, until - day * DAY, until - (day - 1) * DAY);
    if (whole.coverage >= MIN_COVERAGE) values.push(whole.posts / whole.coverage);
  }
  return values.length < MIN_USUAL_DAYS ? null : median(values);
}

/** Posts as counted, and what part of the time was observed, 0 to 1. */
type ObservedVolume = { posts: number; coverage: number; lowerBound: boolean };

/**
 * The median of days, each scaled up by its coverage. Excludes lower bounds, and days of which less than half was observed.
 * @returns null if fewer than three days are left
 */
export function computeUsualVolume(days: readonly ObservedVolume[]): number | null {
  const values = days
    .filter(({ coverage, lowerBound }) => !lowerBound && coverage >= MIN_COVERAGE)
    .map(({ posts, coverage }) => posts / coverage);
  return values.length < MIN_USUAL_DAYS ? null : median(values);
}

/** The current volume of a topic compared with the usual one, over all its searches. */
export type VolumePulse = {
  /** Sum over its searches: a post found by two counts twice, as in `usual`. */
  posts: number;
  lowerBound: boolean;
  /** Mean over its searches, 0 to 1; null if no search observes anything. */
  coverage: number | null;
  /** Usual volume in the same time with full coverage; null if unknown. */
  usual: number | null;
  /** Ratio to the usual volume, over searches for which both are known; null for a lower bound below the usual volume. */
  ratio: number | null;
};

/** @param searches what each saw now, and what is usual for it in as much time */
export function computePulse(
  searches: readonly { now: ObservedVolume; usual: number | null }[],
): VolumePulse {
  const posts = searches.reduce((sum, { now }) => sum + now.posts, 0);
  const observing = searches.filter(({ now, usual }) => now.coverage > 0 || usual !== null);
  const known = observing.flatMap(({ now, usual }) => {
    const value = estimateVolume(now);
    return value === null || usual === null ? [] : [{ value, usual }];
  });
  const usual = known.reduce((sum, each) => sum + each.usual, 0);
  const value = known.reduce((sum, each) => sum + each.value, 0);
  const lowerBound = searches.some(({ now }) => now.lowerBound);
  const ratio = known.length === 0 || usual < 1 ? null : value / usual;
  return {
    posts,
    lowerBound,
    coverage:
      observing.length === 0
        ? null
        : observing.reduce((sum, { now }) => sum + Math.min(1, now.coverage), 0) / observing.length,
    usual: known.length === 0 ? null : usual,
    ratio: lowerBound && ratio !== null && ratio < 1 ? null : ratio,
  };
}
