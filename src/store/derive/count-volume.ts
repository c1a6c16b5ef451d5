/**
 * Posts of searches by quarter-hour and by day of publication. Each quarter is counted whole from the sightings, and each day is the
 * sum of its quarters, so it does not matter how often they are counted, and after which response.
 */
import type { Id, Transaction } from '../db/database.ts';
import { rowsOf, type Statement, statement, timeOf, verbatim } from '../db/statement.ts';
import { countedAtSql, isMeasurableSql, offsetSql, quarterSql } from '../volume/post-time.ts';
import { listQuarters, type Reach } from '../volume/reach.ts';
import type { Coverage } from './derive-coverage.ts';
import { fromCountedSightings, isFirstInTopic, siblingsOf } from './first-in-topic.ts';

/** A day (UTC) of a search. */
export type Day = { search_id: Id; day_at: Date };

/** Days as the rows `d(search_id, day_at)` of a FROM. */
export const rowsOfDays = (days: readonly Day[]): Statement =>
  statement`unnest(${days.map(({ search_id }) => search_id)}::bigint[], ${days.map(({ day_at }) => day_at)}::timestamptz[]) d(search_id, day_at)`;

/** A day of a search, and whether posts in it were counted. */
export type CountedDay = Day & { is_counted: boolean };

/** What a run observed; only quarters from `since` on (ms since 1970), if set. */
export type ObservedReach = { searchId: Id; reach: Reach; since?: number };

const COUNTED_AT = verbatim(countedAtSql('g'));
const QUARTER = verbatim(quarterSql('g'));
const IS_EXPOSED = verbatim(`${isMeasurableSql('g')} AND ${offsetSql('g')} <@ q.observed`);

/**
 * Writes volume. Quarters are counted in which a reading has posts that are new to its search, and those of the days
 * given. The same post in another search of the topic is counted again if that search saw it later, because it is then no longer the
 * first. Where observed time grows, posts are counted in it that were found before, as in the popular part of a truncated response.
 * Other quarters are not written: runs of operation A observe the same week repeatedly.
 * @param again `days`: all of their quarters; `observed`: what runs observed of quarters whose observed time was cleared
 * @returns the days that changed, and whether posts in them were counted
 */
export async function countVolume(
  tx: Transaction,
  readings: readonly Id[],
  coverage: readonly Coverage[],
  { days, observed }: { days: readonly Day[]; observed: readonly ObservedReach[] },
): Promise<CountedDay[]> {
  const given = [
    ...[...coverage, ...observed].reduce(addQuarters, new Map<string, SearchQuarter>()).values(),
  ];
  return rowsOf(
    tx,
    statement`
WITH given AS (
  SELECT * FROM unnest(${given.map(({ searchId }) => searchId)}::bigint[], ${given.map(({ at }) => new Date(at))}::timestamptz[],
    ${given.map(({ ranges }) => `{${ranges.join(',')}}`)}::int4multirange[], ${given.map(({ cut }) => cut)}::boolean[])
    AS q(search_id, at, observed, cut)
), counted AS (
  SELECT g.search_id, ${QUARTER} AS at
  ${fromCountedSightings('post', readings)}
  UNION
  SELECT d.search_id, generate_series(d.day_at, d.day_at + interval '1 day' - interval '15 minutes', interval '15 minutes')
  FROM ${rowsOfDays(days)}
), quarters AS MATERIALIZED (
  SELECT t.search_id, t.at, t.is_counted, v.ctid AS stored,
    coalesce(v.observed, '{}') AS observed_before, coalesce(v.observed, '{}') + t.observed AS observed,
    coalesce(v.cut, false) AS cut_before, coalesce(v.cut, false) OR t.cut AS cut
  FROM (
    SELECT search_id, at, coalesce(range_agg(observed), '{}') AS observed, bool_or(cut) AS cut, bool_or(is_counted) AS is_counted
    FROM (SELECT *, false AS is_counted FROM given UNION ALL SELECT search_id, at, NULL, false, true FROM counted) u
    GROUP BY search_id, at
  ) t
  LEFT JOIN LATERAL (SELECT ctid, * FROM strandline.volume WHERE search_id = t.search_id AND bucket_at = t.at OFFSET 0) v ON true
), ${siblingsOf(statement`SELECT search_id FROM quarters`)}, fresh AS MATERIALIZED (
  SELECT q.search_id, q.at, q.is_counted, q.stored, q.observed, q.cut, n.*,
    (SELECT coalesce(sum(upper(r) - lower(r)), 0)::integer FROM unnest(q.observed) r) AS exposure_ms
  FROM quarters q JOIN siblings s USING (search_id)
  CROSS JOIN LATERAL (
    SELECT count(*)::integer AS posts, (count(*) FILTER (WHERE g.is_first))::integer AS topic_posts,
      (count(*) FILTER (WHERE g.is_first AND (SELECT is_repost FROM strandline.posts WHERE id = g.post_id)))::integer AS topic_reposts,
      (count(*) FILTER (WHERE g.is_exposed))::integer AS exposed_posts
    FROM (
      SELECT g.post_id, ${isFirstInTopic('post')} AS is_first, ${IS_EXPOSED} AS is_exposed FROM strandline.post_sightings g
      WHERE g.search_id = q.search_id AND ${COUNTED_AT} >= q.at AND ${COUNTED_AT} < q.at + interval '15 minutes' OFFSET 0
    ) g
  ) n
  WHERE q.is_counted OR q.stored IS NULL OR q.observed <> q.observed_before OR q.cut <> q.cut_before
), written AS (
  INSERT INTO strandline.volume AS v (search_id, bucket_at, posts, topic_posts, topic_reposts, cut, observed, exposure_ms, exposed_posts)
  SELECT search_id, at, posts, topic_posts, topic_reposts, cut, observed, exposure_ms, exposed_posts FROM fresh
  WHERE posts > 0 OR cut OR exposure_ms > 0 ORDER BY search_id, at
  ON CONFLICT (search_id, bucket_at) DO UPDATE SET posts = excluded.posts, topic_posts = excluded.topic_posts,
    topic_reposts = excluded.topic_reposts, cut = excluded.cut, observed = excluded.observed, exposure_ms = excluded.exposure_ms,
    exposed_posts = excluded.exposed_posts
  WHERE (v.posts, v.topic_posts, v.topic_reposts, v.cut, v.observed, v.exposed_posts)
    <> (excluded.posts, excluded.topic_posts, excluded.topic_reposts, excluded.cut, excluded.observed, excluded.exposed_posts)
), emptied AS (
  DELETE FROM strandline.volume WHERE ctid = ANY (ARRAY(
    SELECT stored FROM fresh WHERE stored IS NOT NULL AND posts = 0 AND NOT cut AND exposure_ms = 0))
)
SELECT search_id, date_trunc('day', at, 'UTC') AS day_at, bool_or(is_counted) AS is_counted FROM fresh GROUP BY 1, 2`,
    'count_volume',
  );
}

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

/**
 * Adds up the quarters of days. The names of days in which posts were counted wait to be counted, too.
 * @returns days without quarters, which have no row
 */
export async function countDays(
  tx: Transaction,
  days: readonly CountedDay[],
  now: Date | null,
): Promise<Day[]> {
  if (days.length === 0) return [];
  return rowsOf(
    tx,
    statement`
WITH sums AS MATERIALIZED (
  SELECT d.search_id, d.day_at, CASE WHEN d.is_counted THEN ${timeOf(now)} END AS names_wait_since, v.*
  FROM unnest(${days.map(({ search_id }) => search_id)}::bigint[], ${days.map(({ day_at }) => day_at)}::timestamptz[],
    ${days.map(({ is_counted }) => is_counted)}::boolean[]) d(search_id, day_at, is_counted)
  CROSS JOIN LATERAL (
    SELECT count(*) AS quarters, sum(posts)::integer AS posts, sum(topic_posts)::integer AS topic_posts,
      sum(topic_reposts)::integer AS topic_reposts, sum(exposure_ms)::integer AS exposure_ms, sum(exposed_posts)::integer AS exposed_posts,
      (count(DISTINCT date_bin('1 hour', bucket_at, 'epoch')) FILTER (WHERE exposure_ms > 0))::integer AS hours,
      bool_or(cut AND exposure_ms < 900000) AS cut
    FROM strandline.volume WHERE search_id = d.search_id AND bucket_at >= d.day_at AND bucket_at < d.day_at + interval '1 day'
  ) v
), written AS (
  INSERT INTO strandline.search_days AS h
    (search_id, day_at, posts, topic_posts, topic_reposts, exposure_ms, exposed_posts, hours, cut, names_wait_since)
  SELECT search_id, day_at, posts, topic_posts, topic_reposts, exposure_ms, exposed_posts, hours, cut, names_wait_since FROM sums
  WHERE quarters > 0 ORDER BY search_id, day_at
  ON CONFLICT (search_id, day_at) DO UPDATE SET posts = excluded.posts, topic_posts = excluded.topic_posts,
    topic_reposts = excluded.topic_reposts, exposure_ms = excluded.exposure_ms, exposed_posts = excluded.exposed_posts,
    hours = excluded.hours, cut = excluded.cut, names_wait_since = coalesce(h.names_wait_since, excluded.names_wait_since)
  WHERE (h.posts, h.topic_posts, h.topic_reposts, h.exposure_ms, h.exposed_posts, h.hours, h.cut)
    <> (excluded.posts, excluded.topic_posts, excluded.topic_reposts, excluded.exposure_ms, excluded.exposed_posts, excluded.hours, excluded.cut)
    OR (h.names_wait_since IS NULL AND excluded.names_wait_since IS NOT NULL)
), emptied AS (
  DELETE FROM strandline.search_days h USING sums s WHERE h.search_id = s.search_id AND h.day_at = s.day_at AND s.quarters = 0
)
SELECT search_id, day_at FROM sums WHERE quarters = 0`,
    'count_days',
  );
}
