/** Monthly partitions (UTC) of snapshots: deleting a month drops a table, whatever its size. */

import { type Database, type Queryable, readSqlState, onlyRow } from '../db/database.ts';
import { execute, statement } from '../db/statement.ts';

export type Partition = {
  parent: string;
  name: string;
  from: Date;
  /** Start of the next month: all rows are older. */
  until: Date;
  bytes: number;
  /** Estimated by the planner; null if never analyzed. */
  rows: number | null;
  /** `leaving`: a detach was started and not finished. `left`: detached, but not dropped, because its process ended first. */
  state: 'attached' | 'leaving' | 'left';
  /** Whether our role may change it. */
  ours: boolean;
};

const SELECT_MONTHS = `
SELECT regexp_replace(c.relname, '_\\d{4}_\\d\\d$', '') AS parent, c.relname AS name,
  m."from",
  pg_total_relation_size(c.oid)::float8 AS bytes, nullif(c.reltuples, -1)::float8 AS rows,
  pg_has_role(c.relowner, 'USAGE') AS ours,
  CASE WHEN i.inhrelid IS NULL THEN 'left' WHEN i.inhdetachpending THEN 'leaving' ELSE 'attached' END AS state
FROM pg_class c
LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
CROSS JOIN LATERAL (SELECT to_timestamp(right(c.relname, 7) || '+00', 'YYYY_MMTZH') AS "from") m
WHERE c.relnamespace = 'strandline'::regnamespace AND c.relkind = 'r'
  AND c.relname ~ '^(post|author)_snapshots_\\d{4}_\\d\\d$'
ORDER BY m."from", c.relname`;

/** All monthly partitions of snapshots, oldest first. */
export async function listSnapshotMonths({ pool }: { pool: Queryable }): Promise<Partition[]> {
  const { rows } = await pool.query<Omit<Partition, 'until'>>(SELECT_MONTHS);
  return rows.map((month) => ({
    ...month,
    until: new Date(Date.UTC(month.from.getUTCFullYear(), month.from.getUTCMonth() + 1)),
  }));
}

/** Whether all rows are older than `before`. */
export function isMonthOver({ until }: Partition, before: Date): boolean {
  return until.getTime() <= before.getTime();
}

/**
 * Drops months in which all rows are older than `before`. Detaches each first, without blocking others; completes
 * drops that a killed process started.
 * @returns names of dropped partitions, and whether nothing is left: false if a long query or another process holds
 *   one
 */
export async function dropMonths(
  db: Database,
  before: Date,
  goOn: () => boolean,
): Promise<{ dropped: string[]; done: boolean }> {
  const dropped: string[] = [];
  const over = (await listSnapshotMonths(db)).filter((month) => isMonthOver(month, before));
  if (over.length === 0) return { dropped, done: true };
  try {
    const done = await withRetentionLock(db, async () => {
      for (const month of over) {
        if (!goOn()) return false;
        await dropMonth(db, month);
        dropped.push(month.name);
      }
      return true;
    });
    return { dropped, done };
  } catch (error) {
    // A long query holds the month: lock timeout or statement timeout.
    if (['55P03', '57014'].includes(readSqlState(error))) return { dropped, done: false };
    throw error;
  }
}

async function dropMonth(db: Database, { parent, name, state, ours }: Partition): Promise<void> {
  if (!ours) {
    await execute(db.pool, statement`SELECT strandline.drop_snapshot_month(${name})`);
    return;
  }
  const detach = `ALTER TABLE strandline.${parent} DETACH PARTITION strandline.${name}`;
  if (state === 'attached') await db.pool.query(`${detach} CONCURRENTLY`);
  if (state === 'leaving') await db.pool.query(`${detach} FINALIZE`);
  await db.pool.query(`DROP TABLE IF EXISTS strandline.${name}`);
}

/**
 * Runs `work` under a lock that only one process holds, or does nothing and returns false. The lock belongs to the connection, so it
 * ends with the process, and Postgres releases it for a dead connection. If two processes run the work at once, it is
 * merely done twice.
 */
async function withRetentionLock(db: Database, work: () => Promise<boolean>): Promise<boolean> {
  const client = await db.pool.connect();
  try {
    const { rows } = await client.query<{ ours: boolean }>(
      `SELECT pg_try_advisory_lock(hashtext('strandline.retention')) AS ours`,
    );
    if (!onlyRow(rows).ours) return false;
    await client.query(`SET idle_session_timeout = '1min'`);
    return await work();
  } finally {
    // The next process must not find the lock held by a closing connection.
    await client.query('SELECT pg_advisory_unlock_all()').catch(() => {});
    client.release(true); // ends the connection, and its setting with it
  }
}

/**
 * The newest month known to exist. Others are not cached: retention drops old ones, and parsing an old response again
 * re-creates its month.
 */
const newestEnsured = new WeakMap<Database, string>();

/** Ensures partitions for the month of `at` and the next one. Cheap if they exist. */
export async function ensurePartitions(db: Database, at: Date): Promise<void> {
  const month = at.toISOString().slice(0, 7);
  const known = newestEnsured.get(db);
  if (known === month) return;
  await execute(
    db.pool,
    statement`SELECT strandline.ensure_snapshot_partitions(${at}, ${at}::timestamptz + interval '1 month')`,
  );
  if (known === undefined || known < month) newestEnsured.set(db, month);
}
