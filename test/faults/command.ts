/** A command as a shell starts it, until it ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { REPOSITORY } from '../house/sources.ts';
import { programOf } from '../programs.ts';

export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };

export type Running = { pid: number; kill(signal: NodeJS.Signals): void; ended: Promise<Ended> };

/** @param shell a line for bash, in which `strandline` is the command line of this checkout */
export function startShell(env: Readonly<Record<string, string>>, shell: string): Running {
  const program = `strandline() { "${process.execPath}" "${programOf('src/main.ts')}" "$@"; }; set -o pipefail; `;
  // Its own process group: a signal reaches everything that the line started.
  const child = spawn('bash', ['-c', `${program}${shell}`], {
    cwd: REPOSITORY,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const pid = child.pid;
  if (pid === undefined) throw new Error('bash could not be started');
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (bytes: Buffer) => {
    said.stdout += bytes.toString('utf8');
  });
  child.stderr.on('data', (bytes: Buffer) => {
    said.stderr += bytes.toString('utf8');
  });
  const ended = once(child, 'close').then(() => ({
    code: child.exitCode,
    signal: child.signalCode,
    ...said,
  }));
  return { pid, kill: (signal) => void process.kill(-pid, signal), ended };
}
