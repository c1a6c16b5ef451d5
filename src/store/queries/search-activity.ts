/** Recent activity: for given searches, one index lookup each; for the overview of all searches, a few statements. */

import { isShown } from './data-scope.ts';
import type { RunCode } from '../../model/errors.ts';
import { type Id, type Pooled, prepareOnce, type Reads } from '../db/database.ts';
import { execute, rowsOf, statement } from '../db/statement.ts';
import type { search_versions } from '../schema/topic-tables.ts';
import { DISCOVERY_KINDS, type RunStatus } from '../../model/closed-lists.ts';
import { discoveriesView } from '../schema/analytics-views.ts';
import type { DiscoveryRow, DiscoveryView } from './discoveries.ts';
import { type DescribedDiscovery, describeDiscoveries } from './described-discoveries.ts';
import { lastEndedRun, type RunRow } from './run-list.ts';
import { asc, desc, sql } from 'drizzle-orm';

/** A run in a compact timeline. */
export type RunCell = Pick<
  RunRow,
  | 'id'
  | 'search_id'
  | 'search'
  | 'status'
  | 'code'
  | 'reason'
  | 'trigger'
  | 'slot_at'
  | 'created_at'
  | 'items_new'
  | 'span_slots'
  | 'tools_asked'
  | 'tools_silent'
>;

/** The newest runs of each of these searches, newest first. @param limit for each */
export async function readLastRuns(
  { pool }: Reads,
  searchIds: readonly Id[],
  limit: number,
): Promise<RunCell[]> {
  return rowsOf<RunCell>(
    pool,
    statement`SELECT r.id, r.search_id, s.slug AS search, r.status, r.code, r.reason, r.trigger, r.slot_at, r.created_at, r.items_new, r.span_slots,
        (SELECT count(*)::int FROM strandline.run_tools WHERE run_id = r.id AND asked) AS tools_asked,
        (SELECT count(*)::int FROM strandline.run_tools WHERE run_id = r.id AND asked AND NOT responded) AS tools_silent
      FROM unnest(${searchIds}::bigint[]) AS search (id)
      CROSS JOIN LATERAL (SELECT id FROM strandline.runs WHERE search_id = search.id ORDER BY id DESC LIMIT ${limit}) newest
      JOIN strandline.runs r ON r.id = newest.id
      JOIN strandline.searches s ON s.id = r.search_id
      ORDER BY r.id DESC`,
    'last_runs_of',
  );
}

/**
 * The newest discoveries of these searches together, for people, newest first; or the oldest of a time, oldest first. By `at`, which
 * ascends with the IDs; `until` is excluded.
 */
export async function readDiscoveriesOfSearches(
  db: Reads,
  searchIds: readonly Id[],
  {
    kinds = DISCOVERY_KINDS,
    view,
    since = null,
    until = null,
    order = 'newest',
    limit,
  }: {
    kinds?: readonly DiscoveryRow['kind'][];
    view: DiscoveryView;
    since?: Date | null;
    until?: Date | null;
    order?: 'newest' | 'oldest';
    limit: number;
  },
): Promise<DescribedDiscovery[]> {
  const isOldest = order === 'oldest';
  const [byTime, byId] = isOldest ? [sql`at ASC`, sql`d.id ASC`] : [sql`at DESC`, sql`d.id DESC`];
  const found = sql`SELECT d.id FROM unnest(${sql.placeholder('searches')}::bigint[]) s(id)
    CROSS JOIN LATERAL (
      SELECT id FROM strandline.discoveries e
      WHERE search_id = s.id AND kind = ANY (${sql.placeholder('kinds')}::text[]) AND NOT e.hidden${view === 'topic' ? sql` AND first_in_topic` : sql``}
        AND at >= coalesce(${sql.placeholder('since')}::timestamptz, '-infinity')
        AND at < coalesce(${sql.placeholder('until')}::timestamptz, 'infinity')
      ORDER BY ${byTime} LIMIT ${sql.placeholder('most')}
    ) d
    ORDER BY ${byId} LIMIT ${sql.placeholder('most')}`;
  const rowsView = discoveriesView;
  const rows = await prepareOnce(db.orm, `${order}_of_${view}`, () =>
    db.orm
      .select()
      .from(rowsView)
      .where(sql`${rowsView.id} = ANY (ARRAY(${found}))`)
      .orderBy(isOldest ? asc(rowsView.id) : desc(rowsView.id)),
  ).execute({ searches: searchIds, kinds, since, until, most: limit });
  return describeDiscoveries(db, rows);
}

/** Discoveries after this one by kind, without baselines. */
export async function countDiscoveriesSince(
  { pool }: Reads,
  searchIds: readonly Id[],
  after: { id: Id; at: Date },
  view: DiscoveryView,
): Promise<Partial<Record<DiscoveryRow['kind'], number>>> {
  const { rows } = await execute<{ kind: DiscoveryRow['kind']; n: number }>(
    pool,
    statement`SELECT kind, count(*)::int AS n FROM strandline.discoveries e
      WHERE search_id = ANY (${searchIds}::bigint[]) AND at >= ${after.at} AND id > ${after.id}
        AND NOT baseline AND ${isShown('e')} AND (first_in_topic OR ${view} = 'search')
      GROUP BY kind`,
  );
  return Object.fromEntries(rows.map(({ kind, n }) => [kind, n]));
}

type RequestChange = Pick<
  typeof search_versions.$inferSelect,
  'search_id' | 'version' | 'created_at' | 'prompt'
> & { search: string };

/** Request changes of these searches, oldest first. */
export async function readRequestChanges(
  { pool }: Reads,
  searchIds: readonly Id[],
  since: Date,
): Promise<RequestChange[]> {
  // A version that is its own request version changed the request.
  return rowsOf<RequestChange>(
    pool,
    statement`SELECT v.search_id, s.slug AS search, v.version, v.created_at, v.prompt
      FROM strandline.search_versions v JOIN strandline.searches s ON s.id = v.search_id
      WHERE v.search_id = ANY (${searchIds}::bigint[])
        AND v.version > 1 AND v.request_version = v.version AND v.created_at >= ${since}
      ORDER BY v.created_at, v.search_id`,
    'request_changes',
  );
}

export type SearchNow = {
  search_id: Id;
  /** Slug. */
  topic: string;
  /** Whether the search was removed: its results still count. */
  is_removed: boolean;
  posts: number;
  /** Posts that no other search of the topic had before: in the sum over the topic, each post counts once. */
  topic_posts: number;
  /** Posts among these that were published in observed time. */
  observed_posts: number;
  /** Observed share, 0 to 1; and share of the hours of which anything was observed. */
  coverage: number;
  hours: number;
  lower_bound: boolean;
  /** The newest ended run; null if there is none. */
  run_id: Id | null;
  run_status: RunStatus | null;
  run_code: RunCode | null;
  run_reason: string | null;
  run_ended_at: Date | null;
};

/**
 * Every search of topics, including removed searches of topics that are not: its posts in a range, and the outcome of its last run.
 * @param range whole quarter-hours; `until` is now or later, because the last day is counted whole
 */
export async function readSearchesNow(
  { pool }: Pooled,
  range: { from: Date; until: Date },
): Promise<SearchNow[]> {
  const lastDay = statement`date_trunc('day', ${range.until}::timestamptz, 'UTC')`;
  const seconds = statement`extract(epoch FROM ${range.until}::timestamptz - ${range.from}::timestamptz)::float8`;
  // By search keys: by time alone, all rows would be scanned. The last day (UTC) is read from its stored sum, one
  // row per search instead of up to 96.
  return rowsOf<SearchNow>(
    pool,
    statement`WITH watched AS MATERIALIZED (
        SELECT s.id, t.slug AS topic, s.archived_at IS NOT NULL AS is_removed
        FROM strandline.searches s JOIN strandline.topics t ON t.id = s.topic_id WHERE t.archived_at IS NULL
      ), parts AS (
        SELECT search_id, posts, topic_posts, exposed_posts, exposure_ms, cut AND exposure_ms < 900000 AS cut, 0 AS hours,
          CASE WHEN exposure_ms > 0 THEN date_bin('1 hour', bucket_at, 'epoch') END AS hour_at
        FROM strandline.volume
        WHERE search_id = ANY (ARRAY(SELECT id FROM watched)) AND bucket_at >= ${range.from} AND bucket_at < ${lastDay}
        UNION ALL
        SELECT search_id, posts, topic_posts, exposed_posts, exposure_ms, cut, hours, NULL FROM strandline.search_days
        WHERE search_id = ANY (ARRAY(SELECT id FROM watched)) AND day_at = ${lastDay}
      )
      SELECT s.id AS search_id, s.topic, s.is_removed,
        coalesce(v.posts, 0) AS posts, coalesce(v.topic_posts, 0) AS topic_posts,
        coalesce(v.observed_posts, 0) AS observed_posts, coalesce(v.cut, false) AS lower_bound,
        coalesce(v.exposure_ms, 0)::float8 / 1000 / ${seconds} AS coverage,
        coalesce(v.hours, 0)::float8 * 3600 / ${seconds} AS hours,
        r.id AS run_id, r.status AS run_status, r.code AS run_code, r.reason AS run_reason, r.ended_at AS run_ended_at
      FROM watched s
      LEFT JOIN (
        SELECT search_id, sum(posts)::int AS posts, sum(topic_posts)::int AS topic_posts,
          sum(exposed_posts)::int AS observed_posts, sum(exposure_ms) AS exposure_ms, bool_or(cut) AS cut,
          count(DISTINCT hour_at) + sum(hours) AS hours
        FROM parts GROUP BY 1
      ) v ON v.search_id = s.id
      LEFT JOIN ${lastEndedRun(statement`s.id`)} ON true`,
    'searches_now',
  );
}

/** The last day (UTC) that overlaps the window of a spike. */
export type SpikeDay = { search_id: Id; day_at: Date };

/** Spike days of all searches since then. */
export async function readSpikeDays({ pool }: Pooled, since: Date): Promise<SpikeDay[]> {
  return rowsOf<SpikeDay>(
    pool,
    statement`SELECT DISTINCT k.search_id, date_trunc('day', k.window_end - interval '1 millisecond', 'UTC') AS day_at
      FROM strandline.spikes k WHERE k.window_end > ${since} AND k.only_by IS NULL`,
    'spike_days',
  );
}

export type SearchDay = {
  search_id: Id;
  day_at: Date;
  posts: number;
  /** Posts that no other search of the topic had before: in the sum over the topic, each post counts once. */
  topic_posts: number;
  /** Number of `posts` published within observed time. */
  observed_posts: number;
  /** Observed share of the day (UTC), 0 to 1; and share of its hours of which anything was observed. */
  coverage: number;
  hours: number;
  lower_bound: boolean;
};

/** Days (UTC) of searches, oldest first. No row: nothing found and nothing observed. */
export async function readSearchDays(
  { pool }: Pooled,
  { from, until, searchIds }: { from: Date; until: Date; searchIds: readonly Id[] },
): Promise<SearchDay[]> {
  return rowsOf<SearchDay>(
    pool,
    statement`SELECT search_id, day_at, posts, topic_posts, exposed_posts AS observed_posts,
        exposure_ms::float8 / 86400000 AS coverage, hours::float8 / 24 AS hours, cut AS lower_bound
      FROM strandline.search_days WHERE day_at >= ${from} AND day_at < ${until} AND search_id = ANY (${searchIds}::bigint[])
      ORDER BY search_id, day_at`,
    'search_days',
  );
}
