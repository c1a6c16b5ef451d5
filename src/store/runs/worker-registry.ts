import { SECOND } from '../../lib/time.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { readDatabaseTime } from '../db/database-clock.ts';
import { type Database, readTime } from '../db/database.ts';
import { recordingFact } from '../db/facts.ts';
import { execute, rowsOf, statement } from '../db/statement.ts';
import type { workers } from '../schema/system-tables.ts';

/** A worker without a heartbeat for this long is dead: heartbeats are sent every 30 s. */
export const MAX_HEARTBEAT_AGE_MS = 90 * SECOND;

export type WorkerRow = typeof workers.$inferSelect;

/** Records that a worker is alive. Rows without a heartbeat for a day are deleted. */
export async function recordHeartbeat(db: Database, worker: WorkerRow): Promise<void> {
  await execute(
    db.pool,
    statement`WITH swept AS (DELETE FROM strandline.workers WHERE seen_at < ${worker.seen_at}::timestamptz - interval '1 day')
      INSERT INTO strandline.workers (name, version, queue, concurrency, skew_ms, started_at, seen_at, spooled)
      VALUES (${worker.name}, ${worker.version}, ${worker.queue}, ${worker.concurrency}, ${worker.skew_ms},
        ${worker.started_at}, ${worker.seen_at}, ${worker.spooled})
      ON CONFLICT (name) DO UPDATE SET skew_ms = excluded.skew_ms, seen_at = excluded.seen_at, spooled = excluded.spooled`,
  );
}

/** Removes a worker that ends as asked, and records when. */
export async function deregisterWorker(db: Database, name: string): Promise<void> {
  await execute(
    db.pool,
    statement`WITH gone AS (DELETE FROM strandline.workers WHERE name = ${name})
      ${recordingFact('worker_stop', statement`clock_timestamp()`)}`,
  );
}

/** Workers with a heartbeat since `since`. */
export async function listLiveWorkers(db: Database, since: Date): Promise<WorkerRow[]> {
  return rowsOf<WorkerRow>(
    db.pool,
    statement`SELECT name, version, queue, concurrency, skew_ms, spooled, started_at, seen_at
      FROM strandline.workers WHERE seen_at > ${since} ORDER BY name`,
  );
}

/** Whether a worker executes what is queued, by the database's clock. */
export async function hasLiveWorkers(db: Database, clock: Pick<Clock, 'statementTime'>): Promise<boolean> {
  const now = await readTime(db.pool, clock);
  return (await listLiveWorkers(db, new Date(now.getTime() - MAX_HEARTBEAT_AGE_MS))).length > 0;
}

/**
 * The clock of this machine minus the database's, in milliseconds. Differences within the round-trip time count as
 * zero. For display only.
 */
export async function measureSkew(db: Database): Promise<number> {
  const { ms, at, doubt } = await readDatabaseTime(db, () => systemClock.now().getTime());
  const skew = at - ms;
  return Math.round(Math.sign(skew) * Math.max(0, Math.abs(skew) - doubt));
}
