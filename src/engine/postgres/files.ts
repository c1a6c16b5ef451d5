import { randomBytes } from 'node:crypto';
import { chown, readFile } from 'node:fs/promises';
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
    throw new Refused(
      'unavailable',
      `${home.secrets} cannot be read, and without it the database in ${home.directory} cannot be opened` +
        (cause instanceof Error && 'code' in cause ? ` (${String(cause.code)}).` : '.'),
    );
  }
}

/** Gives a file or folder to the account that runs Postgres, where that is not us. */
export async function giveTo(account: Account | undefined, file: string): Promise<void> {
  if (account !== undefined) await chown(file, account.uid, account.gid);
}
