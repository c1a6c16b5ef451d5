/**
 * The file in the data directory by which commands find the server that owns it: its process, its dashboard, and where it takes
 * commands, with the key for it. Only the account that may read the database's passwords may read it.
 */

import type { Config } from '../config/config.ts';
import type { DatabaseKind } from '../model/database-kind.ts';
import { tryParseJson } from '../lib/json-values.ts';
import { trimEndSlashes } from '../model/links/link.ts';
import { SANDBOX_MOUNT } from '../model/mount.ts';
import { readErrorCode, Refused } from '../model/errors.ts';
import { formatAddress } from '../platform/listen.ts';
import { on } from 'node:events';
import { watch } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

const FILE_NAME = 'server.json';

const runningServer = z.object({
  pid: z.number().int().positive(),
  version: z.string(),
  /** Null: it has no dashboard. */
  dashboard: z.string().nullable(),
  /** On loopback. */
  port: z.number().int().positive(),
  /** New at each start; never logged, and never sent: both sides prove that they have it. */
  key: z.string(),
});

export type RunningServer = z.infer<typeof runningServer>;

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
  const read = runningServer.safeParse(tryParseJson(text));
  if (!read.success)
    throw new Refused('unavailable', `${file} is from another version of strandline: restart the server`);
  return isRunning(read.data.pid) ? read.data : undefined;
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

/** Where the pages are: `BASE_URL`, or else the running server, or where it would listen; without a slash at its end. */
export async function findPublicBase({
  page,
  config,
}: {
  page: { kind: DatabaseKind };
  config: () => Config;
}): Promise<string> {
  const { http, dataDir } = config();
  const running = http.baseUrl === undefined ? await findServer(dataDir) : undefined;
  const base = trimEndSlashes(http.baseUrl ?? running?.dashboard ?? formatAddress(http.host, http.port));
  return page.kind === 'sandbox' ? `${base}${SANDBOX_MOUNT}` : base;
}
