/** A small world for a test file: its own database, a context on it, and a queue that only records. */
import { inject } from 'vitest';
import { createFreeTest } from '../src/app/source-variables.ts';
import type { BriefWriter } from '../src/model/briefs.ts';
import type { Translator } from '../src/model/translating.ts';
import type { Judge } from '../src/model/judging.ts';
import type { DatabaseKind } from '../src/model/database-kind.ts';
import { type Config, readConfig } from '../src/config/config.ts';
import { type Clock, steppedClock } from '../src/platform/clock.ts';
import { createLogger } from '../src/platform/logger.ts';
import type { QueuedRun, WorkQueue } from '../src/platform/queue/queue.ts';
import type { ActingContext } from '../src/monitor/context.ts';
import { derivePending } from '../src/monitor/derive/follower.ts';
import { scan } from '../src/monitor/schedule/scan.ts';
import { type Database, openDatabase } from '../src/store/db/database.ts';
import { ensureService } from '../src/store/services/services.ts';
import { freshDatabase, type TestDatabase } from './database.ts';

export type World = {
  ctx: ActingContext;
  db: Database;
  database: TestDatabase;
  clock: ReturnType<typeof steppedClock>;
  /** Runs that were enqueued, in order. */
  enqueued: QueuedRun[];
  /** Channels that were enqueued. */
  channels: bigint[];
  /** Recurring work that was enqueued. */
  work: string[];
  /** One scan at the time of the world. @returns the runs that it enqueued */
  scan(): Promise<bigint[]>;
  /** Derives all that follows from what runs saved. @returns from how many readings */
  derive(): Promise<number>;
  /** Notes a scan, by the database's clock: runs under leases that are over may be leased for seven seconds. */
  scanned(): Promise<void>;
  close(): Promise<void>;
};

export const START = '2026-11-21T12:00:00.000Z';

export type WorldOptions = {
  /** The address of the stub of the hosted service. In the sandbox it is the stub of its own service. */
  hosted?: string | undefined;
  env?: Record<string, string>;
  clock?: Clock;
  names?: 'neutral' | 'named';
  /** Default: real with a hosted service, otherwise the sandbox, which needs no service of others. */
  kind?: DatabaseKind;
  /** Judges by the goals of topics; none by default. */
  judge?: Judge;
  /** Writes briefs; none by default. */
  briefWriter?: BriefWriter;
  /** Translates; nothing by default. */
  translator?: Translator;
  /** The database to use; a fresh one by default. */
  database?: TestDatabase;
};

export async function makeWorld(options: WorldOptions = {}): Promise<World> {
  const database = options.database ?? (await freshDatabase());
  const log = createLogger('silent');
  const db = openDatabase(database.url, { log });
  const clock = steppedClock(START);
  const kind = options.kind ?? (options.hosted === undefined ? 'sandbox' : 'real');
  const config: Config = readConfig({
    DATABASE_URL: database.url,
    STRANDLINE_DATA_DIR: inject('worldDataDir'),
    SEARCH_API_URL: kind === 'real' ? options.hosted : undefined,
    SEARCH_API_KEY: 'k$y-of-the-test',
    SEARCH_API_NAMES: options.names ?? 'named',
    ...options.env,
  });
  const enqueued: QueuedRun[] = [];
  const channels: bigint[] = [];
  const work: string[] = [];
  const queue: WorkQueue = {
    kind: 'postgres',
    enqueueRuns: async (runs) => {
      enqueued.push(...runs);
    },
    enqueueChannels: async (ids) => {
      channels.push(...ids);
    },
    enqueueWork: async (names) => {
      work.push(...names);
    },
    restartScan: async () => {},
    depth: async () => ({}),
    ping: async () => {},
    close: async () => {},
  };
  // Copies of the template are real.
  if (options.kind === 'sandbox')
    await db.pool.query(`UPDATE strandline.facts SET value = 'sandbox' WHERE name = 'kind'`);
  if (options.hosted !== undefined && kind === 'real') {
    const dialect = options.names ?? 'named';
    await ensureService(db, {
      name: 'hosted',
      kind: 'hosted',
      address: options.hosted,
      dialect,
      now: clock.now(),
    });
  }
  const ctx: ActingContext = {
    config,
    kind,
    clock: options.clock ?? clock,
    log,
    db,
    queue,
    worker: 'test',
    actor: { kind: 'program', name: 'test' },
    endpoint: () =>
      Promise.resolve({
        baseUrl: options.hosted ?? 'http://127.0.0.1:1',
        prefix: undefined,
        key: config.hosted?.key,
      }),
    ownSources: () => Promise.resolve('none'),
    progress: () => [],
    missingTools: () => Promise.resolve([]),
    serviceSources: () => Promise.resolve([]),
    isFree: createFreeTest(config),
    judge: options.judge ?? null,
    briefWriter: options.briefWriter ?? null,
    translator: options.translator ?? null,
    random: () => 0.5,
  };
  let deriving = Promise.resolve(0);
  return {
    ctx,
    db,
    database,
    clock,
    enqueued,
    channels,
    work,
    scan: async () => {
      const before = enqueued.length;
      await scan(ctx);
      return enqueued.slice(before).map(({ runId }) => runId);
    },
    derive: () => {
      // One at a time: a second follower would leave it to the first.
      deriving = deriving.then(() => derivePending(ctx, { settleMs: null }));
      return deriving;
    },
    scanned: async () => {
      // As far ahead as clocks may be, so that a slow machine has more time than the three seconds after a scan.
      await db.pool.query(
        `UPDATE strandline.scanner SET scanned_at = clock_timestamp() + interval '4 seconds'`,
      );
    },
    close: async () => {
      await db.close();
      await database.drop();
    },
  };
}
