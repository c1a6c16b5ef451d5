/**
 * Readings of responses that nothing was derived from yet. The save inserts one in its own transaction; the follower takes
 * some, writes what they yield, and deletes them in one transaction: each is derived once, whoever is killed. Readings commit
 * in any order, so that there is no cursor.
 */

import { SECOND } from '../../domain/time.ts';
import { backOffSql, type Database, type Id, sqlTime, type Transaction } from '../database.ts';

const PENDING = 'strandline.pending_derivations';

/** What the save knows of a reading and nobody can tell afterwards. */
export type Reading = {
  searchId: Id;
  runId: Id;
  /** When the response was received. */
  at: Date;
  /** How many posts it held, also those that were left out; null where it is not the result of its run. */
  posts: number | null;
  newPosts: readonly Id[];
  newLinks: readonly Id[];
  /** Posts that were known before and have other counters since. */
  changedPosts: readonly Id[];
  /** Read again or late: what its former reading held, and what was thought to be first seen later. */
  touchedPosts: readonly Id[];
  touchedLinks: readonly Id[];
  /** Whether spikes are looked for. */
  notify: boolean;
};

const ROW = `search_id bigint, run_id bigint, at timestamptz, posts integer, new_posts bigint[], new_links bigint[],
  changed_posts bigint[], touched_posts bigint[], touched_links bigint[], notify boolean`;

/** In the transaction of the save. */
export async function insertPending(tx: Transaction, readings: readonly Reading[]): Promise<void> {
  const rows = readings.map((reading) => ({
    search_id: String(reading.searchId),
    run_id: String(reading.runId),
    at: reading.at,
    posts: reading.posts,
    new_posts: reading.newPosts.map(String),
    new_links: reading.newLinks.map(String),
    changed_posts: reading.changedPosts.map(String),
    touched_posts: reading.touchedPosts.map(String),
    touched_links: reading.touchedLinks.map(String),
    notify: reading.notify,
  }));
  await tx.query({
    name: 'log_readings',
    text: `INSERT INTO ${PENDING} (search_id, run_id, at, posts, new_posts, new_links, changed_posts, touched_posts, touched_links, checked, notify)
      SELECT search_id, run_id, at, posts, new_posts, new_links, changed_posts, touched_posts, touched_links, false, notify
      FROM json_to_recordset($1::json) AS r(${ROW})`,
    values: [JSON.stringify(rows)],
  });
}

/**
 * One follower at a time: what a post gained counts for searches of any topic, so that topics cannot be derived apart.
 * @returns whether this transaction is the one
 */
export async function lockFollowing(tx: Transaction): Promise<boolean> {
  const { rows } = await tx.query<{ locked: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtext('strandline.derive')) AS locked`,
  );
  return rows[0]?.locked === true;
}

/**
 * Whose readings are worked on: those of searches of which none failed, or those of one of the others.
 * @param alias of a row of readings
 */
const inOrder = (alias: string, search: `$${number}` | 'NULL') => `CASE WHEN ${search}::bigint IS NULL
  THEN ${alias}.search_id NOT IN (SELECT search_id FROM ${PENDING} WHERE attempts > 0) ELSE ${alias}.search_id = ${search} END`;

/**
 * Marks readings as checked and as counted. $1 most that are checked, the oldest first; null: all. $2 of which search, where one is tried alone.
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

/** Readings that are seen for the first time: runs that are to be counted, and what is to be checked. */
type NotedReadings = { uncounted: Id[]; unchecked: Id[] };

/**
 * At the beginning of a batch: each reading is checked and counted once, in a transaction that is committed.
 * @param options.limit most that are checked; null: all
 * @param options.search whose readings alone are checked
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
};

/** Which readings a batch takes. */
type ReadingSelection = {
  limit: number;
  /** How long ago they came at least, for others may come before them; null: however lately. */
  settleMs: number | null;
  /** Of simulations. */
  simulated: boolean;
  /** Of this one, of which a reading failed; null: of all of which none did. */
  search: Id | null;
  /** The time of the statement; null: the database's clock. */
  now: Date | null;
};

/**
 * The oldest readings that are checked. Where some of a search wait to be derived again, its newest wait behind them; those of other searches go
 * first, so that a rebuild delays no spike.
 * $1 most, $2 how long ago they came at least, in milliseconds; $3 of simulations, $4 of which search, $5 the time.
 */
const TAKE_READINGS = `
SELECT p.id, p.search_id, p.run_id, p.at, p.notify, r.baseline
FROM (SELECT *, bool_and(notify) OVER (PARTITION BY search_id) AS is_first FROM ${PENDING}) p
JOIN strandline.runs r ON r.id = p.run_id
JOIN strandline.searches s ON s.id = p.search_id
WHERE p.checked AND coalesce(p.at <= ${sqlTime('$5')} - $2 * interval '1 millisecond', true) AND (s.simulation IS NOT NULL) = $3 AND ${inOrder('p', '$4')}
ORDER BY p.is_first DESC, p.at, p.run_id, p.id LIMIT $1`;

export async function takeReadings(tx: Transaction, which: ReadingSelection): Promise<TakenReading[]> {
  const values = [which.limit, which.settleMs, which.simulated, which.search, which.now];
  const { rows } = await tx.query<TakenReading>({ name: 'take_readings', text: TAKE_READINGS, values });
  return rows;
}

/** At the end of the batch. A follower that worked on what another one has derived fails here, and begins anew. */
export async function removeReadings(tx: Transaction, ids: readonly Id[]): Promise<void> {
  await tx.query(`DELETE FROM ${PENDING} WHERE id = ANY ($1::bigint[])`, [ids]);
}

/**
 * Sets a reading aside that nothing can be derived from: it is tried again after a minute, then two, at most an hour, and
 * the other readings of its search wait behind it, for what follows from them depends on it.
 * @param failure.code of its last failure; nothing of what was collected
 * @returns null where it is not there any more
 */
export async function moveAside(
  { pool }: Pick<Database, 'pool'>,
  failure: { id: Id; code: string; now: Date | null },
): Promise<{ search: string; run_id: Id; attempts: number; retry_at: Date } | null> {
  const { rows } = await pool.query<{ search: string; run_id: Id; attempts: number; retry_at: Date }>({
    name: 'set_aside',
    text: `UPDATE ${PENDING} p SET attempts = p.attempts + 1, code = $2,
        retry_at = ${sqlTime('$3')} + ${backOffSql('p.attempts', '1 hour')}
      FROM strandline.searches s WHERE p.id = $1 AND s.id = p.search_id
      RETURNING s.slug AS search, p.run_id, p.attempts, p.retry_at`,
    values: [failure.id, failure.code, failure.now],
  });
  return rows[0] ?? null;
}

/** A reading that was set aside, for people. */
export type AsideReading = {
  search: string;
  run_id: Id;
  at: Date;
  attempts: number;
  code: string;
  retry_at: Date;
  /** Readings of its search that wait, itself included. */
  readings: number;
};

/** What was set aside, the longest first. @returns at most `limit` */
export async function readSetAside({ pool }: Pick<Database, 'pool'>, limit: number): Promise<AsideReading[]> {
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

/** Searches with readings that were set aside and are due again, the longest due first. */
export async function listSearchesToRetry({ pool }: Pick<Database, 'pool'>, now: Date | null): Promise<Id[]> {
  const { rows } = await pool.query<{ search_id: Id }>({
    name: 'searches_to_retry',
    text: `SELECT search_id FROM ${PENDING} WHERE attempts > 0
      GROUP BY 1 HAVING max(retry_at) <= ${sqlTime('$1')} ORDER BY max(retry_at), 1`,
    values: [now],
  });
  return rows.map((row) => row.search_id);
}

/**
 * How far the follower is behind: what waits, and for how long; what is derived again does not count as old, and neither does
 * what waits behind a reading that was set aside.
 */
export type FollowerLag = {
  readings: number;
  oldestSeconds: number | null;
  /** Set aside, because they failed alone: one of each search that waits for it. */
  setAside: number;
};

export async function readLag({ pool }: Pick<Database, 'pool'>): Promise<FollowerLag> {
  const { rows } = await pool.query<FollowerLag>(
    `SELECT count(*)::int AS readings, (count(*) FILTER (WHERE attempts > 0))::int AS "setAside",
       extract(epoch FROM clock_timestamp() - min(at) FILTER (WHERE notify AND ${inOrder('p', 'NULL')}))::float8 AS "oldestSeconds"
     FROM ${PENDING} p`,
  );
  return rows[0] ?? { readings: 0, oldestSeconds: null, setAside: 0 };
}

/** A search of which something waits, and when the oldest response was received that is not derived yet. */
export type DerivedUntil = { search_id: Id; as_of: Date };

/** Of searches, those of a topic or topics, or all: which are not derived up to now. */
export async function readDerivedUntil(
  { pool }: Pick<Database, 'pool'>,
  { search, topic }: { search?: string | undefined; topic?: string | readonly string[] | undefined },
): Promise<DerivedUntil[]> {
  const topics = typeof topic === 'string' ? [topic] : topic;
  const { rows } = await pool.query<DerivedUntil>({
    name: 'derived_until',
    text: `SELECT search_id, as_of FROM strandline_analytics.derived_until
      WHERE waiting > 0 AND ($1::text IS NULL OR search = $1) AND ($2::text[] IS NULL OR topic = ANY ($2))`,
    values: [search ?? null, topics ?? null],
  });
  return rows;
}

/** Up to which time everything is derived of all of them; null: up to now. */
export function findOldest(searches: readonly DerivedUntil[]): Date | null {
  return searches.reduce<Date | null>(
    (oldest, { as_of }) => (oldest === null || as_of < oldest ? as_of : oldest),
    null,
  );
}

/** Figures that are so old are called current: what came in the last seconds is on its way. */
const MAX_LAG_MS = 15 * SECOND;

/** Whether people are told that figures are behind. */
export function isBehind(until: Date, now: Date): boolean {
  return now.getTime() - until.getTime() > MAX_LAG_MS;
}
