/**
 * Runs visitors' statements in a child process. It receives, parses and renders the rows, so that no statement can block or
 * crash the server, and returns finished results.
 */

import { Refused } from '../../domain/errors.ts';
import { cleanLine } from '../../domain/text.ts';
import { MINUTE, SECOND } from '../../domain/time.ts';
import { monotonicMs } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { readErrorCode } from '../../platform/postgres/connect.ts';
import { MAX_STATEMENT_MS } from './ask-reader.ts';
import { type ReaderOrder, type ReaderReply, readFrames, type ResultForm, writeFrame } from './frames.ts';
import { MAX_RESULT_BYTES } from './reader-query.ts';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

export type ReaderHost = {
  /**
   * Runs one statement; settles when Postgres has finished it.
   * @throws Refused `conflict` about the statement, `unavailable` with the reason; database errors
   */
  ask(statement: VisitorStatement): Promise<FinishedStatement>;
  /** Ends the process and its statements. */
  close(): Promise<void>;
};

/** Time limit of a statement, plus connecting (up to ten seconds) and rendering of others. */
const MAX_SILENCE_MS = MAX_STATEMENT_MS + 15 * SECOND;
const STOP_WHEN_IDLE_MS = 5 * MINUTE;
const RESTART_DELAY_MS = SECOND;

/**
 * Starts the process with the first statement, at most once a second, and stops it after minutes without statements.
 * @param limits set in tests, in milliseconds
 */
export function openReaderHost(
  options: ProcessOptions,
  limits: { silentMs?: number; idleMs?: number; restartMs?: number } = {},
): ReaderHost {
  const { silentMs = MAX_SILENCE_MS, idleMs = STOP_WHEN_IDLE_MS, restartMs = RESTART_DELAY_MS } = limits;
  let current: ReaderProcess | undefined;
  let startedAt = -Infinity;
  let ended = '';
  let pending = 0;
  let idle: NodeJS.Timeout | undefined;
  let closed = false;

  function start(): ReaderProcess {
    if (closed) throw new Refused('unavailable', SERVER_CLOSING);
    if (monotonicMs() - startedAt < restartMs)
      throw new Refused('unavailable', `${ended}; try again in a second`);
    startedAt = monotonicMs();
    const started = startProcess(options);
    void forget(started);
    return started;
  }

  async function forget(started: ReaderProcess): Promise<void> {
    ended = await started.over;
    if (current === started) current = undefined;
  }

  return {
    ask: async (statement) => {
      clearTimeout(idle);
      const running = (current ??= start());
      const silent = setTimeout(
        () => running.kill(`the statement did not end within ${silentMs / SECOND} s; its process was killed`),
        silentMs,
      ).unref();
      pending += 1;
      try {
        return await running.ask(statement);
      } finally {
        clearTimeout(silent);
        pending -= 1;
        if (pending === 0)
          idle = setTimeout(() => {
            current?.release();
            current = undefined;
          }, idleMs).unref();
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

/** A finished result: UTF-8, of at most {@link MAX_RESULT_BYTES}. */
export type FinishedStatement = { body: Buffer; rows: number; more: boolean; durationMs: number };

/**
 * `url`: the reader's URL, sent through the pipe because arguments and environment are visible to other processes. `signal`
 * cancels the statement.
 */
export type VisitorStatement = { url: string; sql: string; form: ResultForm; signal: AbortSignal };

/** The child process, which runs `serve-statements.ts`. */
type ReaderProcess = {
  /** @throws like {@link ReaderHost.ask}; after the process ended, `unavailable` with the reason */
  ask(statement: VisitorStatement): Promise<FinishedStatement>;
  /** Kills it; open statements fail with this reason. */
  kill(reason: string): void;
  /** Lets it exit after its current statements. */
  release(): void;
  /** Resolves when it has ended, with the reason. */
  over: Promise<string>;
};

export type ProcessOptions = {
  /** Entry file: TypeScript when running from source. */
  program: URL;
  /** Its complete environment. */
  env: Readonly<Record<string, string>>;
  log: Logger;
};

/** Four results of 4 MB take up to 30 MB each when parsed; one at a time is rendered. */
const MAX_HEAP_MB = 256;
/** Only the end of stderr is kept. */
const MAX_STDERR_LENGTH = 4_000;

export function startProcess({ program, env, log }: ProcessOptions): ReaderProcess {
  const child = spawn(process.execPath, [`--max-old-space-size=${MAX_HEAP_MB}`, ...runsProgram(program)], {
    env: { ...env, ...fromSource(program) },
    stdio: 'pipe',
  });
  const waiting = new Map<
    number,
    { resolve: (found: FinishedStatement) => void; reject: (error: Error) => void }
  >();
  let lastId = 0;
  let stderr = '';
  /** Why we killed it; and why it ended. */
  let killedFor: string | undefined;
  let endReason: string | undefined;

  const send = (order: ReaderOrder) => void child.stdin.write(writeFrame(order));
  const kill = (reason: string) => {
    killedFor ??= reason;
    child.kill('SIGKILL');
  };
  const over = new Promise<string>((resolve) => {
    child.once('close', (code, signal) =>
      resolve(killedFor ?? describeExit(stderr, signal ?? `code ${code}`)),
    );
    // A process that never started emits no close event.
    child.once('error', (error) => {
      if (child.pid === undefined)
        resolve(`the SQL process did not start: ${readErrorCode(error) ?? 'unknown error'}`);
    });
  }).then((reason) => {
    endReason = reason;
    if (reason !== SERVER_CLOSING) log.warn({ reason, stderr: cleanLine(stderr) }, 'statement process ended');
    for (const one of waiting.values()) one.reject(new Refused('unavailable', reason));
    waiting.clear();
    return reason;
  });

  child.stderr.on('data', (chunk: Buffer) => {
    stderr = `${stderr}${chunk.toString()}`.slice(-MAX_STDERR_LENGTH);
  });
  // A process that cannot be written to is about to close.
  child.stdin.on('error', () => {});
  const read = readFrames((head, body) => {
    const answer = head as ReaderReply; // our own program sends nothing else
    const one = waiting.get(answer.statementId);
    waiting.delete(answer.statementId);
    try {
      one?.resolve(toFinished(answer, body));
    } catch (error) {
      one?.reject(error as Error); // toFinished throws nothing else
    }
  }, MAX_RESULT_BYTES);
  child.stdout.on('data', (chunk: Buffer) => {
    try {
      read(chunk);
    } catch {
      kill('the SQL process returned an invalid response');
    }
  });

  return {
    ask: ({ signal, ...statement }) => {
      if (endReason !== undefined) return Promise.reject(new Refused('unavailable', endReason));
      const statementId = (lastId += 1);
      const cancel = () => send({ cancel: statementId });
      signal.addEventListener('abort', cancel);
      return new Promise<FinishedStatement>((resolve, reject) => {
        waiting.set(statementId, { resolve, reject });
        send({ start: statementId, ...statement });
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

/** Reason for a normal end: idle, or server shutdown, with statements still waiting. */
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
function describeExit(stderr: string, how: string): string {
  return /heap out of memory|heap limit/.test(stderr)
    ? 'the SQL process ran out of memory; ask for fewer columns or rows'
    : `the SQL process ended (${how}); see the log`;
}

/** @throws Refused, or an error of the database */
function toFinished({ ending }: ReaderReply, body: Buffer): FinishedStatement {
  if (ending.kind === 'done') {
    const { rows, more, durationMs } = ending;
    return { body, rows, more, durationMs };
  }
  if (ending.kind !== 'failed') throw new Refused(ending.kind, ending.words);
  throw Object.assign(new Error(ending.words), ending.code === undefined ? {} : { code: ending.code });
}
