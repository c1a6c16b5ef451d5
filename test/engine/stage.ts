import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { createLogger, type Logger } from '../../src/platform/logger.ts';
import { connect } from '../../src/platform/postgres/connect.ts';
import {
  type EmbeddedPostgres,
  type OpenOptions,
  openEmbedded,
} from '../../src/platform/postgres/embedded-postgres.ts';
import { isAlive } from '../../src/platform/postgres/pid-file.ts';
import type { Role } from '../../src/platform/postgres/owner-session.ts';
import { findProcessesBelow } from '../processes.ts';
import { programOf } from '../programs.ts';
import { copyReady } from '../ready-postgres.ts';
import { makeDirectory } from '../temporary.ts';

/** One data directory with all its processes in one test; removed after the test. */
export type Stage = Readonly<{
  directory: string;
  dataDir: string;
  sharedDirectory: string;
  open(role: Role, more?: Partial<OpenOptions>): Promise<EmbeddedPostgres>;
  /** Another process that opened it; resolves once it is connected. */
  openElsewhere(role: Role, user?: { uid: number; gid: number }): Promise<OtherProcess>;
  /** The process id of the server, from its own file; undefined if no server runs. */
  serverPid(): Promise<number | undefined>;
}>;

export type OtherProcess = Readonly<{
  child: ChildProcess;
  pid: number;
  url: string;
  exited: Promise<unknown>;
}>;

export const silent: Logger = createLogger('silent');

/** One with a database, as after a first start and stop. */
export async function readyStage(): Promise<Stage> {
  const made = await stage();
  await copyReady(made.dataDir);
  return made;
}

/** An empty one: the first start creates the database. */
export async function stage(): Promise<Stage> {
  const directory = await makeDirectory();
  const dataDir = path.join(directory, 'data');
  const sharedDirectory = path.join(directory, 'shared');
  const data = path.join(dataDir, 'postgres', 'data');
  const serverPid = async () => {
    const text = await readFile(path.join(data, 'postmaster.pid'), 'utf8').catch(() => '');
    const pid = Number.parseInt(text, 10);
    return isAlive(pid) ? pid : undefined;
  };
  const closers: (() => Promise<void>)[] = [];
  onTestFinished(async () => {
    for (const close of closers.toReversed()) await close();
    const left = await serverPid();
    // A test may have written the number of another process.
    const own = await findProcessesBelow(path.join(dataDir, 'postgres', 'data'));
    if (left !== undefined && own?.includes(left) === true) process.kill(left, 'SIGQUIT');
    await rm(directory, { recursive: true, force: true, maxRetries: 10 });
  });
  return {
    directory,
    dataDir,
    sharedDirectory,
    serverPid,
    async open(role, more = {}) {
      const postgres = await openEmbedded({
        dataDir,
        sharedDirectory,
        role,
        log: silent,
        settings: { fsync: 'off' },
        ...more,
      });
      closers.push(() => postgres.close());
      return postgres;
    },
    async openElsewhere(role, user) {
      const other = await startProcess(dataDir, role, user);
      closers.push(async () => {
        other.child.kill('SIGKILL');
        await other.exited;
      });
      return other;
    },
  };
}

/** A process in its own group, like one of a terminal. */
export function spawnProcess(dataDir: string, role: Role, user?: { uid: number; gid: number }): ChildProcess {
  return spawn(process.execPath, [programOf('test/engine/process.ts'), dataDir, role], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
    ...user,
  });
}

async function startProcess(
  dataDir: string,
  role: Role,
  user: { uid: number; gid: number } | undefined,
): Promise<OtherProcess> {
  const child = spawnProcess(dataDir, role, ...(user === undefined ? [] : [user]));
  const { pid, stdout } = child;
  if (pid === undefined || stdout === null) throw new Error('the process did not start');
  const exited = once(child, 'exit');
  for await (const url of createInterface({ input: stdout })) return { child, pid, url, exited };
  throw new Error('the process ended before it was in');
}

/** Runs one statement on its own connection. */
export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = await connect(url, 'test');
  try {
    const { rows } = await client.query<Record<string, unknown>>(text);
    return rows;
  } finally {
    await client.end();
  }
}
