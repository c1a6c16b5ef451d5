/** Volume per bucket, as in the views. */

import type { Id, Orm, Pooled } from '../db/database.ts';
import { rowsOf, type Statement, statement } from '../db/statement.ts';
import { volumeHourlyView } from '../schema/analytics-views.ts';
import { and, asc, gte, inArray } from 'drizzle-orm';

export const BUCKETS = ['quarter', 'hour', 'day'] as const;
export type Bucket = (typeof BUCKETS)[number];

export type BucketRow = {
  search_id: Id;
  bucket_at: Date;
  /** Counted by publication time. */
  posts: number;
  /** Posts that no other search of the topic had before: in the sum over the topic, each post counts once. */
  topic_posts: number;
  /** Observed share, 0 to 1. */
  coverage: number;
  /** Number of `posts` published within observed time. */
  observed_posts: number;
  lower_bound: boolean;
};

type BucketRange = { searchIds: readonly Id[]; per: Bucket; from: Date; until: Date };

const BUCKET_SECONDS: Readonly<Record<Bucket, number>> = { quarter: 900, hour: 3_600, day: 86_400 };

/**
 * Counts like the views `volume_hourly` and `volume_daily`, but uses an index on quarter-hours: through a view, all
 * rows of a search would be read. Both ends of the range are rounded up to whole buckets: a bucket that contains `from` is left
 * out, and a bucket that contains `until` is counted whole.
 */
function bucketsOf({ searchIds, per, from, until }: BucketRange): Statement {
  const seconds = BUCKET_SECONDS[per];
  return statement`
SELECT search_id, date_bin(make_interval(secs => ${seconds}), bucket_at, 'epoch') AS bucket_at,
  sum(posts)::int AS posts, sum(topic_posts)::int AS topic_posts,
  sum(exposure_ms)::float8 / 1000 / ${seconds} AS coverage, sum(exposed_posts)::int AS observed_posts,
  bool_or(cut AND exposure_ms < 900000) AS lower_bound
FROM strandline.volume
WHERE search_id = ANY (${searchIds}::bigint[])
  AND bucket_at >= ${startOfBucket(from, per)} AND bucket_at < ${startOfBucket(until, per)}
GROUP BY 1, 2`;
}

/** Buckets of searches, oldest first. A missing bucket was not observed, which is not zero. */
export async function readBuckets(
  { pool }: Pooled,
  filter: BucketRange & { limit: number },
): Promise<BucketRow[]> {
  return rowsOf(pool, statement`${bucketsOf(filter)} ORDER BY 1, 2 LIMIT ${filter.limit}`);
}

/** The start of the first bucket that begins at or after a time. */
function startOfBucket(at: Date, per: Bucket): Date {
  const ms = BUCKET_SECONDS[per] * 1_000;
  return new Date(Math.ceil(at.getTime() / ms) * ms);
}

/** Below this coverage, a bucket was observed in part. */
export const NEARLY_FULL_COVERAGE = 0.9;

/** Sum of several searches in one bucket. Buckets in which none found or observed anything are omitted. */
export type BucketSum = {
  at: Date;
  /** Each post once in its topic, if requested. */
  posts: number;
  /** Whether it is a lower bound: a response was cut. */
  least: boolean;
  /** Whether one of the searches observed it only in part. */
  partial: boolean;
};

/** Sum of one search over all buckets. */
export type SearchSum = {
  search_id: Id;
  posts: number;
  topic_posts: number;
  /** Posts among these that were published in observed time. */
  observed_posts: number;
  /** Number of observed buckets, counting fractions; and number of buckets with any observation. */
  observed: number;
  touched: number;
  lower_bound: boolean;
};

/** The same volume per bucket over all searches, and per search over all buckets. */
export type VolumeSums = { buckets: BucketSum[]; searches: SearchSum[] };

/**
 * Like {@link readBuckets}, but summed in the database: a topic with eight searches has 1,300 hours in a week.
 * @param filter.once whether the sum of a bucket counts each post of the topic once
 */
export async function readVolumeSums(
  { pool }: Pooled,
  filter: BucketRange & { once: boolean },
): Promise<VolumeSums> {
  const rows = await rowsOf<SearchSum & { at: Date | null; partial: boolean | null }>(
    pool,
    statement`SELECT bucket_at AS at, search_id, sum(posts)::int AS posts, sum(topic_posts)::int AS topic_posts,
        sum(observed_posts)::int AS observed_posts, sum(least(1, coverage)) AS observed,
        count(*) FILTER (WHERE coverage > 0)::int AS touched, bool_or(lower_bound) AS lower_bound,
        bool_or(coverage < ${NEARLY_FULL_COVERAGE}) FILTER (WHERE coverage > 0 OR posts > 0) AS partial
      FROM (${bucketsOf(filter)}) b
      GROUP BY GROUPING SETS ((bucket_at), (search_id)) ORDER BY bucket_at, search_id`,
    'volume_sums',
  );
  const buckets: BucketSum[] = [];
  const searches: SearchSum[] = [];
  for (const { at, partial, ...sum } of rows) {
    if (at === null) searches.push(sum);
    else if (partial !== null)
      buckets.push({
        at,
        posts: filter.once ? sum.topic_posts : sum.posts,
        least: sum.lower_bound,
        partial,
      });
  }
  return { buckets, searches };
}

export type HourRow = typeof volumeHourlyView.$inferSelect;

/** Volume per hour of searches from a full hour on, oldest first. Missing hours were not observed. */
export async function readHours({ orm }: Orm, searchIds: readonly Id[], from: Date): Promise<HourRow[]> {
  const view = volumeHourlyView;
  return orm
    .select()
    .from(view)
    .where(and(inArray(view.search_id, [...searchIds]), gte(view.bucket_at, from)))
    .orderBy(asc(view.search_id), asc(view.bucket_at));
}
