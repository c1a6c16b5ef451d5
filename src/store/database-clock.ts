import { SECOND } from '../domain/time.ts';
import { type Clock, monotonicMs } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Database } from './database.ts';

/** An older reading is taken again behind the back of whoever asks for the time. */
const MAX_READING_AGE_MS = 5 * SECOND;

/**
 * The database's clock as this process knows it: its last reading plus the time that has passed since. The wall
 * clock of this machine plays no part, so that one that is wrong harms nobody. Off by less than a query takes.
 */
export async function openDatabaseClock(db: Pick<Database, 'pool'>, log: Logger): Promise<Clock> {
  let reading = await readDatabaseTime(db);
  let next: Promise<void> | undefined;
  const refresh = async () => {
    try {
      reading = await readDatabaseTime(db);
    } catch (error) {
      log.debug({ err: error }, 'database clock not read');
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

async function readDatabaseTime({ pool }: Pick<Database, 'pool'>): Promise<{ ms: number; at: number }> {
  const client = await pool.connect();
  try {
    const asked = monotonicMs();
    const { rows } = await client.query<{ ms: number }>(
      'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
    );
    const at = (asked + monotonicMs()) / 2;
    return { ms: rows[0]?.ms ?? Number.NaN, at };
  } finally {
    client.release();
  }
}
