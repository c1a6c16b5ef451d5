/**
 * The file in the data directory by which commands find the server that owns it: its process, its dashboard, and where it takes
 * commands, with the key for it. Only the account that may read the database's passwords may read it.
 */

import { isPlain, tryParseJson } from '../lib/json-values.ts';
import { readServerPlace } from '../config/server-place.ts';
import { readErrorCode, Refused } from '../model/errors.ts';
import { on } from 'node:events';
import { watch } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

const FILE_NAME = 'server.json';

export type RunningServer = {
  pid: number;
  version: string;
  /** Null: it has no dashboard. */
  dashboard: string | null;
  /** On loopback. */
  port: number;
  /** New at each start, and worth nothing after the process has ended; never logged. */
  key: string;
  /** All variables, as the server uses them. */
  settings: readonly ServerSetting[];
};

export type ServerSetting = {
  name: string;
  /** Secrets are masked. */
  value: string | number | null;
  unit: string | null;
  /** Where it is set: see `Setting` in config/set-variables.ts; or `default`. */
  from: string;
  file: string | null;
  note: string | null;
  /** It may be in a file of its own. */
  secret: boolean;
  /** It says where the server is, or is the shell's own. */
  isOfShell: boolean;
  /** HMAC of its text with the key, and of its default. */
  used: string;
  standard: string;
};

/** @returns removes the file */
export async function recordServer(dataDir: string, server: RunningServer): Promise<() => Promise<void>> {
  const file = path.join(dataDir, FILE_NAME);
  // A file that is already there keeps its mode and its readers, so a new one replaces it.
  const partial = `${file}.${process.pid}`;
  await rm(partial, { force: true });
  await writeFile(partial, `${JSON.stringify(server)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(partial, file);
  return () => rm(file, { force: true }).catch(() => {});
}

/** The server whose data directory this shell uses; undefined without one, and if commands go elsewhere. @throws Refused */
export async function findOwnServer(env: NodeJS.ProcessEnv): Promise<RunningServer | undefined> {
  const { remote, dataDir, hasDatabaseUrl } = readServerPlace(env);
  return remote !== undefined || hasDatabaseUrl ? undefined : findServer(dataDir);
}

/**
 * @returns undefined if none is running, or it has left without removing its file
 * @throws Refused `unavailable` if the file belongs to another account or cannot be understood
 */
export async function findServer(dataDir: string): Promise<RunningServer | undefined> {
  const file = path.join(dataDir, FILE_NAME);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const code = readErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new Refused(
      'unavailable',
      `${file} cannot be read (${code ?? 'unknown'}): the server belongs to another account`,
    );
  }
  const server = readRunningServer(tryParseJson(text));
  if (server === undefined)
    throw new Refused('unavailable', `${file} is from another version of strandline: restart the server`);
  return isRunning(server.pid) ? server : undefined;
}

function readRunningServer(written: unknown): RunningServer | undefined {
  if (!isPlain(written)) return undefined;
  const { pid, version, dashboard, port, key, settings } = written;
  const isNumber = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0;
  if (!isNumber(pid) || !isNumber(port) || typeof version !== 'string' || typeof key !== 'string')
    return undefined;
  return {
    pid,
    version,
    dashboard: typeof dashboard === 'string' ? dashboard : null,
    port,
    key,
    settings: Array.isArray(settings) ? (settings as ServerSetting[]) : [], // as this version writes them
  };
}

/** Yields at once, and whenever a server records itself or leaves, until the time is up. */
export async function* watchServer(dataDir: string, forMs: number): AsyncGenerator<void> {
  const watcher = watch(dataDir);
  const changes = on(watcher, 'change', { signal: AbortSignal.timeout(forMs) });
  try {
    yield;
    for await (const [, name] of changes) if (name === FILE_NAME) yield;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
  } finally {
    watcher.close();
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return readErrorCode(error) === 'EPERM';
  }
}
