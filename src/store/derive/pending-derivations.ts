/**
 * Readings: responses from which nothing has been derived yet. The save inserts a reading in its transaction. The
 * follower takes some, writes the derived rows and deletes the readings in one transaction, so each is derived once,
 * even after a crash. Readings commit in any order, so a cursor would not work.
 */

import { ANALYTICS } from '../../model/database-kind.ts';
import { findEarliest } from '../../lib/time.ts';
import type { DataScope } from '../queries/data-scope.ts';
import {
  backOffSql,
  type Id,
  type Pooled,
  type Transaction,
  onlyRow,
  selectIds,
  writeRows,
  columnNames,
  typedColumns,
} from '../db/database.ts';
import { sqlTime, isOverSql } from '../db/statement.ts';

const PENDING = 'strandline.pending_derivations';

/** Which figures that may wait are computed: those that are due, all of them, or none. */
export type WaitingFigures = { which: 'due' | 'all' | 'none'; now: Date | null };

/** Facts about a reading that are known only when it is saved. */
export type Reading = {
  search_id: Id;
  run_id: Id;
  /** When the response was received. */
  at: Date;
  /** Number of posts in the response, including forgotten ones; null if it is not the result of its run. */
  posts: number | null;
  new_posts: readonly Id[];
  new_links: readonly Id[];
  /** Existing posts whose counters changed. */
  changed_posts: readonly Id[];
  /** Existing posts of which something changed that volume or tallies count. */
  edited_posts: readonly Id[];
  /** For repeated or late reads: items of the previous read, and items whose first sighting was later. */
  touched_posts: readonly Id[];
  touched_links: readonly Id[];
  /** Whether to detect spikes. */
  notify: boolean;
};

const READING_COLUMNS: Readonly<Record<keyof Reading, string>> = {
  search_id: 'bigint',
  run_id: 'bigint',
  at: 'timestamptz',
  posts: 'integer',
  new_posts: 'bigint[]',
  new_links: 'bigint[]',
  changed_posts: 'bigint[]',
  edited_posts: 'bigint[]',
  touched_posts: 'bigint[]',
  touched_links: 'bigint[]',
  notify: 'boolean',
};

/** Part of the transaction of the save. */
export async function insertPending(tx: Transaction, readings: readonly Reading[]): Promise<void> {
  const names = columnNames(READING_COLUMNS);
  await tx.query({
    name: 'log_readings',
    text: `INSERT INTO ${PENDING} (${names}, checked) SELECT ${names}, false
      FROM json_to_recordset($1::json) AS r(${typedColumns(READING_COLUMNS)})`,
    values: [writeRows(readings)],
  });
}

/**
 * Allows one follower at a time. Topics cannot be derived in parallel, because a post's gains count for searches of
 * any topic.
 * @returns whether this transaction has the lock
 */
export async function lockFollowing(tx: Transaction): Promise<boolean> {
  const { rows } = await tx.query<{ locked: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtext('strandline.derive')) AS locked`,
  );
  return rows[0]?.locked === true;
}

/** Waits until no follower is active, and keeps them away until the transaction ends. Taken before the lock of saves. */
export async function waitForFollower(tx: Transaction): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtext('strandline.derive'))`);
}

/** Selects readings of searches without failures, or of one search with a failure. @param alias of a row of readings */
const inOrder = (alias: string, search: `$${number}` | 'NULL') => `CASE WHEN ${search}::bigint IS NULL
  THEN ${alias}.search_id NOT IN (SELECT search_id FROM ${PENDING} WHERE attempts > 0) ELSE ${alias}.search_id = ${search} END`;

/**
 * Marks readings as checked and as counted. $1 maximum to check, oldest first; null: all. $2 the search that is
 * retried alone, or null.
 */
const NOTE_READINGS = `
WITH fresh AS MATERIALIZED (
  SELECT p.id, p.notify AND NOT p.counted AS uncounted, NOT p.checked AND ${inOrder('p', '$2')} AS unchecked
  FROM ${PENDING} p WHERE NOT (p.checked AND p.counted)
), checked AS MATERIALIZED (
  SELECT f.id FROM fresh f JOIN ${PENDING} p USING (id) WHERE f.unchecked ORDER BY p.at, p.run_id, p.id LIMIT $1
), marked AS (
  UPDATE ${PENDING} p SET counted = true, checked = p.checked OR EXISTS (SELECT FROM checked WHERE id = p.id)
  FROM fresh f WHERE p.id = f.id AND (NOT p.counted OR p.id IN (SELECT id FROM checked))
)
SELECT f.id, f.uncounted, c.id IS NOT NULL AS to_check FROM fresh f LEFT JOIN checked c USING (id)
WHERE f.uncounted OR c.id IS NOT NULL`;

/** Readings that are seen for the first time: those to count, and those to check. */
type NotedReadings = { uncounted: Id[]; unchecked: Id[] };

/**
 * Starts a batch: each reading is checked and counted in exactly one committed transaction.
 * @param options.limit maximum to check; null: all
 * @param options.search checks only readings of this search
 */
export async function noteReadings(
  tx: Transaction,
  { limit, search }: { limit: number | null; search: Id | null },
): Promise<NotedReadings> {
  const { rows } = await tx.query<{ id: Id; uncounted: boolean; to_check: boolean }>({
    name: 'note_readings',
    text: NOTE_READINGS,
    values: [limit, search],
  });
  return {
    uncounted: rows.flatMap((row) => (row.uncounted ? [row.id] : [])),
    unchecked: rows.flatMap((row) => (row.to_check ? [row.id] : [])),
  };
}

/** A reading in this batch. */
export type TakenReading = {
  id: Id;
  search_id: Id;
  run_id: Id;
  at: Date;
  notify: boolean;
  baseline: boolean;
  request_version: number;
  /** Numbers of items that the search had not found before. */
  new_posts: number;
  new_links: number;
};

/** Which readings a batch takes. */
type ReadingSelection = {
  limit: number;
  /** Minimum age, since earlier ones may still arrive; null: any age. */
  settleMs: number | null;
  /** A search with a failed reading; null: all searches without one. */
  search: Id | null;
  /** The statement time; null: the database's clock. */
  now: Date | null;
};

/** Until a reading is settled. One from further ahead than that was received before a clock was set back. */
const IS_SETTLED = isOverSql(
  `p.at + $2::float8 * interval '1 millisecond'`,
  sqlTime('$4'),
  `2 * $2::float8 * interval '1 millisecond'`,
);

/**
 * The oldest checked readings. Searches with readings to derive again come last, with their new readings too, so that
 * a rebuild does not delay spikes of others.
 * $1 maximum, $2 minimum age in milliseconds, $3 search, $4 time.
 */
const TAKE_READINGS = `
SELECT p.id, p.search_id, p.run_id, p.at, p.notify, r.baseline, r.request_version,
  cardinality(p.new_posts) AS new_posts, cardinality(p.new_links) AS new_links
FROM (SELECT *, bool_and(notify) OVER (PARTITION BY search_id) AS is_first FROM ${PENDING}) p
JOIN strandline.runs r ON r.id = p.run_id
WHERE p.checked AND ${IS_SETTLED} AND ${inOrder('p', '$3')}
ORDER BY p.is_first DESC, p.at, p.run_id, p.id LIMIT $1`;

export async function takeReadings(tx: Transaction, which: ReadingSelection): Promise<TakenReading[]> {
  const values = [which.limit, which.settleMs, which.search, which.now];
  const { rows } = await tx.query<TakenReading>({ name: 'take_readings', text: TAKE_READINGS, values });
  return rows;
}

/** Ends a batch. Fails, so that the batch starts over, if another follower has derived these readings. */
export async function removeReadings(tx: Transaction, ids: readonly Id[]): Promise<void> {
  await tx.query(`DELETE FROM ${PENDING} WHERE id = ANY ($1::bigint[])`, [ids]);
}

/** Pause after so many attempts to derive a reading. */
function retryPauseSql(attempts: string): string {
  return backOffSql(attempts, '1 hour');
}

/**
 * Sets aside a reading whose derivation failed. It is retried after one minute, then two, up to an hour. Later
 * readings of its search wait, because they depend on it.
 * @param failure.code of its last failure, without collected data
 * @returns null if it no longer exists
 */
export async function moveAside(
  { pool }: Pooled,
  failure: { id: Id; code: string; now: Date | null },
): Promise<{ search: string; run_id: Id; attempts: number; retry_at: Date } | null> {
  const { rows } = await pool.query<{ search: string; run_id: Id; attempts: number; retry_at: Date }>({
    name: 'set_aside',
    text: `UPDATE ${PENDING} p SET attempts = p.attempts + 1, code = $2,
        retry_at = ${sqlTime('$3')} + ${retryPauseSql('p.attempts')}
      FROM strandline.searches s WHERE p.id = $1 AND s.id = p.search_id
      RETURNING s.slug AS search, p.run_id, p.attempts, p.retry_at`,
    values: [failure.id, failure.code, failure.now],
  });
  return rows[0] ?? null;
}

/** A reading that was set aside, for display. */
export type AsideReading = {
  search: string;
  run_id: Id;
  at: Date;
  attempts: number;
  code: string;
  retry_at: Date;
  /** Waiting readings of its search, including this one. */
  readings: number;
};

/** Readings that were set aside, oldest first. @returns at most `limit` */
export async function readSetAside({ pool }: Pooled, limit: number): Promise<AsideReading[]> {
  const { rows } = await pool.query<AsideReading>({
    name: 'read_set_aside',
    text: `SELECT s.slug AS search, p.run_id, p.at, p.attempts, p.code, p.retry_at,
        (SELECT count(*)::int FROM ${PENDING} w WHERE w.search_id = p.search_id) AS readings
      FROM ${PENDING} p JOIN strandline.searches s ON s.id = p.search_id
      WHERE p.attempts > 0 ORDER BY p.at, p.id LIMIT $1`,
    values: [limit],
  });
  return rows;
}

/** Searches with readings that are due for a retry, longest due first. */
export async function listSearchesToRetry({ pool }: Pooled, now: Date | null): Promise<Id[]> {
  return selectIds(pool, {
    name: 'searches_to_retry',
    text: `SELECT search_id AS id FROM ${PENDING} WHERE attempts > 0
      GROUP BY 1 HAVING bool_and(${isOverSql('retry_at', sqlTime('$1'), retryPauseSql('attempts'))})
      ORDER BY max(retry_at), 1`,
    values: [now],
  });
}

/**
 * The follower's backlog. Its age excludes readings to derive again, and those waiting behind one that was set aside.
 */
export type FollowerLag = {
  readings: number;
  oldestSeconds: number | null;
  /** Readings set aside after they failed alone: one per waiting search. */
  setAside: number;
};

export async function readLag({ pool }: Pooled): Promise<FollowerLag> {
  const { rows } = await pool.query<FollowerLag>(
    `SELECT count(*)::int AS readings, (count(*) FILTER (WHERE attempts > 0))::int AS "setAside",
       extract(epoch FROM clock_timestamp() - min(at) FILTER (WHERE notify AND ${inOrder('p', 'NULL')}))::float8 AS "oldestSeconds"
     FROM ${PENDING} p`,
  );
  return onlyRow(rows);
}

/** A search with waiting readings, and when the oldest of them was received. */
export type DerivedUntil = { search_id: Id; as_of: Date };

/** Searches that are not derived up to now: one search, those of topics, or all. */
export async function readDerivedUntil(
  { pool }: Pooled,
  { search, topic }: Omit<DataScope, 'topic'> & { topic?: string | readonly string[] | undefined },
): Promise<DerivedUntil[]> {
  const topics = typeof topic === 'string' ? [topic] : topic;
  const { rows } = await pool.query<DerivedUntil>({
    name: 'derived_until',
    text: `SELECT search_id, as_of FROM ${ANALYTICS}.derived_until
      WHERE waiting > 0 AND ($1::text IS NULL OR search = $1) AND ($2::text[] IS NULL OR topic = ANY ($2))`,
    values: [search ?? null, topics ?? null],
  });
  return rows;
}

/** The time up to which all of these searches are derived; null: up to now. */
export function findOldest(searches: readonly DerivedUntil[]): Date | null {
  return findEarliest(searches.map(({ as_of }) => as_of));
}
