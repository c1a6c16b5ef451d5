/** Where counters of a post fell: pure. */
import type { EngagementRow } from '../../../store/reads/post-history.ts';

export const COUNTERS = [
  ['like_count', 'likes'],
  ['repost_count', 'reposts'],
  ['reply_count', 'replies'],
  ['quote_count', 'quotes'],
  ['view_count', 'views'],
  ['bookmark_count', 'bookmarks'],
  ['impression_count', 'impressions'],
] as const;

export type Counter = (typeof COUNTERS)[number][0];

export type Fall = { words: string; by: number; from: number; to: number; between: Date; and: Date };

/** Each step down between two observations of a counter that is known at both, the last one first. */
export function fallsOf(rows: readonly EngagementRow[]): Fall[] {
  return COUNTERS.flatMap(([member, words]) => {
    const known = rows.flatMap((row) => {
      const value = row[member];
      return value === null ? [] : [{ value, at: row.observed_at }];
    });
    return known.slice(1).flatMap(({ value, at }, i) => {
      const before = known[i];
      if (before === undefined || value >= before.value) return [];
      return [
        { words, by: before.value - value, from: before.value, to: value, between: before.at, and: at },
      ];
    });
  }).sort((a, b) => b.and.getTime() - a.and.getTime());
}
