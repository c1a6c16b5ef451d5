/**
 * Typical values of searches, and their rising posts. Stored, so that reading them takes few rows; `as_of` is the time of the
 * run. Typical values are computed once per batch, rising posts at most every {@link RISING_PAUSE}.
 */
import type { Id, Transaction } from '../db/database.ts';
import type { WaitingFigures } from './pending-derivations.ts';
import { isOver, rowsOf, statement, timeOf } from '../db/statement.ts';
import { AGES, POST_COUNTERS, ENGAGEMENT_COUNTERS, engagementSql } from '../../model/counters.ts';
import { AGES_SQL, knownCounterSql, S } from './counter-sql.ts';

const MEASURES = [...POST_COUNTERS, 'engagement'];
const joinMeasures = (f: (measure: string) => string) => MEASURES.map(f).join(', ');

/**
 * For each age, medians of the last 500 posts that reached it. Computed if the batch added a post at that age
 * (measured at most half the age later), or if there are no medians yet. $1 searches, $2 since when their readings in
 * the batch were received.
 */
const UPDATE_TYPICAL = `
INSERT INTO ${S}.search_typical AS k (search_id, hours, posts, ${joinMeasures((m) => m)})
SELECT z.search_id, h.hours, m.*
FROM unnest($1::bigint[], $2::timestamptz[]) z(search_id, since)
CROSS JOIN ${AGES_SQL}
CROSS JOIN LATERAL (
  SELECT count(*) AS posts, ${joinMeasures((m) => `CASE WHEN count(e.${m}) >= 5 THEN percentile_cont(0.5) WITHIN GROUP (ORDER BY e.${m}) END AS ${m}`)}
  FROM (
    SELECT a.*, ${engagementSql('a.')} AS engagement FROM ${S}.post_counters_at_age a
    WHERE a.search_id = z.search_id AND a.hours = h.hours ORDER BY a.at DESC, a.post_id DESC LIMIT 500
  ) e
  HAVING count(*) > 0
) m
WHERE NOT EXISTS (SELECT FROM ${S}.search_typical WHERE search_id = z.search_id AND hours = h.hours)
  OR EXISTS (SELECT FROM ${S}.post_counters_at_age a WHERE a.search_id = z.search_id AND a.hours = h.hours
    AND a.at >= z.since - h.hours * interval '30 minutes' AND a.after_at >= z.since)
ORDER BY 1, 2
ON CONFLICT (search_id, hours) DO UPDATE SET posts = excluded.posts, ${joinMeasures((m) => `${m} = excluded.${m}`)}`;

const MIN_GAINED = 5;
/** Over a shorter time, a rate per hour says nothing: six likes within a second are not 20,000 an hour. */
const MIN_OBSERVED_HOURS = 0.25;
/**
 * Posts that gained at least {@link MIN_GAINED} in the last six hours, and more per hour than is typical at their age, if
 * that is known. Gains are counted from the base, which is the last run before these hours; from the first later run that
 * returned the post, if the base did not; or from the post's publication, if it is younger than six hours. A base more than
 * two intervals older than these hours is not used, because gains are not counted across a gap. Only posts that were
 * returned in these hours and are young or changed since the base are considered, and only gains that were observed for at
 * least {@link MIN_OBSERVED_HOURS}. The results of single runs are read
 * only for posts that the search had seen before and that the base did not return. $1 searches.
 */
const UPDATE_RISING = `
WITH look AS MATERIALIZED (
  SELECT l.search_id, l.at, l.lately, b.run_id AS base_id, b.observed_until AS base, coalesce(b.observed_until, l.lately) AS since,
    m.usual, m.usual_posts, (SELECT post_ids FROM ${S}.run_results WHERE run_id = l.run_id) AS in_sight,
    (SELECT post_ids FROM ${S}.run_results WHERE run_id = b.run_id) AS in_base
  FROM unnest($1::bigint[]) z(search_id)
  CROSS JOIN LATERAL (SELECT *, at - interval '6 hours' AS lately FROM ${S}.latest_results WHERE search_id = z.search_id OFFSET 0) l
  LEFT JOIN LATERAL (
    SELECT run_id, observed_until FROM ${S}.coverage c
    WHERE c.search_id = z.search_id AND c.observed_until <= l.lately AND c.observed_until >= l.lately - 2 * c.every_seconds * interval '1 second'
    ORDER BY observed_until DESC, run_id DESC LIMIT 1
  ) b ON true
  CROSS JOIN LATERAL (
    SELECT array_agg(k.engagement ORDER BY h.hours) AS usual, array_agg(k.posts ORDER BY h.hours) AS usual_posts
    FROM ${AGES_SQL}
    LEFT JOIN LATERAL (SELECT * FROM ${S}.search_typical WHERE search_id = z.search_id AND hours = h.hours OFFSET 0) k ON true
  ) m
), changed AS MATERIALIZED (
  SELECT l.search_id, q.id AS post_id, l.at, l.lately, l.base, l.since AS from_at, q.created_at > l.lately AS is_young, s.first_seen_at, q.first_seen_at AS known_at, g.changed_at,
    ${engagementSql('g.gained_')} AS gained_ever, q.id = ANY (l.in_base) AS is_in_base, q.created_at, l.usual, l.usual_posts
  FROM look l CROSS JOIN LATERAL (
    SELECT unnest(l.in_sight)
    UNION
    SELECT o.post_id FROM (SELECT post_id, engagement FROM ${S}.dropped_posts WHERE search_id = l.search_id AND last_seen_at > l.lately OFFSET 0) o
    -- A post that never changed gained at most what it has. What it has may be from a later reading that is not derived yet.
    WHERE o.engagement >= ${MIN_GAINED}
      OR EXISTS (SELECT FROM ${S}.post_counters WHERE post_id = o.post_id AND (changed_before_at IS NOT NULL OR observed_at > l.at))
  ) i(id)
  CROSS JOIN LATERAL (SELECT id, created_at, first_seen_at FROM ${S}.posts WHERE id = i.id OFFSET 0) q
  CROSS JOIN LATERAL (SELECT first_seen_at FROM ${S}.post_sightings WHERE search_id = l.search_id AND post_id = i.id OFFSET 0) s
  LEFT JOIN LATERAL (
    SELECT *, observed_at AS changed_at FROM ${S}.post_counters WHERE post_id = i.id AND changed_before_at IS NOT NULL OFFSET 0
  ) g ON true
  WHERE q.created_at > l.lately OR g.changed_at > l.since
), held AS MATERIALIZED (
  SELECT c.*, CASE
    WHEN c.first_seen_at >= c.from_at THEN c.first_seen_at
    WHEN c.is_in_base THEN c.base
    ELSE (
      SELECT w.observed_until FROM ${S}.coverage w JOIN ${S}.run_results rr ON rr.run_id = w.run_id
      WHERE w.search_id = c.search_id AND w.observed_until > c.from_at AND w.observed_until <= c.at AND c.post_id = ANY (rr.post_ids)
      ORDER BY w.observed_until LIMIT 1
    ) END AS since
  FROM changed c
), gained AS MATERIALIZED (
  SELECT h.search_id, h.post_id, h.at, h.usual, h.usual_posts, extract(epoch FROM h.at - h.created_at)::float8 / 3600 AS age_hours,
    (CASE WHEN h.is_young THEN (
        SELECT ${engagementSql('v.')} FROM ${S}.post_counters q
        CROSS JOIN LATERAL (SELECT ${ENGAGEMENT_COUNTERS.map((c) => `${knownCounterSql('q', c, 'h.at')} AS ${c}`).join(', ')} OFFSET 0) v WHERE q.post_id = h.post_id)
      -- All its gains, if it was not known before.
      WHEN h.known_at >= h.since AND h.changed_at <= h.at THEN h.gained_ever
      ELSE (
        SELECT sum(greatest(k.x - k.before, 0)) FROM (
          SELECT v.x, lag(v.x) OVER (PARTITION BY v.counter ORDER BY e.observed_at) AS before
          FROM (
            -- What is known when the time begins: a snapshot says only what its response said.
            SELECT h.since AS observed_at, ${ENGAGEMENT_COUNTERS.map((c) => `${knownCounterSql('q', c, 'h.since')} AS ${c}`).join(', ')}
            FROM ${S}.post_counters q WHERE q.post_id = h.post_id
            UNION ALL
            SELECT observed_at, ${ENGAGEMENT_COUNTERS.join(', ')} FROM ${S}.post_snapshots
            WHERE post_id = h.post_id AND observed_at > h.since AND observed_at <= h.at
          ) e
          CROSS JOIN LATERAL (VALUES ${ENGAGEMENT_COUNTERS.map((counter, n) => `(${n}, e.${counter})`).join(', ')}) v(counter, x)
          WHERE v.x IS NOT NULL
        ) k) END)::bigint AS gained,
    extract(epoch FROM h.at - CASE WHEN h.is_young THEN h.created_at ELSE h.since END)::float8 / 3600 AS observed_hours
  FROM held h WHERE h.since IS NOT NULL
), rising AS MATERIALIZED (
  SELECT r.*, y.per_hour, CASE WHEN y.per_hour IS NOT NULL THEN y.posts END AS compared_with
  FROM gained r
  CROSS JOIN LATERAL (SELECT width_bucket(r.age_hours, ARRAY[${AGES.slice(0, -1).join(', ')}]::float8[]) + 1 AS i) b
  CROSS JOIN LATERAL (SELECT r.usual[b.i] - CASE WHEN b.i = 1 THEN 0 ELSE r.usual[b.i - 1] END AS gained) z
  CROSS JOIN LATERAL (
    SELECT least(r.usual_posts[b.i], r.usual_posts[b.i - 1]) AS posts,
      -- Not greatest() alone, which takes an unknown value for 0.
      CASE WHEN z.gained IS NOT NULL THEN greatest(z.gained, 0) END / (ARRAY[${AGES.map((age, i) => age - (AGES[i - 1] ?? 0)).join(', ')}])[b.i] AS per_hour
  ) y
  WHERE r.gained >= ${MIN_GAINED} AND r.observed_hours >= ${MIN_OBSERVED_HOURS} AND (y.per_hour IS NULL OR r.gained / r.observed_hours > y.per_hour)
), sunk AS (
  DELETE FROM ${S}.search_rising
  WHERE search_id IN (SELECT search_id FROM look) AND (search_id, post_id) NOT IN (SELECT search_id, post_id FROM rising)
)
INSERT INTO ${S}.search_rising (search_id, post_id, as_of, age_hours, gained, observed_hours, typical_per_hour, compared_with)
SELECT search_id, post_id, at, age_hours, gained, observed_hours, per_hour, compared_with FROM rising ORDER BY search_id, post_id
ON CONFLICT (search_id, post_id) DO UPDATE SET as_of = excluded.as_of, age_hours = excluded.age_hours, gained = excluded.gained,
  observed_hours = excluded.observed_hours, typical_per_hour = excluded.typical_per_hour, compared_with = excluded.compared_with`;

/** A search that runs every five minutes has its rising posts computed after each run. */
const RISING_PAUSE = statement`interval '4 minutes'`;

/**
 * Searches whose rising posts are computed now: those of the batch, and those that wait. If they were computed as of a
 * response shortly before the newest, they wait.
 *
 * Readings are not always derived in order: those set aside, and those of searches with late readings, come last. Searches
 * that had returned their changed posts and already have a later result are therefore computed again.
 */
async function takeSearchesToRise(
  tx: Transaction,
  { searches, readings }: { searches: readonly Id[]; readings: readonly Id[] },
  { which, now }: WaitingFigures,
): Promise<Id[]> {
  const rows = await rowsOf<{ search_id: Id; is_due: boolean }>(
    tx,
    statement`
WITH asked AS MATERIALIZED (
  SELECT search_id FROM unnest(${searches}::bigint[]) z(search_id)
  UNION
  SELECT l.search_id FROM strandline.pending_derivations p CROSS JOIN LATERAL unnest(p.changed_posts) u(id)
  CROSS JOIN LATERAL (SELECT search_id FROM strandline.post_sightings WHERE post_id = u.id OFFSET 0) g
  CROSS JOIN LATERAL (SELECT search_id, at FROM strandline.latest_results WHERE search_id = g.search_id OFFSET 0) l
  WHERE p.id = ANY (${readings}::bigint[]) AND l.at >= p.at
  UNION
  SELECT search_id FROM strandline.latest_results WHERE rising_waits_since IS NOT NULL
), due AS MATERIALIZED (
  SELECT l.search_id, ${which !== 'none'}::boolean AND (${which === 'all'}::boolean
    OR coalesce(NOT (l.rising_at > l.at - ${RISING_PAUSE} AND l.rising_at <= l.at), true) OR (l.rising_waits_since IS NOT NULL AND ${isOver(statement`l.rising_waits_since + ${RISING_PAUSE}`, timeOf(now), RISING_PAUSE)})) AS is_due
  FROM asked a CROSS JOIN LATERAL (SELECT * FROM strandline.latest_results WHERE search_id = a.search_id OFFSET 0) l
)
UPDATE strandline.latest_results l SET rising_at = CASE WHEN d.is_due THEN l.at ELSE l.rising_at END,
  rising_waits_since = CASE WHEN NOT d.is_due THEN ${timeOf(now)} END
FROM due d WHERE l.search_id = d.search_id AND (d.is_due OR l.rising_waits_since IS NULL)
RETURNING l.search_id, d.is_due`,
    'searches_to_rise',
  );
  return rows.flatMap(({ search_id, is_due }) => (is_due ? [search_id] : []));
}

/**
 * Runs after the growth of the batch.
 * @param batch for each search, when its oldest reading in the batch was received; and the readings
 */
export async function deriveRising(
  tx: Transaction,
  { searches, readings }: { searches: readonly { searchId: Id; since: Date }[]; readings: readonly Id[] },
  figures: WaitingFigures,
): Promise<void> {
  const ids = searches.map(({ searchId }) => searchId);
  if (ids.length > 0)
    await tx.query({
      name: 'typical',
      text: UPDATE_TYPICAL,
      values: [ids, searches.map(({ since }) => since)],
    });
  const rising = await takeSearchesToRise(tx, { searches: ids, readings }, figures);
  if (rising.length > 0) await tx.query({ name: 'rising', text: UPDATE_RISING, values: [rising] });
}
