/** Main loop of the statement process: runs and renders visitors' statements. */
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanText } from '../../domain/text.ts';
import { readErrorCode } from '../../platform/postgres/connect.ts';
import { READER_CHECK_MS } from '../../platform/postgres/reader-role.ts';
import { Refused } from '../../domain/errors.ts';
import { askWithinBounds, CLIENT_LEFT, isOverTime } from './ask-reader.ts';
import { type StatementEnding, type ResultForm, writeFrame, type ReaderOrder, readFrames } from './frames.ts';
import type { FetchedRows, Rendered } from './reader-query.ts';

const MAX_MESSAGE_LENGTH = 2_000;

/** Reads orders from stdin and writes replies to stdout, until either closes because the server ended. */
export function serveStatements(
  render: Readonly<Record<ResultForm, (found: FetchedRows) => Rendered>>,
): void {
  const running = new Map<number, AbortController>();
  const end = () => process.exit(0);
  // Ctrl-C reaches every process of a terminal; this one ends with the server.
  process.on('SIGINT', () => {});
  process.stdout.on('error', end);
  process.stdin.on('error', end).on('end', end).on('data', readFrames(handleOrder, 0));

  function handleOrder(head: unknown): void {
    const order = head as ReaderOrder; // the server sends nothing else
    if ('cancel' in order) running.get(order.cancel)?.abort();
    else void run(order);
  }

  async function run({
    start: statementId,
    url,
    sql,
    form,
  }: Extract<ReaderOrder, { start: number }>): Promise<void> {
    const canceling = new AbortController();
    running.set(statementId, canceling);
    let ending: StatementEnding;
    let body: Buffer | undefined;
    try {
      const found = await askWithinBounds({ url, sql, signal: canceling.signal });
      const rendered = render[form](found);
      body = Buffer.from(rendered.body);
      ending = { kind: 'done', rows: rendered.rows, more: rendered.more, durationMs: found.durationMs };
    } catch (error) {
      const canceled = canceling.signal.aborted;
      ending = canceled ? { kind: 'conflict', words: CLIENT_LEFT } : toEnding(error);
      // The statement keeps its slot until Postgres notices the disconnect.
      if (canceled || isOverTime(error)) await sleep(READER_CHECK_MS);
    }
    running.delete(statementId);
    process.stdout.write(writeFrame({ statementId, ending }, body));
  }
}

function toEnding(error: unknown): StatementEnding {
  const words = cleanText(error instanceof Error ? error.message : 'an unknown error', MAX_MESSAGE_LENGTH);
  if (error instanceof Refused) return { kind: error.kind, words };
  return { kind: 'failed', words, code: readErrorCode(error) };
}
