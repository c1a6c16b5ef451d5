// @ts-check
/**
 * Puts the program of `npm start` together, in a folder that exists only once the program is whole. `npm ci` has time for `bundle`,
 * a start that finds changed files only for `external`.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findFolder } from './current-folder.js';
import { putTogether, PROGRAMS } from './put-together.js';

const packages = process.argv[2] === 'external' ? 'external' : 'bundle';
const folder = findFolder();
const all = path.dirname(folder);
await mkdir(all, { recursive: true });
const partial = await mkdtemp(path.join(all, 'new-'));
const use = path.join(partial, `used-by-${process.pid}`);
await writeFile(use, '');
await putTogether(PROGRAMS, partial, { placed: folder, packages });
await rm(use);
await rename(partial, folder).catch((error) => {
  // Another process was faster.
  if (!existsSync(folder)) throw error;
});

for (const name of await readdir(all)) {
  const other = path.join(all, name);
  // A running program loads parts of itself later.
  const users = (await readdir(other)).flatMap((file) => /^used-by-(\d+)$/.exec(file)?.[1] ?? []);
  if (other !== folder && !users.some((pid) => isRunning(Number(pid))))
    await rm(other, { recursive: true, force: true });
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Somebody else's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
