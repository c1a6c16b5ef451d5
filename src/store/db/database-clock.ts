import { SECOND } from '../../lib/time.ts';
import { type Clock, monotonicMs } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { type Pooled, onlyRow } from './database.ts';

/** Readings older than this are refreshed in the background. */
const MAX_READING_AGE_MS = 5 * SECOND;

/**
 * Estimates the database's clock: its last reading plus the monotonic time since. Independent of this machine's wall clock,
 * which may be wrong. The error is less than the duration of a query.
 */
export async function openDatabaseClock(db: Pooled, log: Logger): Promise<Clock> {
  let reading = await readDatabaseTime(db, monotonicMs);
  let next: Promise<void> | undefined;
  const refresh = async () => {
    try {
      reading = await readDatabaseTime(db, monotonicMs);
    } catch (error) {
      log.debug({ err: error }, 'database clock read failed');
    } finally {
      next = undefined;
    }
  };
  return {
    now: () => {
      const passed = monotonicMs() - reading.at;
      if (passed > MAX_READING_AGE_MS) next ??= refresh();
      return new Date(reading.ms + passed);
    },
    statementTime: () => null,
  };
}

/**
 * The database's time (`ms`), and the time of another clock at the same moment (`at`, within `doubt`). Waiting for a connection is not part
 * of it.
 */
export async function readDatabaseTime(
  { pool }: Pooled,
  readClock: () => number,
): Promise<{ ms: number; at: number; doubt: number }> {
  const client = await pool.connect();
  try {
    const sentAt = readClock();
    const { rows } = await client.query<{ ms: number }>(
      'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
    );
    const receivedAt = readClock();
    return { ...onlyRow(rows), at: (sentAt + receivedAt) / 2, doubt: Math.abs(receivedAt - sentAt) / 2 };
  } finally {
    client.release();
  }
}
