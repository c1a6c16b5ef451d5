/**
 * Gains and losses of posts, and their sums per hour of a search. Both are functions of snapshots and sightings:
 * `post_gains.changed_at` is the last snapshot counted, so each step is counted once, whichever reading it came with.
 * Statements are composed of the named queries below, each of which may use earlier ones.
 */
import type { Id, Transaction } from '../db/database.ts';
import { engagementSql } from '../../model/counters.ts';
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

/** Sightings without derivations: changes of their posts are counted when they are derived. */
const NOT_DERIVED = `
not_derived AS MATERIALIZED (
  SELECT p.search_id, u.id FROM ${S}.pending_derivations p CROSS JOIN LATERAL unnest(p.new_posts) u(id)
)`;

/**
 * Increase and decrease of counters between consecutive `read` rows of a post: its snapshots from the first one on,
 * or those after its counted state, which comes first and is not new. An unknown counter keeps its previous value,
 * and its step is unknown, as that of one that becomes known.
 * - `known_`: known values before this snapshot, oldest first. `was_`: the last of them. `up_`, `down_`: the step.
 */
const STEPS = `
steps AS MATERIALIZED (
  SELECT k.*, ${joinCounters(
    (
      c,
    ) => `CASE WHEN k.was_${c} IS NOT NULL AND k.${c} IS NOT NULL THEN greatest(k.${c} - k.was_${c}, 0) END AS up_${c},
    CASE WHEN k.was_${c} IS NOT NULL AND k.${c} IS NOT NULL THEN greatest(k.was_${c} - k.${c}, 0) END AS down_${c}`,
  )}
  FROM (
    SELECT w.*, ${joinCounters((c) => `w.known_${c}[cardinality(w.known_${c})] AS was_${c}`)}
    FROM (
      SELECT r.*, lag(observed_at) OVER w AS before_at,
        ${joinCounters((c) => `array_agg(${c}) FILTER (WHERE ${c} IS NOT NULL) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS known_${c}`)}
      FROM read r WINDOW w AS (PARTITION BY post_id ORDER BY observed_at)
    ) w
    WHERE before_at IS NOT NULL AND is_new
  ) k
)`;

/** Sum of the steps in an hour of a search. */
const SUM_OF_STEPS = joinCounters((c) => `sum(s.up_${c}), sum(s.down_${c})`);

/** Posts to count, with their state so far; none for the posts of $2. */
const COUNTED_SO_FAR = `
touched AS MATERIALIZED (
  SELECT u.id FROM ${S}.pending_derivations p CROSS JOIN LATERAL unnest(p.changed_posts) u(id) WHERE p.id = ANY ($1::bigint[])
  UNION SELECT unnest($2::bigint[])
), base AS MATERIALIZED (
  SELECT t.id, g.changed_at, ${joinCounters((c) => `g.first_${c}, g.gained_${c}, g.lost_${c}`)}
  FROM touched t LEFT JOIN LATERAL (SELECT * FROM ${S}.post_gains WHERE post_id = t.id AND t.id <> ALL ($2::bigint[]) OFFSET 0) g ON true
)`;

/** Their counters as of the last counted snapshot, and all snapshots since. */
const READ_SINCE = `
read AS MATERIALIZED (
  SELECT id AS post_id, changed_at AS observed_at, false AS is_new,
    ${joinCounters((c) => `first_${c} + coalesce(gained_${c}, 0) - coalesce(lost_${c}, 0) AS ${c}`)}
  FROM base WHERE changed_at IS NOT NULL
  UNION ALL
  SELECT e.post_id, e.observed_at, true, ${joinCounters((c) => `e.${c}`)}
  FROM base b CROSS JOIN LATERAL (
    SELECT * FROM ${S}.post_snapshots WHERE post_id = b.id AND observed_at > coalesce(b.changed_at, '-infinity') OFFSET 0
  ) e
)`;

const lastValue = (column: string) => `(array_agg(${column} ORDER BY s.observed_at DESC))[1]`;
const firstKnown = (c: string) =>
  `(array_agg(coalesce(s.was_${c}, s.${c}) ORDER BY s.observed_at) FILTER (WHERE coalesce(s.was_${c}, s.${c}) IS NOT NULL))[1]`;

/** Adds the steps to the gains of posts, each read by its key: a join would compare all posts with all steps. */
const KEEP_POST_GAINS = `
gained AS (
  INSERT INTO ${S}.post_gains AS h (post_id, changed_at, changed_before_at, step_like_count, step_engagement,
    ${joinCounters((c) => `first_${c}, gained_${c}, lost_${c}`)})
  SELECT s.post_id, s.changed_at, s.before_at, s.last_like_count, s.last_engagement,
    ${joinCounters(
      (
        c,
      ) => `coalesce(b.first_${c}, s.first_${c}), coalesce(b.gained_${c} + s.up_${c}, b.gained_${c}, s.up_${c}),
      coalesce(b.lost_${c} + s.down_${c}, b.lost_${c}, s.down_${c})`,
    )}
  FROM (
    SELECT s.post_id, max(s.observed_at) AS changed_at, ${lastValue('s.before_at')} AS before_at,
      ${lastValue('s.up_like_count')} AS last_like_count, ${lastValue(engagementSql('s.up_'))} AS last_engagement,
      ${joinCounters((c) => `${firstKnown(c)} AS first_${c}, sum(s.up_${c}) AS up_${c}, sum(s.down_${c}) AS down_${c}`)}
    FROM steps s GROUP BY s.post_id
  ) s
  LEFT JOIN LATERAL (SELECT * FROM ${S}.post_gains WHERE post_id = s.post_id AND post_id <> ALL ($2::bigint[]) OFFSET 0) b ON true
  ORDER BY s.post_id
  ON CONFLICT (post_id) DO UPDATE SET changed_at = excluded.changed_at, changed_before_at = excluded.changed_before_at,
    step_like_count = excluded.step_like_count, step_engagement = excluded.step_engagement,
    ${joinCounters((c) => `first_${c} = excluded.first_${c}, gained_${c} = excluded.gained_${c}, lost_${c} = excluded.lost_${c}`)}
)`;

/**
 * Counts gains and losses of posts since their last counted snapshot, and adds them to hours of their searches. One
 * statement, because both use the same steps, which cannot be recomputed once counted.
 * $1 readings, $2 posts to count from their first snapshot, without adding to searches.
 */
const COUNT_GAINS = `
WITH ${COUNTED_SO_FAR}, ${READ_SINCE}, ${STEPS}, ${KEEP_POST_GAINS}, ${NOT_DERIVED}
${addToHours(`SELECT g.search_id, date_trunc('hour', s.observed_at, 'UTC'), 0, 0, count(*), ${SUM_OF_STEPS}
  FROM steps s CROSS JOIN LATERAL (SELECT search_id, first_seen_at FROM ${S}.post_sightings WHERE post_id = s.post_id OFFSET 0) g
  WHERE s.post_id <> ALL ($2::bigint[]) AND g.first_seen_at < s.observed_at
    AND (g.search_id, s.post_id) NOT IN (SELECT search_id, id FROM not_derived)
  GROUP BY 1, 2 ORDER BY 1, 2`)}`;

/** Sightings whose changes are counted again: changes later than `after`, and from `since` on. */
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
), counted AS MATERIALIZED (
  SELECT h.*, x.changed_at FROM had h
  CROSS JOIN LATERAL (SELECT changed_at FROM ${S}.post_gains WHERE post_id = h.post_id OFFSET 0) x
  WHERE x.changed_at > h.after AND x.changed_at >= h.since
)`;

/** All snapshots of their posts up to the last one counted. */
const READ_COUNTED = `
read AS MATERIALIZED (
  SELECT e.post_id, e.observed_at, true AS is_new, ${joinCounters((c) => `e.${c}`)}
  FROM (SELECT DISTINCT post_id, changed_at FROM counted) c
  CROSS JOIN LATERAL (SELECT * FROM ${S}.post_snapshots WHERE post_id = c.post_id AND observed_at <= c.changed_at OFFSET 0) e
)`;

/**
 * Counts changes that were counted before the search was known to have the post: for new sightings, and for older
 * ones of searches that are derived again. $1 readings, $2 searches, $3 for each, since when it is derived again.
 */
const COUNT_GAINS_AGAIN = `
WITH ${NOT_DERIVED}, ${HAD}, ${READ_COUNTED}, ${STEPS}
${addToHours(`SELECT c.search_id, date_trunc('hour', s.observed_at, 'UTC'), 0, 0, count(*), ${SUM_OF_STEPS}
  FROM counted c JOIN steps s ON s.post_id = c.post_id AND s.observed_at > c.after AND s.observed_at >= c.since
  GROUP BY 1, 2 ORDER BY 1, 2`)}`;

/** Counts changes of posts in a batch of readings, for their searches and for those that saw them first in it. */
export async function countGains(tx: Transaction, ids: readonly Id[]): Promise<void> {
  await tx.query({ name: 'count_posts', text: COUNT_GAINS, values: [ids, []] });
  await tx.query({ name: 'count_again', text: COUNT_GAINS_AGAIN, values: [ids, [], []] });
}

/** Counts posts from all existing snapshots. Hours of searches are counted by {@link countHoursAgain}. */
export async function countPostsAgain(tx: Transaction, postIds: readonly Id[]): Promise<void> {
  // A post may have no change left.
  await tx.query(`DELETE FROM ${S}.post_gains WHERE post_id = ANY ($1::bigint[])`, [postIds]);
  await tx.query({ name: 'count_posts', text: COUNT_GAINS, values: [[], postIds] });
}

/** Counts the deleted hours of searches again. @param since for each search, a full hour */
export async function countHoursAgain(
  tx: Transaction,
  searchIds: readonly Id[],
  since: readonly (Date | string)[],
): Promise<void> {
  await tx.query({ name: 'count_again', text: COUNT_GAINS_AGAIN, values: [[], searchIds, since] });
}
