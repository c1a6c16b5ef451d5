/** Worker processes for tests: started, watched, and ended by their process id. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { vi } from 'vitest';

const SCRIPT = new URL('./worker-process.ts', import.meta.url);

export type WorkerProcess = { child: ChildProcess; ended: Promise<unknown>; stop(): Promise<void> };

/** Starts a worker and waits until it takes work (or has died already, as one that is told to may). */
export async function startProcess(env: Record<string, string | undefined>): Promise<WorkerProcess> {
  const child = fork(SCRIPT, [], {
    execArgv: ['--import', 'tsx'],
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  await Promise.race([once(child, 'message'), ended]);
  return {
    child,
    ended,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Asks again until it is so: waits for a condition, never for a time. @throws after `timeout` milliseconds */
export async function until<T>(
  what: string,
  ask: () => Promise<T | false | undefined>,
  timeout = 30_000,
): Promise<T> {
  return vi.waitFor(
    async () => {
      const answer = await ask();
      if (answer === false || answer === undefined) throw new Error(`waited in vain: ${what}`);
      return answer;
    },
    { timeout, interval: 25 },
  );
}
