/** Where the dashboard of the running server is, for a second one that is refused: a file in the data directory. */

import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

const FILE_NAME = 'dashboard.address';

/** Best effort: without the file, only the hint is missing. @returns removes the file */
export async function recordDashboard(dataDir: string, url: string): Promise<() => Promise<void>> {
  const file = path.join(dataDir, FILE_NAME);
  await writeFile(file, `${process.pid} ${url}\n`, { mode: 0o600 }).catch(() => {});
  return () => rm(file, { force: true }).catch(() => {});
}

export async function findDashboard(dataDir: string): Promise<string | undefined> {
  const text = await readFile(path.join(dataDir, FILE_NAME), 'utf8').catch(() => '');
  const [pid, url] = text.trim().split(' ');
  return url !== undefined && isRunning(Number(pid)) ? url : undefined;
}

function isRunning(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
