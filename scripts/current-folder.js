// @ts-check
/** Where the program of `npm start` is put together, from exactly the files that are here. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));

/** What the program is made of: its files, and the packages that npm installed. */
const PARTS = ['src', 'scripts', 'package.json', 'tsconfig.json', 'node_modules/.package-lock.json'];

/** Another folder for every change of a file; it exists if the program has been put together. */
export function findFolder() {
  const hash = createHash('sha256').update(REPOSITORY);
  for (const part of PARTS) {
    const place = path.join(REPOSITORY, part);
    // Other package managers keep other notes.
    if (!existsSync(place)) continue;
    const files = statSync(place).isDirectory()
      ? readdirSync(place, { recursive: true, encoding: 'utf8' })
      : [''];
    for (const file of files.sort()) {
      const { size, mtimeMs, ctimeMs } = statSync(path.join(place, file));
      hash.update(`${part}/${file} ${size} ${mtimeMs} ${ctimeMs}\n`);
    }
  }
  return path.join(REPOSITORY, 'node_modules/.cache/strandline', hash.digest('hex').slice(0, 16));
}
