/**
 * The embedded Postgres: created on the first start, reused by later ones, stopped by the last process that leaves.
 * docs/reference/databases.md lists its files.
 */

import type { DatabaseKind } from '../../model/database-kind.ts';
import { readErrorCode, Refused } from '../../model/errors.ts';
import { monotonicMs } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import { type DataDirectory, findDataDirectory, readSecrets, SHARED_DIRECTORY } from './data-directory.ts';
import { databaseMajor, initialize, OWNER } from './initialize.ts';
import { findOwner, isLastOut, openSession, type Owner, type Role, type Session } from './owner-session.ts';
import { DATABASES, ensureDatabases, readPassword, rotateReader } from './roles.ts';
import { findRunning } from './pid-file.ts';
import { keepPort, type Settings, startServer, stopServer } from './server.ts';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';

export type EmbeddedDatabase = Readonly<{
  /** URL of the database as its owner, which is not a superuser. */
  url: string;
  /** The same database as its reader. Another process may rotate the password, so read this each time. */
  readonly readerUrl: string;
  /** Replaces the reader's password and ends its sessions. @returns its new URL */
  rotateReader(): Promise<string>;
}>;

/** Itself the real database. */
export type EmbeddedPostgres = EmbeddedDatabase &
  Readonly<{
    sandbox: EmbeddedDatabase;
    /** URL of the database `postgres` as the superuser: for backups and tests, not for the program. */
    superuserUrl: string;
    version: string;
    /** The Postgres data directory. May be outside ours, see notes. */
    dataDirectory: string;
    port: number;
    /** Whether the server was already running; the opposite of `started`. */
    adopted: boolean;
    started: boolean;
    /** Sentences for a person about anything unusual. */
    notes: readonly string[];
    /** The process that owns the data directory, which may be this one; undefined: none. */
    findOwner(): Promise<Owner | undefined>;
    /** Disconnects; the last process to leave stops the server. Can be called twice. */
    close(): Promise<void>;
  }>;

export type OpenOptions = Readonly<{
  dataDir: string;
  log: Logger;
  /** One owner per data directory at a time (`up`, `worker`), and any number of guests. */
  role: Role;
  /** Called when other processes begin to create or start the server. */
  onStarting?: (() => void) | undefined;
  /** For tests: other settings, another shared directory, other binaries. */
  settings?: Settings;
  sharedDirectory?: string;
  native?: string;
}>;

/** Pause between attempts to restart the server, for example until a full disk has space again. */
const RESTART_RETRY_MS = 10_000;

/** @throws Refused: another owner, no Postgres for this machine, another major version, or not our server */
export async function openEmbedded(options: OpenOptions): Promise<EmbeddedPostgres> {
  const { log, role, settings, sharedDirectory = SHARED_DIRECTORY, onStarting } = options;
  const dataDir = path.resolve(options.dataDir);
  const { home, notes } = await findDataDirectory(dataDir, sharedDirectory);
  const madeBy = await databaseMajor(home);
  const programs = await findBinaries({
    account: home.account,
    copyTo: home.account === undefined ? dataDir : sharedDirectory,
    wantedMajor: madeBy,
    native: options.native,
  });
  const { binaries } = programs;
  if (madeBy === undefined) await initialize(home, binaries, onStarting);
  else if (madeBy !== binaries.major) throw otherMajor(home.data, madeBy, binaries.major);

  const secrets = readSecrets(home);
  const asSuperuser = (port: number, database = 'postgres') =>
    formatUrl(port, OWNER, secrets.owner, database);
  const enter = (fixedPort?: number) =>
    join({
      home,
      binaries,
      settings,
      role,
      dataDir,
      fixedPort,
      onStarting,
      urlAt: asSuperuser,
    });

  let joined = await enter();
  const closing = new AbortController();
  let returning: Promise<void> | undefined;
  const urlOf = (database: string) => asSuperuser(joined.port, database);
  await ensureDatabases(joined.session.client, home, urlOf).catch(async (error: unknown) => {
    await leave(joined);
    throw error;
  });
  watch();

  async function leave({ session }: JoinedServer): Promise<void> {
    // An error here means that another process stopped or killed the server.
    const last = await isLastOut(session).catch(() => false);
    if (last) await stopServer(home, binaries);
    await session.client.end().catch(() => {});
  }

  /** The owner restarts a killed server on the same port, which other processes already use. */
  function watch(): void {
    joined.session.client.once('end', () => {
      if (closing.signal.aborted || role !== 'owner') return;
      log.warn({ port: joined.port }, 'embedded Postgres connection lost');
      returning = comeBack();
    });
  }

  async function comeBack(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        joined = await enter(joined.port);
        watch();
        log.info({ started: joined.started }, 'embedded Postgres restarted');
        return;
      } catch (err) {
        log.error({ err }, 'embedded Postgres restart failed');
        await sleep(RESTART_RETRY_MS, undefined, { signal: closing.signal }).catch(() => {});
      }
    }
  }

  let closed: Promise<void> | undefined;
  const { port, started, moved } = joined;
  if (moved) notes.push(`Another program uses the port of Postgres. The new port is ${port}.`);
  const describe = (kind: DatabaseKind): EmbeddedDatabase => {
    const { name, reader } = DATABASES[kind];
    return {
      url: formatUrl(port, name, readPassword(home, kind, 'owner'), name),
      get readerUrl() {
        return formatUrl(port, reader, readPassword(home, kind, 'reader'), name);
      },
      rotateReader: async () =>
        formatUrl(port, reader, await rotateReader(joined.session.client, home, kind), name),
    };
  };
  return Object.assign(describe('real'), {
    sandbox: describe('sandbox'),
    findOwner: () => findOwner(joined.session.client),
    superuserUrl: asSuperuser(port),
    version: binaries.version,
    dataDirectory: await realpath(home.data),
    port,
    started,
    adopted: !started,
    notes: [...notes, ...programs.notes],
    close() {
      closing.abort();
      closed ??= (async () => {
        await returning;
        await leave(joined);
      })();
      return closed;
    },
  });
}

function formatUrl(port: number, user: string, password: string, database: string): string {
  return `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
}

function otherMajor(data: string, madeBy: number, ours: number): Refused {
  return new Refused(
    'conflict',
    `The database in ${data} was created by PostgreSQL ${madeBy}, but this strandline includes PostgreSQL ${ours}. ` +
      `To move it: run "strandline backup DIR" with the strandline that created it (or with PostgreSQL ${madeBy} ` +
      'installed on this machine), move the folder away, and run "strandline restore DIR" with this one. ' +
      'For the steps, see docs/reference/databases.md.',
  );
}

/** How long a server may take until it accepts our connection, including a shutdown by another process. */
const JOIN_TIMEOUT_MS = 120_000;

/** How long a listener that may not be our server may close connections. */
const UNCLEAR_MS = 5_000;

/** Errors of the server or the system while the server starts or stops. */
const PASSING = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '57P02', '57P03', '53300']);

type JoinedServer = Readonly<{ session: Session; port: number; started: boolean; moved: boolean }>;

/**
 * Connects to the running server, or starts it first. Other processes may start or stop it at the same time, so a failed
 * step starts over.
 */
async function join(options: {
  home: DataDirectory;
  binaries: Binaries;
  settings: Settings | undefined;
  role: Role;
  dataDir: string;
  /** The required port, because other processes already use it. */
  fixedPort: number | undefined;
  onStarting: (() => void) | undefined;
  urlAt: (port: number) => string;
}): Promise<JoinedServer> {
  const { home, binaries, settings, role, dataDir, fixedPort, onStarting, urlAt } = options;
  const deadline = monotonicMs() + JOIN_TIMEOUT_MS;
  let started = false;
  let moved = false;
  let refuted: string | undefined;
  let unclearSince: number | undefined;
  for (;;) {
    const running = await findRunning(home, refuted);
    const mine =
      running === undefined
        ? await startServer(home, binaries, { settings, refuted, onStarting })
        : undefined;
    if (mine !== undefined) started = true;
    if (mine?.moved === true) moved = true;
    const port = running?.port ?? mine?.port;
    if (fixedPort !== undefined && port !== undefined && port !== fixedPort)
      throw new Refused(
        'unavailable',
        `Postgres restarted on port ${port} instead of ${fixedPort}. Start strandline again.`,
      );
    try {
      if (port !== undefined) {
        const session = await openSession(urlAt(port), role, {
          dataDir,
          assertOurs: (client) => assertOurs(client, home),
        });
        await keepPort(home, port);
        return { session, port, started, moved };
      }
    } catch (error) {
      if (running?.isCertain === false && !isFromPostgres(error)) {
        // The listener may be another program. Postgres decides: it refuses to start if this is its server.
        unclearSince ??= monotonicMs();
        if (!isPassing(error) || monotonicMs() - unclearSince > UNCLEAR_MS) refuted = running.text;
      } else if (!isPassing(error) || monotonicMs() > deadline) throw describeJoinFailure(error, home);
    }
    await sleep(100);
  }
}

/** Another server may use the port by now: verify that it serves this directory. @throws OtherServer */
async function assertOurs(client: Client, home: DataDirectory): Promise<void> {
  const { rows } = await client.query<{ directory: string }>(
    `SELECT current_setting('data_directory') AS directory`,
  );
  const theirs = rows[0]?.directory;
  // The other directory may be out of our reach.
  const actual = theirs === undefined ? undefined : await realpath(theirs).catch(() => theirs);
  if (actual === (await realpath(home.data))) return;
  throw new OtherServer(
    'conflict',
    `Expected the server of ${home.data}, but the one on this port uses ${theirs ?? '?'}.`,
  );
}

/** A server that accepts our password and serves another directory, such as the original of a copied one. */
class OtherServer extends Refused {}

function isPassing(error: unknown): boolean {
  const code = readErrorCode(error);
  if (code !== undefined) return PASSING.has(code);
  // The second message appears if the server stopped between connecting and the first query.
  return error instanceof Error && /Connection terminated|not queryable/.test(error.message);
}

/** Whether a Postgres that accepts our password, or that is starting, stopping or full, caused this error. */
function isFromPostgres(error: unknown): boolean {
  if (error instanceof Refused) return !(error instanceof OtherServer);
  return /^(?:57P0[123]|53300)$/.test(readErrorCode(error) ?? '');
}

function describeJoinFailure(error: unknown, home: DataDirectory): unknown {
  if (readErrorCode(error) !== '28P01') return error;
  return new Refused('conflict', `The server for ${home.data} rejects the password in ${home.secrets}.`);
}
