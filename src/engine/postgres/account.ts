import { readFile } from 'node:fs/promises';
import { Refused } from '../../errors.ts';
import { type Account, runProgram } from './program.ts';

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
