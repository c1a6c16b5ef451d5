/**
 * The growth of posts and searches, derived from a batch of readings; see `schema/growth.ts` for what is kept. All of it is a
 * function of snapshots, sightings and results: `post_gains.changed_at` says up to which snapshot a post was counted, so that
 * a step is counted once, whichever reading it came with.
 */
import type { Id, Transaction } from '../database.ts';
import { joinCounters, engagementSql, knownCounterSql, S } from './counters.ts';

/** Adds what is known to what was known: unknown is not zero. */
const addKnown = (column: string) =>
  `${column} = CASE WHEN h.${column} IS NULL THEN excluded.${column} ELSE h.${column} + coalesce(excluded.${column}, 0) END`;

/** One statement adds to hours of searches. @param rows search_id, hour_at, looks, followed, changes, then gained and lost of each counter */
const addToHours = (rows: string) => `
  INSERT INTO ${S}.search_gains AS h (search_id, hour_at, looks, followed, changes, ${joinCounters((c) => `gained_${c}, lost_${c}`)})
  ${rows}
  ON CONFLICT (search_id, hour_at) DO UPDATE SET looks = h.looks + excluded.looks, followed = h.followed + excluded.followed,
    changes = h.changes + excluded.changes, ${joinCounters((c) => `${addKnown(`gained_${c}`)}, ${addKnown(`lost_${c}`)}`)}`;

/*
 * The statements are made of the parts below: named queries, each of which may use those ahead of it.
 */

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
const COUNT = `
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
const COUNT_AGAIN = `
WITH ${UNBORN}, ${HAD}, ${READ_COUNTED}, ${STEPS}
${addToHours(`SELECT c.search_id, date_trunc('hour', s.observed_at, 'UTC'), 0, 0, count(*), ${SUM_OF_STEPS}
  FROM counted c JOIN steps s ON s.post_id = c.post_id AND s.observed_at > c.after AND s.observed_at >= c.since
  GROUP BY 1, 2 ORDER BY 1, 2`)}`;

/** The readings, with the posts of those that are the result of their run (`is_look`). */
const BATCH = `
batch AS MATERIALIZED (
  SELECT p.search_id, p.run_id, p.at, p.posts IS NOT NULL AS is_look, p.new_posts,
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
 * Of each result: how many posts the search had had before (`n`), and 0 for each counter that was known of one of them and stayed
 * as it was (`same_`), for what was gained is then known. Of a post that changed in this result (`is_here`), COUNT says it.
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

/** How many results searches had in each hour, and how many posts these had again. */
const KEEP_RESULTS = `
hours AS (${addToHours(`
  SELECT b.search_id, date_trunc('hour', b.at, 'UTC'), count(*), coalesce(sum(f.n), 0), 0, ${joinCounters((c) => `min(f.same_${c}), min(f.same_${c})`)}
  FROM batch b LEFT JOIN followed f USING (run_id) WHERE b.is_look GROUP BY 1, 2 ORDER BY 1, 2`)}
)`;

/** Ages that posts had reached by a result, at most half the age ago, and that the search had seen them before. */
const DUE = `
due AS MATERIALIZED (
  SELECT s.search_id, s.run_id, s.id, s.at AS after_at, a.*
  FROM seen s CROSS JOIN (VALUES (1), (3), (8), (24), (72)) h(hours)
  CROSS JOIN LATERAL (
    SELECT h.hours, s.post_created_at + h.hours * interval '1 hour' AS at, h.hours * interval '30 minutes' AS near OFFSET 0
  ) a
  WHERE a.at <= s.at AND s.at <= a.at + a.near AND s.first_seen_at < a.at
)`;

/** Those where the last result before this one that had the post came before the age, at most half of it: the age lies between the two. */
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
 * What results say of posts that their searches had had before: how many there were, and the counters of those that reached an age
 * since the result before: on the line between what was known at either (`b`, `n`), at the part of the way (`f`). One statement, for
 * finding the sightings is most of its work. After coverage. $1 readings.
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

/** The newest result of each search as it was before the batch, as it is now, and what that one holds. */
const IN_SIGHT = `
before AS MATERIALIZED (
  SELECT l.* FROM (SELECT DISTINCT search_id FROM batch) b
  CROSS JOIN LATERAL (SELECT * FROM ${S}.latest_results WHERE search_id = b.search_id OFFSET 0) l
), newest AS MATERIALIZED (
  SELECT DISTINCT ON (search_id) search_id, run_id, at
  FROM (SELECT search_id, run_id, at FROM batch WHERE is_look UNION ALL SELECT search_id, run_id, at FROM before) l
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

/** What the batch and the results before it held and the newest do not, with when it was last returned. */
const HELD = `
held AS MATERIALIZED (
  SELECT search_id, id, max(at) AS at FROM (
    SELECT b.search_id, u.id, b.at FROM batch b CROSS JOIN LATERAL unnest(b.post_ids) u(id)
    UNION ALL SELECT l.search_id, u.id, l.at FROM before l JOIN ${S}.run_results rr ON rr.run_id = l.run_id CROSS JOIN LATERAL unnest(rr.post_ids) u(id)
    UNION ALL SELECT b.search_id, u.id, b.at FROM batch b CROSS JOIN LATERAL unnest(b.new_posts) u(id) WHERE NOT b.is_look
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
 * What is in sight and what is not any more: the newest result of a search says the one; of everything else it had, when it was
 * last returned. What came back is out of sight no longer. $1 readings.
 */
const KEEP_SIGHT = `
WITH ${BATCH}, ${IN_SIGHT}, ${KEEP_NEWEST}, ${HELD}, ${KEEP_UNSEEN}
DELETE FROM ${S}.dropped_posts WHERE ctid = ANY (ARRAY(
  SELECT f.row FROM in_sight i
  CROSS JOIN LATERAL (SELECT ctid AS row FROM ${S}.dropped_posts WHERE search_id = i.search_id AND post_id = i.id OFFSET 0) f
))`;

/**
 * What is out of sight has the counters that were seen of it since, by whomever. The rows are there: a conflict finds each by its
 * key, whatever the plan was made for. $1 readings.
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

/** After the coverage of the batch. */
export async function followGrowth(tx: Transaction, ids: readonly Id[]): Promise<void> {
  await tx.query({ name: 'count_posts', text: COUNT, values: [ids, []] });
  await tx.query({ name: 'count_again', text: COUNT_AGAIN, values: [ids, [], []] });
  await tx.query({ name: 'follow', text: FOLLOW, values: [ids] });
  await tx.query({ name: 'keep_sight', text: KEEP_SIGHT, values: [ids] });
  await tx.query({ name: 'count_unseen', text: COUNT_UNSEEN, values: [ids] });
}

/** Posts, from all snapshots that there are. What they mean for searches is left to {@link countHoursAgain}. */
export async function countPostsAgain(tx: Transaction, postIds: readonly Id[]): Promise<void> {
  await tx.query({ name: 'count_posts', text: COUNT, values: [[], postIds] });
}

/** What posts gained in the hours of searches that lost them. @param since of each search, a full hour */
export async function countHoursAgain(
  tx: Transaction,
  searchIds: readonly Id[],
  since: readonly (Date | string)[],
): Promise<void> {
  await tx.query({ name: 'count_again', text: COUNT_AGAIN, values: [[], searchIds, since] });
}
