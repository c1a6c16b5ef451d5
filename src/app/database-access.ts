/** Opens a database without changing it: the embedded one, or that of a variable. */

import path from 'node:path';
import type { Config } from '../config/config.ts';
import type { DatabaseKind } from '../model/database-kind.ts';
import { Refused } from '../model/errors.ts';
import { SECOND } from '../lib/time.ts';
import { trimEndSlashes } from '../model/links/link.ts';
import { SANDBOX_MOUNT } from '../model/mount.ts';
import type { Logger } from '../platform/logger.ts';
import { readAllowed } from '../platform/network.ts';
import { type EmbeddedPostgres, openEmbedded } from '../platform/postgres/embedded-postgres.ts';
import { assertNamedSources, assertSources } from './source-variables.ts';

/** Only the database, with any schema version. */
export type DatabaseAccess = {
  kind: DatabaseKind;
  /** Never to be printed. */
  url: string;
  /** Current URL of the reader role; null if not configured. Its password may be rotated, so call this each time. */
  readerUrl: () => string | null;
  embedded: EmbeddedPostgres | null;
  /** Notes for a person about anything unusual. */
  notes: readonly string[];
  close(): Promise<void>;
};

export type DatabaseOptions = {
  config: Config;
  log: Logger;
  role: 'owner' | 'guest';
  /** Default: real. */
  kind?: DatabaseKind | undefined;
  /** Called when other processes begin to create or start the embedded server. */
  onStarting?: () => void;
};

/** @throws Refused `unavailable` if it cannot be reached, or there is no sandbox */
export async function openDatabaseAccess({
  config,
  log,
  role,
  kind = 'real',
  onStarting = () => {},
}: DatabaseOptions): Promise<DatabaseAccess> {
  // Report configuration errors before creating anything.
  await assertNamedSources(config);
  const configured = findConfigured(config, kind);
  if (configured !== undefined)
    return { kind, ...configured, embedded: null, notes: [], close: () => Promise.resolve() };
  if (config.databaseUrl !== undefined)
    throw new Refused('unavailable', `There is no sandbox: ${WITHOUT_SANDBOX}.`);
  const embedded = await openEmbedded({ dataDir: config.dataDir, log, role, onStarting });
  return { ...pickDatabase(embedded, kind), close: () => embedded.close() };
}

/**
 * {@link openDatabaseAccess} for a program that has much to load: loading blocks a process, which could not start another.
 * Settings of the program are checked first, because nobody would stop the server of a program that does not open.
 * @returns as soon as other processes start the server, or there is nothing to start
 * @throws InvalidInput before anything is created
 */
export async function beginDatabase(
  options: DatabaseOptions,
): Promise<{ database: Promise<DatabaseAccess> }> {
  await assertSources(options.config);
  readAllowed(options.config.webhook.allow, 'CHANNELS_ALLOW');
  return new Promise((resolve) => {
    const begun = () => resolve({ database });
    const database = openDatabaseAccess({ ...options, onStarting: begun });
    void database.then(begun, begun);
  });
}

/** Why a program with `DATABASE_URL` has no sandbox, and what to do. */
export const WITHOUT_SANDBOX =
  'with DATABASE_URL, simulated data needs a database of its own. Create an empty one, and set SANDBOX_DATABASE_URL';

/** The database that variables name; undefined: the embedded one, or none. */
function findConfigured(
  config: Config,
  kind: DatabaseKind,
): Pick<DatabaseAccess, 'url' | 'readerUrl'> | undefined {
  const { databaseUrl, databaseReaderUrl, sandboxDatabaseUrl, sandboxReaderUrl } = config;
  const [url, reader = null] =
    kind === 'real' ? [databaseUrl, databaseReaderUrl] : [sandboxDatabaseUrl, sandboxReaderUrl];
  return url === undefined ? undefined : { url, readerUrl: () => reader };
}

function pickDatabase(embedded: EmbeddedPostgres, kind: DatabaseKind): Omit<DatabaseAccess, 'close'> {
  const database = kind === 'real' ? embedded : embedded.sandbox;
  return {
    kind,
    url: database.url,
    readerUrl: () => database.readerUrl,
    embedded,
    notes: kind === 'real' ? embedded.notes : [],
  };
}

/** The sandbox beside an open real database, which stays its owner. @returns null if there is none */
export function findSandbox(
  config: Config,
  { embedded }: Pick<DatabaseAccess, 'embedded'>,
): DatabaseAccess | null {
  const close = () => Promise.resolve();
  const configured = findConfigured(config, 'sandbox');
  if (configured !== undefined) return { kind: 'sandbox', ...configured, embedded: null, notes: [], close };
  return embedded === null ? null : { ...pickDatabase(embedded, 'sandbox'), close };
}

/** A run of the sandbox takes a third of a second, and a sample with its demo has a few a minute. */
const SANDBOX_CONCURRENCY = 1;

/** Runs wait for a connection rather than use all of a server with 100; the queue needs up to 20 more. */
const MAX_CONNECTIONS = 40;

/**
 * Each connection is a process of Postgres of 3 to 25 MB, and the sandbox has a run a minute. A run and a maintenance job may each
 * hold a connection and need a second one for a moment: the third serves them, and ends when nobody has used it for a second.
 */
const SANDBOX_CONNECTIONS = { max: 3, idleMs: SECOND };

/** How many connections the jobs of a program have. */
export function limitConnections(config: Config, kind: DatabaseKind): { max: number; idleMs?: number } {
  return kind === 'sandbox'
    ? SANDBOX_CONNECTIONS
    : { max: Math.min(config.workerConcurrency + 6, MAX_CONNECTIONS) };
}

/** The configuration of a program: that of the sandbox calls no service that costs money, and spools to a folder of its own. */
export function configureProgram(config: Config, kind: DatabaseKind): Config {
  if (kind === 'real') return config;
  return {
    ...config,
    hosted: undefined,
    databaseUrl: config.sandboxDatabaseUrl,
    databaseAppRole: undefined,
    dataDir: path.join(config.dataDir, 'sandbox'),
    http: { ...config.http, baseUrl: findSandboxUrl(config.http.baseUrl) },
    workerConcurrency: Math.min(config.workerConcurrency, SANDBOX_CONCURRENCY),
  };
}

/** Where links of messages lead: pages of the sandbox are below {@link SANDBOX_MOUNT}. */
function findSandboxUrl(baseUrl: string | undefined): string | undefined {
  return baseUrl === undefined ? undefined : trimEndSlashes(baseUrl) + SANDBOX_MOUNT;
}
