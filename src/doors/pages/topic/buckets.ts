/** Volume of one search or of all of a topic, put together bucket by bucket. Pure. */
import type { Id } from '../../../store/database.ts';
import { type BucketSum, NEARLY_ALL, type SearchSum, type VolumeSums } from '../../../store/reads/volume.ts';

export type SearchBucket = {
  search_id: Id;
  at: Date;
  posts: number;
  /** Share that was observed, 0 to 1. */
  coverage: number;
  lower_bound: boolean;
};

export type Volume = {
  at: Date[];
  /** As counted; null where nothing was found and nothing observed. */
  values: (number | null)[];
  /** It may have been more: cut at a limit, or observed in part. */
  least: boolean[];
};

/** What `readVolumeSums` says, of rows that were read for other reasons. */
export function sumsOf(rows: readonly SearchBucket[]): VolumeSums {
  const buckets = new Map<number, BucketSum>();
  const searches = new Map<Id, SearchSum>();
  for (const { search_id, at, posts, coverage, lower_bound } of rows) {
    const search = searches.get(search_id) ?? { search_id, posts: 0, observed: 0, lower_bound: false };
    search.posts += posts;
    search.observed += Math.min(1, coverage);
    search.lower_bound ||= lower_bound;
    searches.set(search_id, search);
    if (coverage === 0 && posts === 0) continue;
    const bucket = buckets.get(at.getTime()) ?? { at, posts: 0, least: false };
    bucket.posts += posts;
    bucket.least ||= lower_bound || coverage < NEARLY_ALL;
    buckets.set(at.getTime(), bucket);
  }
  return { buckets: [...buckets.values()], searches: [...searches.values()] };
}

/** One value for each bucket from `from` to `until`, whether there is a row or not. */
export function volumeOf(
  buckets: readonly BucketSum[],
  { from, until, stepMs }: { from: Date; until: Date; stepMs: number },
): Volume {
  const byTime = new Map(buckets.map((bucket) => [bucket.at.getTime(), bucket]));
  const volume: Volume = { at: [], values: [], least: [] };
  for (let time = from.getTime(); time < until.getTime(); time += stepMs) {
    const its = byTime.get(time);
    volume.at.push(new Date(time));
    volume.values.push(its?.posts ?? null);
    volume.least.push(its?.least ?? false);
  }
  return volume;
}

/**
 * Mean share of the time that the searches observed, of those that observed anything; null where none did.
 * @param buckets how many have passed
 */
export function coverageOf(searches: readonly SearchSum[], buckets: number): number | null {
  const looking = searches.filter(({ observed }) => observed > 0);
  if (looking.length === 0 || buckets === 0) return null;
  const sum = looking.reduce((all, { observed }) => all + observed, 0);
  return Math.min(1, sum / (looking.length * buckets));
}
