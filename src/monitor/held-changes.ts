/** Functions that change something, as one transaction. What they enqueue waits for the commit. */

import type { Transaction } from '../store/db/database.ts';
import { holdTransaction } from '../store/db/held-transaction.ts';
import type { Context } from './context.ts';
import { enqueueRuns } from './enqueue.ts';

export type HeldChanges<C extends Context> = {
  /** The context for the functions that change something: their changes wait for `commit`. */
  ctx: C;
  /** Whether something may have been changed. */
  isOpen(): boolean;
  /** Commits, after `last`, and enqueues. @throws the error of `last` or of the commit: then nothing was changed */
  commit(last?: (tx: Transaction) => Promise<void>): Promise<void>;
  /** Undoes what was changed, if anything was. */
  rollback(): Promise<void>;
};

export function holdChanges<C extends Context>(ctx: C): HeldChanges<C> {
  const { queue, log } = ctx;
  const held = holdTransaction(ctx.db);
  const waiting: (() => Promise<unknown>)[] = [];
  const later = (enqueue: () => Promise<unknown>) => {
    waiting.push(enqueue);
    return Promise.resolve();
  };
  return {
    ctx: {
      ...ctx,
      db: held.db,
      queue: {
        ...queue,
        enqueueRuns: (runs, again) => later(() => enqueueRuns(ctx, runs, again)),
        enqueueChannels: (ids) => later(() => queue.enqueueChannels(ids)),
        enqueueWork: (names) => later(() => queue.enqueueWork(names)),
      },
    },
    isOpen: () => held.isOpen(),
    commit: async (last) => {
      await held.commit(last);
      // The scan enqueues what the queue misses.
      for (const enqueue of waiting)
        await enqueue().catch((error: unknown) => log.debug({ err: error }, 'not enqueued'));
    },
    rollback: () => held.rollback(),
  };
}

/** Runs `work` so that all of its changes are committed, or none. */
export async function changeTogether<C extends Context, T>(ctx: C, work: (ctx: C) => Promise<T>): Promise<T> {
  const changes = holdChanges(ctx);
  try {
    const result = await work(changes.ctx);
    await changes.commit();
    return result;
  } finally {
    await changes.rollback();
  }
}
