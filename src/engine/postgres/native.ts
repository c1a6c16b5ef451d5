import { createHash, randomUUID } from 'node:crypto';
import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

const links = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Makes the links among the libraries of the platform package. npm cannot pack links, so the package lists
 * them for a script of its own, which is not run where scripts of dependencies are off.
 */
export async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const root = path.dirname(native);
  for (const { source, target } of links.parse(JSON.parse(list))) {
    const link = path.join(root, target);
    if (await isThere(link)) continue;
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
export async function copyNative(native: string, into: string): Promise<string> {
  const copy = path.join(into, `postgres-${await fingerprint(native)}`, 'native');
  if (await isThere(copy)) return copy;
  const partial = path.join(into, `.copying-${randomUUID()}`);
  await mkdir(partial, { recursive: true });
  try {
    await cp(native, path.join(partial, 'native'), { recursive: true, verbatimSymlinks: true });
    await linkLibraries(path.join(partial, 'native'));
    await openToAll(partial);
    await rename(partial, path.dirname(copy)).catch(async (error: unknown) => {
      if (!(await isThere(copy))) throw error;
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

function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
