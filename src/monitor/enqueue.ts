import { SECOND } from '../lib/time.ts';
import type { QueuedRun } from '../platform/queue/queue.ts';
import { type Id, readTime } from '../store/db/database.ts';
import { postponeOffers } from '../store/runs/scanner.ts';
import type { Context } from './context.ts';

/** After the queue refused runs, the scan offers them again this much later. */
const OFFER_RETRY_MS = 2 * SECOND;

/**
 * Offers runs to the queue. Their rows are already committed: if the queue is unavailable, the scan offers them again.
 * @param again creates new jobs for runs that already have jobs; see the queue's `enqueueRuns`
 * @returns whether the queue accepted them
 */
export async function enqueueRuns(
  ctx: Pick<Context, 'queue' | 'log' | 'db' | 'clock'>,
  runs: readonly QueuedRun[],
  again?: string,
): Promise<boolean> {
  if (runs.length === 0) return true;
  try {
    await ctx.queue.enqueueRuns(runs, again);
    return true;
  } catch (error) {
    ctx.log.debug({ err: error, runs: runs.length }, 'runs not enqueued');
  }
  try {
    const at = new Date((await readTime(ctx.db.pool, ctx.clock)).getTime() + OFFER_RETRY_MS);
    await postponeOffers(
      ctx.db.pool,
      runs.map(({ runId }) => runId),
      at,
    );
  } catch (error) {
    // They are still offered again, only later.
    ctx.log.warn({ err: error, runs: runs.length }, 'offers not postponed');
  }
  return false;
}

/** Enqueues runs that were just created. */
export async function enqueueNewRuns(
  ctx: Pick<Context, 'queue' | 'log' | 'db' | 'clock'>,
  runIds: readonly Id[],
  trigger: QueuedRun['trigger'],
): Promise<void> {
  await enqueueRuns(
    ctx,
    runIds.map((runId) => ({ runId, fence: 0, trigger })),
  );
}
