import type { Id } from '../../store/database.ts';
import { markUnknownCalls } from '../../store/ledger.ts';
import { type ClaimedRun, claimRun, failRun } from '../../store/runs.ts';
import type { Context } from '../context.ts';

/** A run that ended nobody's claim in an orderly way this often takes processes down with it. */
const CLAIMS_WITHOUT_END = 3;

/** Takes a run for this worker, and gives up one that three workers did not survive. */
export async function claim(ctx: Context, runId: Id): Promise<ClaimedRun | null> {
  const now = ctx.clock.now();
  const run = await claimRun(ctx.db, { runId, worker: ctx.worker, leaseMs: ctx.config.leaseMs, now });
  if (run === null || run.claims <= CLAIMS_WITHOUT_END) return run;
  await markUnknownCalls(ctx.db, runId, run.fence, now);
  const reason = `given up: ${CLAIMS_WITHOUT_END} claims ended without a word`;
  await failRun(ctx.db, { runId, fence: run.fence, code: 'internal', reason, rejects: null, now });
  ctx.log.error({ run: String(runId), search: run.search, claims: run.claims }, 'run given up');
  return null;
}
