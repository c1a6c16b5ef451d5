/** The account that runs Postgres, and running a program as it. */

import { Refused } from '../../model/errors.ts';
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** Whether this process is root; always false on Windows. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * The account that runs Postgres; undefined is the current one. Postgres refuses to run as root, so root runs it as an
 * existing user `postgres` or `nobody`; users are never created.
 */
export async function findAccount(): Promise<Account | undefined> {
  if (!isRoot()) return undefined;
  const accounts = await readAccounts();
  const unprivileged =
    accounts.find((account) => account.name === 'postgres') ??
    accounts.find((account) => account.name === 'nobody');
  if (unprivileged !== undefined) return unprivileged;
  throw new Refused(
    'unavailable',
    'Postgres cannot run as root, and this machine has no user "postgres" or "nobody". ' +
      'Start strandline as another user, or set DATABASE_URL to your own Postgres.',
  );
}

/** The account with this uid, even without an entry in /etc/passwd (as in many containers). */
export async function accountOf(uid: number, gid: number): Promise<Account> {
  const entry = (await readAccounts()).find((account) => account.uid === uid);
  return entry ?? { uid, gid, name: `uid ${uid}` };
}

/**
 * Whether the account can enter a folder, tested as that account: modes and ACLs of the folder and all its parents matter,
 * and only the kernel evaluates them reliably.
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
    .filter(
      (account) =>
        Number.isSafeInteger(account.uid) && Number.isSafeInteger(account.gid) && account.uid !== 0,
    );
}

/** Another user account that a program runs as. */
export type Account = Readonly<{ uid: number; gid: number; name: string }>;

/** How a program ended: its exit code (null: not started, or ended by a signal) and its output. */
export type Ended = Readonly<{ code: number | null; output: string }>;

/**
 * Runs a program until it exits, with a clean environment (ours may contain secrets, and a server's environment stays
 * visible) and in its own session, so that Ctrl-C does not reach it. Never throws: a missing program ends with code null.
 */
export function runProgram(
  file: string,
  args: readonly string[],
  more: {
    account?: Account | undefined;
    inheritEnvironment?: boolean;
    /** Called when the program was started. */
    onStarted?: (() => void) | undefined;
  } = {},
): Promise<Ended> {
  const { account, inheritEnvironment, onStarted } = more;
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(file, args, {
      // A folder that every account can enter: Postgres programs read their current directory.
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
    onStarted?.();
  });
}

/** Windows adds the variables it needs; other systems need a PATH for the shell. */
const ENVIRONMENT: Readonly<Record<string, string>> =
  process.platform === 'win32'
    ? { LC_ALL: 'C', TZ: 'UTC' }
    : { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
