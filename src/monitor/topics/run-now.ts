import { recordAudit } from '../../store/access/audit-entries.ts';
import { type Id, inTransaction, readTime } from '../../store/db/database.ts';
import { findQueuedRun, insertRun } from '../../store/runs/run-states.ts';
import type { ActingContext } from '../context.ts';
import { assertSearchNotRemoved, lockSearchBySlug } from './find-by-slug.ts';

/** A run, and whether it was already queued; otherwise the caller enqueues it. */
export type RequestedRun = { runId: Id; alreadyQueued: boolean };

/**
 * Creates a manual run, or returns a run that is queued and may start now. The row lock of the search lets only one of several
 * concurrent requests create it. Whoever leases it first, a worker or the caller, executes it.
 * @throws Refused `not_found`, or `conflict` if the search was removed
 */
export async function insertManualRun(ctx: ActingContext, slug: string): Promise<RequestedRun> {
  await assertSearchNotRemoved(ctx.db, slug);
  return inTransaction(ctx.db, async (tx) => {
    const { id: searchId, slug: search } = await lockSearchBySlug(tx, slug);
    const queued = await findQueuedRun(tx, searchId, ctx.clock.statementTime());
    if (queued !== null) return { runId: queued, alreadyQueued: true };
    const runId = await insertRun(tx, { searchId, trigger: 'manual', now: await readTime(tx, ctx.clock) });
    await recordAudit(tx, ctx, {
      action: 'run.requested',
      subject: runId,
      changes: { search: { after: search } },
    });
    return { runId, alreadyQueued: false };
  });
}
