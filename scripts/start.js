/**
 * Starts the program of this checkout, put together from exactly the files that are here: if one has changed, it is put together anew,
 * which takes about a second.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));
const MAIN = path.join(REPOSITORY, 'src/main.ts');

if (!existsSync(path.join(REPOSITORY, 'node_modules/tsx'))) {
  process.stderr.write('error: the packages are not installed; run: npm ci\n');
  process.exit(1);
}

// What `src` holds, and which packages npm installed.
const hash = createHash('sha256').update(REPOSITORY);
for (const part of ['src', 'scripts', 'package.json', 'tsconfig.json', 'node_modules/.package-lock.json']) {
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
const folder = path.join(REPOSITORY, 'node_modules/.cache/strandline', hash.digest('hex').slice(0, 16));

// For messages that say how this program is started.
process.argv[1] = MAIN;
if (prepare()) await import(pathToFileURL(path.join(folder, 'src/main.js')).href);
else {
  const { register } = await import('tsx/esm/api');
  register();
  await import(pathToFileURL(MAIN).href);
}

/** @returns false if nothing can be put together here: the files are loaded one by one */
function prepare() {
  const use = path.join(folder, `used-by-${process.pid}`);
  try {
    if (!existsSync(folder))
      execFileSync(process.execPath, [path.join(REPOSITORY, 'scripts/build-current.js'), folder], {
        cwd: REPOSITORY,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
    writeFileSync(use, '');
  } catch (error) {
    process.stderr.write(
      `The program starts slowly: it cannot be put together here (${error.message.trim()})\n`,
    );
    return false;
  }
  process.on('exit', () => rmSync(use, { force: true }));
  return true;
}
