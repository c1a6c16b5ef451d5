import { InvalidInput, readErrorCode } from '../model/errors.ts';
import { closeSync, openSync, readSync } from 'node:fs';

/** Larger than any key, URL or list of names. */
const MAX_BYTES = 1_000_000;

/** What is expected instead, by the code of an error. */
const EXPECTED: Readonly<Record<string, string>> = {
  EFBIG: 'a file of at most one megabyte (EFBIG)',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'text in UTF-8',
};

/**
 * Reads a small file written by a person, or a pipe.
 * @param path the variable or option that names the file
 * @throws InvalidInput if it cannot be read, is longer than a megabyte, such as an endless device, or is not UTF-8
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
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, length));
    } finally {
      closeSync(opened);
    }
  } catch (error) {
    const code = readErrorCode(error) ?? 'unknown';
    const expected = EXPECTED[code] ?? `a file that can be read (${code})`;
    throw new InvalidInput([{ path, given: file, expected }]);
  }
}
