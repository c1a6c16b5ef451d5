/** Batches concurrent small statements into one statement. */

import type { Database } from './database.ts';
import { join, type Statement, statement, verbatim } from './statement.ts';
import { AsyncResource } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** A batch works for several visitors, so it belongs to none: not to the first, whose share of connections may be in use. */
const sharedWork = new AsyncResource('batch');

/**
 * Combines concurrent requests into one statement. Half the cost of a small statement does not depend on its rows:
 * eight together cost about a third of eight single ones.
 *
 * A batch contains the requests of one turn of the event loop, or those that arrived during the previous batch: a
 * single request is executed immediately. Each {@link Database} of this process has its own batches.
 * @param work returns an outcome for each input, in their order
 * @param limits.most maximum inputs per batch
 * @param limits.size of an input, and `mostSize` of a batch; a larger input is a batch of its own
 * @param limits.alone whether to retry each input of a failed batch alone, so that one bad input fails alone. Only
 *   for idempotent work: if the connection breaks at the commit, the outcome is unknown
 * @param limits.atOnce maximum concurrent batches. Default: 1
 */
export function batched<Input, Outcome>(
  work: (db: Database, batch: readonly Input[]) => Promise<readonly Outcome[]>,
  limits: {
    most: number;
    size?: (input: Input) => number;
    mostSize?: number;
    alone: boolean;
    atOnce?: number;
  },
): (db: Database, input: Input) => Promise<Outcome> {
  const lines = new WeakMap<Database, (input: Input) => Promise<Outcome>>();
  return (db, input) => {
    let line = lines.get(db);
    if (line === undefined) {
      line = createQueue((batch) => work(db, batch), limits);
      lines.set(db, line);
    }
    return line(input);
  };
}

type Waiting<Input, Outcome> = {
  input: Input;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
};

function createQueue<Input, Outcome>(
  work: (batch: readonly Input[]) => Promise<readonly Outcome[]>,
  { most, size = () => 1, mostSize = most, alone, atOnce = 1 }: Parameters<typeof batched<Input, Outcome>>[1],
): (input: Input) => Promise<Outcome> {
  const waiting: Waiting<Input, Outcome>[] = [];
  let working = 0;

  async function workOff(): Promise<void> {
    working += 1;
    while (waiting.length > 0) {
      await nextTurn();
      // Another batch may have taken them meanwhile.
      const batch = waiting.splice(0, fitting());
      if (batch.length > 0) await settle(batch);
    }
    working -= 1;
  }

  function fitting(): number {
    let total = 0;
    const over = waiting.findIndex(({ input }, i) => {
      total += size(input);
      return i > 0 && (i >= most || total > mostSize);
    });
    return over === -1 ? waiting.length : over;
  }

  async function settle(batch: readonly Waiting<Input, Outcome>[]): Promise<void> {
    try {
      const outcomes = await work(batch.map(({ input }) => input));
      if (outcomes.length !== batch.length) throw new Error('a batch must return one result per input');
      outcomes.forEach((outcome, i) => batch[i]?.resolve(outcome));
    } catch (error) {
      if (alone && batch.length > 1) await Promise.all(batch.map((input) => settle([input])));
      else for (const { reject } of batch) reject(error);
    }
  }

  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject });
      if (working < atOnce) sharedWork.runInAsyncScope(() => void workOff());
    });
}

type ColumnSqlType = 'bigint' | 'int' | 'numeric' | 'float8' | 'text' | 'boolean' | 'timestamptz' | 'bytea';

/**
 * Rows with values for a prepared statement, as an item of FROM: one array per column. The subquery hides the arrays from the
 * planner: if it knew the number of rows, it would re-plan each time, which takes longer than a small statement.
 * @param columns types and values, each with one value per row
 */
export function givenRows(
  name: string,
  columns: Readonly<Record<string, readonly [type: ColumnSqlType, values: readonly unknown[]]>>,
): Statement {
  const names = Object.keys(columns);
  const arrays = Object.values(columns).map(
    ([type, values], i) => statement`${values}::${verbatim(`${type}[] AS a${i + 1}`)}`,
  );
  const rows = `unnest(${names.map((_, i) => `a${i + 1}`).join(', ')}) AS ${name} (${names.join(', ')})`;
  return statement`(SELECT ${join(arrays, ', ')} OFFSET 0) given, ${verbatim(rows)}`;
}
