/**
 * Gains and losses of posts, kept in `post_counters` beside the newest values. The save adds the step of each new snapshot
 * ({@link ADD_STEP}). Where a snapshot is inserted before another one or corrected, and in a rebuild, a post is summed up
 * again from all of its snapshots.
 */
import { joinCounters, S } from './counter-sql.ts';
import { anyKnownSql, POST_COUNTER_COLUMNS } from '../save/columns.ts';
import { type Database, type Id, inTransaction, type Queryable, selectIds } from '../db/database.ts';

/** Whether the post has a snapshot: the next snapshot is then a change. */
const HAS_SNAPSHOT = anyKnownSql(POST_COUNTER_COLUMNS, 'k');

/** The SET clause for a row `k` of `post_counters` that gets the newer values `excluded`. Unknown is not zero. */
export const ADD_STEP = `changed_before_at = CASE WHEN ${HAS_SNAPSHOT} THEN k.observed_at END,
  ${joinCounters(
    (c) => `first_${c} = CASE WHEN ${HAS_SNAPSHOT} THEN coalesce(k.first_${c}, k.${c}, excluded.${c}) END,
  gained_${c} = CASE WHEN excluded.${c} - k.${c} IS NULL THEN k.gained_${c} ELSE coalesce(k.gained_${c}, 0) + greatest(excluded.${c} - k.${c}, 0) END,
  lost_${c} = CASE WHEN excluded.${c} - k.${c} IS NULL THEN k.lost_${c} ELSE coalesce(k.lost_${c}, 0) + greatest(k.${c} - excluded.${c}, 0) END,
  was_${c} = CASE WHEN excluded.${c} IS NOT NULL THEN k.${c} END`,
  )}`;

/** Known values of a counter before a snapshot, oldest first. */
const knownBefore = (c: string) =>
  `array_agg(${c}) FILTER (WHERE ${c} IS NOT NULL) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)`;
const sumOf = (difference: string) =>
  `CASE WHEN count(${difference}) > 0 THEN sum(greatest(${difference}, 0)) END`;
const firstKnown = (c: string) =>
  `(array_agg(coalesce(s.was_${c}, s.${c}) ORDER BY s.observed_at) FILTER (WHERE coalesce(s.was_${c}, s.${c}) IS NOT NULL))[1]`;
const lastOf = (value: string) => `(array_agg(${value} ORDER BY s.observed_at DESC))[1]`;

/** A counter that a snapshot leaves out keeps its value: the next step is counted from there. $1 posts. */
const SUM_GAINS = `
WITH steps AS MATERIALIZED (
  SELECT w.*, ${joinCounters((c) => `w.known_${c}[cardinality(w.known_${c})] AS was_${c}`)}
  FROM (
    SELECT e.*, lag(e.observed_at) OVER w AS before_at, ${joinCounters((c) => `${knownBefore(c)} AS known_${c}`)}
    FROM unnest($1::bigint[]) i(id) CROSS JOIN LATERAL (SELECT * FROM ${S}.post_snapshots WHERE post_id = i.id OFFSET 0) e
    WINDOW w AS (PARTITION BY e.post_id ORDER BY e.observed_at)
  ) w
  WHERE w.before_at IS NOT NULL
)
UPDATE ${S}.post_counters k SET changed_before_at = g.before_at,
  ${joinCounters((c) => `first_${c} = g.first_${c}, gained_${c} = g.gained_${c}, lost_${c} = g.lost_${c}, was_${c} = g.was_${c}`)}
FROM unnest($1::bigint[]) i(id) LEFT JOIN (
  SELECT s.post_id, ${lastOf('s.before_at')} AS before_at, ${joinCounters(
    (
      c,
    ) => `${firstKnown(c)} AS first_${c}, ${sumOf(`s.${c} - s.was_${c}`)} AS gained_${c}, ${sumOf(`s.was_${c} - s.${c}`)} AS lost_${c},
    ${lastOf(`CASE WHEN s.${c} IS NOT NULL THEN s.was_${c} END`)} AS was_${c}`,
  )}
  FROM steps s GROUP BY s.post_id
) g ON g.post_id = i.id
WHERE k.post_id = i.id AND k.post_id = ANY ($1::bigint[])`;

/** Sums up the gains of posts from their snapshots. The caller has locked their rows of `post_counters`. */
export async function sumGains(tx: Queryable, postIds: readonly Id[]): Promise<void> {
  if (postIds.length > 0) await tx.query({ name: 'sum_gains', text: SUM_GAINS, values: [postIds] });
}

/** Posts of a search with all their snapshots, or without gains. $1 search, $2 since when there are snapshots. */
const SELECT_SUMMABLE = `
SELECT p.id FROM ${S}.post_sightings g JOIN ${S}.posts p ON p.id = g.post_id JOIN ${S}.post_counters k ON k.post_id = p.id
WHERE g.search_id = $1 AND (p.first_seen_at >= $2 OR k.changed_before_at IS NULL) ORDER BY 1`;
const MOST_SUMMED = 1_000;

/**
 * Sums up the gains of a search's posts again, beside saves.
 * @param oldestMonth of the existing snapshots
 * @returns the number of posts
 */
export async function sumGainsOfSearch(
  db: Database,
  searchId: Id,
  oldestMonth: Date | null,
): Promise<number> {
  const posts = await selectIds(db.pool, SELECT_SUMMABLE, [searchId, oldestMonth ?? new Date(0)]);
  for (let n = 0; n < posts.length; n += MOST_SUMMED)
    await inTransaction(db, async (tx) => {
      const some = posts.slice(n, n + MOST_SUMMED);
      // In the order of all saves. The next statement sees what they have committed.
      await tx.query(
        `SELECT FROM ${S}.post_counters WHERE post_id = ANY ($1::bigint[]) ORDER BY post_id FOR NO KEY UPDATE`,
        [some],
      );
      await sumGains(tx, some);
    });
  return posts.length;
}
