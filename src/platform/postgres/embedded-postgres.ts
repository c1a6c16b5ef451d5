/**
 * The Postgres that strandline brings along: made on the first start, found again on the next, stopped by
 * whoever leaves last. See docs/homes.md for where things are.
 */

import { Refused } from '../../domain/errors.ts';
import { monotonicMs } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import { readErrorCode } from './connect.ts';
import {
  type DataDirectory,
  findDataDirectory,
  readerPassword,
  readSecrets,
  SHARED_DIRECTORY,
} from './data-directory.ts';
import { databaseMajor, initialize, OWNER } from './initialize.ts';
import { isLastOut, openSession, type Role, type Session } from './owner-session.ts';
import { APP, ensureDatabase, READER, rotateReader } from './roles.ts';
import { findRunning, keepPort, type Settings, startServer, stopServer } from './server.ts';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export type EmbeddedPostgres = Readonly<{
  /** Address of the program's database, as the role that owns it and is no superuser. */
  url: string;
  /**
   * The same database as the role that may read the views of `strandline_analytics` and nothing else. Another process may
   * rotate its password: ask for it anew each time.
   */
  readonly readerUrl: string;
  /** Address of the database `postgres` as the superuser: for backups and tests, not for the program. */
  superuserUrl: string;
  version: string;
  /** What Postgres calls its data directory; not always inside ours, see notes. */
  dataDirectory: string;
  port: number;
  /** Whether the server ran already, and whether we started it: one is true, the other false. */
  adopted: boolean;
  started: boolean;
  /** Sentences for a person, about what is not as usual. */
  notes: readonly string[];
  /** Gives the reader another password and ends its sessions. @returns its new address */
  rotateReader(): Promise<string>;
  /** Leaves. Whoever leaves last stops the server. Can be called twice. */
  close(): Promise<void>;
}>;

export type OpenOptions = Readonly<{
  dataDir: string;
  log: Logger;
  /** One owner per data directory at a time (`up`, `worker`); any number of guests beside it. */
  role: Role;
  /** For tests: changed settings, another place outside the data directory, other binaries. */
  settings?: Settings;
  sharedDirectory?: string;
  native?: string;
}>;

/** Between attempts to bring a server back that does not start: a full disk is emptied by and by. */
const RESTART_RETRY_MS = 10_000;

/** @throws Refused: another owner, no Postgres for this machine, another major version, not ours */
export async function openEmbedded(options: OpenOptions): Promise<EmbeddedPostgres> {
  const { log, role, settings, sharedDirectory = SHARED_DIRECTORY } = options;
  const dataDir = path.resolve(options.dataDir);
  const { home, notes } = await findDataDirectory(dataDir, sharedDirectory);
  const madeBy = await databaseMajor(home);
  const found = await findBinaries({
    account: home.account,
    copyTo: home.account === undefined ? dataDir : sharedDirectory,
    wantedMajor: madeBy,
    native: options.native,
  });
  const { binaries } = found;
  if (madeBy === undefined) await initialize(home, binaries);
  else if (madeBy !== binaries.major) throw otherMajor(home.data, madeBy, binaries.major);

  const secrets = await readSecrets(home);
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
      urlAt: asSuperuser,
    });

  let joined = await enter();
  const closing = new AbortController();
  let returning: Promise<void> | undefined;
  const urlOf = (database: string) => asSuperuser(joined.port, database);
  await ensureDatabase(joined.session.client, home, urlOf).catch(async (error: unknown) => {
    await leave(joined);
    throw error;
  });
  watch();

  async function leave({ session }: JoinedServer): Promise<void> {
    // An error here means that the server is gone: stopped by somebody else, or killed.
    const last = await isLastOut(session).catch(() => false);
    if (last) await stopServer(home, binaries);
    await session.client.end().catch(() => {});
  }

  /** An owner brings back a server that was killed under it, at the port that everybody has. */
  function watch(): void {
    joined.session.client.once('end', () => {
      if (closing.signal.aborted || role !== 'owner') return;
      log.warn({ port: joined.port }, 'connection to the embedded Postgres lost');
      returning = comeBack();
    });
  }

  async function comeBack(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        joined = await enter(joined.port);
        watch();
        log.info({ started: joined.started }, 'embedded Postgres is back');
        return;
      } catch (err) {
        log.error({ err }, 'embedded Postgres could not be brought back');
        await sleep(RESTART_RETRY_MS, undefined, { signal: closing.signal }).catch(() => {});
      }
    }
  }

  let closed: Promise<void> | undefined;
  const { port, started, moved } = joined;
  if (moved)
    notes.push(`The port kept for Postgres was taken by another program: it is ${port} from now on.`);
  return {
    url: formatUrl(port, APP, secrets.app, APP),
    get readerUrl() {
      return formatUrl(port, READER, readerPassword(home), APP);
    },
    rotateReader: async () => formatUrl(port, READER, await rotateReader(joined.session.client, home), APP),
    superuserUrl: asSuperuser(port),
    version: binaries.version,
    dataDirectory: await realpath(home.data),
    port,
    started,
    adopted: !started,
    notes: [...notes, ...found.notes],
    close() {
      closing.abort();
      closed ??= (async () => {
        await returning;
        await leave(joined);
      })();
      return closed;
    },
  };
}

function formatUrl(port: number, user: string, password: string, database: string): string {
  return `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
}

function otherMajor(data: string, madeBy: number, ours: number): Refused {
  return new Refused(
    'conflict',
    `The database in ${data} was made by PostgreSQL ${madeBy}, and this strandline brings PostgreSQL ${ours}. ` +
      `To bring it over: "strandline backup DIR" with the strandline that made it (or with PostgreSQL ${madeBy} ` +
      'installed on this machine), move the folder away, and "strandline restore DIR" with this one; ' +
      'docs/homes.md has the steps.',
  );
}

/** How long a server may take from starting up, or shutting down under somebody else, to letting us in. */
const JOIN_TIMEOUT_MS = 120_000;

/** What the server says, or the system for it, while it starts or stops. */
const PASSING = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '57P02', '57P03', '53300']);

type JoinedServer = Readonly<{ session: Session; port: number; started: boolean; moved: boolean }>;

/**
 * Enters the running server, or starts it and enters. Servers come and go meanwhile (others start, the
 * last one out stops), so every step may find the world changed and begins again.
 */
export async function join(options: {
  home: DataDirectory;
  binaries: Binaries;
  settings: Settings | undefined;
  role: Role;
  dataDir: string;
  /** The only port that will do, because others were told of it. */
  fixedPort: number | undefined;
  urlAt: (port: number) => string;
}): Promise<JoinedServer> {
  const { home, binaries, settings, role, dataDir, fixedPort, urlAt } = options;
  const deadline = monotonicMs() + JOIN_TIMEOUT_MS;
  let started = false;
  let moved = false;
  for (;;) {
    const running = await findRunning(home);
    const mine = running === undefined ? await startServer(home, binaries, settings) : undefined;
    if (mine !== undefined) started = true;
    if (mine?.moved === true) moved = true;
    const port = running?.port ?? mine?.port;
    if (fixedPort !== undefined && port !== undefined && port !== fixedPort)
      throw new Refused('unavailable', `Postgres came back at port ${port}, not ${fixedPort}: start again.`);
    try {
      if (port !== undefined) {
        const session = await openSession(urlAt(port), role, dataDir);
        await assertOurs(session, home);
        await keepPort(home, port);
        return { session, port, started, moved };
      }
    } catch (error) {
      if (!isPassing(error) || monotonicMs() > deadline) throw describeJoinFailure(error, home);
    }
    await sleep(100);
  }
}

/** A port can outlive its server: what answers there must be the server of this very directory. */
async function assertOurs({ client }: Session, home: DataDirectory): Promise<void> {
  const { rows } = await client.query<{ directory: string }>(
    `SELECT current_setting('data_directory') AS directory`,
  );
  const theirs = rows[0]?.directory;
  if (theirs !== undefined && (await realpath(theirs)) === (await realpath(home.data))) return;
  await client.end();
  throw new Refused(
    'conflict',
    `The server that answers for ${home.data} keeps its data in ${theirs ?? '?'}.`,
  );
}

function isPassing(error: unknown): boolean {
  const code = readErrorCode(error);
  if (code !== undefined) return PASSING.has(code);
  return error instanceof Error && /Connection terminated/.test(error.message);
}

function describeJoinFailure(error: unknown, home: DataDirectory): unknown {
  if (readErrorCode(error) !== '28P01') return error;
  return new Refused(
    'conflict',
    `The server that runs on ${home.data} does not accept the password in ${home.secrets}.`,
  );
}
