import { readdir, readFile, readlink, realpath, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Home } from './home.ts';

/** What Postgres writes about itself into its data directory. */
export type Running = Readonly<{ pid: number; port: number }>;

/** Whether a process with this number exists, ours or not. */
export function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * The server that runs on this home's data, if one does. Its number in `postmaster.pid` may belong to
 * somebody else by now (a killed server, then a restart of the machine or container); where the system
 * can tell, a server counts only if its current directory is our data directory.
 */
export async function findRunning(home: Home): Promise<Running | undefined> {
  const lines = await pidFile(home);
  const pid = Number(lines?.[0]);
  const port = Number(lines?.[3]);
  if (lines === undefined || !isOurs(pid)) return undefined;
  const directory = await currentDirectory(pid);
  if (directory !== undefined && directory !== (await realpath(home.data))) return undefined;
  return Number.isSafeInteger(port) && port > 0 ? { pid, port } : undefined;
}

/**
 * Postgres refuses to start over a pid file whose number is alive again as some other process of the same
 * user. Such a file is removed, if no process at all works in the data directory. (If that were wrong,
 * Postgres' shared memory, which is bound to the directory, would still keep a second server out.)
 */
export async function removeStalePidFile(home: Home): Promise<void> {
  const before = await pidFile(home);
  if (before === undefined || !isAlive(Number(before[0])) || process.platform !== 'linux') return;
  const data = await realpath(home.data);
  for (const name of await readdir('/proc'))
    if (/^\d+$/.test(name) && (await currentDirectory(Number(name))) === data) return;
  const now = await pidFile(home);
  if (now?.join('\n') === before.join('\n')) await rm(path.join(home.data, 'postmaster.pid'));
}

/** A live process that we may signal; a server of ours is one, whether we are root or its own user. */
function isOurs(pid: number): boolean {
  try {
    return Number.isSafeInteger(pid) && pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function pidFile(home: Home): Promise<string[] | undefined> {
  const text = await readFile(path.join(home.data, 'postmaster.pid'), 'utf8').catch(() => undefined);
  return text?.split('\n').map((line) => line.trim());
}

/** undefined where the system does not tell. */
function currentDirectory(pid: number): Promise<string | undefined> {
  return readlink(`/proc/${pid}/cwd`).catch(() => undefined);
}
