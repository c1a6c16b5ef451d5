/** Volume per bucket, as the views have it; and spikes, page by page. */
import { and, asc, desc, eq, gte, inArray, lt } from 'drizzle-orm';
import type { Database, Id } from '../database.ts';
import { spikesView, volumeDailyView, volumeHourlyView } from '../schema/analytics.ts';
import type { SpikeRow } from './trends.ts';

export const BUCKETS = ['quarter', 'hour', 'day'] as const;
export type Bucket = (typeof BUCKETS)[number];

export type BucketRow = {
  search_id: Id;
  bucket_at: Date;
  /** As counted, by the posts' own times. */
  posts: number;
  /** Share that was observed, 0 to 1. */
  coverage: number;
  lower_bound: boolean;
};

/** As the view `volume_hourly` counts, without putting quarters together. $1 searches, $2 from, $3 until, $4 most. */
const QUARTERS = `
SELECT search_id, bucket_at, posts, bit_count(minutes)::float8 / 15 AS coverage, cut AND bit_count(minutes) < 15 AS lower_bound
FROM strandline.volume WHERE search_id = ANY ($1::bigint[]) AND bucket_at >= $2 AND bucket_at < $3
ORDER BY search_id, bucket_at LIMIT $4`;

/** Buckets of searches, oldest first; one without a row was not observed, which is not zero. */
export async function readBuckets(
  db: Pick<Database, 'orm' | 'pool'>,
  filter: { searchIds: readonly Id[]; per: Bucket; from: Date; until: Date; limit: number },
): Promise<BucketRow[]> {
  const { searchIds, per, from, until, limit } = filter;
  if (per === 'quarter') {
    const { rows } = await db.pool.query<BucketRow>(QUARTERS, [searchIds, from, until, limit]);
    return rows;
  }
  const v = per === 'hour' ? volumeHourlyView : volumeDailyView;
  return db.orm
    .select({
      search_id: v.search_id,
      bucket_at: v.bucket_at,
      posts: v.posts,
      coverage: v.coverage,
      lower_bound: v.lower_bound,
    })
    .from(v)
    .where(and(inArray(v.search_id, [...searchIds]), gte(v.bucket_at, from), lt(v.bucket_at, until)))
    .orderBy(asc(v.search_id), asc(v.bucket_at))
    .limit(limit);
}

/** A page of spikes, those that were told last first. */
export async function readSpikePage(
  { orm }: Pick<Database, 'orm'>,
  filter: {
    search?: string | undefined;
    topic?: string | undefined;
    measure?: SpikeRow['measure'] | undefined;
    /** Told from then on, and before. */
    since?: Date | undefined;
    until?: Date | undefined;
    before?: Id | undefined;
    limit: number;
  },
): Promise<SpikeRow[]> {
  const { search, topic, measure, since, until, before, limit } = filter;
  const v = spikesView;
  return orm
    .select()
    .from(v)
    .where(
      and(
        search === undefined ? undefined : eq(v.search, search),
        topic === undefined ? undefined : eq(v.topic, topic),
        measure === undefined ? undefined : eq(v.measure, measure),
        since === undefined ? undefined : gte(v.at, since),
        until === undefined ? undefined : lt(v.at, until),
        before === undefined ? undefined : lt(v.id, before),
      ),
    )
    .orderBy(desc(v.id))
    .limit(limit);
}
