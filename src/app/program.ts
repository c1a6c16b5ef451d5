/**
 * The composition root: opens everything an entry point needs, and closes it in reverse order. Commands that need the whole
 * program open a {@link Program}; those that need only the database, with any schema version, open a {@link
 * DatabaseAccess}. The queue is opened on first use. A program is of one database: that of the sandbox is a second one.
 */

import type { Config } from '../config/config.ts';
import type { DatabaseKind } from '../model/database-kind.ts';
import { Refused, RunError } from '../model/errors.ts';
import type { Context } from '../monitor/context.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { readAllowed } from '../platform/network.ts';
import type { QueueBackend, QueueStore } from '../platform/queue/connection.ts';
import type { WorkQueue } from '../platform/queue/queue.ts';
import { openDatabaseClock } from '../store/db/database-clock.ts';
import { type Database, openDatabase } from '../store/db/database.ts';
import { readInstanceName } from '../store/db/facts.ts';
import { assertSchema, migrate } from '../store/db/migrate.ts';
import { SchemaMismatch } from '../store/db/schema-state.ts';
import { ensureService } from '../store/services/services.ts';
import {
  configureProgram,
  type DatabaseAccess,
  type DatabaseOptions,
  findSandbox,
  limitConnections,
  openDatabaseAccess,
} from './database-access.ts';
import { accessServices, createModelPorts, NO_MODEL, type ServiceAccess } from './service-access.ts';
import { createFreeTest } from './source-variables.ts';
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

export type Program = Omit<DatabaseAccess, 'url' | 'kind'> & {
  ctx: Context;
  /** The back end of the queue of `ctx`, for a worker. */
  backend: () => Promise<QueueBackend>;
  services: ServiceAccess;
  /** Contains a password: never print it. */
  databaseUrl: string;
};

export type ProgramOptions = DatabaseOptions & {
  /** Whether the search service listens on its own port, for other clients too. */
  openService?: boolean;
  /** Aborts connecting to the configured database. */
  signal?: AbortSignal;
  /** Closed with the program. Default: opens it. */
  database?: Promise<DatabaseAccess>;
};

/**
 * Opens the database (embedded, unless `DATABASE_URL` is set), prepares its schema, and opens the queue (in Postgres,
 * unless `REDIS_URL` is set).
 * @param options.role one owner at a time runs the embedded server, and migrates; guests join it or start it temporarily, and
 *   migrate only an embedded database that is empty, because it was just created
 * @throws Refused if something required is unavailable, SchemaMismatch if the schema is another version's, InvalidInput if a
 *   variable is invalid
 */
export async function openProgram(options: ProgramOptions): Promise<Program> {
  const database = await takeDatabase(options);
  return openPrepared(database, prepareSchema(database, options), options);
}

/** A program of real data, and the sandbox beside it in the same process. */
export type Programs = {
  real: Program;
  /** Null if there is none; the notes say why, unless that is by choice. */
  sandbox: Program | null;
  sandboxNotes: readonly string[];
  close(): Promise<void>;
};

/**
 * {@link openProgram}, and the sandbox where there is one. Both schemas are prepared at the same time. A failure of the sandbox
 * leaves the program as it is.
 */
export async function openPrograms(options: ProgramOptions): Promise<Programs> {
  const { config, log } = options;
  const database = await takeDatabase(options);
  const beside = findSandbox(config, database);
  const schema = prepareSchema(database, options);
  const sandboxSchema = beside === null ? undefined : prepareSchema(beside, options);
  // The embedded server must not stop while the sandbox is being migrated.
  const migrated = Promise.allSettled([schema, sandboxSchema]).then(() => schema);
  const opening = openPrepared(database, migrated, options);
  const services = opening.then((program) => program.services);
  const openingBeside =
    beside === null || sandboxSchema === undefined
      ? undefined
      : openPrepared(beside, sandboxSchema, options, services);
  // If one fails, the other is still closed in order.
  await Promise.allSettled([opening, openingBeside, services]);
  const real = await opening;
  const alone = { real, sandbox: null, close: () => real.close() };
  if (openingBeside === undefined) return { ...alone, sandboxNotes: [] };
  try {
    const sandbox = await openingBeside;
    const close = async () => {
      await sandbox.close();
      await real.close();
    };
    return { real, sandbox, sandboxNotes: sandbox.notes, close };
  } catch (error) {
    log.warn({ err: error }, 'sandbox not opened');
    return { ...alone, sandboxNotes: [`off: ${error instanceof Error ? error.message : String(error)}`] };
  }
}

/** Settings are checked before a database is created. */
async function takeDatabase(options: ProgramOptions): Promise<DatabaseAccess> {
  readAllowed(options.config.webhook.allow, 'CHANNELS_ALLOW');
  return options.database ?? openDatabaseAccess(options);
}

/**
 * Opens everything on a database.
 * @param schema the preparation of its schema, with notes for a person
 * @param shared the services of another program in this process. Default: its own
 */
async function openPrepared(
  database: DatabaseAccess,
  schema: Promise<string[]>,
  options: ProgramOptions,
  shared?: Promise<ServiceAccess>,
): Promise<Program> {
  const { kind, url: databaseUrl, embedded } = database;
  const { log } = options;
  const config = configureProgram(options.config, kind);
  const opened: (() => Promise<void>)[] = [() => database.close()];
  const close = async () => {
    const failures: unknown[] = [];
    for (const shut of opened.splice(0).toReversed()) {
      await shut().catch((error: unknown) => failures.push(error));
    }
    // One failed close must not prevent the others.
    for (const error of failures) log.warn({ err: error }, 'close failed');
  };
  try {
    const migrationNotes = await schema;
    const db = openDatabase(databaseUrl, {
      log,
      ...limitConnections(config, kind),
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

    let services = await shared;
    if (services === undefined) {
      const own = accessServices({
        config,
        clock,
        log,
        open: options.openService ?? false,
        db,
        loadMeter: async () => (await import('../api/metrics-routes.ts')).countServiceRequest,
      });
      services = own;
      opened.push(() => own.close());
    }
    const ctx: Context = {
      config,
      kind,
      clock,
      log,
      db,
      queue,
      worker: `${hostname()}:${process.pid}:${randomBytes(2).toString('hex')}`,
      ...limitServices(services, kind),
      isFree: createFreeTest(config),
      // Simulated texts cost no real call.
      ...(kind === 'sandbox' ? NO_MODEL : createModelPorts(config, clock, db)),
      random: Math.random,
    };
    return {
      ctx,
      backend,
      services,
      databaseUrl,
      readerUrl: database.readerUrl,
      embedded,
      notes: [...database.notes, ...migrationNotes, ...queueNotes],
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The sandbox calls nothing but the sandbox's service, and nobody else calls that. */
function limitServices(
  services: ServiceAccess,
  program: DatabaseKind,
): Pick<Context, 'endpoint' | 'ownSources' | 'missingTools' | 'serviceSources' | 'progress'> {
  const endpoint: Context['endpoint'] = async (kind) => {
    if ((kind === 'sandbox') !== (program === 'sandbox'))
      throw new RunError('service_unknown', { detail: `a ${program} database has no service ${kind}` });
    return services.endpoint(kind);
  };
  return program === 'real'
    ? {
        endpoint,
        ownSources: services.ownSources,
        missingTools: services.missingTools,
        serviceSources: services.serviceSources,
        progress: services.progress,
      }
    : {
        endpoint,
        ownSources: () => Promise.resolve('none'),
        missingTools: () => Promise.resolve([]),
        serviceSources: () => Promise.resolve([]),
        progress: services.progress,
      };
}

/** @returns notes for a person */
async function prepareSchema(
  { kind, url, embedded, readerUrl }: DatabaseAccess,
  { config, log, role, signal }: ProgramOptions,
): Promise<string[]> {
  const apply = async () => {
    const appRole = configureProgram(config, kind).databaseAppRole;
    return (await migrate({ url, log, kind, readerUrl: readerUrl() ?? undefined, appRole, signal })).notes;
  };
  if (role === 'owner') return apply();
  try {
    await assertSchema({ url, log, kind, signal });
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
  config: Pick<Config, 'redisUrl' | 'workerConcurrency'>;
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
    const backend = openBackend(store, instance, log, config.workerConcurrency);
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
