import { spawn } from 'node:child_process';
import path from 'node:path';

/** Somebody else on this machine as whom a program is run; see account.ts. */
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
