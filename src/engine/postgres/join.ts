import { realpath } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refused } from '../../errors.ts';
import { monotonicMs } from '../clock.ts';
import type { Binaries } from './binaries.ts';
import { codeOf } from './connect.ts';
import type { Home } from './home.ts';
import { keepPort } from './port.ts';
import { findRunning } from './process.ts';
import { startServer } from './server.ts';
import { openSession, type Role, type Session } from './session.ts';
import type { Settings } from './settings.ts';

/** How long a server may take from starting up, or shutting down under somebody else, to letting us in. */
const PATIENCE_MS = 120_000;

/** What the server says, or the system for it, while it starts or stops. */
const PASSING = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '57P02', '57P03', '53300']);

export type Joined = Readonly<{ session: Session; port: number; started: boolean; moved: boolean }>;

/**
 * Enters the running server, or starts it and enters. Servers come and go meanwhile (others start, the
 * last one out stops), so every step may find the world changed and begins again.
 */
export async function join(options: {
  home: Home;
  binaries: Binaries;
  settings: Settings | undefined;
  role: Role;
  dataDir: string;
  /** The only port that will do, because others were told of it. */
  fixedPort: number | undefined;
  urlAt: (port: number) => string;
}): Promise<Joined> {
  const { home, binaries, settings, role, dataDir, fixedPort, urlAt } = options;
  const deadline = monotonicMs() + PATIENCE_MS;
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
      if (!isPassing(error) || monotonicMs() > deadline) throw inWords(error, home);
    }
    await sleep(100);
  }
}

/** A port can outlive its server: what answers there must be the server of this very directory. */
async function assertOurs({ client }: Session, home: Home): Promise<void> {
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
  const code = codeOf(error);
  if (code !== undefined) return PASSING.has(code);
  return error instanceof Error && /Connection terminated/.test(error.message);
}

function inWords(error: unknown, home: Home): unknown {
  if (codeOf(error) !== '28P01') return error;
  return new Refused(
    'conflict',
    `The server that runs on ${home.data} does not accept the password in ${home.secrets}.`,
  );
}
