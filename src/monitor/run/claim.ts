import type { Id } from '../../store/database.ts';
import { markUnknownCalls } from '../../store/ledger.ts';
import { needsSolitude } from '../../store/responses.ts';
import { type ClaimedRun, claimRun, failRun } from '../../store/runs.ts';
import type { Context } from '../context.ts';
import { SolitudeNeeded } from './solitude.ts';

/** Two claims that ended without a word beside other runs, and three of a worker that had no other run. */
const MAX_CLAIMS = 5;

/**
 * Claims a run for this worker, or fails one that took down every worker that had nothing else to do. Its response, where
 * it has one, stays unread, and is read late.
 * @param alone whether this process has no other run
 * @returns null where there is nothing to claim
 * @throws SolitudeNeeded where only a process without other runs may go on with it
 */
export async function claim(ctx: Context, runId: Id, alone: boolean): Promise<ClaimedRun | null> {
  const now = ctx.clock.statementTime();
  const run = await claimRun(ctx.db, {
    runId,
    worker: ctx.worker,
    leaseMs: ctx.config.leaseMs,
    now,
    alone,
  });
  if (run === null && !alone && (await needsSolitude(ctx.db, { runId, now }))) throw new SolitudeNeeded();
  if (run === null || run.claims <= MAX_CLAIMS) return run;
  await markUnknownCalls(ctx.db, runId, run.fence, ctx.clock.now());
  const reason = `${MAX_CLAIMS} workers died while they executed this run, 3 of them with no other run`;
  await failRun(ctx.db, { runId, fence: run.fence, code: 'internal', reason, rejects: null, now });
  ctx.log.error(
    { run: String(runId), search: run.search, claims: MAX_CLAIMS },
    'run failed: workers died of it',
  );
  return null;
}
