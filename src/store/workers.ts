import { SECOND } from '../engine/clock.ts';
import type { Database, Transaction } from './database.ts';

/** A worker that was not heard of for this long is gone: it tells every 30 s. */
export const WORKER_SILENCE_MS = 90 * SECOND;

export type WorkerSign = {
  name: string;
  version: string;
  queue: string;
  concurrency: number;
  skew_ms: number;
  started_at: Date;
  seen_at: Date;
};

/** A worker's sign of life, for whoever asks what runs. Signs older than a day are swept away. */
export async function signOfLife(db: Database, sign: WorkerSign): Promise<void> {
  await db.pool.query(
    `WITH swept AS (DELETE FROM strandline.workers WHERE seen_at < $7::timestamptz - interval '1 day')
     INSERT INTO strandline.workers (name, version, queue, concurrency, skew_ms, started_at, seen_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (name) DO UPDATE SET skew_ms = excluded.skew_ms, seen_at = excluded.seen_at`,
    [sign.name, sign.version, sign.queue, sign.concurrency, sign.skew_ms, sign.started_at, sign.seen_at],
  );
}

export async function takeLeave(db: Database, name: string): Promise<void> {
  await db.pool.query('DELETE FROM strandline.workers WHERE name = $1', [name]);
}

/** Workers that gave a sign of life since `since`. */
export async function liveWorkers(db: Database, since: Date): Promise<WorkerSign[]> {
  const { rows } = await db.pool.query<WorkerSign>(
    'SELECT name, version, queue, concurrency, skew_ms, started_at, seen_at FROM strandline.workers WHERE seen_at > $1 ORDER BY name',
    [since],
  );
  return rows;
}

/** A worker whose clock is further off takes no work: leases and slots would be judged wrongly. */
export const MOST_SKEW_MS = 2 * SECOND;

/**
 * Our clock minus the database's, in milliseconds. What the question's way there and back may account for
 * is not called skew; waiting for a connection is no part of that way.
 */
export async function measureSkew(db: Database, now: () => Date): Promise<number> {
  const client = await db.pool.connect();
  try {
    return await skewBy(client, now);
  } finally {
    client.release();
  }
}

async function skewBy(client: Transaction, now: () => Date): Promise<number> {
  const asked = now().getTime();
  const { rows } = await client.query<{ ms: number }>(
    'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
  );
  const answered = now().getTime();
  const skew = (asked + answered) / 2 - (rows[0]?.ms ?? asked);
  const doubt = Math.abs(answered - asked) / 2;
  return Math.round(Math.sign(skew) * Math.max(0, Math.abs(skew) - doubt));
}
