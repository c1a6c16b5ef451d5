/** The folder of the embedded Postgres: where it is, whose it is, and the passwords in it. */

import { Refused } from '../../domain/errors.ts';
import { type Account, accountOf, canEnter, findAccount, isRoot } from './account.ts';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  access,
  chmod,
  chown,
  constants,
  mkdir,
  open,
  readFile,
  realpath,
  rename,
  stat,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

/** Where an embedded Postgres lives, and who runs it. All paths are absolute. */
export type DataDirectory = Readonly<{
  /** Mode 0700, holds all the rest. */
  directory: string;
  /** What Postgres calls its data directory. */
  data: string;
  /** Passwords, mode 0600. */
  secrets: string;
  /** The port that was chosen once. */
  port: string;
  /** What the server says before its own log is open. */
  startLog: string;
  /** undefined: ourselves. */
  account: Account | undefined;
}>;

/** Where root puts what an unprivileged account must be able to reach. */
export const SHARED_DIRECTORY = '/var/lib/strandline';

/** Holds the path of a home that could not be inside the data directory. */
const POINTER = 'postgres.path';

/**
 * Finds or chooses the home of the embedded Postgres for a data directory. It is inside, unless we are
 * root and the account that runs Postgres cannot get there (a checkout under a home of mode 0700): then it
 * is outside, a file in the data directory says where, and a note says it to a person.
 */
export async function findDataDirectory(
  dataDir: string,
  sharedDirectory: string,
): Promise<{ home: DataDirectory; notes: string[] }> {
  // 0711 as root: the account must be able to pass through; everything inside has its own, closed mode.
  await makeDirectory(dataDir, isRoot() ? 0o711 : 0o700)
    .then(() => access(dataDir, constants.W_OK | constants.X_OK))
    .catch((error: unknown) => {
      const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      throw new Refused(
        'unavailable',
        `The data directory ${dataDir} cannot be written to (${why}); name another in STRANDLINE_DATA_DIR.`,
      );
    });
  const inside = path.join(dataDir, 'postgres');
  const pointed = await readFile(path.join(dataDir, POINTER), 'utf8').catch(() => undefined);
  const known = pointed?.trim() ?? inside;
  const account = (await ownerOf(path.join(known, 'data'))) ?? (await findAccount());
  if (pointed !== undefined || account === undefined || (await canEnter(account, dataDir)))
    return { home: layOut(known, account), notes: [] };

  const outside = path.join(sharedDirectory, nameFor(await realpath(dataDir)));
  const kept = await stat(outside).then(
    () => ' It was there already, from an earlier start.',
    () => '',
  );
  await makeDirectory(sharedDirectory, 0o711);
  await writeFile(path.join(dataDir, POINTER), `${outside}\n`, { mode: 0o600 });
  const owner = (await ownerOf(path.join(outside, 'data'))) ?? account;
  return {
    home: layOut(outside, owner),
    notes: [
      `Postgres runs as the user ${owner.name}, who cannot enter ${dataDir}: ` +
        `the database is kept in ${outside} instead.${kept}`,
    ],
  };
}

/** Makes a folder with this mode whatever the umask is; one that is there keeps its own. */
async function makeDirectory(directory: string, mode: number): Promise<void> {
  const made = await mkdir(directory, { recursive: true, mode });
  if (made !== undefined) await chmod(directory, mode);
}

function layOut(directory: string, account: Account | undefined): DataDirectory {
  // pg_ctl hands these paths to a shell, in double quotes.
  if (process.platform !== 'win32' && /["$`\\\n]/.test(directory))
    throw new Refused('conflict', `Postgres cannot be kept in a folder with such a name: ${directory}`);
  return {
    directory,
    data: path.join(directory, 'data'),
    secrets: path.join(directory, 'secrets.json'),
    port: path.join(directory, 'port'),
    startLog: path.join(directory, 'start.log'),
    account,
  };
}

function nameFor(dataDir: string): string {
  return createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
}

/**
 * The account an existing database belongs to; undefined where there is none, or it is ours.
 * @throws Refused where only somebody else could start it
 */
async function ownerOf(data: string): Promise<Account | undefined> {
  const found = await stat(data).catch(() => undefined);
  const self = process.getuid?.();
  if (found === undefined || self === undefined || (found.uid === self && self !== 0)) return undefined;
  const owner = await accountOf(found.uid, found.gid);
  if (self === 0 && found.uid !== 0) return owner;
  throw new Refused(
    'conflict',
    `${data} belongs to the user ${found.uid === 0 ? 'root' : owner.name}; ` +
      'start strandline as the user who made it, or choose another STRANDLINE_DATA_DIR.',
  );
}

const secrets = z.object({ owner: z.string(), app: z.string(), reader: z.string() });

/** Passwords of the three roles: the superuser, the program, and who may only read views. */
export type Secrets = z.infer<typeof secrets>;

/** Three new passwords of 32 random bytes, in characters that need no escape in an address. */
export function newSecrets(): Secrets {
  return { owner: newPassword(), app: newPassword(), reader: newPassword() };
}

function newPassword(): string {
  return randomBytes(32).toString('base64url');
}

export async function readSecrets(home: DataDirectory): Promise<Secrets> {
  try {
    return secrets.parse(JSON.parse(await readFile(home.secrets, 'utf8')));
  } catch (cause) {
    throw unreadable(home, cause);
  }
}

/** The reader's password as it is now: another process may have rotated it. A file of three lines, read at once. */
export function readerPassword(home: DataDirectory): string {
  try {
    return secrets.parse(JSON.parse(readFileSync(home.secrets, 'utf8'))).reader;
  } catch (cause) {
    throw unreadable(home, cause);
  }
}

function unreadable(home: DataDirectory, cause: unknown): Refused {
  return new Refused(
    'unavailable',
    `${home.secrets} cannot be read, and without it the database in ${home.directory} cannot be opened` +
      (cause instanceof Error && 'code' in cause ? ` (${String(cause.code)}).` : '.'),
  );
}

/** Gives the reader a new password in the file, which is replaced in one step. @returns all of them as they are now */
export async function replaceReaderPassword(home: DataDirectory): Promise<Secrets> {
  const replaced = { ...(await readSecrets(home)), reader: newPassword() };
  const file = `${home.secrets}.new-${process.pid}`;
  const handle = await open(file, 'w', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(replaced, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await giveTo(home.account, file);
  await rename(file, home.secrets);
  return replaced;
}

/** Gives a file or folder to the account that runs Postgres, where that is not us. */
export async function giveTo(account: Account | undefined, file: string): Promise<void> {
  if (account !== undefined) await chown(file, account.uid, account.gid);
}
