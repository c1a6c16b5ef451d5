import { type Clock, monotonicMs, SECOND } from '../engine/clock.ts';
import type { Logger } from '../engine/logger.ts';
import type { Database } from './database.ts';

/** An older reading is taken again behind the back of whoever asks for the time. */
const FRESH_MS = 5 * SECOND;

/**
 * The database's clock as this process knows it: its last reading plus the time that has passed since. The wall
 * clock of this machine plays no part, so that one that is wrong harms nobody. Off by less than a query takes.
 */
export async function openDatabaseClock(db: Pick<Database, 'pool'>, log: Logger): Promise<Clock> {
  let reading = await read(db);
  let next: Promise<void> | undefined;
  const refresh = async () => {
    try {
      reading = await read(db);
    } catch (error) {
      log.debug({ err: error }, 'database clock not read');
    } finally {
      next = undefined;
    }
  };
  return {
    now: () => {
      const passed = monotonicMs() - reading.at;
      if (passed > FRESH_MS) next ??= refresh();
      return new Date(reading.ms + passed);
    },
    statementTime: () => null,
  };
}

async function read({ pool }: Pick<Database, 'pool'>): Promise<{ ms: number; at: number }> {
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
