/** Processes for tests: workers, started, watched and stopped by their process id; and who works in a folder. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { vi } from 'vitest';
import type { Point } from './journey-points.ts';
import { programOf } from './programs.ts';
import type { Life, Order, Word } from './worker-process.ts';

export type WorkerProcess = {
  child: ChildProcess;
  ended: Promise<unknown>;
  /** What it logged, line by line as it came. */
  log: string[];
  /** Resolves when it has come to the point at which it waits. */
  paused: Promise<Point>;
  goOn(): void;
  /** Moves its wall clock, in milliseconds ahead of the machine's. */
  moveClock(ms: number): void;
  /** Whether it came to take work; one that ended before that was refused something. */
  began: boolean;
  /** In words, where it ended by itself while it was at work or drained, or did not stop; null where it was killed, ended in order, or lives. */
  fell(): string | null;
  /** Whether it is at work: neither dead nor stopped. */
  lives(): boolean;
  /** It has died or was stopped. */
  over: Promise<unknown>;
  /** Ends it in an orderly way, if it lives. Its process may serve another worker after that. */
  stop(): Promise<void>;
};

/** An orderly end: calls under way are aborted after twenty seconds. */
const STOP_MS = 60_000;

type Process = { child: ChildProcess; ended: Promise<unknown>; loaded: Promise<unknown>; log: string[] };

/** Processes that have loaded the program, and wait for a life. */
const spare: Process[] = [];

export type ProcessOptions = Omit<Life, 'env'> & {
  /** Options of node; such a process is made for this one life. */
  execArgv?: string[];
};

/** Starts a worker and waits until it takes work (or has died already, as one that is told to may). */
export async function startProcess(
  env: Record<string, string | undefined>,
  { execArgv, ...life }: ProcessOptions = {},
): Promise<WorkerProcess> {
  const process = execArgv === undefined ? takeSpare() : load(execArgv);
  const { child, ended } = process;
  await process.loaded;
  const log: string[] = [];
  process.log = log;
  const paused = hear(child, (word) => (typeof word === 'object' ? word.at : undefined));
  order(child, { begin: { ...life, env: definedOnly(env) } });
  const began = await Promise.race([
    hear(child, (word) => word === 'ready' || undefined),
    ended.then(() => false),
  ]);
  const lives = () => child.exitCode === null && child.signalCode === null;
  let atRest = false;
  let fell: string | null = null;
  child.once('exit', (exitCode, signalCode) => {
    const asked = exitCode === 0 || signalCode === 'SIGKILL' || signalCode === 'SIGTERM';
    if (began && !atRest && !asked) fell = `worker ${child.pid} ended by itself: ${signalCode ?? exitCode}`;
  });
  const stop = async () => {
    if (!lives()) return;
    child.kill('SIGCONT');
    const resting = hear(child, (word) => word === 'resting' || undefined);
    order(child, 'rest');
    const rested = await Promise.race([
      resting,
      ended.then(() => true),
      wait(STOP_MS, false, { ref: false }),
    ]);
    if (!rested) {
      fell = `worker ${child.pid} did not stop within ${STOP_MS / 1_000} s`;
      child.kill('SIGKILL');
      await ended;
    }
    child.removeAllListeners('message');
    if (!lives()) return;
    atRest = true;
    if (execArgv === undefined) spare.push(process);
    else child.kill('SIGTERM');
  };
  let stopped: Promise<void> | undefined;
  let leave = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  return {
    child,
    ended,
    log,
    began,
    fell: () => fell,
    paused,
    goOn: () => order(child, 'go on'),
    moveClock: (ms) => order(child, { clockMs: ms }),
    lives: () => lives() && stopped === undefined,
    over: Promise.race([ended, left]),
    stop: () => (stopped ??= stop().then(leave)),
  };
}

/** Loads the program ahead of time, so that the next worker begins at once. */
export function prepareProcess(): void {
  if (spare.length === 0) spare.push(load([]));
}

function takeSpare(): Process {
  for (let one = spare.shift(); one !== undefined; one = spare.shift())
    if (one.child.exitCode === null && one.child.signalCode === null) return one;
  return load([]);
}

function load(execArgv: string[]): Process {
  const child = fork(programOf('test/worker-process.ts'), [], {
    execArgv,
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  });
  const ended = once(child, 'exit');
  const loaded = Promise.race([hear(child, (word) => word === 'loaded' || undefined), ended]);
  const one: Process = { child, ended, loaded, log: [] };
  if (child.stderr !== null)
    createInterface({ input: child.stderr }).on('line', (line) => void one.log.push(line));
  return one;
}

/** Waits for a word of the process that means something to `read`. */
function hear<T>(child: ChildProcess, read: (word: Word) => T | undefined): Promise<T> {
  return new Promise((resolve) => {
    const listen = (word: unknown) => {
      const heard = read(word as Word); // our own process says nothing else
      if (heard === undefined) return;
      child.off('message', listen);
      resolve(heard);
    };
    child.on('message', listen);
  });
}

function order(child: ChildProcess, given: Order): void {
  if (child.connected) child.send(given);
}

function definedOnly(env: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Asks again until it is so: waits for a condition, never for a time. @throws after `timeout` milliseconds */
export async function until<T>(
  what: string,
  ask: () => Promise<T | false | undefined>,
  timeout = 120_000,
): Promise<T> {
  return vi.waitFor(
    async () => {
      const answer = await ask();
      if (answer === false || answer === undefined) throw new Error(`waited in vain: ${what}`);
      return answer;
    },
    { timeout, interval: 100 },
  );
}

/** The processes of this machine that are so; undefined where there is no /proc. */
async function filterProcesses(isSo: (folder: string) => Promise<boolean>): Promise<number[] | undefined> {
  const all = (await readdir('/proc').catch(() => [])).map(Number).filter((pid) => pid > 0);
  const found = await Promise.all(all.map(async (pid) => ((await isSo(`/proc/${pid}`)) ? [pid] : [])));
  return all.length > 0 ? found.flat() : undefined;
}

/** Processes for statements that a process has started, by default this one; none where there is no /proc. */
export async function findStatementProcesses(of = process.pid): Promise<number[]> {
  const found = await filterProcesses(async (folder) => {
    const [stat, line] = await Promise.all(
      ['stat', 'cmdline'].map((file) => readFile(`${folder}/${file}`, 'utf8').catch(() => '')),
    );
    const parent = Number(stat?.slice(stat.lastIndexOf(')')).split(' ')[2]);
    return parent === of && line?.includes('reader-process') === true;
  });
  return found ?? [];
}

/** Processes whose current directory is this one or below it; undefined where there is no /proc. */
export async function findProcessesBelow(place: string): Promise<number[] | undefined> {
  return filterProcesses(async (folder) => {
    const works = await readlink(`${folder}/cwd`).catch(() => '');
    return `${works}/`.startsWith(`${place}/`);
  });
}
