import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { chown, open, readFile, rename } from 'node:fs/promises';
import { z } from 'zod';
import { Refused } from '../../errors.ts';
import type { Home } from './home.ts';
import type { Account } from './program.ts';

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

export async function readSecrets(home: Home): Promise<Secrets> {
  try {
    return secrets.parse(JSON.parse(await readFile(home.secrets, 'utf8')));
  } catch (cause) {
    throw unreadable(home, cause);
  }
}

/** The reader's password as it is now: another process may have rotated it. A file of three lines, read at once. */
export function readerPassword(home: Home): string {
  try {
    return secrets.parse(JSON.parse(readFileSync(home.secrets, 'utf8'))).reader;
  } catch (cause) {
    throw unreadable(home, cause);
  }
}

function unreadable(home: Home, cause: unknown): Refused {
  return new Refused(
    'unavailable',
    `${home.secrets} cannot be read, and without it the database in ${home.directory} cannot be opened` +
      (cause instanceof Error && 'code' in cause ? ` (${String(cause.code)}).` : '.'),
  );
}

/** Gives the reader a new password in the file, which is replaced in one step. @returns all of them as they are now */
export async function replaceReaderPassword(home: Home): Promise<Secrets> {
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
