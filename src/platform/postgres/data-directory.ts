/** The folder of the embedded Postgres: its location, owner and passwords. */

import { readErrorCode, Refused } from '../../model/errors.ts';
import { type Account, accountOf, canEnter, findAccount, isRoot } from './account.ts';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  access,
  chmod,
  chown,
  constants,
  mkdir,
  readFile,
  realpath,
  rename,
  stat,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

/** The files of an embedded Postgres, and the account that runs it. All paths are absolute. */
export type DataDirectory = Readonly<{
  /** Mode 0700; contains all other files. */
  directory: string;
  /** The Postgres data directory. */
  data: string;
  /** Passwords, mode 0600. */
  secrets: string;
  /** File with the saved port. */
  port: string;
  /** Output of the server before it opens its log. */
  startLog: string;
  /** Undefined: the current user. */
  account: Account | undefined;
}>;

/** Where root stores files that an unprivileged account must access. */
export const SHARED_DIRECTORY = '/var/lib/strandline';

/** File with the path of a home outside the data directory. */
const POINTER = 'postgres.path';

/** Node reports ENOENT for a directory that it cannot create on a read-only file system: its parent knows better. */
async function findRefusal(directory: string, error: unknown): Promise<unknown> {
  if (readErrorCode(error) !== 'ENOENT') return error;
  const parent = path.dirname(directory);
  const refused: unknown = await access(parent, constants.W_OK | constants.X_OK).then(
    () => error,
    (reason: unknown) => reason,
  );
  return parent === directory ? error : findRefusal(parent, refused);
}

const REFUSALS: Readonly<Record<string, string>> = {
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOSPC: 'the disk is full',
};

function describeRefusal(error: unknown): string {
  const code = readErrorCode(error) ?? String(error);
  const words = REFUSALS[code];
  return words === undefined ? code : `${words}, ${code}`;
}

/**
 * Finds or chooses the home of the embedded Postgres. It is inside the data directory, unless we are root and the account
 * that runs Postgres cannot enter it (a checkout under a home of mode 0700). Then it is outside, a file in the data
 * directory contains its path, and a note informs the user.
 * @throws Refused if the directory is not writable, or has a database inside that the account can no longer enter
 */
export async function findDataDirectory(
  dataDir: string,
  sharedDirectory: string,
): Promise<{ home: DataDirectory; notes: string[] }> {
  // 0711 as root, so that the account can traverse it; everything inside has a restrictive mode.
  await makeDirectory(dataDir, isRoot() ? 0o711 : 0o700)
    .then(() => access(dataDir, constants.W_OK | constants.X_OK))
    .catch(async (error: unknown) => {
      const why = describeRefusal(await findRefusal(dataDir, error));
      throw new Refused(
        'unavailable',
        `The data directory ${dataDir} is not writable (${why}). Set another in STRANDLINE_DATA_DIR.`,
      );
    });
  const inside = path.join(dataDir, 'postgres');
  const pointed = await readFile(path.join(dataDir, POINTER), 'utf8').catch(() => undefined);
  const known = pointed?.trim() ?? inside;
  const account = (await ownerOf(path.join(known, 'data'))) ?? (await findAccount());
  if (pointed !== undefined || account === undefined || (await canEnter(account, dataDir)))
    return { home: layOut(known, account), notes: [] };
  // An empty database elsewhere would look like the loss of this one.
  if ((await ownerOf(path.join(inside, 'data'))) !== undefined)
    throw new Refused(
      'unavailable',
      `The database is in ${inside}, but Postgres runs as the user ${account.name}, which cannot access ${dataDir}. ` +
        'Allow it to enter each folder above: chmod o+x FOLDER',
    );

  const name = createHash('sha256')
    .update(await realpath(dataDir))
    .digest('hex')
    .slice(0, 16);
  const outside = path.join(sharedDirectory, name);
  const kept = await stat(outside).then(
    () => ' It exists from an earlier start.',
    () => '',
  );
  await makeDirectory(sharedDirectory, 0o711);
  await writeFile(path.join(dataDir, POINTER), `${outside}\n`, { mode: 0o600 });
  const owner = (await ownerOf(path.join(outside, 'data'))) ?? account;
  return {
    home: layOut(outside, owner),
    notes: [
      `Postgres runs as the user ${owner.name}, which cannot access ${dataDir}. ` +
        `The database is in ${outside} instead.${kept}`,
    ],
  };
}

/** Creates a folder with this mode, whatever the umask; an existing one is unchanged. */
async function makeDirectory(directory: string, mode: number): Promise<void> {
  const made = await mkdir(directory, { recursive: true, mode });
  if (made !== undefined) await chmod(directory, mode);
}

function layOut(directory: string, account: Account | undefined): DataDirectory {
  // pg_ctl passes these paths to a shell in double quotes.
  if (process.platform !== 'win32' && /["$`\\\n]/.test(directory))
    throw new Refused('conflict', `The path must not contain ", $, \`, \\\\ or a line break: ${directory}`);
  return {
    directory,
    data: path.join(directory, 'data'),
    secrets: path.join(directory, 'secrets.json'),
    port: path.join(directory, 'port'),
    startLog: path.join(directory, 'start.log'),
    account,
  };
}

/**
 * The owner of an existing database; undefined if there is none, or if we own it.
 * @throws Refused if only another user could start it
 */
async function ownerOf(data: string): Promise<Account | undefined> {
  const directory = await stat(data).catch(() => undefined);
  const self = process.getuid?.();
  if (directory === undefined || self === undefined || (directory.uid === self && self !== 0))
    return undefined;
  const owner = await accountOf(directory.uid, directory.gid);
  if (self === 0 && directory.uid !== 0) return owner;
  throw new Refused(
    'conflict',
    `${data} belongs to the user ${directory.uid === 0 ? 'root' : owner.name}; ` +
      'start strandline as that user, or set another STRANDLINE_DATA_DIR.',
  );
}

const secrets = z.object({
  owner: z.string(),
  app: z.string(),
  reader: z.string(),
  /** Missing in a directory from before there was a sandbox; {@link completeSecrets} adds them. */
  sandbox: z.string().default(''),
  sandboxReader: z.string().default(''),
});

/** Passwords of the superuser, and of the owner and the reader of each database. */
export type Secrets = z.infer<typeof secrets>;

/** New passwords of 32 random bytes, URL-safe. */
export function newSecrets(): Secrets {
  return {
    owner: newPassword(),
    app: newPassword(),
    reader: newPassword(),
    sandbox: newPassword(),
    sandboxReader: newPassword(),
  };
}

function newPassword(): string {
  return randomBytes(32).toString('base64url');
}

/** The passwords as they are now: another process may have rotated the reader's. Synchronous, because the file has three lines. */
export function readSecrets(home: DataDirectory): Secrets {
  try {
    return secrets.parse(JSON.parse(readFileSync(home.secrets, 'utf8')));
  } catch (cause) {
    const code = readErrorCode(cause);
    throw new Refused(
      'unavailable',
      `Cannot read ${home.secrets}, which has the passwords of the database in ${home.directory}` +
        (code === undefined ? '.' : ` (${code}).`),
    );
  }
}

/** Adds missing passwords to the file. @returns all current passwords */
export async function completeSecrets(home: DataDirectory): Promise<Secrets> {
  const stored = readSecrets(home);
  if (stored.sandbox !== '' && stored.sandboxReader !== '') return stored;
  return writeSecrets(home, { ...stored, sandbox: newPassword(), sandboxReader: newPassword() });
}

/** Writes a new password of a reader to the file. @returns the password */
export async function replaceReaderPassword(
  home: DataDirectory,
  reader: 'reader' | 'sandboxReader',
): Promise<string> {
  const password = newPassword();
  await writeSecrets(home, { ...readSecrets(home), [reader]: password });
  return password;
}

/** Replaces the file atomically. */
async function writeSecrets(home: DataDirectory, replaced: Secrets): Promise<Secrets> {
  const file = `${home.secrets}.new-${process.pid}`;
  await writeFile(file, `${JSON.stringify(replaced, null, 2)}\n`, { mode: 0o600, flush: true });
  await giveTo(home.account, file);
  await rename(file, home.secrets);
  return replaced;
}

/** The port of the last start; undefined if there was none. */
export async function readKeptPort(home: DataDirectory): Promise<number | undefined> {
  const port = Number((await readFile(home.port, 'utf8').catch(() => '')).trim());
  return Number.isSafeInteger(port) && port > 0 && port <= 65_535 ? port : undefined;
}

/** Gives a file or folder to the account that runs Postgres, if that is not the current user. */
export async function giveTo(account: Account | undefined, file: string): Promise<void> {
  if (account !== undefined) await chown(file, account.uid, account.gid);
}
