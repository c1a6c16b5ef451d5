import type { Id } from '../../store/database.ts';
import type { Context } from '../context.ts';
import { callAndKeep, keptAnswer } from './answer.ts';
import { claim } from './claim.ts';
import { endWithoutSuccess } from './end.ts';
import { holdLease } from './lease.ts';
import { readFindings } from './reading.ts';
import { type RunReport, succeeded } from './report.ts';
import { save } from './saving.ts';
import { noticeSpike } from './spikes.ts';

/**
 * The journey of a run, from its claim to its end. Whoever calls it, worker or person, the claim makes
 * sure that one of them goes on, the ledger that no more is paid than is allowed, and the save that
 * everything is there afterwards or nothing is.
 *
 * @param stopping aborted when this process wants to end: a call under way is given up, the run goes back
 * @returns how it ended; `null` when there was nothing to do here (taken, not due, already ended)
 */
export async function executeRun(ctx: Context, runId: Id, stopping?: AbortSignal): Promise<RunReport | null> {
  const run = await claim(ctx, runId);
  if (run === null) return null;

  const lease = holdLease(ctx, run, stopping);
  try {
    const answer = (await keptAnswer(ctx, run)) ?? (await callAndKeep(ctx, run, lease.signal));
    const findings = await readFindings(run, answer);
    const diff = await save(ctx, run, answer, findings);
    await noticeSpike(ctx, run, diff);
    return succeeded(run, findings, diff);
  } catch (error) {
    return await endWithoutSuccess(ctx, run, error, stopping);
  } finally {
    lease.release();
  }
}
