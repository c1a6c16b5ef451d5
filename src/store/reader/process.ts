/** The process for statements from outside: started, asked, ended. Its inside is serve.ts. */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { oneCleanLine } from '../../contract/text.ts';
import { codeOf } from '../../engine/postgres/connect.ts';
import type { Logger } from '../../engine/logger.ts';
import { Refused } from '../../errors.ts';
import { type Answer, type Form, frame, type Order, readFrames } from './frames.ts';
import { MAX_RESULT_BYTES } from './render.ts';

/** A finished result: UTF-8, of at most {@link MAX_RESULT_BYTES}. */
export type Finished = { body: Buffer; rows: number; more: boolean; durationMs: number };

/**
 * `url`: the reader's address; it goes by the pipe, since arguments and environment can be seen by others. `signal` ends
 * the statement, as far as it has begun.
 */
export type VisitorStatement = { url: string; sql: string; form: Form; signal: AbortSignal };

export type ReaderProcess = {
  /** @throws what {@link ReaderHost.ask} throws; after the end `unavailable` with the reason */
  ask(statement: VisitorStatement): Promise<Finished>;
  /** Ends it at once; what it was asked fails with this reason. */
  kill(reason: string): void;
  /** Lets it end: nothing is asked any more. */
  release(): void;
  /** Resolves when it is gone, with the reason in words. */
  over: Promise<string>;
};

export type ProcessOptions = {
  /** File of the program: TypeScript where we run from our source. */
  program: URL;
  /** Its environment, whole. */
  env: Readonly<Record<string, string>>;
  log: Logger;
};

/** Four results of 4 MB take up to 30 MB each when they are parsed, and one at a time is rendered. */
const HEAP_MB = 256;
/** Of its stderr the end is kept. */
const MAX_STDERR = 4_000;

export function startProcess({ program, env, log }: ProcessOptions): ReaderProcess {
  const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, ...runs(program)], {
    env: { ...env, ...fromSource(program) },
    stdio: 'pipe',
  });
  const waiting = new Map<number, { resolve: (found: Finished) => void; reject: (error: Error) => void }>();
  let lastId = 0;
  let stderr = '';
  /** Why we ended it; and why it is gone, once it is. */
  let killedFor: string | undefined;
  let endReason: string | undefined;

  const send = (order: Order) => void child.stdin.write(frame(order));
  const kill = (reason: string) => {
    killedFor ??= reason;
    child.kill('SIGKILL');
  };
  const over = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => resolve(killedFor ?? reasonOf(stderr, signal ?? `code ${code}`)));
    // What was never started does not close.
    child.once('error', (error) => {
      if (child.pid === undefined)
        resolve(`the SQL process could not be started: ${codeOf(error) ?? 'unknown error'}`);
    });
  }).then((reason) => {
    endReason = reason;
    if (reason !== RELEASED) log.warn({ reason, stderr: oneCleanLine(stderr) }, 'statement process ended');
    for (const one of waiting.values()) one.reject(new Refused('unavailable', reason));
    waiting.clear();
    return reason;
  });

  child.stderr.on('data', (chunk: Buffer) => {
    stderr = `${stderr}${chunk.toString()}`.slice(-MAX_STDERR);
  });
  // What cannot be written to is about to close.
  child.stdin.on('error', () => {});
  const read = readFrames((head, body) => {
    const answer = head as Answer; // our own program sends nothing else
    const one = waiting.get(answer.statementId);
    waiting.delete(answer.statementId);
    try {
      one?.resolve(finishedOf(answer, body));
    } catch (error) {
      one?.reject(error as Error); // finishedOf throws nothing else
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
      return new Promise<Finished>((resolve, reject) => {
        waiting.set(statementId, { resolve, reject });
        send({ start: statementId, ...statement });
        if (signal.aborted) cancel();
      }).finally(() => signal.removeEventListener('abort', cancel));
    },
    kill,
    release: () => {
      killedFor ??= RELEASED;
      child.stdin.end();
    },
    over,
  };
}

/** Why it ends when nothing went wrong: idle, or with the server. Only then is somebody still waiting. */
export const RELEASED = 'the server is closing';

function runs(program: URL): string[] {
  const file = fileURLToPath(program);
  if (!isSource(program)) return [file];
  return ['--import', pathToFileURL(createRequire(program).resolve('tsx')).href, file];
}

/** tsx looks for the settings of our source in the current directory, unless it is told. */
function fromSource(program: URL): Record<string, string> {
  if (!isSource(program)) return {};
  return { TSX_TSCONFIG_PATH: fileURLToPath(new URL('../tsconfig.json', program)) };
}

function isSource({ pathname }: URL): boolean {
  return pathname.endsWith('.ts');
}

/** @param how the signal or the exit code */
function reasonOf(stderr: string, how: string): string {
  return /heap out of memory|heap limit/.test(stderr)
    ? 'the SQL process ran out of memory; ask for fewer columns or rows'
    : `the SQL process ended (${how}); see the log`;
}

/** @throws Refused, or an error of the database */
function finishedOf({ ending }: Answer, body: Buffer): Finished {
  if (ending.kind === 'done') {
    const { rows, more, durationMs } = ending;
    return { body, rows, more, durationMs };
  }
  if (ending.kind !== 'failed') throw new Refused(ending.kind, ending.words);
  throw Object.assign(new Error(ending.words), ending.code === undefined ? {} : { code: ending.code });
}
