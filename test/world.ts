/** A small world for a test file: its own database, a context on it, and a queue that only remembers. */
import { type Config, readConfig } from '../src/config.ts';
import { type Clock, steppedClock } from '../src/engine/clock.ts';
import { createLogger } from '../src/engine/logger.ts';
import type { WaitingChannel, WaitingRun, WorkQueue } from '../src/engine/queue/queue.ts';
import type { Context } from '../src/monitor/context.ts';
import { type Database, openDatabase } from '../src/store/database.ts';
import { ensureService } from '../src/store/services.ts';
import { freshDatabase, type TestDatabase } from './database.ts';

export type World = {
  ctx: Context;
  db: Database;
  database: TestDatabase;
  clock: ReturnType<typeof steppedClock>;
  /** What the queue was told, in order. */
  enqueued: WaitingRun[];
  /** Channels with something to send, as it was told. */
  waiting: WaitingChannel[];
  schedules: Map<bigint, string>;
  close(): Promise<void>;
};

export const START = '2026-11-21T12:00:00.000Z';

export type WorldOptions = {
  /** Address of the stub that stands for the hosted service. */
  hosted?: string | undefined;
  env?: Record<string, string>;
  clock?: Clock;
  names?: 'neutral' | 'named';
  /** Where it is to stand; a fresh one otherwise. */
  database?: TestDatabase;
};

export async function makeWorld(options: WorldOptions = {}): Promise<World> {
  const database = options.database ?? (await freshDatabase());
  const log = createLogger('silent');
  const db = openDatabase(database.url, { log });
  const clock = steppedClock(START);
  const config: Config = readConfig({
    DATABASE_URL: database.url,
    SEARCH_API_URL: options.hosted,
    SEARCH_API_KEY: 'k$y-of-the-test',
    SEARCH_API_NAMES: options.names ?? 'named',
    ...options.env,
  });
  const enqueued: WaitingRun[] = [];
  const waiting: WaitingChannel[] = [];
  const schedules = new Map<bigint, string>();
  const queue: WorkQueue = {
    kind: 'postgres',
    enqueue: async (runs) => {
      enqueued.push(...runs);
    },
    enqueueChannels: async (channels) => {
      waiting.push(...channels);
    },
    schedule: async (searchId, pattern) => {
      schedules.set(searchId, pattern);
    },
    unschedule: async (searchId) => {
      schedules.delete(searchId);
    },
    schedules: async () => new Map(schedules),
    countSchedules: async () => schedules.size,
    depth: async () => ({}),
    ping: async () => {},
    close: async () => {},
  };
  if (options.hosted !== undefined) {
    const dialect = options.names ?? 'named';
    await ensureService(db, {
      name: 'hosted',
      kind: 'hosted',
      address: options.hosted,
      dialect,
      now: clock.now(),
    });
  }
  const ctx: Context = {
    config,
    clock: options.clock ?? clock,
    log,
    db,
    queue,
    worker: 'test',
    endpoint: () =>
      Promise.resolve({
        baseUrl: options.hosted ?? 'http://127.0.0.1:1',
        prefix: undefined,
        key: config.hosted?.key,
      }),
    ownSources: () => Promise.resolve('none'),
    random: () => 0.5,
  };
  return {
    ctx,
    db,
    database,
    clock,
    enqueued,
    waiting,
    schedules,
    close: async () => {
      await db.close();
      await database.drop();
    },
  };
}
