/**
 * `postmaster.pid`, in which a server notes its process and port; and the processes of a data directory. A killed server
 * leaves the file, and any other process may get its number.
 */

import { readErrorCode } from '../../model/errors.ts';
import { SECOND } from '../../lib/time.ts';
import { type DataDirectory, readKeptPort } from './data-directory.ts';
import { readdir, readFile, readlink, realpath, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';

/** A server as its pid file describes it. */
export type Running = Readonly<{
  pid: number;
  port: number;
  /** False where the system does not report what the process is: only a connection tells. */
  isCertain: boolean;
  /** The whole pid file. */
  text: string;
}>;

/** Whether a process with this pid exists, under any user. */
export function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return readErrorCode(error) === 'EPERM';
  }
}

/**
 * The running server of this data directory, if any. A process that the system does not let us identify counts only while
 * something listens on the noted port.
 * @param refuted text of a pid file whose port turned out to be that of another program
 */
export async function findRunning(home: DataDirectory, refuted?: string): Promise<Running | undefined> {
  const noted = await readPidFile(home);
  if (noted?.pid === undefined || noted.text === refuted) return undefined;
  const { pid, text } = noted;
  const is = await identifyProcess(home, pid);
  const port = noted.port ?? (await readKeptPort(home));
  if (is === 'other' || port === undefined) return undefined;
  if (is === 'unknown' && !(await isListening(port))) return undefined;
  return { pid, port, isCertain: is === 'server', text };
}

/**
 * Postgres refuses to start if the pid in its pid file now belongs to another process of the same user. Removes such a file
 * if the process is no server of this directory. (If that check were wrong, the shared memory of Postgres, which is tied to
 * the directory, would still prevent a second server.)
 */
export async function removeStalePidFile(home: DataDirectory): Promise<void> {
  const noted = await readPidFile(home);
  // Postgres itself replaces the file of a process that is gone.
  if (noted?.pid === undefined || !isAlive(noted.pid)) return;
  if ((await identifyProcess(home, noted.pid)) === 'other') await removeUnused(home, noted.text);
}

/**
 * Removes a pid file because of which Postgres refused to start, although nothing listens on its port: one without a
 * number, or of a process that cannot be identified.
 * @param refused text of the file at that time; a file that changed since belongs to a server that is starting
 */
export async function removeRefusedPidFile(home: DataDirectory, refused: string): Promise<void> {
  const noted = await readPidFile(home);
  if (noted?.text !== refused) return;
  const isServer = noted.pid !== undefined && (await identifyProcess(home, noted.pid)) === 'server';
  const port = noted.port ?? (await readKeptPort(home));
  if (isServer || (port !== undefined && (await isListening(port)))) return;
  await removeUnused(home, refused);
}

async function removeUnused(home: DataDirectory, text: string): Promise<void> {
  if ((await listProcessesIn(home)).length > 0) return;
  if ((await readPidFile(home))?.text === text) await rm(pathOf(home));
}

type PidFile = Readonly<{ text: string; pid: number | undefined; port: number | undefined }>;

/** Undefined if there is no file; a member is undefined if the file has no usable value for it. */
export async function readPidFile(home: DataDirectory): Promise<PidFile | undefined> {
  const text = await readFile(pathOf(home), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const lines = text.split('\n');
  // As Postgres reads it: leading digits, negative for a server of a single user.
  const pid = Number(/^\s*-?(\d+)/.exec(lines[0] ?? '')?.[1]);
  const port = Number(lines[3]?.trim());
  return {
    text,
    pid: pid > 0 && pid < 2 ** 31 ? pid : undefined,
    port: Number.isSafeInteger(port) && port > 0 && port < 2 ** 16 ? port : undefined,
  };
}

function pathOf(home: DataDirectory): string {
  return path.join(home.data, 'postmaster.pid');
}

/**
 * What a process is: a process of a server of this directory has it as its current directory. `other` also means that the
 * process is gone, and `unknown` that the system does not report its current directory.
 */
async function identifyProcess(home: DataDirectory, pid: number): Promise<'server' | 'other' | 'unknown'> {
  if (!isAlive(pid)) return 'other';
  const { name, state } = await readStatus(pid);
  if (state === 'Z') return 'other'; // ended, and not yet waited for
  const directory = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  if (directory === undefined) return name === undefined || name === 'postgres' ? 'unknown' : 'other';
  return name === 'postgres' && directory === (await realpath(home.data)) ? 'server' : 'other';
}

/** Processes of servers whose current directory is the data directory; none if not on Linux. */
export async function listProcessesIn(home: DataDirectory): Promise<number[]> {
  const data = await realpath(home.data).catch(() => undefined); // removed meanwhile
  if (process.platform !== 'linux' || data === undefined) return [];
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const directories = await Promise.all(
    all.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => undefined)),
  );
  const inside = all.filter((_, i) => directories[i] === data);
  const statuses = await Promise.all(inside.map(readStatus));
  return inside.filter((_, i) => statuses[i]?.name === 'postgres');
}

/** Processes that a server of this data directory started; none if not on Linux. */
export async function listChildren(home: DataDirectory, parent: number): Promise<number[]> {
  const all = await listProcessesIn(home);
  const statuses = await Promise.all(all.map(readStatus));
  return all.filter((_, i) => statuses[i]?.parent === parent);
}

/** Name, state and parent of a process; undefined if the system does not report them. */
async function readStatus(
  pid: number,
): Promise<Partial<{ name: string; state: string | undefined; parent: number }>> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return {};
  // `pid (name) state parent …`; the name may contain anything.
  const [, state, parent] = stat.slice(stat.lastIndexOf(')')).split(' ');
  return { name: stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')), state, parent: Number(parent) };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: SECOND });
    const finish = (listens: boolean) => {
      socket.destroy();
      resolve(listens);
    };
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
    // A listener that is too busy to accept connections is one.
    socket.once('timeout', () => finish(true));
  });
}
