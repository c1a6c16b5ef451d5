/** Volume per bucket, as the views have it; and spikes, page by page. */

import { amongIds, type Database, type Id } from '../database.ts';
import { spikesView, volumeHourlyView } from '../schema/analytics/trend-views.ts';
import { and, asc, desc, eq, gte, inArray, lt, sql } from 'drizzle-orm';

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

const BUCKET_SECONDS: Readonly<Record<Bucket, number>> = { quarter: 900, hour: 3_600, day: 86_400 };

/**
 * As the views `volume_hourly` and `volume_daily` count, but by an index on the quarters' own times: over a view it would
 * read all that a search has. $1 searches, $2 and $3 the first bucket and that after the last, $5 seconds of a bucket.
 */
const BUCKETED_SQL = `
SELECT search_id, date_bin(make_interval(secs => $5), bucket_at, 'epoch') AS bucket_at, sum(posts)::int AS posts,
  sum(bit_count(minutes)::int)::float8 * 60 / $5 AS coverage, bool_or(cut AND bit_count(minutes) < 15) AS lower_bound
FROM strandline.volume
WHERE search_id = ANY ($1::bigint[]) AND bucket_at >= $2 AND bucket_at < $3
GROUP BY 1, 2`;

/** $4 most. */
const SELECT_BUCKETS = `${BUCKETED_SQL} ORDER BY 1, 2 LIMIT $4`;

/** Buckets of searches, oldest first; one without a row was not observed, which is not zero. */
export async function readBuckets(
  { pool }: Pick<Database, 'pool'>,
  filter: { searchIds: readonly Id[]; per: Bucket; from: Date; until: Date; limit: number },
): Promise<BucketRow[]> {
  const { searchIds, per, from, until, limit } = filter;
  const { rows } = await pool.query<BucketRow>(SELECT_BUCKETS, [
    searchIds,
    startOfBucket(from, per),
    startOfBucket(until, per),
    limit,
    BUCKET_SECONDS[per],
  ]);
  return rows;
}

/** Where the first bucket begins that lies wholly from then on. */
function startOfBucket(at: Date, per: Bucket): Date {
  const ms = BUCKET_SECONDS[per] * 1_000;
  return new Date(Math.ceil(at.getTime() / ms) * ms);
}

/** Under this share a count is called a lower bound. */
export const NEARLY_FULL_COVERAGE = 0.9;

/** What several searches counted in one bucket; one in which none found or observed anything is left out. */
export type BucketSum = {
  at: Date;
  posts: number;
  /** It may have been more: one of them was cut at a limit, or observed in part. */
  least: boolean;
};

/** What one search counted in all buckets. */
export type SearchSum = {
  search_id: Id;
  posts: number;
  /** How many buckets it observed, in parts of one. */
  observed: number;
  lower_bound: boolean;
};

/** The same volume, once by bucket over all searches, once by search over all buckets. */
export type VolumeSums = { buckets: BucketSum[]; searches: SearchSum[] };

/** $1 searches, $2 and $3 the first bucket and that after the last, $4 {@link NEARLY_FULL_COVERAGE}, $5 seconds of a bucket. */
const SELECT_VOLUME_SUMS = `
SELECT bucket_at AS at, search_id, sum(posts)::int AS posts, sum(least(1, coverage)) AS observed, bool_or(lower_bound) AS lower_bound,
  bool_or(lower_bound OR coverage < $4) FILTER (WHERE coverage > 0 OR posts > 0) AS least
FROM (${BUCKETED_SQL}) b
GROUP BY GROUPING SETS ((bucket_at), (search_id)) ORDER BY bucket_at, search_id`;

/** As {@link readBuckets}, put together where it is read: a topic of eight searches has 1,300 hours in a week. */
export async function readVolumeSums(
  { pool }: Pick<Database, 'pool'>,
  filter: { searchIds: readonly Id[]; per: Bucket; from: Date; until: Date },
): Promise<VolumeSums> {
  const { searchIds, per, from, until } = filter;
  const { rows } = await pool.query<SearchSum & { at: Date | null; least: boolean | null }>({
    name: 'volume_sums',
    text: SELECT_VOLUME_SUMS,
    values: [
      searchIds,
      startOfBucket(from, per),
      startOfBucket(until, per),
      NEARLY_FULL_COVERAGE,
      BUCKET_SECONDS[per],
    ],
  });
  const buckets: BucketSum[] = [];
  const searches: SearchSum[] = [];
  for (const { at, least, ...sum } of rows) {
    if (at === null) searches.push(sum);
    else if (least !== null) buckets.push({ at, posts: sum.posts, least });
  }
  return { buckets, searches };
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

export type HourRow = typeof volumeHourlyView.$inferSelect;
export type SpikeRow = typeof spikesView.$inferSelect;

/** Volume per hour of some searches from a whole hour on, oldest first; hours without a row were not observed. */
export async function readHours(
  { orm }: Pick<Database, 'orm'>,
  searchIds: readonly Id[],
  from: Date,
): Promise<HourRow[]> {
  return orm
    .select()
    .from(volumeHourlyView)
    .where(and(inArray(volumeHourlyView.search_id, [...searchIds]), gte(volumeHourlyView.bucket_at, from)))
    .orderBy(asc(volumeHourlyView.search_id), asc(volumeHourlyView.bucket_at));
}

/** Spikes of some searches whose windows ended since then, in the order of their windows. */
export async function readSpikes(
  { orm }: Pick<Database, 'orm'>,
  searchIds: readonly Id[],
  since: Date,
): Promise<SpikeRow[]> {
  return orm
    .select()
    .from(spikesView)
    .where(and(amongIds(spikesView.search_id), gte(spikesView.window_end, sql.placeholder('since'))))
    .orderBy(asc(spikesView.window_start), asc(spikesView.id))
    .prepare('spikes_of')
    .execute({ ids: searchIds, since });
}

/** $1 searches, $2 since when. A changed request is learned anew: quarters that began before it do not count. */
const SELECT_OBSERVED_HOURS = `
SELECT s.id AS search_id, coalesce(sum(bit_count(o.minutes)), 0)::float8 / 60 AS observed_hours
FROM strandline.searches s
JOIN strandline.search_versions v ON v.search_id = s.id AND v.version = s.version
JOIN strandline.search_versions q ON q.search_id = s.id AND q.version = v.request_version
LEFT JOIN strandline.volume o ON o.search_id = s.id AND o.bucket_at >= $2 AND (q.version = 1 OR o.bucket_at >= q.created_at)
WHERE s.id = ANY ($1) GROUP BY s.id`;

/** How many hours of its present request each search has observed since then. */
export async function readObservedHours(
  { pool }: Pick<Database, 'pool'>,
  searchIds: readonly Id[],
  since: Date,
): Promise<Map<Id, number>> {
  const { rows } = await pool.query<{ search_id: Id; observed_hours: number }>(SELECT_OBSERVED_HOURS, [
    searchIds,
    since,
  ]);
  return new Map(rows.map((row) => [row.search_id, row.observed_hours]));
}
