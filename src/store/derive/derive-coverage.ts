/** What runs observed, and the volume of their searches, derived from a batch of readings. */
import type { DateFilter, Operation } from '../../model/enumerations.ts';
import { type Id, type Transaction, writeRows } from '../db/database.ts';
import { computeReach, listQuarters, type Reach, UNKNOWN_EVERY_SECONDS } from '../volume/reach.ts';
import { isMeasurableSql, measurableBetweenSql, offsetSql, quarterSql } from '../volume/post-time.ts';
import { S } from './counter-sql.ts';

/**
 * If this many of the previous run's newest posts are returned again, the response is a list of the newest posts, not
 * a coincidence.
 */
const MIN_REPEATED_POSTS = 5;

/**
 * Inputs for how far back each run of a batch observed, in the order of responses. The previous run is in the batch,
 * or the newest with coverage. The interval of a cron schedule is the distance to the previous slot, which has a row
 * even if it was skipped. Times of posts are read only if it is full or comes after an outage, whether it repeats the previous one
 * only if it is full. $1 readings.
 */
const LOOK_BACK = `
WITH batch AS MATERIALIZED (
  SELECT p.run_id, p.search_id, p.at, p.posts, r.request_version, s.operation, v.date_filter,
    coalesce(p.every_seconds, v.every_seconds, extract(epoch FROM coalesce(r.slot_at, r.created_at) - (
      SELECT coalesce(span_until, slot_at) FROM ${S}.runs b
      WHERE b.search_id = r.search_id AND b.slot_at < coalesce(r.slot_at, r.created_at) ORDER BY b.slot_at DESC LIMIT 1
    ))::float8, ${UNKNOWN_EVERY_SECONDS}) AS every_seconds,
    CASE WHEN jsonb_typeof(v.extra -> 'count') = 'number' THEN (v.extra ->> 'count')::float8 END AS requested_posts,
    (SELECT max(ended_at) FROM ${S}.search_states
      WHERE search_id = r.search_id AND state <> 'active' AND ended_at <= p.at) AS resumed_at,
    (SELECT max(began_at) FROM ${S}.search_states
      WHERE search_id = r.search_id AND state <> 'active' AND began_at < p.at AND (ended_at IS NULL OR ended_at > p.at)) AS stopped_at
  FROM ${S}.pending_derivations p
  JOIN ${S}.runs r ON r.id = p.run_id
  JOIN ${S}.searches s ON s.id = r.search_id
  JOIN ${S}.search_versions v ON v.search_id = r.search_id AND v.version = r.version
  WHERE p.id = ANY ($1::bigint[]) AND p.posts IS NOT NULL
), known AS MATERIALIZED (
  SELECT b.*, coalesce(lag(b.run_id) OVER w, c.run_id) AS before_id,
    coalesce(lag(coalesce(b.stopped_at, b.at)) OVER w, c.observed_until) AS last_until,
    greatest(c.most_posts, max(b.posts) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS most_posts
  FROM batch b LEFT JOIN LATERAL (
    SELECT run_id, observed_until, most_posts FROM ${S}.coverage
    WHERE search_id = b.search_id AND observed_until <= b.at AND (observed_until, run_id) < (b.at, b.run_id)
      AND request_version = b.request_version
    ORDER BY observed_until DESC, run_id DESC LIMIT 1
  ) c ON true
  WINDOW w AS (PARTITION BY b.search_id, b.request_version ORDER BY b.at, b.run_id)
)
SELECT k.*, f.is_full, CASE WHEN f.is_full OR k.last_until < k.at - 2 * k.every_seconds * interval '1 second' THEN (
    SELECT array_agg(extract(epoch FROM g.at)::float8 * 1000)
    FROM ${S}.run_results rr, unnest(rr.post_ids) u(id)
    CROSS JOIN LATERAL (
      SELECT least(post_created_at, k.at) AS at FROM ${S}.post_sightings
      WHERE search_id = k.search_id AND post_id = u.id AND post_created_at IS NOT NULL OFFSET 0
    ) g WHERE rr.run_id = k.run_id
  ) END AS times,
  f.is_full AND (
    SELECT count(*) = ${MIN_REPEATED_POSTS} AND bool_and(n.id = ANY (rr.post_ids)) FROM ${S}.run_results rr, (
      SELECT u.id FROM ${S}.run_results b, unnest(b.post_ids) u(id)
      CROSS JOIN LATERAL (
        SELECT post_created_at AS at FROM ${S}.post_sightings WHERE search_id = k.search_id AND post_id = u.id OFFSET 0
      ) g
      WHERE b.run_id = k.before_id AND g.at IS NOT NULL
      ORDER BY least(g.at, k.last_until) DESC, u.id DESC LIMIT ${MIN_REPEATED_POSTS}
    ) n WHERE rr.run_id = k.run_id
  ) AS repeats
FROM known k CROSS JOIN LATERAL (
  SELECT k.posts > 0 AND (k.posts >= coalesce(k.most_posts, 0) OR coalesce(k.posts >= k.requested_posts, false)) AS is_full OFFSET 0
) f
ORDER BY k.search_id, k.at, k.run_id`;

type RunRow = {
  run_id: Id;
  search_id: Id;
  at: Date;
  posts: number;
  request_version: number;
  operation: Operation;
  date_filter: DateFilter | null;
  every_seconds: number;
  resumed_at: Date | null;
  stopped_at: Date | null;
  last_until: Date | null;
  most_posts: number | null;
  is_full: boolean;
  times: number[] | null;
  repeats: boolean;
};

/** What a run observed, as in `strandline.coverage`. */
export type Coverage = {
  runId: Id;
  searchId: Id;
  requestVersion: number;
  reach: Reach;
  everySeconds: number;
  posts: number;
  mostPosts: number;
};

/** Coverage, and what else the pace of a search is learned from. */
export type ObservedRun = Coverage & {
  /** Until when the previous run of the request observed (ms since 1970); null: none did, or the search was stopped since. */
  lastUntil: number | null;
  /** Publication times of its posts if it may be truncated; null if it reaches back to the previous run. */
  times: readonly number[] | null;
};

/** Coverage of the runs of a batch, except for runs whose response does not show it. */
export async function findCoverage(tx: Transaction, ids: readonly Id[]): Promise<ObservedRun[]> {
  const { rows } = await tx.query<RunRow>({ name: 'look_back', text: LOOK_BACK, values: [ids] });
  return rows.flatMap((run) => {
    const everySeconds = Math.round(run.every_seconds);
    const before = {
      operation: run.operation,
      dateFilter: run.date_filter,
      everySeconds,
      // An AI search without any posts so far has observed nothing, whether its runs are in this batch or in an earlier one.
      lastUntil:
        run.operation === 'ai' && (run.most_posts ?? 0) === 0 ? null : (run.last_until?.getTime() ?? null),
      isFull: run.is_full,
      repeats: run.repeats,
      resumedAt: run.resumed_at?.getTime() ?? null,
      stoppedAt: run.stopped_at?.getTime() ?? null,
    };
    const { run_id: runId, search_id: searchId, request_version: requestVersion, posts } = run;
    const reach = computeReach(before, { observedAt: run.at.getTime(), posts, times: run.times ?? [] });
    if (reach === null) return [];
    const mostPosts = Math.max(posts, run.most_posts ?? 0);
    const isResumed = before.resumedAt !== null && before.resumedAt > (before.lastUntil ?? before.resumedAt);
    const lastUntil = isResumed ? null : before.lastUntil;
    const times = run.repeats ? null : run.times;
    return [{ runId, searchId, requestVersion, reach, everySeconds, posts, mostPosts, lastUntil, times }];
  });
}

/** Sightings whose posts are counted. $1 readings with new ones; $2 searches and $3 posts of additional ones. */
export const SIGHTED = `
sighted AS MATERIALIZED (
  SELECT g.* FROM (
    SELECT p.search_id, u.id FROM ${S}.pending_derivations p CROSS JOIN LATERAL unnest(p.new_posts) u(id) WHERE p.id = ANY ($1::bigint[])
    UNION ALL SELECT * FROM unnest($2::bigint[], $3::bigint[])
  ) n(search_id, id)
  CROSS JOIN LATERAL (SELECT * FROM ${S}.post_sightings WHERE search_id = n.search_id AND post_id = n.id OFFSET 0) g
)`;

/**
 * Returns a row if another search of the topic saw the item earlier. Looked up per item: with outdated statistics, a
 * plain NOT EXISTS scanned all sightings of the other searches.
 */
export const seenElsewhereSql = (kind: 'post' | 'link') => `
    SELECT true AS is_known FROM (SELECT search_id, first_seen_at FROM ${S}.${kind}_sightings WHERE ${kind}_id = s.${kind}_id OFFSET 0) o
    CROSS JOIN LATERAL (SELECT topic_id FROM ${S}.searches WHERE id = o.search_id OFFSET 0) t
    WHERE (o.first_seen_at, o.search_id) < (s.first_seen_at, s.search_id)
      AND t.topic_id = (SELECT topic_id FROM ${S}.searches WHERE id = s.search_id) LIMIT 1`;

/**
 * Adds posts and observed time to quarter-hours. Posts without a time, or dated after their sighting, count at the sighting, but do not
 * measure the rate. Where observed time grows, posts are counted in it that were found before, as in the popular part of
 * a truncated response; those dated more than an hour ahead are not looked for. Unchanged quarters are not written, because runs of
 * operation A observe the same week repeatedly. Returns the days (UTC) of changed quarters.
 * $1 to $3 see {@link SIGHTED}; $4 searches, $5 start of quarters, $6 observed ranges, $7 cut; $8 coverage: run, search,
 * request version, observed until, observed from, reached, interval, posts, most posts.
 */
const ROLL_UP = `
WITH ${SIGHTED}, kept AS (
  INSERT INTO ${S}.coverage (run_id, search_id, request_version, observed_until, observed_from, reached_from, every_seconds, posts, most_posts)
  SELECT * FROM json_to_recordset($8::json) AS c(run_id bigint, search_id bigint, request_version integer,
    observed_until timestamptz, observed_from timestamptz, reached_from timestamptz, every_seconds integer, posts integer, most_posts integer)
), dated AS MATERIALIZED (
  SELECT search_id, post_id, ${quarterSql('s')} AS at, e.is_known IS NULL AS first,
    CASE WHEN ${isMeasurableSql('s')} THEN ${offsetSql('s')} END AS ms
  FROM sighted s LEFT JOIN LATERAL (${seenElsewhereSql('post')}) e ON true
), given AS MATERIALIZED (
  SELECT * FROM unnest($4::bigint[], $5::timestamptz[], $6::int4multirange[], $7::boolean[]) AS q(search_id, at, observed, cut)
), quarters AS MATERIALIZED (
  SELECT t.search_id, t.at, coalesce(v.observed, '{}') AS observed_before, coalesce(v.observed, '{}') + coalesce(q.observed, '{}') AS observed,
    coalesce(v.cut, false) AS cut_before, coalesce(v.cut, false) OR coalesce(q.cut, false) AS cut,
    coalesce(v.posts, 0) AS posts, coalesce(v.topic_posts, 0) AS topic_posts, coalesce(v.exposed_posts, 0) AS exposed_posts, v.search_id IS NULL AS is_new
  FROM (SELECT search_id, at FROM given UNION SELECT search_id, at FROM dated) t
  LEFT JOIN given q USING (search_id, at)
  LEFT JOIN LATERAL (SELECT * FROM ${S}.volume WHERE search_id = t.search_id AND bucket_at = t.at OFFSET 0) v ON true
), counted AS (
  SELECT q.search_id, q.at, count(*)::integer AS posts, (count(*) FILTER (WHERE d.first))::integer AS topic_posts,
    (count(*) FILTER (WHERE d.ms <@ q.observed))::integer AS exposed
  FROM dated d JOIN quarters q USING (search_id, at) GROUP BY 1, 2
), changed AS (
  INSERT INTO ${S}.volume AS v (search_id, bucket_at, posts, topic_posts, cut, observed, exposure_ms, exposed_posts)
  SELECT q.search_id, q.at, q.posts + coalesce(c.posts, 0), q.topic_posts + coalesce(c.topic_posts, 0), q.cut, q.observed,
    (SELECT coalesce(sum(upper(r) - lower(r)), 0) FROM unnest(q.observed) r),
    q.exposed_posts + coalesce(c.exposed, 0) + CASE WHEN q.posts > q.exposed_posts AND q.observed <> q.observed_before THEN (
      SELECT count(*) FROM ${S}.post_sightings g
      WHERE g.search_id = q.search_id AND ${measurableBetweenSql('g', 'q.at', "q.at + interval '15 minutes'")}
        AND ${offsetSql('g')} <@ (q.observed - q.observed_before)
        AND NOT EXISTS (SELECT FROM dated d WHERE d.search_id = g.search_id AND d.post_id = g.post_id)
        AND g.post_id NOT IN (SELECT u.id FROM ${S}.pending_derivations p CROSS JOIN LATERAL unnest(p.new_posts) u(id) WHERE p.search_id = q.search_id)
    ) ELSE 0 END
  FROM quarters q LEFT JOIN counted c USING (search_id, at)
  WHERE q.is_new OR c.posts > 0 OR q.observed <> q.observed_before OR q.cut <> q.cut_before
  ORDER BY q.search_id, q.at
  ON CONFLICT (search_id, bucket_at) DO UPDATE
    SET posts = excluded.posts, topic_posts = excluded.topic_posts, cut = excluded.cut, observed = excluded.observed, exposure_ms = excluded.exposure_ms,
      exposed_posts = excluded.exposed_posts
  RETURNING search_id, bucket_at
)
SELECT DISTINCT search_id, date_trunc('day', bucket_at, 'UTC') AS day_at FROM changed`;

export type Day = { search_id: Id; day_at: Date };

/** Sightings that are not new in this batch, but whose sums are rebuilt. */
export type RecountedPosts = { searchIds: readonly Id[]; postIds: readonly Id[] };

/**
 * Writes coverage and volume.
 * @param seenAgain remaining coverage of quarters that were cleared
 * @returns the days that changed
 */
export async function rollUp(
  tx: Transaction,
  ids: readonly Id[],
  coverage: readonly Coverage[],
  { recounted, seenAgain }: { recounted: RecountedPosts; seenAgain: readonly ObservedReach[] },
): Promise<Day[]> {
  const quarters = [...coverage, ...seenAgain].reduce(addQuarters, new Map<string, SearchQuarter>());
  const rows = [...quarters.values()];
  const json = coverage.map(({ runId, searchId, requestVersion, reach, everySeconds, posts, mostPosts }) => ({
    run_id: runId,
    search_id: searchId,
    request_version: requestVersion,
    observed_until: new Date(reach.until),
    observed_from: new Date(reach.from),
    reached_from: new Date(reach.reached),
    every_seconds: everySeconds,
    posts,
    most_posts: mostPosts,
  }));
  const { rows: days } = await tx.query<Day>({
    name: 'roll_up',
    text: ROLL_UP,
    values: [
      ids,
      recounted.searchIds,
      recounted.postIds,
      rows.map(({ searchId }) => searchId),
      rows.map(({ at }) => new Date(at)),
      rows.map(({ ranges }) => `{${ranges.join(',')}}`),
      rows.map(({ cut }) => cut),
      writeRows(json),
    ],
  });
  return days;
}

/** What a run observed; only quarters from `since` on (ms since 1970), if set. */
export type ObservedReach = { searchId: Id; reach: Reach; since?: number };
type SearchQuarter = { searchId: Id; at: number; ranges: string[]; cut: boolean };

function addQuarters(
  all: Map<string, SearchQuarter>,
  { searchId, reach, since }: ObservedReach,
): Map<string, SearchQuarter> {
  for (const { at, start, end, cut } of listQuarters(reach)) {
    if (since !== undefined && at < since) continue;
    const key = `${searchId} ${at}`;
    const known = all.get(key) ?? { searchId, at, ranges: [], cut: false };
    if (start < end) known.ranges.push(`[${start},${end})`);
    known.cut ||= cut;
    all.set(key, known);
  }
  return all;
}
