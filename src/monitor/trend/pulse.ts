/** How a topic goes beside how it usually goes, over all of its searches. Pure. */
import { median } from './baseline.ts';
import { LEAST_COVERAGE } from './series.ts';
import { valueOf } from './stretch.ts';

/** Posts as counted, and what part of the time was observed, 0 to 1. */
export type Observed = { posts: number; coverage: number; lowerBound: boolean };

/** As many days must be known before anything is called usual. */
const LEAST_DAYS = 3;

/**
 * The middle of days, each scaled up by its coverage; those of which less than half was observed, and lower bounds,
 * are left out.
 * @returns null where fewer than three are left
 */
export function usualOf(days: readonly Observed[]): number | null {
  const values = days
    .filter(({ coverage, lowerBound }) => !lowerBound && coverage >= LEAST_COVERAGE)
    .map(({ posts, coverage }) => posts / coverage);
  return values.length < LEAST_DAYS ? null : median(values);
}

export type Pulse = {
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
export function pulseOf(searches: readonly { now: Observed; usual: number | null }[]): Pulse {
  const posts = searches.reduce((sum, { now }) => sum + now.posts, 0);
  const looking = searches.filter(({ now, usual }) => now.coverage > 0 || usual !== null);
  const known = looking.flatMap(({ now, usual }) => {
    const value = valueOf(now);
    return value === null || usual === null ? [] : [{ value, usual }];
  });
  const usual = known.reduce((sum, one) => sum + one.usual, 0);
  const value = known.reduce((sum, one) => sum + one.value, 0);
  const lowerBound = searches.some(({ now }) => now.lowerBound);
  const ratio = known.length === 0 || usual < 1 ? null : value / usual;
  return {
    posts,
    lowerBound,
    coverage:
      looking.length === 0
        ? null
        : looking.reduce((sum, { now }) => sum + Math.min(1, now.coverage), 0) / looking.length,
    usual: known.length === 0 ? null : usual,
    ratio: lowerBound && ratio !== null && ratio < 1 ? null : ratio,
  };
}
