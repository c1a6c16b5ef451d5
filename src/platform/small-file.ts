import { closeSync, openSync, readSync } from 'node:fs';

/** No key, address or list of names is longer. */
const MAX_BYTES = 1_000_000;

/**
 * A file that a person wrote, or what comes through a pipe in its place.
 * @throws an error of the system; `EFBIG` where there is more than a megabyte of it, as in a device that never ends
 */
export function readSmallFile(path: string): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(MAX_BYTES + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(file, bytes, length, bytes.length - length, null);
    if (length > MAX_BYTES) throw Object.assign(new Error('the file is too large'), { code: 'EFBIG' });
    return bytes.toString('utf8', 0, length);
  } finally {
    closeSync(file);
  }
}
