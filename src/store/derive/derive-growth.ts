/**
 * Growth of posts and searches, derived from a batch of readings. Gains of posts are in `derive-gains.ts`; this file
 * has counters at ages, and which posts are in the newest results. See `schema/growth-tables.ts` for the tables.
 * Statements are composed of the named queries below, each of which may use earlier ones.
 */
import type { Id, Transaction } from '../db/database.ts';
import { engagementSql } from '../../model/counters.ts';
import { AGES_SQL, joinCounters, knownCounterSql, S } from './counter-sql.ts';
import { addToHours, countGains } from './derive-gains.ts';

/** The readings, with the posts of those that are the result of their run (`is_result`). */
const BATCH = `
batch AS MATERIALIZED (
  SELECT p.search_id, p.run_id, p.at, p.posts IS NOT NULL AS is_result, p.new_posts,
    CASE WHEN p.posts IS NOT NULL THEN (SELECT post_ids FROM ${S}.run_results WHERE run_id = p.run_id) END AS post_ids
  FROM ${S}.pending_derivations p WHERE p.id = ANY ($1::bigint[])
)`;

/** Each of these posts, with its sighting. */
const SEEN = `
seen AS MATERIALIZED (
  SELECT b.search_id, b.run_id, b.at, u.id, g.first_seen_at, g.post_created_at
  FROM batch b CROSS JOIN LATERAL unnest(b.post_ids) u(id)
  CROSS JOIN LATERAL (SELECT * FROM ${S}.post_sightings WHERE search_id = b.search_id AND post_id = u.id OFFSET 0) g
)`;

/**
 * For each result: the number of posts that the search had seen before (`n`), and 0 for each counter that was known
 * and unchanged for one of them (`same_`), because its gain is then known. Posts that changed in this result
 * (`is_here`) are covered by the gains.
 */
const FOLLOWED = `
followed AS MATERIALIZED (
  SELECT s.run_id, count(*) AS n,
    ${joinCounters((c) => `min(0) FILTER (WHERE CASE WHEN n.is_here THEN false WHEN p.observed_at <= s.at THEN p.${c} IS NOT NULL ELSE k.${c} END) AS same_${c}`)}
  FROM seen s CROSS JOIN LATERAL (SELECT * FROM ${S}.post_counters WHERE post_id = s.id OFFSET 0) p
  CROSS JOIN LATERAL (
    SELECT p.observed_at >= s.at AND EXISTS (SELECT FROM ${S}.post_snapshots WHERE post_id = s.id AND observed_at = s.at) AS is_here OFFSET 0
  ) n
  LEFT JOIN LATERAL (
    SELECT ${joinCounters((c) => `bool_or(${c} IS NOT NULL) AS ${c}`)} FROM ${S}.post_snapshots
    WHERE post_id = s.id AND observed_at < s.at AND p.observed_at > s.at AND NOT n.is_here
  ) k ON true
  WHERE s.first_seen_at < s.at GROUP BY 1
)`;

/** Results of searches per hour, and the number of posts they returned again. */
const KEEP_RESULTS = `
hours AS (${addToHours(`
  SELECT b.search_id, date_trunc('hour', b.at, 'UTC'), count(*), coalesce(sum(f.n), 0), 0, ${joinCounters((c) => `min(f.same_${c}), min(f.same_${c})`)}
  FROM batch b LEFT JOIN followed f USING (run_id) WHERE b.is_result GROUP BY 1, 2 ORDER BY 1, 2`)}
)`;

/**
 * Ages that posts reached before a result, at most half the age earlier, if the search had seen them before the age.
 */
const DUE = `
due AS MATERIALIZED (
  SELECT s.search_id, s.run_id, s.id, s.at AS after_at, a.*
  FROM seen s CROSS JOIN ${AGES_SQL}
  CROSS JOIN LATERAL (
    SELECT h.hours, s.post_created_at + h.hours * interval '1 hour' AS at, h.hours * interval '30 minutes' AS near OFFSET 0
  ) a
  WHERE a.at <= s.at AND s.at <= a.at + a.near AND s.first_seen_at < a.at
)`;

/**
 * Of these, ages for which an earlier result with the post came before the age, at most half the age earlier: the age
 * is between the two.
 */
const CROSSED = `
crossed AS MATERIALIZED (
  SELECT d.*, w.at AS before_at FROM due d CROSS JOIN LATERAL (
    SELECT c.observed_until AS at FROM ${S}.coverage c JOIN ${S}.run_results rr ON rr.run_id = c.run_id
    WHERE c.search_id = d.search_id AND c.observed_until BETWEEN d.at - d.near AND d.after_at
      AND (c.observed_until, c.run_id) < (d.after_at, d.run_id) AND c.run_id <> d.run_id AND d.id = ANY (rr.post_ids)
    ORDER BY c.observed_until DESC, c.run_id DESC LIMIT 1
  ) w
  WHERE w.at < d.at
)`;

/**
 * Adds results to hours, and writes counters at ages: interpolated between the values at the result before (`b`) and
 * after (`n`). One statement, because most of the work is finding the sightings. Runs after coverage. $1 readings.
 */
const FOLLOW = `
WITH ${BATCH}, ${SEEN}, ${FOLLOWED}, ${KEEP_RESULTS}, ${DUE}, ${CROSSED}
INSERT INTO ${S}.post_counters_at_age (search_id, post_id, hours, at, before_at, after_at, ${joinCounters((c) => c)})
SELECT c.search_id, c.id, c.hours, c.at, c.before_at, c.after_at, ${joinCounters((c) => `b.${c} + (n.${c} - b.${c}) * f.part`)}
FROM crossed c
CROSS JOIN LATERAL (SELECT * FROM ${S}.post_counters WHERE post_id = c.id OFFSET 0) p
CROSS JOIN LATERAL (SELECT ${joinCounters((c) => `${knownCounterSql('p', c, 'c.before_at')} AS ${c}`)} OFFSET 0) b
CROSS JOIN LATERAL (SELECT ${joinCounters((c) => `${knownCounterSql('p', c, 'c.after_at')} AS ${c}`)} OFFSET 0) n
CROSS JOIN LATERAL (
  SELECT extract(epoch FROM c.at - c.before_at)::float8 / extract(epoch FROM c.after_at - c.before_at)::float8 AS part OFFSET 0
) f
ORDER BY c.search_id, c.id, c.hours
ON CONFLICT DO NOTHING`;

/** The newest result of each search before and after the batch, and the posts of the latter. */
const IN_SIGHT = `
before AS MATERIALIZED (
  SELECT l.* FROM (SELECT DISTINCT search_id FROM batch) b
  CROSS JOIN LATERAL (SELECT * FROM ${S}.latest_results WHERE search_id = b.search_id OFFSET 0) l
), newest AS MATERIALIZED (
  SELECT DISTINCT ON (search_id) search_id, run_id, at
  FROM (SELECT search_id, run_id, at FROM batch WHERE is_result UNION ALL SELECT search_id, run_id, at FROM before) l
  ORDER BY search_id, at DESC, run_id DESC
), in_sight AS MATERIALIZED (
  SELECT n.search_id, u.id FROM newest n JOIN ${S}.run_results rr ON rr.run_id = n.run_id CROSS JOIN LATERAL unnest(rr.post_ids) u(id)
)`;

const KEEP_NEWEST = `
noted AS (
  INSERT INTO ${S}.latest_results AS l (search_id, run_id, at) SELECT search_id, run_id, at FROM newest ORDER BY 1
  ON CONFLICT (search_id) DO UPDATE SET run_id = excluded.run_id, at = excluded.at
    WHERE (l.run_id, l.at) <> (excluded.run_id, excluded.at)
)`;

/**
 * Posts of the batch and of earlier results that are not in the newest, and when they were last returned. Also first
 * sightings that the result does not contain: of a response beside it, or of one that was parsed again. Only if they
 * are still the first: an earlier response may have been read since, and a rebuild knows of no other.
 */
const HELD = `
held AS MATERIALIZED (
  SELECT search_id, id, max(at) AS at FROM (
    SELECT b.search_id, u.id, b.at FROM batch b CROSS JOIN LATERAL unnest(b.post_ids) u(id)
    UNION ALL SELECT l.search_id, u.id, l.at FROM before l JOIN ${S}.run_results rr ON rr.run_id = l.run_id CROSS JOIN LATERAL unnest(rr.post_ids) u(id)
    UNION ALL SELECT b.search_id, u.id, b.at FROM batch b CROSS JOIN LATERAL unnest(b.new_posts) u(id)
    CROSS JOIN LATERAL (SELECT FROM ${S}.post_sightings WHERE search_id = b.search_id AND post_id = u.id AND first_seen_at = b.at OFFSET 0) g
  ) h
  WHERE (search_id, id) NOT IN (SELECT search_id, id FROM in_sight) GROUP BY 1, 2
)`;

const KEEP_UNSEEN = `
gone AS (
  INSERT INTO ${S}.dropped_posts AS o (search_id, post_id, last_seen_at, created_at, engagement)
  SELECT h.search_id, h.id, h.at, p.created_at, ${engagementSql('n.')}
  FROM held h CROSS JOIN LATERAL (SELECT created_at FROM ${S}.posts WHERE id = h.id OFFSET 0) p
  CROSS JOIN LATERAL (SELECT * FROM ${S}.post_counters WHERE post_id = h.id OFFSET 0) n
  ORDER BY 1, 2
  ON CONFLICT (search_id, post_id) DO UPDATE SET last_seen_at = greatest(o.last_seen_at, excluded.last_seen_at),
    created_at = excluded.created_at, engagement = excluded.engagement
)`;

/**
 * Updates the newest results and the dropped posts: those not in the newest result, with when they were last
 * returned. Posts that are returned again are no longer dropped. $1 readings.
 */
const KEEP_SIGHT = `
WITH ${BATCH}, ${IN_SIGHT}, ${KEEP_NEWEST}, ${HELD}, ${KEEP_UNSEEN}
DELETE FROM ${S}.dropped_posts WHERE ctid = ANY (ARRAY(
  SELECT f.row FROM in_sight i
  CROSS JOIN LATERAL (SELECT ctid AS row FROM ${S}.dropped_posts WHERE search_id = i.search_id AND post_id = i.id OFFSET 0) f
))`;

/**
 * Updates counters of dropped posts that other searches saw since. The rows exist: the conflict finds each by its
 * key, whatever plan is cached. $1 readings.
 */
const COUNT_UNSEEN = `
INSERT INTO ${S}.dropped_posts AS u (search_id, post_id, last_seen_at, created_at, engagement)
SELECT o.search_id, o.post_id, o.last_seen_at, o.created_at, ${engagementSql('p.')}
FROM (SELECT DISTINCT u.id FROM ${S}.pending_derivations d CROSS JOIN LATERAL unnest(d.changed_posts) u(id) WHERE d.id = ANY ($1::bigint[])) c
CROSS JOIN LATERAL (SELECT * FROM ${S}.dropped_posts WHERE post_id = c.id OFFSET 0) o
CROSS JOIN LATERAL (SELECT * FROM ${S}.post_counters WHERE post_id = c.id OFFSET 0) p
WHERE o.engagement IS DISTINCT FROM ${engagementSql('p.')}
ORDER BY 1, 2
ON CONFLICT (search_id, post_id) DO UPDATE SET engagement = excluded.engagement`;

/** Runs after the coverage of the batch. */
export async function followGrowth(tx: Transaction, ids: readonly Id[]): Promise<void> {
  await countGains(tx, ids);
  await tx.query({ name: 'follow', text: FOLLOW, values: [ids] });
  await tx.query({ name: 'keep_sight', text: KEEP_SIGHT, values: [ids] });
  await tx.query({ name: 'count_unseen', text: COUNT_UNSEEN, values: [ids] });
}
