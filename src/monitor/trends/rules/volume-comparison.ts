/** Volume over a stretch of time, and what may be said of it where parts were not observed. Pure. */

import { DAY, HOUR } from '../../../domain/time.ts';
import { median } from './baseline.ts';
import { MIN_COVERAGE } from './time-series.ts';

/** Posts of an hour that begins at `at` (ms since 1970), and which part of it was observed, 0 to 1. */
type VolumeHour = { at: number; posts: number; coverage: number; lowerBound: boolean };

/** The same of any number of hours. */
export type VolumeSpan = {
  /** Milliseconds since 1970; whole hours. */
  from: number;
  until: number;
  /** As counted, not scaled up by coverage. */
  posts: number;
  /** Share that was observed, 0 to 1. */
  coverage: number;
  lowerBound: boolean;
  /** The same without the hours that are lower bounds. */
  whole: { posts: number; coverage: number };
};

/** Hours by when they begin. One that is missing was not observed. */
export type VolumeHours = ReadonlyMap<number, VolumeHour>;

/** @param until whole hours that are over: what is still to come would look like silence */
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

/** Stretches of `hoursEach`, the last of which ends at `until`; the first is shorter where they do not fit. */
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
 * What a stretch held: scaled up by coverage, or as counted where it is a lower bound.
 * @returns null where less than half of it was observed: that says nothing
 */
export function estimateVolume({
  posts,
  coverage,
  lowerBound,
}: Pick<VolumeSpan, 'posts' | 'coverage' | 'lowerBound'>): number | null {
  if (lowerBound) return posts;
  return coverage < MIN_COVERAGE ? null : posts / coverage;
}

/** What a share of whole hours must be, 0 to 1, so that two periods are compared. */
const MIN_COMPARED_COVERAGE = 0.8;

/**
 * Times as many as in a stretch before. Hours that are lower bounds are left out on both sides: as a rule they
 * are the busiest, so that there must be few of them.
 * @returns null where less than four fifths of either is left, or nothing was before
 */
export function computeRatio({ whole }: VolumeSpan, { whole: before }: VolumeSpan): number | null {
  if (whole.coverage < MIN_COMPARED_COVERAGE || before.coverage < MIN_COMPARED_COVERAGE || before.posts === 0)
    return null;
  return whole.posts / whole.coverage / (before.posts / before.coverage);
}

/** How many days a usual day is taken from, and how many of them must have been observed. */
const USUAL_DAYS = 14;
const MIN_USUAL_DAYS = 3;

/** How far back hours must be known for it. */
export const USUAL_DAY_HISTORY_MS = USUAL_DAYS * DAY;

/**
 * The middle of the last fourteen days (24 hours each, up to `until`), scaled up by coverage, without those of
 * which less than half was observed. Hours that are lower bounds are left out.
 * @returns null where fewer than three are left
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
 * The middle of days, each scaled up by its coverage; those of which less than half was observed, and lower bounds,
 * are left out.
 * @returns null where fewer than three are left
 */
export function computeUsualVolume(days: readonly ObservedVolume[]): number | null {
  const values = days
    .filter(({ coverage, lowerBound }) => !lowerBound && coverage >= MIN_COVERAGE)
    .map(({ posts, coverage }) => posts / coverage);
  return values.length < MIN_USUAL_DAYS ? null : median(values);
}

/** How a topic goes beside how it usually goes, over all of its searches. */
export type VolumePulse = {
  /** As its searches counted them: a post that two found counts twice, here as in what is usual. */
  posts: number;
  lowerBound: boolean;
  /** Mean over its searches, 0 to 1; null where it has none that observes anything. */
  coverage: number | null;
  /** In as much time, when all of it is observed; null where too little is known. */
  usual: number | null;
  /** Times the usual: of those searches alone of which both are known. At least less than the usual says nothing: null. */
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
