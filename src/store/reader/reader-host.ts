/**
 * Runs visitors' statements in a child process. It receives, parses and renders the rows, so that no statement can block or
 * crash the server, and returns finished results.
 */

import { Refused } from '../../model/errors.ts';
import { SECOND } from '../../lib/time.ts';
import { type ChildKind, type ChildOptions, openChildHost } from '../../platform/child-host.ts';
import { MAX_RESULT_BYTES, MAX_STATEMENT_MS } from './reader-query.ts';
import type { ReaderOrder, StatementEnding } from './statement-orders.ts';

export type ReaderHost = {
  /**
   * Runs one statement; settles when Postgres has finished it.
   * @throws Refused `conflict` about the statement, `unavailable` with the reason; database errors
   */
  ask(statement: VisitorStatement): Promise<FinishedStatement>;
  /** Ends the process and its statements. */
  close(): Promise<void>;
};

/** A finished result: UTF-8, of at most {@link MAX_RESULT_BYTES}. */
export type FinishedStatement = { body: Buffer; rows: number; more: boolean; durationMs: number };

/**
 * `url`: the reader's URL, sent through the pipe because arguments and environment are visible to other processes. `signal`
 * cancels the statement.
 */
export type VisitorStatement = ReaderOrder & { signal: AbortSignal };

const STATEMENT_PROCESS: ChildKind = {
  name: 'the SQL process',
  work: 'the statement',
  endedEvent: 'statement process ended',
  advice: 'ask for fewer columns or rows',
  // Four results of 4 MB take up to 30 MB each when parsed; one at a time is rendered.
  maxHeapMb: 256,
  maxReplyBytes: MAX_RESULT_BYTES,
  // The statement's time limit, plus connecting (up to ten seconds) and rendering of others.
  maxReplyMs: MAX_STATEMENT_MS + 15 * SECOND,
};

/** @param limits set in tests, in milliseconds */
export function openReaderHost(
  options: ChildOptions,
  limits: { maxReplyMs?: number; idleMs?: number; restartMs?: number } = {},
): ReaderHost {
  const host = openChildHost(STATEMENT_PROCESS, options, limits);
  return {
    ask: async ({ signal, ...order }) => {
      const { ending, body } = await host.ask({ order, signal });
      return toFinished(ending as StatementEnding, body); // `serve-statements.ts` returns nothing else
    },
    close: () => host.close(),
  };
}

/** @throws Refused, or an error of the database */
function toFinished(ending: StatementEnding, body: Buffer): FinishedStatement {
  if (ending.kind === 'done') {
    const { rows, more, durationMs } = ending;
    return { body, rows, more, durationMs };
  }
  if (ending.kind !== 'failed') throw new Refused(ending.kind, ending.words);
  throw Object.assign(new Error(ending.words), ending.code === undefined ? {} : { code: ending.code });
}
