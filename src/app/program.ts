/**
 * The composition root: opens everything an entry point needs, and closes it in reverse order. Commands that need the whole
 * program open a {@link Program}; those that need only the database, with any schema version, open a {@link
 * DatabaseAccess}. The queue is opened on first use.
 */

import type { Config } from '../config/config.ts';
import { Refused } from '../domain/errors.ts';
import type { Context } from '../monitor/context.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { readAllowed } from '../platform/network.ts';
import { type EmbeddedPostgres, openEmbedded } from '../platform/postgres/embedded-postgres.ts';
import type { QueueBackend, QueueStore } from '../platform/queue/connection.ts';
import type { WorkQueue } from '../platform/queue/queue.ts';
import { openDatabaseClock } from '../store/database-clock.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { readInstanceName } from '../store/instance-name.ts';
import { assertSchema, migrate } from '../store/migrate.ts';
import { SchemaMismatch } from '../store/schema-state.ts';
import { ensureService } from '../store/services.ts';
import { accessServices, type ServiceAccess } from './service-access.ts';
import { assertNamedSources, createFreeTest } from './source-variables.ts';
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

export type Program = Omit<DatabaseAccess, 'url'> & {
  ctx: Context;
  /** The back end of the queue of `ctx`, for a worker. */
  backend: () => Promise<QueueBackend>;
  services: ServiceAccess;
  /** Contains a password: never print it. */
  databaseUrl: string;
};

/** Only the database, with any schema version. */
export type DatabaseAccess = {
  /** Never to be printed. */
  url: string;
  /** Current URL of the reader role; null if not configured. Its password may be rotated, so call this each time. */
  readerUrl: () => string | null;
  embedded: EmbeddedPostgres | null;
  /** Notes for a person about anything unusual. */
  notes: readonly string[];
  close(): Promise<void>;
};

export type ProgramOptions = { config: Config; log: Logger; role: 'owner' | 'guest' };

/** Opens the database without changing it: the embedded one, unless `DATABASE_URL` is set. */
export async function openDatabaseAccess({ config, log, role }: ProgramOptions): Promise<DatabaseAccess> {
  // Report configuration errors before creating anything.
  await assertNamedSources(config);
  const { databaseUrl: url, databaseReaderUrl: reader = null } = config;
  if (url !== undefined)
    return { url, readerUrl: () => reader, embedded: null, notes: [], close: () => Promise.resolve() };
  const embedded = await openEmbedded({ dataDir: config.dataDir, log, role });
  return {
    url: embedded.url,
    readerUrl: () => embedded.readerUrl,
    embedded,
    notes: embedded.notes,
    close: () => embedded.close(),
  };
}

/**
 * Opens the database (embedded, unless `DATABASE_URL` is set), prepares its schema, and opens the queue (in Postgres,
 * unless `REDIS_URL` is set).
 * @param options.role one owner at a time runs the embedded server, and migrates; guests join it or start it temporarily, and
 *   migrate only an embedded database that is empty, because it was just created
 * @param options.openService whether the search service listens on its own port, for other clients too
 * @param options.signal aborts connecting to the configured database
 * @throws Refused if something required is unavailable, SchemaMismatch if the schema is another version's, InvalidInput if a
 *   variable is invalid
 */
export async function openProgram(
  options: ProgramOptions & { openService?: boolean; signal?: AbortSignal },
): Promise<Program> {
  const { config, log } = options;
  readAllowed(config.webhook.allow, 'WEBHOOK_ALLOW');
  const opened: (() => Promise<void>)[] = [];
  const close = async () => {
    const failures: unknown[] = [];
    for (const shut of opened.splice(0).toReversed()) {
      await shut().catch((error: unknown) => failures.push(error));
    }
    // One failed close must not prevent the others.
    for (const error of failures) log.warn({ err: error }, 'close failed');
  };
  try {
    const database = await openDatabaseAccess(options);
    opened.push(() => database.close());
    const { url: databaseUrl, embedded } = database;
    const migrationNotes = await prepareSchema(database, options);

    const db = openDatabase(databaseUrl, {
      log,
      max: Math.min(config.workerConcurrency + 6, MAX_CONNECTIONS),
    });
    opened.push(() => db.close());
    const clock = await openDatabaseClock(db, log);
    await saveHostedService(db, config, clock.now());

    const { queue, backend } = accessQueue({ config, databaseUrl, db, clock, log });
    opened.push(() => queue.close());
    // Only processes that run jobs check the filters of rules and the queue's back end.
    if (options.role === 'owner') {
      const { assertStoredFilters } = await import('../monitor/alerts/rule-filter.ts');
      await assertStoredFilters(db.pool);
    }
    const queueNotes = options.role === 'owner' ? await checkQueue(await backend()) : [];

    const services = accessServices({
      config,
      clock,
      log,
      open: options.openService ?? false,
      db,
      loadMeter: async () => (await import('../api/metrics-routes.ts')).countServiceRequest,
    });
    opened.push(() => services.close());
    const ctx: Context = {
      config,
      clock,
      log,
      db,
      queue,
      simulation: null,
      worker: `${hostname()}:${process.pid}:${randomBytes(2).toString('hex')}`,
      endpoint: services.endpoint,
      ownSources: services.ownSources,
      missingTools: services.missingTools,
      isFree: createFreeTest(config),
      random: Math.random,
    };
    const notes = [...database.notes, ...migrationNotes, ...queueNotes];
    return {
      ctx,
      backend,
      services,
      databaseUrl,
      readerUrl: database.readerUrl,
      embedded,
      notes,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @returns notes for a person */
async function prepareSchema(
  { url, embedded, readerUrl }: DatabaseAccess,
  { config, log, role, signal }: ProgramOptions & { signal?: AbortSignal },
): Promise<string[]> {
  const apply = async () => {
    const appRole = config.databaseAppRole;
    return (await migrate({ url, log, readerUrl: readerUrl() ?? undefined, appRole, signal })).notes;
  };
  if (role === 'owner') return apply();
  try {
    await assertSchema({ url, log, signal });
    return [];
  } catch (error) {
    if (embedded === null || !(error instanceof SchemaMismatch) || error.difference !== 'empty') throw error;
    return apply();
  }
}

/** An unavailable queue does not prevent the start: runs wait for it. @returns notes for a person */
async function checkQueue(backend: QueueBackend): Promise<string[]> {
  try {
    return await backend.check();
  } catch (error) {
    if (error instanceof Refused) throw error;
    const why = error instanceof Error ? error.message : 'unknown error';
    return [`the queue is unavailable (${why}); runs wait in the database`];
  }
}

/** Runs wait for a connection rather than use all of a server with 100; the queue needs up to 20 more. */
const MAX_CONNECTIONS = 40;

/** Saves the current URL and dialect of the hosted service; its searches still belong to it. */
async function saveHostedService(db: Database, config: Config, now: Date): Promise<void> {
  if (config.hosted === undefined) return;
  const { url, names } = config.hosted;
  const { loadDialect } = await import('../protocol/dialect.ts');
  loadDialect(names); // reports errors in a custom file at startup instead of at the first call
  await ensureService(db, { name: 'hosted', kind: 'hosted', address: url, dialect: names, now });
}

/**
 * The queue, opened on first use: read-only commands do not need it, and BullMQ is most of their load time. Its back end is closed
 * with it.
 */
export function accessQueue(options: {
  config: Pick<Config, 'redisUrl'>;
  databaseUrl: string;
  db: Database;
  clock: Clock;
  log: Logger;
}): { queue: WorkQueue; backend: () => Promise<QueueBackend> } {
  const { config, databaseUrl, db, clock, log } = options;
  const store: QueueStore =
    config.redisUrl === undefined
      ? { kind: 'postgres', url: databaseUrl }
      : { kind: 'redis', url: config.redisUrl };
  let opened: Promise<{ backend: QueueBackend; queue: WorkQueue }> | undefined;

  async function open() {
    const [{ openBackend }, { openQueue }] = await Promise.all([
      import('../platform/queue/connection.ts'),
      import('../platform/queue/queue.ts'),
    ]);
    const instance = await readInstanceName(db, randomBytes(4).toString('hex'), clock.now());
    const backend = openBackend(store, instance, log);
    return { backend, queue: openQueue(backend, log) };
  }

  async function access() {
    // The next call retries after a failure.
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  }

  const queue = async () => (await access()).queue;
  return {
    backend: async () => (await access()).backend,
    queue: {
      kind: store.kind,
      // Pass all arguments: the compiler does not report missing optional ones.
      enqueueRuns: async (...args) => (await queue()).enqueueRuns(...args),
      enqueueChannels: async (...args) => (await queue()).enqueueChannels(...args),
      enqueueWork: async (...args) => (await queue()).enqueueWork(...args),
      restartScan: async () => (await queue()).restartScan(),
      depth: async () => (await queue()).depth(),
      ping: async () => (await queue()).ping(),
      close: async () => {
        const used = await opened?.catch(() => undefined);
        await used?.queue.close();
        await used?.backend.close();
      },
    },
  };
}
