/** The account that runs Postgres, and running a program as it. */

import { Refused } from '../../domain/errors.ts';
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** Whether this process is root; always false where there is no such thing. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * As whom Postgres is run: undefined means as ourselves. Postgres refuses to run as root, so root runs it
 * as `postgres`, or else as `nobody`; both must exist already, a user is never created.
 */
export async function findAccount(): Promise<Account | undefined> {
  if (!isRoot()) return undefined;
  const accounts = await readAccounts();
  const found =
    accounts.find((one) => one.name === 'postgres') ?? accounts.find((one) => one.name === 'nobody');
  if (found !== undefined) return found;
  throw new Refused(
    'unavailable',
    'Postgres does not run as root, and there is no user "postgres" or "nobody" to run it as; ' +
      'start strandline as another user, or set DATABASE_URL to a Postgres of yours.',
  );
}

/** The account with this uid, also where no entry names it (as in many containers). */
export async function accountOf(uid: number, gid: number): Promise<Account> {
  const entry = (await readAccounts()).find((one) => one.uid === uid);
  return entry ?? { uid, gid, name: `uid ${uid}` };
}

/**
 * Whether the account can enter a folder, tried as that account: modes, ACLs and the modes of all the
 * parents decide together, and only the kernel adds them up rightly.
 */
export async function canEnter(account: Account, directory: string): Promise<boolean> {
  const { code } = await runProgram('/bin/sh', ['-c', 'cd -- "$1"', 'sh', directory], { account });
  return code === 0;
}

async function readAccounts(): Promise<Account[]> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '');
  return text
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 4)
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter((one) => Number.isSafeInteger(one.uid) && Number.isSafeInteger(one.gid) && one.uid !== 0);
}

/** Somebody else on this machine as whom a program is run. */
export type Account = Readonly<{ uid: number; gid: number; name: string }>;

/** How a program ended: its exit code (null: it could not be run, or a signal ended it) and what it said. */
export type Ended = Readonly<{ code: number | null; output: string }>;

/**
 * Runs a program to its end, with an environment of its own (ours may hold secrets, and what a server
 * inherits is visible for as long as it lives) and in a session of its own, so that Ctrl-C in our
 * terminal does not reach it. Never throws: a program that is not there ends with code null.
 */
export function runProgram(
  file: string,
  args: readonly string[],
  more: { account?: Account | undefined; inheritEnvironment?: boolean } = {},
): Promise<Ended> {
  const { account, inheritEnvironment } = more;
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(file, args, {
      // A folder that every account may enter: Postgres' programs ask for their current directory.
      cwd: path.parse(process.execPath).root,
      ...(inheritEnvironment === true ? {} : { env: ENVIRONMENT }),
      ...(account === undefined ? {} : { uid: account.uid, gid: account.gid }),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    const collect = (chunk: Buffer) => {
      if (output.length < 64_000) output += chunk.toString('utf8');
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (error) => resolve({ code: null, output: error.message }));
    child.once('close', (code) => resolve({ code, output: output.trim() }));
  });
}

/** Windows fills in what its programs need by itself; the others need a PATH for their shell. */
const ENVIRONMENT: Readonly<Record<string, string>> =
  process.platform === 'win32'
    ? { LC_ALL: 'C', TZ: 'UTC' }
    : { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
