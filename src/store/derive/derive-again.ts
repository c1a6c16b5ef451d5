/**
 * Derives again after a reading that arrives behind later ones, because it was late or was parsed again. Everything
 * derived for its search since the hour of the reading is deleted, and the readings since then are derived again;
 * likewise for other searches for which it changes known posts. `trends rebuild` does the same from the beginning.
 */
import { type Id, type Transaction, onlyRow } from '../db/database.ts';
import { S } from './counter-sql.ts';
import { waitingSteps } from './derive-gains.ts';
import { dayOfPostSql, type Recount } from './count-items.ts';
import type { Day } from './count-volume.ts';
import { undoDerivations } from './undo-derivations.ts';

const PENDING_TABLE = `${S}.pending_derivations`;

/**
 * Searches with later derivations that did not know of an unchecked reading, and since when: its own search, and all searches
 * that had seen a post whose counters it changed, if a step after that was counted. Also its own if a run was read twice before
 * anything was derived from it, or if a former result of the run may have been derived: since its first response. Later means that a
 * later result was derived, or a response beside one (`is_counted`). $1 readings to check.
 */
const FIND_LATER_READINGS = `
WITH fresh AS MATERIALIZED (
  SELECT p.* FROM ${PENDING_TABLE} p WHERE p.id = ANY ($1::bigint[])
), ${waitingSteps("'{}'")}, had AS (
  SELECT f.search_id, f.at, f.touched_posts <> '{}' OR f.touched_links <> '{}' AS is_counted FROM fresh f
  UNION ALL
  SELECT g.search_id, f.at, false FROM fresh f CROSS JOIN LATERAL unnest(f.touched_posts) u(id)
  CROSS JOIN LATERAL (SELECT search_id FROM ${S}.post_sightings WHERE post_id = u.id OFFSET 0) g
), changed AS MATERIALIZED (
  SELECT u.id, f.at, g.search_id, l.at AS latest_at FROM fresh f CROSS JOIN LATERAL unnest(f.changed_posts) u(id)
  CROSS JOIN LATERAL (SELECT search_id FROM ${S}.post_sightings WHERE post_id = u.id OFFSET 0) g
  LEFT JOIN LATERAL (SELECT at FROM ${S}.latest_results WHERE search_id = g.search_id OFFSET 0) l ON true
), counted AS MATERIALIZED (
  SELECT c.id, c.at FROM changed c WHERE c.latest_at >= c.at
  UNION
  SELECT u.id, f.at FROM fresh f CROSS JOIN LATERAL unnest(f.changed_posts) u(id)
  CROSS JOIN LATERAL (SELECT observed_at FROM ${S}.post_counters WHERE post_id = u.id OFFSET 0) k
  WHERE k.observed_at > f.at AND EXISTS (
    SELECT FROM ${S}.post_snapshots e WHERE e.post_id = u.id AND e.observed_at > f.at
      AND (e.post_id, e.observed_at) NOT IN (SELECT post_id, at FROM waiting))
), later AS (
  SELECT h.search_id, h.at FROM had h
  LEFT JOIN LATERAL (SELECT at FROM ${S}.latest_results WHERE search_id = h.search_id OFFSET 0) l ON true WHERE h.is_counted OR l.at >= h.at
  UNION ALL
  SELECT c.search_id, c.at FROM changed c JOIN counted USING (id, at)
  UNION ALL
  SELECT f.search_id, least(f.at, o.at) FROM fresh f JOIN ${PENDING_TABLE} o ON o.search_id = f.search_id AND o.run_id = f.run_id
  WHERE o.id <> f.id AND f.posts IS NOT NULL AND o.posts IS NOT NULL
  UNION ALL
  SELECT f.search_id, least(f.at, (SELECT min(received_at) FROM ${S}.calls WHERE run_id = f.run_id AND state = 'received'))
  FROM fresh f WHERE f.posts IS NOT NULL AND NOT f.notify
)
SELECT search_id, date_trunc('hour', min(at), 'UTC') AS since FROM later GROUP BY 1 ORDER BY 1`;

/**
 * Posts of previous reads, by search. Includes readings that are checked later, because waiting ones are logged
 * again. $1 readings.
 */
const IS_TOUCHED = `
SELECT p.search_id, u.id FROM ${PENDING_TABLE} p CROSS JOIN LATERAL unnest(p.touched_posts) u(id)
WHERE NOT p.checked OR p.id = ANY ($1::bigint[]) GROUP BY 1, 2`;

/**
 * Existing sightings of edited posts and links, with the day that they were counted on, and since when their searches
 * are derived again: from the first sighting if the time of publication changed, on which coverage and ages depend too.
 * $1 readings.
 */
const FIND_EDITED = `
WITH edited AS MATERIALIZED (
  SELECT DISTINCT u.id FROM ${PENDING_TABLE} p CROSS JOIN LATERAL unnest(p.edited_posts) u(id) WHERE p.id = ANY ($1::bigint[])
)
SELECT g.search_id, g.post_id, ${dayOfPostSql('g')} AS day_at,
  CASE WHEN g.post_created_at IS DISTINCT FROM p.created_at THEN date_trunc('hour', g.first_seen_at, 'UTC') END AS since
FROM edited e
CROSS JOIN LATERAL (SELECT created_at FROM ${S}.posts WHERE id = e.id OFFSET 0) p
CROSS JOIN LATERAL (SELECT * FROM ${S}.post_sightings WHERE post_id = e.id OFFSET 0) g
UNION ALL
SELECT DISTINCT g.search_id, NULL::bigint, date_trunc('day', g.first_seen_at, 'UTC'), NULL::timestamptz
FROM ${PENDING_TABLE} p CROSS JOIN LATERAL unnest(p.edited_links) u(id)
CROSS JOIN LATERAL (SELECT * FROM ${S}.link_sightings WHERE link_id = u.id OFFSET 0) g
WHERE p.id = ANY ($1::bigint[])`;

/** Copies times of publication to sightings. $1 posts. Returns their days. */
const UPDATE_SIGHTINGS = `
UPDATE ${S}.post_sightings g SET post_created_at = p.created_at FROM ${S}.posts p
WHERE p.id = ANY ($1::bigint[]) AND g.post_id = p.id AND g.post_created_at IS DISTINCT FROM p.created_at
RETURNING g.search_id, ${dayOfPostSql('g')} AS day_at`;

/** `post_id`: null for a link. */
type EditedRow = { search_id: Id; post_id: Id | null; day_at: Date; since: Date | null };
type DeriveSince = { search_id: Id; since: Date };

/**
 * Checks whether new readings arrive behind existing derivations, and undoes those. Later derivations then take these
 * readings into account, however long they wait.
 * @param ids returned by `noteReadings`
 * @returns what the batch counts again; null: nothing
 */
export async function checkReadings(tx: Transaction, ids: readonly Id[]): Promise<Recount | null> {
  if (ids.length === 0) return null;
  const { rows: edited } = await tx.query<EditedRow>({
    name: 'find_edited',
    text: FIND_EDITED,
    values: [ids],
  });
  const { rows: found } = await tx.query<DeriveSince>({
    name: 'find_later',
    text: FIND_LATER_READINGS,
    values: [ids],
  });
  const later = keepEarliest([
    ...found,
    ...edited.flatMap(({ search_id, since }) => (since === null ? [] : { search_id, since })),
  ]);
  if (edited.length === 0 && later.size === 0) return null;
  const { rows: days } = await tx.query<Day>(UPDATE_SIGHTINGS, [
    edited.flatMap(({ post_id }) => post_id ?? []),
  ]);
  const { rows: touched } = await tx.query<{ search_id: Id; id: Id }>(IS_TOUCHED, [ids]);
  const undone = await undoDerivations(tx, {
    searches: [...later.keys()],
    since: [...later.values()],
    touched: { searches: touched.map(({ search_id }) => search_id), posts: touched.map(({ id }) => id) },
  });
  return { ...undone, days: [...undone.days, ...edited, ...days] };
}

/** Each search once, with the earliest time. */
function keepEarliest(rows: readonly DeriveSince[]): Map<Id, Date> {
  const earliest = new Map<Id, Date>();
  for (const { search_id, since } of rows) {
    const before = earliest.get(search_id);
    if (before === undefined || since < before) earliest.set(search_id, since);
  }
  return earliest;
}

/**
 * The time from which a search can be derived again: if months of snapshots were dropped, the first remaining one. $1
 * search, $2 that month.
 */
const IS_POSSIBLE = `
SELECT CASE WHEN EXISTS (SELECT FROM ${S}.post_sightings WHERE search_id = $1 AND first_seen_at < $2) THEN $2::timestamptz ELSE '-infinity' END AS since`;
/**
 * Derives all readings of a search again.
 * @param oldestMonth of the existing snapshots
 * @returns the number of readings to derive again
 */
export async function rebuildSearch(
  tx: Transaction,
  searchId: Id,
  oldestMonth: Date | null,
): Promise<{ again: Recount; runs: number }> {
  const from = oldestMonth ?? new Date(0);
  const { rows } = await tx.query<{ since: Date | number }>(IS_POSSIBLE, [searchId, from]);
  const since = rows[0]?.since instanceof Date ? rows[0].since : '-infinity';
  const again = await undoDerivations(tx, {
    searches: [searchId],
    since: [since],
    touched: { searches: [], posts: [] },
  });
  const { rows: counted } = await tx.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM ${PENDING_TABLE} WHERE search_id = $1 AND posts IS NOT NULL`,
    [searchId],
  );
  return { again, runs: onlyRow(counted).n };
}
