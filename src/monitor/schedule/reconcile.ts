import { SECOND } from '../../engine/clock.ts';
import { addCounts, foldCounts } from '../../store/counts.ts';
import type { Id } from '../../store/database.ts';
import { ensurePartitions } from '../../store/partitions.ts';
import {
  dormantSearches,
  expiredRuns,
  overdueSearches,
  staleQueuedRuns,
  whileAlone,
} from '../../store/repairs.ts';
import { markUnknownTrials } from '../../store/trials.ts';
import { retainWhenDue } from '../../store/retention/retain.ts';
import { type Context, wake } from '../context.ts';
import { astraySearches, callBack } from './astray.ts';
import { healSchedules } from './heal-schedules.ts';
import { reviveSearch } from './revive.ts';
import { tickSearch } from './tick.ts';

/** What was put right. All zero is a quiet sea. */
export type Repairs = {
  ticked: number;
  revived: number;
  /** Searches whose next slot stood beyond any that their schedule gives. */
  calledBack: number;
  /** Runs that wait longer than expected, of which the queue was told again; it may have known. */
  reminded: number;
  takenUp: number;
  scheduled: number;
  unscheduled: number;
  /** Rows that were kept long enough, and months of snapshots. */
  expired: number;
  dropped: number;
};

/** The queue's own wake-up gets this long before the reconciler steps in, or one of its rounds where those are shorter. */
const PATIENCE_MS = 5 * SECOND;
const BATCH = 5_000;

/**
 * Compares the queue with the database, which is the truth, and puts right what differs: slots that
 * nobody ticked, runs that nobody took, leases that ran out, schedules that are gone. A timer in every
 * worker process calls it, never a job: it must survive the queue. One process at a time works.
 *
 * @param thorough compare every schedule, not only their number, and look for next slots that are too far away
 * @returns what was put right; `null` when another process is at it
 */
export async function reconcile(ctx: Context, thorough: boolean): Promise<Repairs | null> {
  return whileAlone(ctx.db, 'strandline.reconcile', async () => {
    const now = ctx.clock.now();
    const patient = new Date(now.getTime() - Math.min(PATIENCE_MS, ctx.config.reconcileMs));
    // Overdue searches first: upserting a schedule would delete a tick that is due and not yet taken.
    const overdue = await overdueSearches(ctx.db, patient, BATCH);
    await forEach(ctx, overdue, (searchId) => tickSearch(ctx, searchId));
    const dormant = await dormantSearches(ctx.db);
    await forEach(ctx, dormant, (searchId) => reviveSearch(ctx, searchId));

    const astray = thorough ? await astraySearches(ctx) : [];
    await forEach(ctx, astray, (searchId) => callBack(ctx, searchId));

    const queued = await staleQueuedRuns(ctx.db, now, patient, BATCH);
    const expired = await expiredRuns(ctx.db, BATCH);
    await wake(
      ctx,
      [...queued, ...expired].map(({ id, fence }) => ({ runId: id, fence })),
    );
    const schedules = await healSchedules(ctx, new Set(overdue), thorough);

    await markUnknownTrials(ctx.db, now);
    await ensurePartitions(ctx.db, now);
    const retained = await retainWhenDue(ctx.db, ctx.config, now);
    const repairs: Repairs = {
      ticked: overdue.length,
      revived: dormant.length,
      calledBack: astray.length,
      reminded: queued.length,
      takenUp: expired.length,
      ...schedules,
      expired: (retained?.answers ?? 0) + (retained?.rejects ?? 0) + (retained?.messages ?? 0),
      dropped: retained?.months.length ?? 0,
    };
    const named = Object.entries(repairs).map(([kind, n]) => ({
      name: 'repairs' as const,
      labels: [kind],
      n,
    }));
    await addCounts(ctx.db, named);
    await foldCounts(ctx.db);
    const { reminded, ...mended } = repairs;
    if (Object.values(mended).some((n) => n > 0)) ctx.log.info({ repairs }, 'put right');
    else if (reminded > 0) ctx.log.debug({ repairs }, 'reminded the queue');
    return repairs;
  });
}

/** One search that cannot be looked after must not keep the others from it. */
async function forEach(
  ctx: Context,
  searches: readonly Id[],
  look: (searchId: Id) => Promise<unknown>,
): Promise<void> {
  for (const searchId of searches) {
    try {
      await look(searchId);
    } catch (error) {
      ctx.log.error({ err: error, search_id: String(searchId) }, 'a search could not be looked after');
    }
  }
}
