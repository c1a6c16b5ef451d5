import { createHash, randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Refused } from '../../errors.ts';

/** A whole file, on disk under a name of its own, that takes its place in one step or was never there. */
export type Aside = {
  target: string;
  bytes: number;
  /** Of the bytes, in hexadecimal. */
  sha256: string;
  /** Replaces what stood there. */
  place(): Promise<void>;
  discard(): Promise<void>;
};

/** Readable and writable by who exports alone: what people wrote is theirs to pass on. */
const MODE = 0o600;

/**
 * Writes beside the target, in the same folder; a failure leaves nothing behind.
 * @throws Refused `conflict` where the folder or the disk does not allow it
 */
export async function writeAside(
  target: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Aside> {
  const name = `.${path.basename(target)}.${randomBytes(6).toString('hex')}.partial`;
  const file = path.join(path.dirname(target), name);
  const discard = () => rm(file, { force: true });
  const hash = createHash('sha256');
  let bytes = 0;
  // Exclusive: a link that somebody put there is not followed.
  const handle = await open(file, 'wx', MODE).catch((error: unknown) => {
    throw inWords(error, target);
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
    throw inWords(error, target);
  }
  return {
    target,
    bytes,
    sha256: hash.digest('hex'),
    place: () =>
      rename(file, target).catch((error: unknown) => {
        throw inWords(error, target);
      }),
    discard,
  };
}

/** Told by a write, which names no file. */
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO']);

/** What the file system says is for who named the file. */
function inWords(error: unknown, target: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const isOfFiles = error instanceof Error && 'syscall' in error && 'path' in error;
  if (!isOfFiles && !FULL.has(code)) return error;
  // What is written is new: only its folder can be missing.
  if (code === 'ENOENT') return new Refused('conflict', `the folder ${path.dirname(target)} does not exist`);
  return new Refused('conflict', `${target} cannot be written (${code}); what was there is still there`);
}
