/** Deletes what was derived for searches since a time, and logs their readings again. */
import type { Id, Transaction } from '../db/database.ts';
import { startOfQuarter } from '../volume/reach.ts';
import { engagementSql } from '../../model/counters.ts';
import { S } from './counter-sql.ts';
import { dayOfPostSql, type Recount } from './count-items.ts';
import type { Day, ObservedReach } from './count-volume.ts';
import { countHoursAgain } from './derive-gains.ts';

const PENDING_READINGS = `${S}.pending_derivations`;

const SEARCHES_SINCE = 'unnest($1::bigint[], $2::timestamptz[]) z(search_id, since)';

/** Maximum time between the end of a run and its response: a call takes minutes. */
const AFTER_END = `interval '1 day'`;
const RECEIVED_AT = `coalesce(rr.observed_at, (
  SELECT max(received_at) FROM ${S}.calls WHERE run_id = r.id AND state = 'received'), r.ended_at)`;

/**
 * Logs the readings since then again, from results and sightings. Values known only at that time come from the stored
 * rows: the interval of a schedule, whose slots may have been added later, and the number of posts in a response
 * before posts of a forgotten author were removed. Effects of unchecked readings on other searches remain to be
 * checked.
 */
const LOG_AGAIN = `
WITH z AS MATERIALIZED (SELECT * FROM ${SEARCHES_SINCE}), waiting AS (
  DELETE FROM ${PENDING_READINGS} p USING z WHERE p.search_id = z.search_id AND p.at >= z.since RETURNING p.*
), results AS MATERIALIZED (
  SELECT z.search_id, r.id AS run_id, o.at, coalesce(w.posts, greatest(c.posts, cardinality(rr.post_ids))) AS posts, c.every_seconds
  FROM z JOIN ${S}.runs r ON r.search_id = z.search_id AND r.ended_at >= z.since - ${AFTER_END}
  JOIN ${S}.run_results rr ON rr.run_id = r.id
  CROSS JOIN LATERAL (SELECT ${RECEIVED_AT} AS at OFFSET 0) o
  LEFT JOIN ${S}.coverage c ON c.run_id = r.id
  LEFT JOIN LATERAL (SELECT posts FROM waiting w WHERE w.run_id = r.id AND w.posts IS NOT NULL ORDER BY w.id DESC LIMIT 1) w ON true
  WHERE o.at >= z.since
), posts AS MATERIALIZED (
  SELECT z.search_id, g.first_run_id AS run_id, g.first_seen_at AS at, array_agg(g.post_id ORDER BY g.post_id) AS ids
  FROM z JOIN ${S}.post_sightings g ON g.search_id = z.search_id AND g.first_seen_at >= z.since GROUP BY 1, 2, 3
), links AS MATERIALIZED (
  SELECT z.search_id, g.first_run_id AS run_id, g.first_seen_at AS at, array_agg(g.link_id ORDER BY g.link_id) AS ids
  FROM z JOIN ${S}.link_sightings g ON g.search_id = z.search_id AND g.first_seen_at >= z.since GROUP BY 1, 2, 3
)
INSERT INTO ${PENDING_READINGS} (search_id, run_id, at, posts, every_seconds, new_posts, new_links, changed_posts, edited_posts, edited_links, touched_posts, touched_links, checked, notify, counted)
SELECT search_id, run_id, at, r.posts, r.every_seconds, coalesce(p.ids, '{}'), coalesce(l.ids, '{}'), '{}'::bigint[], '{}'::bigint[], '{}'::bigint[], '{}'::bigint[], '{}'::bigint[],
  true, coalesce((SELECT bool_or(w.notify) FROM waiting w WHERE w.run_id = r.run_id), false), true
FROM results r FULL JOIN posts p USING (search_id, run_id, at) FULL JOIN links l USING (search_id, run_id, at)
UNION ALL
SELECT search_id, run_id, at, NULL, NULL, '{}', '{}', changed_posts, CASE WHEN checked THEN '{}' ELSE edited_posts END,
  CASE WHEN checked THEN '{}' ELSE edited_links END,
  CASE WHEN checked THEN '{}' ELSE new_posts || touched_posts END, CASE WHEN checked THEN '{}' ELSE new_links || touched_links END,
  checked, false, true
FROM waiting WHERE changed_posts <> '{}' OR NOT checked`;

const PENDING_AGAIN = `JOIN ${PENDING_READINGS} p ON p.search_id = z.search_id AND p.at >= z.since`;
const DELETE_COVERAGE = `
WITH coverage AS (
  DELETE FROM ${S}.coverage c USING (SELECT p.run_id FROM ${SEARCHES_SINCE} ${PENDING_AGAIN} WHERE p.posts IS NOT NULL) runs
  WHERE c.run_id = runs.run_id RETURNING c.search_id, c.reached_from
)
SELECT search_id, min(reached_from) AS reached_from FROM coverage GROUP BY 1`;
const DELETE_DERIVED = [
  `DELETE FROM ${S}.post_counters_at_age t USING ${SEARCHES_SINCE} WHERE t.search_id = z.search_id AND t.after_at >= z.since`,
  `DELETE FROM ${S}.search_gains t USING ${SEARCHES_SINCE} WHERE t.search_id = z.search_id AND t.hour_at >= z.since`,
  `DELETE FROM ${S}.dropped_posts t USING ${SEARCHES_SINCE} WHERE t.search_id = z.search_id AND t.last_seen_at >= z.since`,
  `DELETE FROM ${S}.latest_results t USING ${SEARCHES_SINCE} WHERE t.search_id = z.search_id AND t.at >= z.since`,
  `DELETE FROM ${S}.search_typical t USING ${SEARCHES_SINCE} WHERE t.search_id = z.search_id
     AND EXISTS (SELECT FROM ${PENDING_READINGS} p WHERE p.search_id = z.search_id AND p.at >= z.since AND p.posts IS NOT NULL)`,
  // The previous run is the newest again.
  `INSERT INTO ${S}.latest_results (search_id, run_id, at)
   SELECT z.search_id, b.id, b.at FROM ${SEARCHES_SINCE} CROSS JOIN LATERAL (
     SELECT r.id, o.at FROM ${S}.runs r JOIN ${S}.run_results rr ON rr.run_id = r.id
     CROSS JOIN LATERAL (SELECT ${RECEIVED_AT} AS at OFFSET 0) o
     WHERE r.search_id = z.search_id AND r.ended_at < z.since + ${AFTER_END} AND o.at < z.since
       AND NOT EXISTS (SELECT FROM ${PENDING_READINGS} p WHERE p.run_id = r.id AND p.posts IS NOT NULL)
     ORDER BY r.ended_at DESC, r.id DESC LIMIT 1
   ) b
   ON CONFLICT DO NOTHING`,
];
/** Restores posts that a run no longer returns after it was parsed again. $3 searches, $4 posts. */
const RESTORE_UNSEEN = `
INSERT INTO ${S}.dropped_posts (search_id, post_id, last_seen_at, created_at, engagement)
SELECT z.search_id, q.id, coalesce(b.at, g.first_seen_at), q.created_at, ${engagementSql('n.')}
FROM ${SEARCHES_SINCE} JOIN unnest($3::bigint[], $4::bigint[]) t(search_id, post_id) USING (search_id)
JOIN ${S}.post_sightings g ON g.search_id = t.search_id AND g.post_id = t.post_id AND g.first_seen_at < z.since
JOIN ${S}.posts q ON q.id = t.post_id
JOIN ${S}.post_counters n ON n.post_id = t.post_id
LEFT JOIN LATERAL (
  SELECT c.observed_until AS at FROM ${S}.coverage c JOIN ${S}.run_results rr ON rr.run_id = c.run_id
  WHERE c.search_id = z.search_id AND c.observed_until < z.since AND q.id = ANY (rr.post_ids) ORDER BY c.observed_until DESC LIMIT 1
) b ON true
WHERE NOT EXISTS (SELECT FROM ${S}.latest_results l JOIN ${S}.run_results rr ON rr.run_id = l.run_id
  WHERE l.search_id = z.search_id AND q.id = ANY (rr.post_ids))
ON CONFLICT DO NOTHING`;

/** Clears time that may no longer be observed. $1 searches, $2 since when. Returns their days. */
const CLEAR_OBSERVED = `
WITH emptied AS (
  UPDATE ${S}.volume v SET observed = '{}', exposure_ms = 0, exposed_posts = 0, cut = false
  FROM ${SEARCHES_SINCE}
  WHERE v.search_id = z.search_id AND v.bucket_at >= z.since AND (v.cut OR v.exposure_ms > 0)
  RETURNING v.search_id, v.bucket_at
)
SELECT DISTINCT search_id, date_trunc('day', bucket_at, 'UTC') AS day_at FROM emptied`;
/** The runs that still observe a part of it. Parameters as above. */
const SELECT_STILL_SEEN = `
SELECT c.search_id, z.since, c.reached_from, c.observed_from, c.observed_until
FROM unnest($1::bigint[], $2::timestamptz[]) z(search_id, since)
JOIN ${S}.coverage c ON c.search_id = z.search_id AND c.observed_until > z.since`;

/** Days on which something was found since then. */
const SELECT_DAYS = `
SELECT g.search_id, ${dayOfPostSql('g')} AS day_at
FROM ${SEARCHES_SINCE} JOIN ${S}.post_sightings g ON g.search_id = z.search_id AND g.first_seen_at >= z.since
UNION SELECT z.search_id, date_trunc('day', p.at, 'UTC') FROM ${SEARCHES_SINCE} ${PENDING_AGAIN}`;

type UndoScope = {
  searches: readonly Id[];
  /** For each search, a full hour. */
  since: readonly (Date | string)[];
  /** Pairs of searches and posts that a run returned before it was parsed again. */
  touched: { searches: readonly Id[]; posts: readonly Id[] };
};

/** @returns what the batch counts again */
export async function undoDerivations(
  tx: Transaction,
  { searches, since, touched }: UndoScope,
): Promise<Recount> {
  const z = [searches, since];
  await tx.query(LOG_AGAIN, z);
  const { rows: reached } = await tx.query<{ search_id: Id; reached_from: Date }>(DELETE_COVERAGE, z);
  for (const statement of DELETE_DERIVED) await tx.query(statement, z);
  await tx.query(RESTORE_UNSEEN, [...z, touched.searches, touched.posts]);
  await countHoursAgain(tx, searches, since);

  const unseen = [
    reached.map((run) => run.search_id),
    reached.map((run) => new Date(startOfQuarter(run.reached_from.getTime()))),
  ];
  const { rows: emptied } = await tx.query<Day>(CLEAR_OBSERVED, unseen);
  const { rows: seen } = await tx.query<StillSeen>(SELECT_STILL_SEEN, unseen);
  const { rows: found } = await tx.query<Day>(SELECT_DAYS, z);
  return { days: [...emptied, ...found], observed: seen.map(readReach) };
}

/** A row of {@link SELECT_STILL_SEEN}. */
type StillSeen = {
  search_id: Id;
  since: Date;
  reached_from: Date;
  observed_from: Date;
  observed_until: Date;
};

const readReach = (coverage: StillSeen): ObservedReach => ({
  searchId: coverage.search_id,
  since: coverage.since.getTime(),
  reach: {
    reached: coverage.reached_from.getTime(),
    from: coverage.observed_from.getTime(),
    until: coverage.observed_until.getTime(),
  },
});
