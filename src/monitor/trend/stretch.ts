/** Volume over a stretch of time, and what may be said of it where parts were not observed. Pure. */
import { DAY, HOUR } from '../../engine/clock.ts';
import { median } from './baseline.ts';
import { LEAST_COVERAGE } from './series.ts';

/** Posts of an hour that begins at `at` (ms since 1970), and which part of it was observed, 0 to 1. */
export type Hour = { at: number; posts: number; coverage: number; lowerBound: boolean };

/** The same of any number of hours. */
export type Stretch = {
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
export type Hours = ReadonlyMap<number, Hour>;

/** @param until whole hours that are over: what is still to come would look like silence */
export function stretchOf(hours: Hours, from: number, until: number): Stretch {
  const stretch = { from, until, posts: 0, coverage: 0, lowerBound: false, whole: { posts: 0, coverage: 0 } };
  for (let at = from; at < until; at += HOUR) {
    const hour = hours.get(at);
    if (hour === undefined) continue;
    stretch.posts += hour.posts;
    stretch.lowerBound ||= hour.lowerBound;
    stretch.coverage += hour.coverage;
    if (hour.lowerBound) continue;
    stretch.whole.posts += hour.posts;
    stretch.whole.coverage += hour.coverage;
  }
  const length = (until - from) / HOUR;
  stretch.coverage /= length;
  stretch.whole.coverage /= length;
  return stretch;
}

/** Stretches of `hoursEach`, the last of which ends at `until`; the first is shorter where they do not fit. */
export function stretchesOf(hours: Hours, from: number, until: number, hoursEach: number): Stretch[] {
  const length = hoursEach * HOUR;
  const count = Math.ceil((until - from) / length);
  return Array.from({ length: count }, (_, i) => {
    const end = until - (count - 1 - i) * length;
    return stretchOf(hours, Math.max(from, end - length), end);
  });
}

/**
 * What a stretch held: scaled up by coverage, or as counted where it is a lower bound.
 * @returns null where less than half of it was observed: that says nothing
 */
export function valueOf({
  posts,
  coverage,
  lowerBound,
}: Pick<Stretch, 'posts' | 'coverage' | 'lowerBound'>): number | null {
  if (lowerBound) return posts;
  return coverage < LEAST_COVERAGE ? null : posts / coverage;
}

/** What a share of whole hours must be, 0 to 1, so that two periods are compared. */
const LEAST_COMPARED = 0.8;

/**
 * Times as many as in a stretch before. Hours that are lower bounds are left out on both sides: as a rule they
 * are the busiest, so that there must be few of them.
 * @returns null where less than four fifths of either is left, or nothing was before
 */
export function ratioOf({ whole }: Stretch, { whole: before }: Stretch): number | null {
  if (whole.coverage < LEAST_COMPARED || before.coverage < LEAST_COMPARED || before.posts === 0) return null;
  return whole.posts / whole.coverage / (before.posts / before.coverage);
}

/** How many days a usual day is taken from, and how many of them must have been observed. */
const USUAL_DAYS = 14;
const LEAST_DAYS = 3;

/** How far back hours must be known for it. */
export const USUAL_MS = USUAL_DAYS * DAY;

/**
 * The middle of the last fourteen days (24 hours each, up to `until`), scaled up by coverage, without those of
 * which less than half was observed. Hours that are lower bounds are left out.
 * @returns null where fewer than three are left
 */
export function usualDay(hours: Hours, until: number): number | null {
  const values: number[] = [];
  for (let day = 1; day <= USUAL_DAYS; day += 1) {
    const { whole } = stretchOf(hours, until - day * DAY, until - (day - 1) * DAY);
    if (whole.coverage >= LEAST_COVERAGE) values.push(whole.posts / whole.coverage);
  }
  return values.length < LEAST_DAYS ? null : median(values);
}
