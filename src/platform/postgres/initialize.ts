/** Creates the embedded database atomically. */

import { randomBytes } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Refused } from '../../model/errors.ts';
import { type Binaries, isPresent } from './binaries.ts';
import { type DataDirectory, giveTo, newSecrets } from './data-directory.ts';
import { isAlive } from './pid-file.ts';
import { INCLUDE } from './server.ts';
import { runProgram } from './account.ts';

/** Name of the superuser, used only to set up, start and stop the server. */
export const OWNER = 'strandline_owner';

/** The major version of the existing database; undefined if there is none. */
export async function databaseMajor(home: DataDirectory): Promise<number | undefined> {
  const text = await readFile(path.join(home.data, 'PG_VERSION'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : Number.parseInt(text, 10);
}

/**
 * Creates the database and its passwords under a temporary name, then renames them: a killed process leaves nothing that
 * looks like a database, and of two concurrent ones the second uses the result of the first.
 */
export async function initialize(
  home: DataDirectory,
  binaries: Binaries,
  onStarting?: () => void,
): Promise<void> {
  await removeAbandoned(home);
  const directory = `${home.directory}.new-${process.pid}-${randomBytes(4).toString('hex')}`;
  const data = path.join(directory, 'data');
  const password = path.join(directory, 'password');
  const secrets = newSecrets();
  try {
    await mkdir(directory, { mode: 0o700 });
    await giveTo(home.account, directory);
    for (const [file, text] of [
      [password, secrets.owner],
      [path.join(directory, path.basename(home.secrets)), `${JSON.stringify(secrets, null, 2)}\n`],
    ] as const) {
      await writeFile(file, text, { mode: 0o600, flag: 'wx', flush: true });
      await giveTo(home.account, file);
    }
    const { code, output } = await runProgram(
      path.join(binaries.directory, 'initdb'),
      [
        `--pgdata=${data}`,
        `--username=${OWNER}`,
        `--pwfile=${password}`,
        '--auth=scram-sha-256',
        '--locale=C',
        '--encoding=UTF8',
        '--data-checksums',
      ],
      { account: home.account, onStarted: onStarting },
    );
    if (code !== 0)
      throw new Refused('unavailable', `Could not create the database: ${readLastLine(output)}`);
    await rm(password);
    await appendFile(path.join(data, 'postgresql.conf'), INCLUDE, { flush: true });
    await moveIntoPlace(directory, home);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function moveIntoPlace(directory: string, home: DataDirectory): Promise<void> {
  try {
    await rename(directory, home.directory);
  } catch (error) {
    if ((await databaseMajor(home)) !== undefined) return; // Another process was faster.
    if (await isPresent(home.directory))
      throw new Refused('conflict', `${home.directory} exists but contains no database. Move it away.`);
    throw error;
  }
}

/** Removes databases that killed processes left unfinished. */
async function removeAbandoned(home: DataDirectory): Promise<void> {
  const parent = path.dirname(home.directory);
  const prefix = `${path.basename(home.directory)}.new-`;
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue;
    const maker = Number.parseInt(name.slice(prefix.length), 10);
    if (isAlive(maker)) continue;
    // The initdb of a killed process may still be running; whatever cannot be removed now is removed next time.
    await rm(path.join(parent, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
  }
}

function readLastLine(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  return lines.find((line) => /error|fatal/i.test(line)) ?? lines.at(-1) ?? 'no output';
}
