/** Main loop of the statement process: runs and renders visitors' statements. */
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanText } from '../../lib/text.ts';
import { serveOrders } from '../../platform/child-frames.ts';
import { READER_CHECK_MS } from '../../platform/postgres/reader-role.ts';
import { readErrorCode, Refused } from '../../model/errors.ts';
import { askWithinBounds, CLIENT_LEFT } from './ask-reader.ts';
import { isClientTimeout } from '../db/database.ts';
import type { FetchedRows, Rendered } from './reader-query.ts';
import type { ReaderOrder, ResultForm, StatementEnding } from './statement-orders.ts';

const MAX_MESSAGE_LENGTH = 2_000;

export function serveStatements(
  render: Readonly<Record<ResultForm, (fetched: FetchedRows) => Rendered>>,
): void {
  async function run(order: unknown, _: Buffer, signal: AbortSignal) {
    const { url, sql, form } = order as ReaderOrder; // the server sends nothing else
    try {
      const fetched = await askWithinBounds({ url, sql, signal });
      const { body, rows, more } = render[form](fetched);
      const ending: StatementEnding = { kind: 'done', rows, more, durationMs: fetched.durationMs };
      return { ending, body: Buffer.from(body) };
    } catch (error) {
      const canceled = signal.aborted;
      // The statement keeps its slot until Postgres notices the disconnect.
      if (canceled || isClientTimeout(error)) await sleep(READER_CHECK_MS);
      const ending: StatementEnding = canceled ? { kind: 'conflict', words: CLIENT_LEFT } : toEnding(error);
      return { ending };
    }
  }
  serveOrders(run, 0);
}

function toEnding(error: unknown): StatementEnding {
  const words = cleanText(error instanceof Error ? error.message : 'an unknown error', MAX_MESSAGE_LENGTH);
  if (error instanceof Refused) return { kind: error.kind, words };
  return { kind: 'failed', words, code: readErrorCode(error) };
}
