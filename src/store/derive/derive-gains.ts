/**
 * Gains and losses of a search's posts per hour: sums of the steps between consecutive snapshots of a post, counted for every
 * search that had seen it before. A step waits with the reading that it came with; {@link countGains} adds it when that is
 * derived. Gains of posts are in `post-gains.ts`.
 * Statements are composed of the named queries below, each of which may use earlier ones.
 */
import type { Id, Transaction } from '../db/database.ts';
import { joinCounters, S } from './counter-sql.ts';

/** Adds known values; unknown is not zero. */
const addKnown = (column: string) =>
  `${column} = CASE WHEN h.${column} IS NULL THEN excluded.${column} ELSE h.${column} + coalesce(excluded.${column}, 0) END`;

/** Adds to hours of searches. @param rows search_id, hour_at, looks, followed, changes, gained and lost of each counter */
export const addToHours = (rows: string) => `
  INSERT INTO ${S}.search_gains AS h (search_id, hour_at, looks, followed, changes, ${joinCounters((c) => `gained_${c}, lost_${c}`)})
  ${rows}
  ON CONFLICT (search_id, hour_at) DO UPDATE SET looks = h.looks + excluded.looks, followed = h.followed + excluded.followed,
    changes = h.changes + excluded.changes, ${joinCounters((c) => `${addKnown(`gained_${c}`)}, ${addKnown(`lost_${c}`)}`)}`;

/** Sightings without derivations: steps of their posts are counted when they are derived. */
const NOT_DERIVED = `
not_derived AS MATERIALIZED (
  SELECT p.search_id, u.id FROM ${S}.pending_derivations p CROSS JOIN LATERAL unnest(p.new_posts) u(id)
)`;

/**
 * Steps that wait with readings other than those of the batch.
 * @param batch the readings, such as `'{}'`
 */
export const waitingSteps = (batch: string) => `
waiting AS MATERIALIZED (
  SELECT u.id AS post_id, p.at FROM ${S}.pending_derivations p CROSS JOIN LATERAL unnest(p.changed_posts) u(id)
  WHERE p.id <> ALL (${batch}::bigint[])
)`;

/**
 * The steps to the snapshots in `asked`: increase and decrease of each counter. A snapshot without an earlier one is no step. A
 * counter that a snapshot leaves out keeps its value, so its step is unknown, as that of one that becomes known. The step to the
 * newest snapshot is in the counters of the post, any other is found among its snapshots.
 */
const STEPS = `
steps AS MATERIALIZED (
  SELECT a.post_id, a.at, ${joinCounters(
    (c) => `greatest(s.${c} - s.was_${c}, CASE WHEN s.${c} - s.was_${c} IS NOT NULL THEN 0 END) AS up_${c},
    greatest(s.was_${c} - s.${c}, CASE WHEN s.${c} - s.was_${c} IS NOT NULL THEN 0 END) AS down_${c}`,
  )}
  FROM asked a
  CROSS JOIN LATERAL (SELECT * FROM ${S}.post_counters WHERE post_id = a.post_id OFFSET 0) k
  CROSS JOIN LATERAL (
    SELECT ${joinCounters((c) => `k.${c}, k.was_${c}`)} WHERE k.observed_at = a.at AND k.changed_before_at IS NOT NULL
    UNION ALL
    SELECT ${joinCounters(
      (c) => `e.${c}, CASE WHEN e.${c} IS NOT NULL THEN coalesce(b.${c}, (
        SELECT ${c} FROM ${S}.post_snapshots WHERE post_id = a.post_id AND observed_at < a.at AND ${c} IS NOT NULL ORDER BY observed_at DESC LIMIT 1)) END`,
    )}
    FROM (SELECT * FROM ${S}.post_snapshots WHERE post_id = a.post_id AND observed_at = a.at AND k.observed_at <> a.at OFFSET 0) e
    CROSS JOIN LATERAL (
      SELECT * FROM ${S}.post_snapshots WHERE post_id = a.post_id AND observed_at < a.at ORDER BY observed_at DESC LIMIT 1
    ) b
  ) s
)`;

/** Sum of the steps in an hour of a search. */
const SUM_OF_STEPS = joinCounters((c) => `sum(s.up_${c}), sum(s.down_${c})`);

/** Counts the steps of the batch, for the searches that had seen their posts before. $1 readings. */
const COUNT_GAINS = `
WITH ${NOT_DERIVED}, ${waitingSteps('$1')}, asked AS MATERIALIZED (
  SELECT DISTINCT u.id AS post_id, p.at FROM ${S}.pending_derivations p CROSS JOIN LATERAL unnest(p.changed_posts) u(id)
  WHERE p.id = ANY ($1::bigint[]) AND (u.id, p.at) NOT IN (SELECT post_id, at FROM waiting)
), ${STEPS}
${addToHours(`SELECT g.search_id, date_trunc('hour', s.at, 'UTC'), 0, 0, count(*), ${SUM_OF_STEPS}
  FROM steps s CROSS JOIN LATERAL (SELECT search_id, first_seen_at FROM ${S}.post_sightings WHERE post_id = s.post_id OFFSET 0) g
  WHERE g.first_seen_at < s.at AND (g.search_id, s.post_id) NOT IN (SELECT search_id, id FROM not_derived)
  GROUP BY 1, 2 ORDER BY 1, 2`)}`;

/** Sightings whose steps are counted again: those later than `after`, and from `since` on. */
const HAD = `
had AS MATERIALIZED (
  SELECT g.search_id, g.post_id, g.first_seen_at AS after, g.first_seen_at AS since
  FROM ${S}.pending_derivations p CROSS JOIN LATERAL unnest(p.new_posts) u(id)
  CROSS JOIN LATERAL (SELECT * FROM ${S}.post_sightings WHERE search_id = p.search_id AND post_id = u.id OFFSET 0) g
  WHERE p.id = ANY ($1::bigint[])
  UNION ALL
  SELECT g.search_id, g.post_id, g.first_seen_at, z.since
  FROM unnest($2::bigint[], $3::timestamptz[]) z(search_id, since)
  JOIN ${S}.post_sightings g ON g.search_id = z.search_id AND g.first_seen_at < z.since
  WHERE (g.search_id, g.post_id) NOT IN (SELECT search_id, id FROM not_derived)
), later AS MATERIALIZED (
  SELECT h.search_id, h.post_id, e.observed_at AS at FROM had h
  CROSS JOIN LATERAL (SELECT observed_at FROM ${S}.post_counters WHERE post_id = h.post_id OFFSET 0) k
  CROSS JOIN LATERAL (
    SELECT observed_at FROM ${S}.post_snapshots
    WHERE post_id = h.post_id AND observed_at > h.after AND observed_at >= h.since AND k.observed_at > h.after AND k.observed_at >= h.since OFFSET 0
  ) e
  WHERE (h.post_id, e.observed_at) NOT IN (SELECT post_id, at FROM waiting)
)`;

/**
 * Counts steps that were counted before the search was known to have the post: for new sightings, and for older
 * ones of searches that are derived again. $1 readings, $2 searches, $3 for each, since when it is derived again.
 */
const COUNT_GAINS_AGAIN = `
WITH ${NOT_DERIVED}, ${waitingSteps('$1')}, ${HAD}, asked AS MATERIALIZED (SELECT DISTINCT post_id, at FROM later), ${STEPS}
${addToHours(`SELECT l.search_id, date_trunc('hour', s.at, 'UTC'), 0, 0, count(*), ${SUM_OF_STEPS}
  FROM later l JOIN steps s USING (post_id, at) GROUP BY 1, 2 ORDER BY 1, 2`)}`;

/** Counts the steps of a batch of readings, for their searches and for those that saw their posts first in it. */
export async function countGains(tx: Transaction, ids: readonly Id[]): Promise<void> {
  await tx.query({ name: 'count_steps', text: COUNT_GAINS, values: [ids] });
  await tx.query({ name: 'count_again', text: COUNT_GAINS_AGAIN, values: [ids, [], []] });
}

/** Counts the deleted hours of searches again. @param since for each search, a full hour */
export async function countHoursAgain(
  tx: Transaction,
  searchIds: readonly Id[],
  since: readonly (Date | string)[],
): Promise<void> {
  await tx.query({ name: 'count_again', text: COUNT_GAINS_AGAIN, values: [[], searchIds, since] });
}
