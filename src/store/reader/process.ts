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

/** A finished result: UTF-8, of at most 2 MB. */
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
/** Of what it says on stderr: the end. */
const MAX_SAID = 4_000;

export function startProcess({ program, env, log }: ProcessOptions): ReaderProcess {
  const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, ...runs(program)], {
    env: { ...env, ...fromSource(program) },
    stdio: 'pipe',
  });
  const waiting = new Map<number, { resolve: (found: Finished) => void; reject: (error: Error) => void }>();
  let asked = 0;
  let said = '';
  let ended: string | undefined;
  let gone: string | undefined;

  const send = (order: Order) => void child.stdin.write(frame(order));
  const kill = (reason: string) => {
    ended ??= reason;
    child.kill('SIGKILL');
  };
  const over = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => resolve(ended ?? reasonOf(said, signal ?? `code ${code}`)));
    // What was never started does not close.
    child.once('error', (error) => {
      if (child.pid === undefined) resolve(`statements have no process: ${codeOf(error) ?? 'unknown error'}`);
    });
  }).then((reason) => {
    gone = reason;
    if (reason !== RELEASED) log.warn({ reason, said: oneCleanLine(said) }, 'statement process ended');
    for (const one of waiting.values()) one.reject(new Refused('unavailable', reason));
    waiting.clear();
    return reason;
  });

  child.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk.toString()}`.slice(-MAX_SAID);
  });
  // What cannot be written to is about to close.
  child.stdin.on('error', () => {});
  const read = readFrames((head, body) => {
    const answer = head as Answer; // our own program sends nothing else
    const one = waiting.get(answer.asked);
    waiting.delete(answer.asked);
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
      kill('the process for statements sent what is no result');
    }
  });

  return {
    ask: ({ signal, ...statement }) => {
      if (gone !== undefined) return Promise.reject(new Refused('unavailable', gone));
      asked += 1;
      const ask = asked;
      const leave = () => send({ leave: ask });
      signal.addEventListener('abort', leave);
      return new Promise<Finished>((resolve, reject) => {
        waiting.set(ask, { resolve, reject });
        send({ ask, ...statement });
        if (signal.aborted) leave();
      }).finally(() => signal.removeEventListener('abort', leave));
    },
    kill,
    release: () => {
      ended ??= RELEASED;
      child.stdin.end();
    },
    over,
  };
}

const RELEASED = 'the process for statements is not needed any more';

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
function reasonOf(said: string, how: string): string {
  return /heap out of memory|heap limit/.test(said)
    ? 'the process for statements ran out of memory; ask for fewer columns or rows'
    : `the process for statements ended (${how}); the log says more`;
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
