/** Volume per bucket, as the views have it; and spikes, page by page. */
import { and, desc, eq, gte, lt } from 'drizzle-orm';
import type { Database, Id } from '../database.ts';
import { spikesView } from '../schema/analytics/volume.ts';
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

const SECONDS: Readonly<Record<Bucket, number>> = { quarter: 900, hour: 3_600, day: 86_400 };

/**
 * As the views `volume_hourly` and `volume_daily` count, but by an index on the quarters' own times: over a view it would
 * read all that a search has. $1 searches, $2 and $3 the first bucket and that after the last, $4 most, $5 seconds of a bucket.
 */
const BUCKET_ROWS = `
SELECT search_id, date_bin(make_interval(secs => $5), bucket_at, 'epoch') AS bucket_at, sum(posts)::int AS posts,
  sum(bit_count(minutes)::int)::float8 * 60 / $5 AS coverage, bool_or(cut AND bit_count(minutes) < 15) AS lower_bound
FROM strandline.volume
WHERE search_id = ANY ($1::bigint[]) AND bucket_at >= $2 AND bucket_at < $3
GROUP BY 1, 2 ORDER BY 1, 2 LIMIT $4`;

/** Buckets of searches, oldest first; one without a row was not observed, which is not zero. */
export async function readBuckets(
  { pool }: Pick<Database, 'pool'>,
  filter: { searchIds: readonly Id[]; per: Bucket; from: Date; until: Date; limit: number },
): Promise<BucketRow[]> {
  const { searchIds, per, from, until, limit } = filter;
  const seconds = SECONDS[per];
  const begin = (at: Date) => new Date(Math.ceil(at.getTime() / (seconds * 1_000)) * seconds * 1_000);
  const { rows } = await pool.query<BucketRow>(BUCKET_ROWS, [
    searchIds,
    begin(from),
    begin(until),
    limit,
    seconds,
  ]);
  return rows;
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
