import type { PoolClient } from 'pg';
import { MINUTE, monotonicMs } from '../engine/clock.ts';
import type { Database, Id } from './database.ts';
import { LEASE_IS_OVER } from './runs.ts';

/** Active searches whose next slot is due, the longest overdue first; one whose row somebody holds is left for later. */
export async function overdueSearches(db: Database, before: Date, limit: number): Promise<Id[]> {
  const { rows } = await db.pool.query<{ id: Id }>(
    `SELECT id FROM strandline.searches WHERE next_due_at <= $1 AND archived_at IS NULL AND state IN ('active', 'capped')
     ORDER BY next_due_at, id LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED`,
    [before, limit],
  );
  return rows.map((row) => row.id);
}

/** Active searches that lost their next slot (rows from an older release, or edited by hand). */
export async function dormantSearches(db: Database): Promise<Id[]> {
  const { rows } = await db.pool.query<{ id: Id }>(
    `SELECT id FROM strandline.searches WHERE next_due_at IS NULL AND archived_at IS NULL AND state IN ('active', 'capped') ORDER BY id`,
  );
  return rows.map((row) => row.id);
}

export type FarSearch = ScheduledSearch & { next_due_at: Date | number };

/**
 * Active searches whose next slot may be further away than their schedule puts it. Of those with an interval that is
 * known here; of those with a cron expression all whose slot is not within `cronSeconds`.
 * @param now plus whatever clocks may differ by
 * @returns `next_due_at` as a number where it is no time: infinity
 */
export async function farSearches(db: Database, now: Date, cronSeconds: number): Promise<FarSearch[]> {
  const { rows } = await db.pool.query<FarSearch>(
    `SELECT s.id, s.slug, v.cron, v.every_seconds, v.tz, s.next_due_at
     FROM strandline.searches s JOIN strandline.search_versions v ON v.search_id = s.id AND v.version = s.version
     WHERE s.archived_at IS NULL AND s.state IN ('active', 'capped')
       AND s.next_due_at > $1::timestamptz + make_interval(secs => coalesce(v.every_seconds, $2)) ORDER BY s.id`,
    [now, cronSeconds],
  );
  return rows;
}

export type OpenRun = { id: Id; fence: number };

/** Queued runs that should have been taken by now: whatever the queue knew of them may be gone. */
export async function staleQueuedRuns(
  db: Database,
  now: Date,
  olderThan: Date,
  limit: number,
): Promise<OpenRun[]> {
  const { rows } = await db.pool.query<OpenRun>(
    `SELECT id, fence FROM strandline.runs
     WHERE status = 'queued' AND coalesce(not_before, created_at) <= $2 AND (not_before IS NULL OR not_before <= $1)
     ORDER BY id LIMIT $3`,
    [now, olderThan, limit],
  );
  return rows;
}

/** Runs whose worker stopped renewing its lease, and those whose lease cannot be one. */
export async function expiredRuns(db: Database, limit: number): Promise<OpenRun[]> {
  const { rows } = await db.pool.query<OpenRun>(
    `SELECT id, fence FROM strandline.runs WHERE status = 'running' AND ${LEASE_IS_OVER} ORDER BY id LIMIT $1`,
    [limit],
  );
  return rows;
}

/** What the schedule of every search that should have one rests on. */
export type ScheduledSearch = {
  id: Id;
  slug: string;
  cron: string | null;
  every_seconds: number | null;
  tz: string;
};

export async function scheduledSearches(db: Database): Promise<ScheduledSearch[]> {
  const { rows } = await db.pool.query<ScheduledSearch>(
    `SELECT s.id, s.slug, v.cron, v.every_seconds, v.tz
     FROM strandline.searches s JOIN strandline.search_versions v ON v.search_id = s.id AND v.version = s.version
     WHERE s.archived_at IS NULL AND s.state IN ('active', 'capped') ORDER BY s.id`,
  );
  return rows;
}

export async function countScheduled(db: Database): Promise<number> {
  const { rows } = await db.pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM strandline.searches WHERE archived_at IS NULL AND state IN ('active', 'capped')`,
  );
  return rows[0]?.n ?? 0;
}

/**
 * Does `work` while holding a lock that only one process has, or does nothing. The lock belongs to the
 * connection: it is gone with the process that held it, and Postgres ends it by itself for one that fell
 * silent. Two who do such work at once do it twice, and that is all.
 */
export async function whileAlone<T>(db: Database, name: string, work: () => Promise<T>): Promise<T | null> {
  const client = await db.pool.connect();
  try {
    const { rows } = await client.query<{ ours: boolean }>(
      'SELECT pg_try_advisory_lock(hashtext($1)) AS ours',
      [name],
    );
    if (rows[0]?.ours !== true) return null;
    await client.query(`SET idle_session_timeout = '${LONGEST_ALONE_MS}ms'`);
    return await work();
  } finally {
    await letGo(client);
  }
}

/** Whoever looks next must not find the lock held by a connection that is just ending. */
async function letGo(client: PoolClient): Promise<void> {
  await client.query('SELECT pg_advisory_unlock_all()').catch(() => {});
  // Not given back to the pool: the connection ends here, and its setting with it.
  client.release(true);
}

const LONGEST_ALONE_MS = MINUTE;

/** A right that was waited for; its holder has to `stay` every few seconds, and hears there that it was lost. */
export type Held = { stay(): Promise<void>; release(): Promise<void> };

/**
 * Takes the lock of `whileAlone` as soon as it is free, for work of many steps.
 * @throws an error of Postgres (55P03) where nobody lets go of it within 15 seconds
 */
export async function hold(db: Database, name: string): Promise<Held> {
  const client = await db.pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
    await client.query(`SET idle_session_timeout = '${LONGEST_ALONE_MS}ms'`);
  } catch (error) {
    client.release(true);
    throw error;
  }
  let saidAt = monotonicMs();
  let saying: Promise<void> | undefined;
  const say = async () => {
    await client.query('SELECT 1');
    saidAt = monotonicMs();
    saying = undefined;
  };
  return {
    stay: async () => {
      if (monotonicMs() - saidAt > LONGEST_ALONE_MS / 6) saying ??= say();
      await saying;
    },
    release: () => letGo(client),
  };
}
