/**
 * Starts the program of this checkout, put together from exactly the files that are here: `npm ci` has done it, and if a file has
 * changed since then, it is put together anew, which takes about a second.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { findFolder, REPOSITORY } from './current-folder.js';

const MAIN = path.join(REPOSITORY, 'src/main.ts');

if (!existsSync(path.join(REPOSITORY, 'node_modules/tsx'))) {
  process.stderr.write('error: the packages are not installed; run: npm ci\n');
  process.exit(1);
}

const folder = findFolder();

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
      execFileSync(process.execPath, [path.join(REPOSITORY, 'scripts/build-current.js'), 'external'], {
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
