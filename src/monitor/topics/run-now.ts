import { recordAudit } from '../../store/audit-entries.ts';
import { type Id, inTransaction, readTime } from '../../store/database.ts';
import type { Execution } from '../../store/idempotency.ts';
import { findQueuedRun, insertRun } from '../../store/run-states.ts';
import type { ActingContext } from '../context.ts';
import { assertSearchNotRemoved, lockSearchBySlug } from './find-by-slug.ts';

/** Whether the run was there before; otherwise the caller enqueues it. */
export type RequestedRun = { runId: Id; alreadyQueued: boolean };

/**
 * The run that a person asked for: one that is queued and may start now, or a new one. Of those who ask at once, the search's
 * row lock lets one create it. Whoever takes it first, a worker or the caller, runs it.
 * @param execution of a request with a key: its run is committed with the key, so that it gets no second one
 * @throws Refused `not_found`, or `conflict` where it was removed
 */
export async function insertManualRun(
  ctx: ActingContext,
  slug: string,
  execution: Execution | null = null,
): Promise<RequestedRun> {
  if (typeof execution?.committed === 'string')
    return { runId: BigInt(execution.committed), alreadyQueued: false };
  await assertSearchNotRemoved(ctx.db, slug);
  return inTransaction(ctx.db, async (tx) => {
    const { id: searchId } = await lockSearchBySlug(tx, slug);
    const queued = await findQueuedRun(tx, searchId, ctx.clock.statementTime());
    if (queued !== null) return { runId: queued, alreadyQueued: true };
    const runId = await insertRun(tx, { searchId, trigger: 'manual', now: await readTime(tx, ctx.clock) });
    await recordAudit(tx, ctx, {
      action: 'run.requested',
      subject: runId,
      changes: { search: { after: slug } },
    });
    await execution?.commit(tx, String(runId));
    return { runId, alreadyQueued: false };
  });
}
