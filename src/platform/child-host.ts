/**
 * Runs work on outside data in a child process with bounded memory and time, so that none of it can block or crash this
 * process. The child's main loop is `serveOrders` in `child-frames.ts`.
 */

import { Refused } from '../model/errors.ts';
import { cleanLine } from '../lib/text.ts';
import { MINUTE, SECOND } from '../lib/time.ts';
import { type ChildOrder, type ChildReply, readFrames, writeFrame } from './child-frames.ts';
import { monotonicMs } from './clock.ts';
import type { Logger } from './logger.ts';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

export type ChildKind = {
  /** In sentences: `the SQL process`. */
  name: string;
  /** Its work, in sentences: `the statement`. */
  work: string;
  /** Logged when it ends unexpectedly. */
  endedEvent: string;
  /** What to do if its memory does not suffice: `ask for fewer columns or rows`. */
  advice: string;
  maxHeapMb: number;
  /** Maximum body of a reply, in bytes. */
  maxReplyBytes: number;
  /** An order without a reply for this long, in milliseconds, ends the child. */
  maxReplyMs: number;
};

export type ChildOptions = {
  /** Entry file, in a folder of `src`: TypeScript when running from source. */
  program: URL;
  /** Its complete environment. */
  env: Readonly<Record<string, string>>;
  log: Logger;
};

/** An order to a child: members of its head, and bytes. `signal` cancels it; `maxReplyMs` replaces that of the kind. */
type ChildWork = { order: object; body?: Uint8Array; signal: AbortSignal; maxReplyMs?: number };

/** `ending` is what the child's handler returned. */
type ChildResult = { ending: unknown; body: Buffer };

export type ChildHost = {
  /**
   * Runs one order; settles when the child has replied.
   * @throws Refused `unavailable` with the reason, if the child cannot start, ended or was killed
   */
  ask(work: ChildWork): Promise<ChildResult>;
  /** Starts the child, so that the first order does not wait for that. */
  prepare(): void;
  /** Ends the child and its orders. */
  close(): Promise<void>;
};

const STOP_WHEN_IDLE_MS = 5 * MINUTE;
const RESTART_DELAY_MS = SECOND;

/**
 * Starts the child with the first order, at most once a second, and stops it after minutes without orders.
 * @param limits in milliseconds; `maxReplyMs` and `idleMs` are set in tests
 */
export function openChildHost(
  kind: ChildKind,
  options: ChildOptions,
  limits: { maxReplyMs?: number; idleMs?: number; restartMs?: number } = {},
): ChildHost {
  const { maxReplyMs = kind.maxReplyMs, idleMs = STOP_WHEN_IDLE_MS, restartMs = RESTART_DELAY_MS } = limits;
  let current: RunningChild | undefined;
  let startedAt = -Infinity;
  let ended = '';
  let pending = 0;
  let idle: NodeJS.Timeout | undefined;
  let closed = false;

  function start(): RunningChild {
    if (closed) throw new Refused('unavailable', SERVER_CLOSING);
    if (monotonicMs() - startedAt < restartMs)
      throw new Refused('unavailable', `${ended}; try again in a second`);
    startedAt = monotonicMs();
    const started = startChild(kind, options);
    void forget(started);
    return started;
  }

  async function forget(started: RunningChild): Promise<void> {
    ended = await started.over;
    if (current === started) current = undefined;
  }

  function stopWhenIdle(): void {
    idle = setTimeout(() => {
      current?.release();
      current = undefined;
    }, idleMs).unref();
  }

  return {
    prepare: () => {
      if (closed || current !== undefined) return;
      current = start();
      stopWhenIdle();
    },
    ask: async (work) => {
      clearTimeout(idle);
      const running = (current ??= start());
      const limitMs = work.maxReplyMs ?? maxReplyMs;
      const overdue = setTimeout(
        () => running.kill(`${kind.work} did not end within ${limitMs / SECOND} s; its process was killed`),
        limitMs,
      ).unref();
      pending += 1;
      try {
        return await running.ask(work);
      } finally {
        clearTimeout(overdue);
        pending -= 1;
        if (pending === 0) stopWhenIdle();
      }
    },
    close: async () => {
      closed = true;
      clearTimeout(idle);
      current?.kill(SERVER_CLOSING);
      await current?.over;
    },
  };
}

type RunningChild = {
  /** @throws like {@link ChildHost.ask}; after the process ended, `unavailable` with the reason */
  ask(work: ChildWork): Promise<ChildResult>;
  /** Kills it; open orders fail with this reason. */
  kill(reason: string): void;
  /** Lets it exit after its current orders. */
  release(): void;
  /** Resolves when it has ended, with the reason. */
  over: Promise<string>;
};

/** Only the end of stderr is kept. */
const MAX_STDERR_LENGTH = 4_000;

function startChild(kind: ChildKind, { program, env, log }: ChildOptions): RunningChild {
  const { name, maxHeapMb, maxReplyBytes, endedEvent } = kind;
  const child = spawn(process.execPath, [`--max-old-space-size=${maxHeapMb}`, ...runsProgram(program)], {
    env: { ...env, ...fromSource(program) },
    stdio: 'pipe',
  });
  const waiting = new Map<
    number,
    { resolve: (result: ChildResult) => void; reject: (error: Error) => void }
  >();
  let lastId = 0;
  let stderr = '';
  /** Why we killed it; and why it ended. */
  let killedFor: string | undefined;
  let endReason: string | undefined;

  const send = (order: ChildOrder, body?: Uint8Array) => void child.stdin.write(writeFrame(order, body));
  const kill = (reason: string) => {
    killedFor ??= reason;
    child.kill('SIGKILL');
  };
  const over = new Promise<string>((resolve) => {
    child.once('close', (code, signal) =>
      resolve(killedFor ?? describeExit(kind, stderr, signal ?? `code ${code}`)),
    );
    // A process that never started emits no close event.
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (child.pid === undefined) resolve(`${name} did not start: ${error.code ?? 'unknown error'}`);
    });
  }).then((reason) => {
    endReason = reason;
    if (reason !== SERVER_CLOSING) log.warn({ reason, stderr: cleanLine(stderr) }, endedEvent);
    for (const call of waiting.values()) call.reject(new Refused('unavailable', reason));
    waiting.clear();
    return reason;
  });

  child.stderr.on('data', (chunk: Buffer) => {
    stderr = `${stderr}${chunk.toString()}`.slice(-MAX_STDERR_LENGTH);
  });
  // A process that cannot be written to is about to close.
  child.stdin.on('error', () => {});
  const read = readFrames((head, body) => {
    const { orderId, ending } = head as ChildReply; // our own program sends nothing else
    waiting.get(orderId)?.resolve({ ending, body });
    waiting.delete(orderId);
  }, maxReplyBytes);
  child.stdout.on('data', (chunk: Buffer) => {
    try {
      read(chunk);
    } catch {
      kill(`${name} returned an invalid response`);
    }
  });

  return {
    ask: ({ order, body, signal }) => {
      if (endReason !== undefined) return Promise.reject(new Refused('unavailable', endReason));
      const orderId = (lastId += 1);
      const cancel = () => send({ cancel: orderId });
      signal.addEventListener('abort', cancel);
      return new Promise<ChildResult>((resolve, reject) => {
        waiting.set(orderId, { resolve, reject });
        send({ start: orderId, ...order }, body);
        if (signal.aborted) cancel();
      }).finally(() => signal.removeEventListener('abort', cancel));
    },
    kill,
    release: () => {
      killedFor ??= SERVER_CLOSING;
      child.stdin.end();
    },
    over,
  };
}

/** Reason for a normal end: idle, or server shutdown, with orders still waiting. */
const SERVER_CLOSING = 'the server is closing';

function runsProgram(program: URL): string[] {
  const file = fileURLToPath(program);
  if (!isSource(program)) return [file];
  return ['--import', pathToFileURL(createRequire(program).resolve('tsx')).href, file];
}

/** By default, tsx reads its settings from the current directory. */
function fromSource(program: URL): Record<string, string> {
  if (!isSource(program)) return {};
  return { TSX_TSCONFIG_PATH: fileURLToPath(new URL('../../tsconfig.json', program)) };
}

function isSource({ pathname }: URL): boolean {
  return pathname.endsWith('.ts');
}

/** @param how the signal or the exit code */
function describeExit({ name, advice }: ChildKind, stderr: string, how: string): string {
  return /heap out of memory|heap limit/.test(stderr)
    ? `${name} ran out of memory; ${advice}`
    : `${name} ended (${how}); see the log`;
}
