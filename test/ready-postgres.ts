/**
 * The embedded Postgres as its first start leaves it, stopped, with the empty database `strandline` and the migrated
 * {@link TEMPLATE}: made once for a whole run, and copied where a test is not about making it.
 */
import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';

/** Not the database `strandline`: a template must have no users, and that one is for programs. */
export const TEMPLATE = 'strandline_template';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A data directory that nobody uses. */
    readyDataDir: string;
  }
}

/** Keeps a copy of a data directory whose server is stopped. @returns the copy; each copy of it chooses a port of its own */
export async function keepReady(dataDir: string, directory: string): Promise<string> {
  const ready = path.join(directory, 'ready');
  await copy(dataDir, ready);
  await rm(path.join(ready, 'postgres', 'port'));
  return ready;
}

/** Makes `dataDir` one in which the first start has been. */
export function copyReady(dataDir: string): Promise<void> {
  return copy(inject('readyDataDir'), dataDir);
}

/** With owners and modes, which Postgres insists on; `fs.cp` keeps no owners. */
async function copy(from: string, to: string): Promise<void> {
  await mkdir(path.dirname(to), { recursive: true });
  await promisify(execFile)('cp', ['-a', from, to]);
}
