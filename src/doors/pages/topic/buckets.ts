/** Volume of one search or of all of a topic, put together bucket by bucket. Pure. */
import type { Id } from '../../../store/database.ts';

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

/** Under this share a count is called a lower bound. */
const NEARLY_ALL = 0.9;

/** One value for each bucket from `from` to `until`, whether there is a row or not. */
export function volumeOf(
  rows: readonly SearchBucket[],
  { from, until, stepMs }: { from: Date; until: Date; stepMs: number },
): Volume {
  const byTime = new Map<number, SearchBucket[]>();
  for (const row of rows) {
    const key = row.at.getTime();
    const others = byTime.get(key);
    if (others === undefined) byTime.set(key, [row]);
    else others.push(row);
  }
  const volume: Volume = { at: [], values: [], least: [] };
  for (let time = from.getTime(); time < until.getTime(); time += stepMs) {
    const its = (byTime.get(time) ?? []).filter(({ coverage, posts }) => coverage > 0 || posts > 0);
    volume.at.push(new Date(time));
    volume.values.push(its.length === 0 ? null : its.reduce((sum, { posts }) => sum + posts, 0));
    volume.least.push(its.some(({ lower_bound, coverage }) => lower_bound || coverage < NEARLY_ALL));
  }
  return volume;
}

/**
 * Mean share of the time that the searches observed, of those that observed anything; null where none did.
 * @param buckets how many have passed
 */
export function coverageOf(rows: readonly SearchBucket[], buckets: number): number | null {
  const searches = new Set(rows.filter(({ coverage }) => coverage > 0).map(({ search_id }) => search_id));
  if (searches.size === 0 || buckets === 0) return null;
  const sum = rows.reduce((all, { coverage }) => all + Math.min(1, coverage), 0);
  return Math.min(1, sum / (searches.size * buckets));
}
