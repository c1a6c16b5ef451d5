import { InvalidInput } from '../domain/errors.ts';
import { closeSync, openSync, readSync } from 'node:fs';

/** No key, address or list of names is longer. */
const MAX_BYTES = 1_000_000;

/**
 * A file that a person wrote, or what comes through a pipe in its place.
 * @param path what names the file: a variable, an option
 * @throws InvalidInput where it cannot be read, or is longer than a megabyte, as a device that never ends is
 */
export function readSmallFile(file: string, path: string): string {
  try {
    const opened = openSync(file, 'r');
    try {
      const bytes = Buffer.alloc(MAX_BYTES + 1);
      let length = 0;
      for (let read = -1; read !== 0 && length < bytes.length; length += read)
        read = readSync(opened, bytes, length, bytes.length - length, null);
      if (length > MAX_BYTES) throw Object.assign(new Error('the file is too large'), { code: 'EFBIG' });
      return bytes.toString('utf8', 0, length);
    } finally {
      closeSync(opened);
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    const expected = code === 'EFBIG' ? 'a file of at most one megabyte' : 'a file that can be read';
    throw new InvalidInput([{ path, given: file, expected: `${expected} (${code})` }]);
  }
}
