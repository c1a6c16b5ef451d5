/** Where an export goes: a folder or a file, which appears only once it is complete. */

import { InvalidInput, readErrorCode, Refused } from '../../model/errors.ts';
import { createHash, randomBytes } from 'node:crypto';
import { lstat, mkdir, open, readlink, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';

/** A complete file under a temporary name, to be renamed or discarded. */
export type PendingFile = {
  target: string;
  bytes: number;
  /** SHA-256 of the bytes, in hexadecimal. */
  sha256: string;
  /** Renames it to the target, replacing an existing file. */
  place(): Promise<void>;
  discard(): Promise<void>;
};

/** Readable by the owner only: exports contain what people wrote. */
const FILE_MODE = 0o600;

/**
 * Writes a temporary file in the folder of the target; a failure leaves nothing behind.
 * @throws Refused `conflict` if the folder or the disk does not allow it
 */
export async function writePendingFile(
  target: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<PendingFile> {
  const name = `.${path.basename(target)}.${randomBytes(6).toString('hex')}.partial`;
  const file = path.join(path.dirname(target), name);
  const discard = () => rm(file, { force: true });
  const hash = createHash('sha256');
  let bytes = 0;
  // Exclusive, so that an existing symbolic link is not followed.
  const handle = await open(file, 'wx', FILE_MODE).catch((error: unknown) => {
    throw toRefusal(error, target);
  });
  try {
    try {
      for await (const piece of pieces) {
        hash.update(piece);
        bytes += piece.length;
        await handle.writeFile(piece);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    await discard();
    throw toRefusal(error, target);
  }
  return {
    target,
    bytes,
    sha256: hash.digest('hex'),
    place: () =>
      rename(file, target).catch((error: unknown) => {
        throw toRefusal(error, target);
      }),
    discard,
  };
}

/** Errors of writes, which name no file. */
const DISK_ERRORS = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO']);

/** Turns file system errors into refusals. */
function toRefusal(error: unknown, target: string): unknown {
  const code = readErrorCode(error) ?? '';
  const isOfFiles = error instanceof Error && 'syscall' in error && 'path' in error;
  if (!isOfFiles && !DISK_ERRORS.has(code)) return error;
  // The file is new, so only its folder can be missing.
  if (code === 'ENOENT') return new Refused('conflict', `the folder ${path.dirname(target)} does not exist`);
  return new Refused('conflict', `${target} cannot be written (${code}); existing files are unchanged`);
}

/** Where files go: a folder, with default names, or one file. */
export type ExportTarget = { folder: string; file: string | undefined };

/**
 * A path is a folder if it ends in a slash, exists as one, or must be one. Creates missing folders.
 * @throws InvalidInput for a symbolic link or a special file, which would be replaced instead of written to
 */
export async function openTarget(out: string, mustBeFolder: boolean): Promise<ExportTarget> {
  const bare = out.replace(/[/\\]$/, '');
  const there = await stat(bare).catch(() => undefined);
  const leadsTo = await readlink(bare).catch(() => undefined);
  if (leadsTo !== undefined && there?.isDirectory() !== true) {
    const problem = there === undefined ? ', which does not exist' : '; name that file itself';
    const expected = `a file or folder: this is a symbolic link to ${leadsTo}${problem}`;
    throw new InvalidInput([{ path: 'out', given: out, expected }]);
  }
  const isFolder = there?.isDirectory() === true || mustBeFolder || /[/\\]$/.test(out);
  if (isFolder) {
    await mkdir(out, { recursive: true }).catch((error: unknown) => {
      const code = readErrorCode(error) ?? String(error);
      throw new Refused('conflict', `the folder ${out} cannot be created (${code})`);
    });
    return { folder: out, file: undefined };
  }
  const itself = await lstat(out).catch(() => undefined);
  if (itself !== undefined && !itself.isFile())
    throw new InvalidInput([
      { path: 'out', given: out, expected: 'a regular file, a folder, or a new name' },
    ]);
  return { folder: path.dirname(out), file: path.basename(out) };
}
