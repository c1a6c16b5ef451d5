/**
 * What posts gained and lost, and what that adds to the hours of their searches. All of it is a function of snapshots and
 * sightings: `post_gains.changed_at` says up to which snapshot a post was counted, so that a step is counted once, whichever
 * reading it came with. The statements are made of the named queries below, each of which may use those ahead of it.
 */
import type { Id, Transaction } from '../database.ts';
import { engagementSql } from '../../domain/counters.ts';
import { joinCounters, S } from './counter-sql.ts';

/** Adds what is known to what was known: unknown is not zero. */
const addKnown = (column: string) =>
  `${column} = CASE WHEN h.${column} IS NULL THEN excluded.${column} ELSE h.${column} + coalesce(excluded.${column}, 0) END`;

/** One statement adds to hours of searches. @param rows search_id, hour_at, looks, followed, changes, then gained and lost of each counter */
export const addToHours = (rows: string) => `
  INSERT INTO ${S}.search_gains AS h (search_id, hour_at, looks, followed, changes, ${joinCounters((c) => `gained_${c}, lost_${c}`)})
  ${rows}
  ON CONFLICT (search_id, hour_at) DO UPDATE SET looks = h.looks + excluded.looks, followed = h.followed + excluded.followed,
    changes = h.changes + excluded.changes, ${joinCounters((c) => `${addKnown(`gained_${c}`)}, ${addKnown(`lost_${c}`)}`)}`;

/** Sightings that nothing was derived from yet: what changes of their posts mean for them is counted when they are. */
const UNBORN = `
unborn AS MATERIALIZED (
  SELECT p.search_id, u.id FROM ${S}.pending_derivations p CROSS JOIN LATERAL unnest(p.new_posts) u(id)
)`;

/**
 * How far counters rose and fell from each row of `read` to the next of its post: snapshots from the first one on, or ahead of them
 * what was counted of it, which is not new. A counter that is unknown has the value it had before; one that becomes known did neither.
 * - `known_`: its known values before this snapshot, oldest first. `was_`: the last of them. `up_`, `down_`: what this one adds.
 */
const STEPS = `
steps AS MATERIALIZED (
  SELECT k.*, ${joinCounters(
    (
      c,
    ) => `CASE WHEN k.was_${c} IS NOT NULL THEN greatest(coalesce(k.${c}, k.was_${c}) - k.was_${c}, 0) END AS up_${c},
    CASE WHEN k.was_${c} IS NOT NULL THEN greatest(k.was_${c} - coalesce(k.${c}, k.was_${c}), 0) END AS down_${c}`,
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

/** What steps add to an hour of a search. */
const SUM_OF_STEPS = joinCounters((c) => `sum(s.up_${c}), sum(s.down_${c})`);

/** Posts that are counted, with what was counted of them so far: nothing for the posts of $2. */
const COUNTED_SO_FAR = `
touched AS MATERIALIZED (
  SELECT u.id FROM ${S}.pending_derivations p CROSS JOIN LATERAL unnest(p.changed_posts) u(id) WHERE p.id = ANY ($1::bigint[])
  UNION SELECT unnest($2::bigint[])
), base AS MATERIALIZED (
  SELECT t.id, g.changed_at, ${joinCounters((c) => `g.first_${c}, g.gained_${c}, g.lost_${c}`)}
  FROM touched t LEFT JOIN LATERAL (SELECT * FROM ${S}.post_gains WHERE post_id = t.id AND t.id <> ALL ($2::bigint[]) OFFSET 0) g ON true
)`;

/** Their counters as of the last snapshot that was counted, and all snapshots since. */
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

/** Adds the steps to what was counted of the posts. */
const KEEP_POST_GAINS = `
gained AS (
  INSERT INTO ${S}.post_gains AS h (post_id, changed_at, changed_before_at, step_like_count, step_engagement,
    ${joinCounters((c) => `first_${c}, gained_${c}, lost_${c}`)})
  SELECT b.id, max(s.observed_at), ${lastValue('s.before_at')}, ${lastValue('s.up_like_count')}, ${lastValue(engagementSql('s.up_'))},
    ${joinCounters(
      (
        c,
      ) => `coalesce(b.first_${c}, (array_agg(coalesce(s.was_${c}, s.${c}) ORDER BY s.observed_at) FILTER (WHERE coalesce(s.was_${c}, s.${c}) IS NOT NULL))[1]),
      coalesce(b.gained_${c} + sum(s.up_${c}), b.gained_${c}, sum(s.up_${c})), coalesce(b.lost_${c} + sum(s.down_${c}), b.lost_${c}, sum(s.down_${c}))`,
    )}
  FROM base b JOIN steps s ON s.post_id = b.id
  GROUP BY b.id, ${joinCounters((c) => `b.first_${c}, b.gained_${c}, b.lost_${c}`)} ORDER BY b.id
  ON CONFLICT (post_id) DO UPDATE SET changed_at = excluded.changed_at, changed_before_at = excluded.changed_before_at,
    step_like_count = excluded.step_like_count, step_engagement = excluded.step_engagement,
    ${joinCounters((c) => `first_${c} = excluded.first_${c}, gained_${c} = excluded.gained_${c}, lost_${c} = excluded.lost_${c}`)}
)`;

/**
 * What posts gained and lost in the snapshots since they were last counted, and in the hours of the searches that had them. One
 * statement, for both are made of the same steps, which cannot be found again once they are counted.
 * $1 readings, $2 posts that are counted from their first snapshot, and for no search.
 */
const COUNT_GAINS = `
WITH ${COUNTED_SO_FAR}, ${READ_SINCE}, ${STEPS}, ${KEEP_POST_GAINS}, ${UNBORN}
${addToHours(`SELECT g.search_id, date_trunc('hour', s.observed_at, 'UTC'), 0, 0, count(*), ${SUM_OF_STEPS}
  FROM steps s CROSS JOIN LATERAL (SELECT search_id, first_seen_at FROM ${S}.post_sightings WHERE post_id = s.post_id OFFSET 0) g
  WHERE s.post_id <> ALL ($2::bigint[]) AND g.first_seen_at < s.observed_at
    AND (g.search_id, s.post_id) NOT IN (SELECT search_id, id FROM unborn)
  GROUP BY 1, 2 ORDER BY 1, 2`)}`;

/** Sightings whose changes are counted again: those `after` which, and `since` when. */
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
  WHERE (g.search_id, g.post_id) NOT IN (SELECT search_id, id FROM unborn)
), counted AS MATERIALIZED (
  SELECT h.*, x.changed_at FROM had h
  CROSS JOIN LATERAL (SELECT changed_at FROM ${S}.post_gains WHERE post_id = h.post_id OFFSET 0) x
  WHERE x.changed_at > h.after AND x.changed_at >= h.since
)`;

/** All snapshots of their posts up to the last that was counted. */
const READ_COUNTED = `
read AS MATERIALIZED (
  SELECT e.post_id, e.observed_at, true AS is_new, ${joinCounters((c) => `e.${c}`)}
  FROM (SELECT DISTINCT post_id, changed_at FROM counted) c
  CROSS JOIN LATERAL (SELECT * FROM ${S}.post_snapshots WHERE post_id = c.post_id AND observed_at <= c.changed_at OFFSET 0) e
)`;

/**
 * Changes that were counted before the search was known to have had the post by then: of its new sightings, and, for searches
 * that are derived again, of the older ones. $1 readings, $2 searches, $3 since when each of them is derived again.
 */
const COUNT_GAINS_AGAIN = `
WITH ${UNBORN}, ${HAD}, ${READ_COUNTED}, ${STEPS}
${addToHours(`SELECT c.search_id, date_trunc('hour', s.observed_at, 'UTC'), 0, 0, count(*), ${SUM_OF_STEPS}
  FROM counted c JOIN steps s ON s.post_id = c.post_id AND s.observed_at > c.after AND s.observed_at >= c.since
  GROUP BY 1, 2 ORDER BY 1, 2`)}`;

/** Counts the posts that a batch of readings changed, and for the searches that had them first in it. */
export async function countGains(tx: Transaction, ids: readonly Id[]): Promise<void> {
  await tx.query({ name: 'count_posts', text: COUNT_GAINS, values: [ids, []] });
  await tx.query({ name: 'count_again', text: COUNT_GAINS_AGAIN, values: [ids, [], []] });
}

/** Posts, from all snapshots that there are. What they mean for searches is left to {@link countHoursAgain}. */
export async function countPostsAgain(tx: Transaction, postIds: readonly Id[]): Promise<void> {
  await tx.query({ name: 'count_posts', text: COUNT_GAINS, values: [[], postIds] });
}

/** What posts gained in the hours of searches that lost them. @param since of each search, a full hour */
export async function countHoursAgain(
  tx: Transaction,
  searchIds: readonly Id[],
  since: readonly (Date | string)[],
): Promise<void> {
  await tx.query({ name: 'count_again', text: COUNT_GAINS_AGAIN, values: [[], searchIds, since] });
}
