/** `strandline worker` as a person or a supervisor starts it: controlled by signals and observed by its log. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { REPOSITORY } from './house/sources.ts';
import { programOf } from './programs.ts';

export type WorkerCommand = {
  child: ChildProcess;
  pid: number;
  /** Lines of its log so far. */
  told: string[];
  /** Resolves once its log has a line like this. @throws where it ends before */
  says(line: RegExp): Promise<string>;
  /** How it ended. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  kill(signal: NodeJS.Signals): void;
};

/** Starts one without settings of this machine, except the PATH. */
export function startCommand(
  env: Readonly<Record<string, string | undefined>>,
  command = 'worker',
): WorkerCommand {
  const child = spawn(process.execPath, [programOf('src/main.ts'), command], {
    cwd: REPOSITORY,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const told: string[] = [];
  const waiting = new Set<(line: string) => void>();
  createInterface({ input: child.stderr }).on('line', (line) => {
    told.push(line);
    for (const hear of waiting) hear(line);
  });
  const ended = once(child, 'close').then(() => ({ code: child.exitCode, signal: child.signalCode }));
  return {
    child,
    pid: child.pid ?? 0,
    told,
    ended,
    says: async (wanted) => {
      const said = told.find((line) => wanted.test(line));
      if (said !== undefined) return said;
      const heard = new Promise<string>((resolve) => {
        const hear = (line: string) => {
          if (!wanted.test(line)) return;
          waiting.delete(hear);
          resolve(line);
        };
        waiting.add(hear);
      });
      const gone = ended.then((end): never => {
        throw new Error(`it ended (${JSON.stringify(end)}) before it said ${wanted}:\n${told.join('\n')}`);
      });
      return Promise.race([heard, gone]);
    },
    kill: (signal) => void child.kill(signal),
  };
}
