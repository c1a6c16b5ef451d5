/** The inside of the process for statements of visitors: each is run and rendered here, and nowhere else. */
import { setTimeout as sleep } from 'node:timers/promises';
import { clean } from '../../contract/text.ts';
import { codeOf } from '../../engine/postgres/connect.ts';
import { READER_CHECK_MS } from '../../engine/postgres/reader-role.ts';
import { Refused } from '../../errors.ts';
import { askWithinBounds, CLIENT_LEFT, isOverTime } from './ask.ts';
import { type Ending, type Form, frame, type Order, readFrames } from './frames.ts';
import type { FetchedRows } from './query.ts';
import type { Rendered } from './render.ts';

const MAX_WORDS = 2_000;

/** Takes orders from stdin and answers at stdout, until either ends: whoever started it is gone then. */
export function serveStatements(render: Readonly<Record<Form, (found: FetchedRows) => Rendered>>): void {
  const running = new Map<number, AbortController>();
  const end = () => process.exit(0);
  // Ctrl-C in a terminal reaches every process of it; this one ends with the server.
  process.on('SIGINT', () => {});
  process.stdout.on('error', end);
  process.stdin.on('error', end).on('end', end).on('data', readFrames(handleOrder, 0));

  function handleOrder(head: unknown): void {
    const order = head as Order; // the server sends nothing else
    if ('cancel' in order) running.get(order.cancel)?.abort();
    else void run(order);
  }

  async function run({
    start: statementId,
    url,
    sql,
    form,
  }: Extract<Order, { start: number }>): Promise<void> {
    const canceling = new AbortController();
    running.set(statementId, canceling);
    let ending: Ending;
    let body: Buffer | undefined;
    try {
      const found = await askWithinBounds({ url, sql, signal: canceling.signal });
      const rendered = render[form](found);
      body = Buffer.from(rendered.body);
      ending = { kind: 'done', rows: rendered.rows, more: rendered.more, durationMs: found.durationMs };
    } catch (error) {
      const canceled = canceling.signal.aborted;
      ending = canceled ? { kind: 'conflict', words: CLIENT_LEFT } : endingOf(error);
      // Until Postgres has noticed that nobody listens the statement goes on, and takes the room of another one.
      if (canceled || isOverTime(error)) await sleep(READER_CHECK_MS);
    }
    running.delete(statementId);
    process.stdout.write(frame({ statementId, ending }, body));
  }
}

function endingOf(error: unknown): Ending {
  const words = clean(error instanceof Error ? error.message : 'an unknown error', MAX_WORDS);
  if (error instanceof Refused) return { kind: error.kind, words };
  return { kind: 'failed', words, code: codeOf(error) };
}
