/**
 * What was derived is derived again where a reading comes behind later ones: one that was late, or was read again. From the
 * hour of the reading on, what was derived for its search is removed, and its readings since then are derived once more;
 * likewise for other searches, where it changes what had been known of their posts. `trends rebuild` is the same from the
 * beginning.
 */
import type { Id, Transaction } from '../database.ts';
import { S } from './counter-sql.ts';
import { countPostsAgain } from './derive-gains.ts';
import { type Leftover, NOTHING_LEFT, undoDerivations } from './undo-derivations.ts';

const PENDING_TABLE = `${S}.pending_derivations`;

/**
 * Searches of which something later than an unchecked reading was derived without it, and since when: its own; those that had
 * seen a post before of which it knows other counters; and those of its topic that were taken to be the first to see something.
 * And its own where a run was read twice before anything was derived from it. $1 readings that are checked.
 */
const FIND_LATER_READINGS = `
WITH fresh AS MATERIALIZED (
  SELECT p.*, s.topic_id FROM ${PENDING_TABLE} p JOIN ${S}.searches s ON s.id = p.search_id WHERE p.id = ANY ($1::bigint[])
), had AS (
  SELECT f.search_id, f.at FROM fresh f
  UNION ALL
  SELECT g.search_id, f.at FROM fresh f CROSS JOIN LATERAL unnest(f.changed_posts || f.touched_posts) u(id)
  CROSS JOIN LATERAL (SELECT search_id FROM ${S}.post_sightings WHERE post_id = u.id OFFSET 0) g
  UNION ALL
  SELECT g.search_id, f.at FROM fresh f CROSS JOIN LATERAL unnest(f.new_posts || f.touched_posts) u(id)
  CROSS JOIN LATERAL (SELECT search_id, first_seen_at FROM ${S}.post_sightings WHERE post_id = u.id OFFSET 0) g
  CROSS JOIN LATERAL (SELECT topic_id FROM ${S}.searches WHERE id = g.search_id OFFSET 0) t
  WHERE g.first_seen_at >= f.at AND g.search_id <> f.search_id AND t.topic_id = f.topic_id
  UNION ALL
  SELECT g.search_id, f.at FROM fresh f CROSS JOIN LATERAL unnest(f.new_links || f.touched_links) u(id)
  CROSS JOIN LATERAL (SELECT search_id, first_seen_at FROM ${S}.link_sightings WHERE link_id = u.id OFFSET 0) g
  CROSS JOIN LATERAL (SELECT topic_id FROM ${S}.searches WHERE id = g.search_id OFFSET 0) t
  WHERE g.first_seen_at >= f.at AND g.search_id <> f.search_id AND t.topic_id = f.topic_id
), later AS (
  SELECT h.search_id, h.at FROM had h
  CROSS JOIN LATERAL (SELECT at FROM ${S}.latest_results WHERE search_id = h.search_id OFFSET 0) l WHERE l.at >= h.at
  UNION ALL
  SELECT g.search_id, f.at FROM fresh f CROSS JOIN LATERAL unnest(f.changed_posts) u(id)
  CROSS JOIN LATERAL (SELECT changed_at FROM ${S}.post_gains WHERE post_id = u.id OFFSET 0) x
  CROSS JOIN LATERAL (SELECT search_id FROM ${S}.post_sightings WHERE post_id = u.id OFFSET 0) g
  WHERE x.changed_at >= f.at
  UNION ALL
  SELECT f.search_id, least(f.at, o.at) FROM fresh f JOIN ${PENDING_TABLE} o ON o.search_id = f.search_id AND o.run_id = f.run_id
  WHERE o.id <> f.id AND f.posts IS NOT NULL AND o.posts IS NOT NULL
)
SELECT search_id, date_trunc('hour', min(at), 'UTC') AS since FROM later GROUP BY 1 ORDER BY 1`;

/** Posts that were counted beyond a snapshot that one of these readings wrote. $1 readings. */
const IS_OVERTAKEN = `
SELECT DISTINCT u.id FROM ${PENDING_TABLE} p CROSS JOIN LATERAL unnest(p.changed_posts) u(id)
CROSS JOIN LATERAL (SELECT changed_at FROM ${S}.post_gains WHERE post_id = u.id OFFSET 0) x
WHERE p.id = ANY ($1::bigint[]) AND x.changed_at >= p.at`;
/** Posts of former readings, by search; also of readings that are checked later, for what waits behind them is logged anew. $1 readings. */
const IS_TOUCHED = `
SELECT p.search_id, u.id FROM ${PENDING_TABLE} p CROSS JOIN LATERAL unnest(p.touched_posts) u(id)
WHERE NOT p.checked OR p.id = ANY ($1::bigint[]) GROUP BY 1, 2`;

type DeriveSince = { search_id: Id; since: Date };

/**
 * Looks whether readings that nobody looked at yet come behind what was derived, and undoes that. From then on they are
 * known: however long they wait, what is derived meanwhile is derived with what they changed.
 * @param ids that `noteReadings` returned
 */
export async function checkReadings(tx: Transaction, ids: readonly Id[]): Promise<Leftover> {
  if (ids.length === 0) return NOTHING_LEFT;
  const { rows: later } = await tx.query<DeriveSince>({
    name: 'find_later',
    text: FIND_LATER_READINGS,
    values: [ids],
  });
  if (later.length === 0) return NOTHING_LEFT;
  const { rows: overtaken } = await tx.query<{ id: Id }>(IS_OVERTAKEN, [ids]);
  const { rows: touched } = await tx.query<{ search_id: Id; id: Id }>(IS_TOUCHED, [ids]);
  await countPostsAgain(
    tx,
    overtaken.map(({ id }) => id),
  );
  return undoDerivations(tx, {
    searches: later.map(({ search_id }) => search_id),
    since: later.map(({ since }) => since),
    touched: { searches: touched.map(({ search_id }) => search_id), posts: touched.map(({ id }) => id) },
  });
}

/**
 * From which time on a search can be derived again: where months of snapshots were dropped, only since the first that is left.
 * $1 search, $2 that month.
 */
const IS_POSSIBLE = `
SELECT CASE WHEN EXISTS (SELECT FROM ${S}.post_sightings WHERE search_id = $1 AND first_seen_at < $2) THEN $2::timestamptz ELSE '-infinity' END AS since`;
/**
 * Its posts whose snapshots are all there, or of which nothing was counted; what waits to be counted for other searches too is
 * left. $1 search, $2 since when there are snapshots.
 */
const IS_COUNTABLE = `
SELECT p.id FROM ${S}.post_sightings g JOIN ${S}.posts p ON p.id = g.post_id
WHERE g.search_id = $1 AND (p.first_seen_at >= $2 OR NOT EXISTS (SELECT FROM ${S}.post_gains WHERE post_id = p.id))
  AND p.id NOT IN (SELECT u.id FROM ${PENDING_TABLE} d CROSS JOIN LATERAL unnest(d.changed_posts) u(id))`;

/** All readings of a search. @param oldestMonth of the snapshots that there are. @returns how many readings and posts are derived again */
export async function rebuildSearch(
  tx: Transaction,
  searchId: Id,
  oldestMonth: Date | null,
): Promise<{ left: Leftover; runs: number; posts: number }> {
  const from = oldestMonth ?? new Date(0);
  const { rows } = await tx.query<{ since: Date | number }>(IS_POSSIBLE, [searchId, from]);
  const since = rows[0]?.since instanceof Date ? rows[0].since : '-infinity';
  const { rows: posts } = await tx.query<{ id: Id }>(IS_COUNTABLE, [searchId, from]);
  await countPostsAgain(
    tx,
    posts.map(({ id }) => id),
  );
  const left = await undoDerivations(tx, {
    searches: [searchId],
    since: [since],
    touched: { searches: [], posts: [] },
  });
  const { rows: counted } = await tx.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM ${PENDING_TABLE} WHERE search_id = $1 AND posts IS NOT NULL`,
    [searchId],
  );
  return { left, runs: counted[0]?.n ?? 0, posts: posts.length };
}
