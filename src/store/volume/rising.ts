/**
 * What is typical of a search, and which of its posts rise: kept after each look, so that whoever reads it asks for few
 * rows. What was not kept because of a fault is kept by the next run; `as_of` says of which look it is.
 */
import { type Database, type Id, inTransaction, KEEP_PLANS } from '../database.ts';
import { POST_COUNTERS } from '../save/columns.ts';

const S = 'strandline';
const MEASURES = [...Object.keys(POST_COUNTERS), 'engagement'];
const ENGAGEMENT = ['like_count', 'repost_count', 'reply_count', 'quote_count'];
const each = (f: (measure: string) => string) => MEASURES.map(f).join(', ');

/** Likes, reposts, replies and quotes together, as far as they are known. */
const engagementOf = (row: string) => {
  const counters = ENGAGEMENT.map((counter) => `${row}.${counter}`);
  return `CASE WHEN coalesce(${counters.join(', ')}) IS NOT NULL THEN ${counters.map((c) => `coalesce(${c}, 0)`).join(' + ')} END`;
};

/**
 * The medians of the 500 posts that reached an age last, of ages that this look added a post to (it lies behind an age by
 * at most half of it) and of those that have none yet. $1 search, $2 whether all are made again.
 */
const TYPICAL = `
INSERT INTO ${S}.search_typical AS k (search_id, hours, posts, ${each((m) => m)})
SELECT $1, h.hours, m.*
FROM (VALUES (1), (3), (8), (24), (72)) h(hours)
CROSS JOIN LATERAL (
  SELECT count(*) AS posts, ${each((m) => `CASE WHEN count(e.${m}) >= 5 THEN percentile_cont(0.5) WITHIN GROUP (ORDER BY e.${m}) END AS ${m}`)}
  FROM (
    SELECT a.*, ${engagementOf('a')} AS engagement FROM ${S}.post_ages a
    WHERE a.search_id = $1 AND a.hours = h.hours ORDER BY a.at DESC, a.post_id DESC LIMIT 500
  ) e
  HAVING count(*) > 0
) m
WHERE $2 OR NOT EXISTS (SELECT FROM ${S}.search_typical WHERE search_id = $1 AND hours = h.hours)
  OR EXISTS (SELECT FROM ${S}.looks l JOIN ${S}.post_ages a ON a.search_id = l.search_id AND a.hours = h.hours
    AND a.at >= l.at - h.hours * interval '30 minutes' AND a.after_at = l.at WHERE l.search_id = $1)
ON CONFLICT (search_id, hours) DO UPDATE SET posts = excluded.posts, ${each((m) => `${m} = excluded.${m}`)}`;

/**
 * Posts that gained at least 5 since the look before the last six hours, or the first one in them that held them; never over
 * a gap: where the look before lies further back than two intervals, it is not compared with. A post of the last six
 * hours gained all it has. $1 search.
 */
const RISING = `
WITH look AS MATERIALIZED (
  SELECT l.at, l.at - interval '6 hours' AS lately, (
    SELECT b.observed_until FROM ${S}.coverage b
    WHERE b.search_id = $1 AND b.observed_until <= l.at - interval '6 hours'
      AND b.observed_until >= l.at - interval '6 hours' - 2 * b.every_seconds * interval '1 second'
    ORDER BY b.observed_until DESC LIMIT 1
  ) AS base
  FROM ${S}.looks l WHERE l.search_id = $1
), held AS MATERIALIZED (
  SELECT u.post_id, min(w.observed_until) AS since
  FROM look l JOIN ${S}.coverage w ON w.search_id = $1 AND w.observed_until >= coalesce(l.base, l.lately) AND w.observed_until <= l.at
  JOIN ${S}.run_results rr ON rr.run_id = w.run_id CROSS JOIN LATERAL unnest(rr.post_ids) u(post_id)
  GROUP BY u.post_id HAVING max(w.observed_until) > min(l.lately)
), gained AS MATERIALIZED (
  SELECT h.post_id, l.at, extract(epoch FROM l.at - q.created_at)::float8 / 3600 AS age_hours,
    (CASE WHEN q.created_at > l.lately THEN ${engagementOf('q')}
      WHEN g.changed_at > h.since THEN (
        SELECT sum(greatest(k.x - k.before, 0)) FILTER (WHERE k.observed_at > h.since) FROM (
          SELECT e.observed_at, v.x, lag(v.x) OVER (PARTITION BY v.counter ORDER BY e.observed_at) AS before
          FROM ${S}.post_snapshots e
          CROSS JOIN LATERAL (VALUES ${ENGAGEMENT.map((counter, n) => `(${n}, e.${counter})`).join(', ')}) v(counter, x)
          WHERE e.post_id = h.post_id AND v.x IS NOT NULL AND e.observed_at <= l.at AND e.observed_at >= coalesce((
            SELECT max(b.observed_at) FROM ${S}.post_snapshots b WHERE b.post_id = h.post_id AND b.observed_at <= h.since), '-infinity')
        ) k) END)::bigint AS gained,
    extract(epoch FROM l.at - CASE WHEN q.created_at > l.lately THEN q.created_at ELSE h.since END)::float8 / 3600 AS observed_hours
  FROM look l CROSS JOIN held h
  CROSS JOIN LATERAL (SELECT * FROM ${S}.posts WHERE id = h.post_id OFFSET 0) q
  LEFT JOIN LATERAL (SELECT changed_at FROM ${S}.post_gains WHERE post_id = h.post_id OFFSET 0) g ON true
), typical AS MATERIALIZED (
  SELECT array_agg(m.engagement ORDER BY h.hours) AS engagement, array_agg(m.posts ORDER BY h.hours) AS posts
  FROM (VALUES (1), (3), (8), (24), (72)) h(hours) LEFT JOIN ${S}.search_typical m ON m.search_id = $1 AND m.hours = h.hours
), rising AS MATERIALIZED (
  SELECT r.post_id, r.at, r.age_hours, r.gained, r.observed_hours, y.per_hour, CASE WHEN y.per_hour IS NOT NULL THEN y.posts END AS compared_with
  FROM gained r CROSS JOIN typical m
  CROSS JOIN LATERAL (SELECT width_bucket(r.age_hours, ARRAY[1, 3, 8, 24]::float8[]) + 1 AS i) b
  CROSS JOIN LATERAL (
    SELECT least(m.posts[b.i], m.posts[b.i - 1]) AS posts,
      greatest(m.engagement[b.i] - CASE WHEN b.i = 1 THEN 0 ELSE m.engagement[b.i - 1] END, 0) / (ARRAY[1, 2, 5, 16, 48])[b.i] AS per_hour
  ) y
  WHERE r.gained >= 5 AND r.observed_hours > 0 AND (y.per_hour IS NULL OR r.gained / r.observed_hours > y.per_hour)
), sunk AS (
  DELETE FROM ${S}.search_rising WHERE search_id = $1 AND post_id NOT IN (SELECT post_id FROM rising)
)
INSERT INTO ${S}.search_rising (search_id, post_id, as_of, age_hours, gained, observed_hours, typical_per_hour, compared_with)
SELECT $1, post_id, at, age_hours, gained, observed_hours, per_hour, compared_with FROM rising ORDER BY post_id
ON CONFLICT (search_id, post_id) DO UPDATE SET as_of = excluded.as_of, age_hours = excluded.age_hours, gained = excluded.gained,
  observed_hours = excluded.observed_hours, typical_per_hour = excluded.typical_per_hour, compared_with = excluded.compared_with`;

/** Two looks at one search at once: the second waits, and finds what is newest. */
const ONE_AT_A_TIME = `SELECT pg_advisory_xact_lock(hashtext('${S}.rising'), $1::bigint::integer)`;

/** After the save of an answer. @param again makes what is typical anew, whatever this look added */
export async function keepRising(db: Database, searchId: Id, { again = false } = {}): Promise<void> {
  await inTransaction(db, async (tx, last) => {
    last(tx.query(KEEP_PLANS));
    last(tx.query({ name: 'one_rising', text: ONE_AT_A_TIME, values: [searchId] }));
    last(tx.query({ name: 'typical', text: TYPICAL, values: [searchId, again] }));
    last(tx.query({ name: 'rising', text: RISING, values: [searchId] }));
  });
}
