import { type RunCode, RunError } from '../../errors.ts';
import { isUnreachable } from '../../store/database.ts';
import { type ClaimedRun, failRun, insertRejects, requeueRun } from '../../store/runs.ts';
import { type Context, wake } from '../context.ts';
import { UnreadableAnswer } from '../read/reject.ts';
import { followUp } from './follow-up.ts';
import { type RunReport, reportOf } from './report.ts';
import { decideRetry } from './retry.ts';

/**
 * Every other end than success, in a short transaction of its own: tried again later, given back because
 * this process stops, taken over by another worker, or failed with a code of the closed list.
 */
export async function endWithoutSuccess(
  ctx: Context,
  run: ClaimedRun,
  error: unknown,
  stopping: AbortSignal | undefined,
): Promise<RunReport> {
  const failure = asRunError(error);
  const { code, detail } = failure;
  const report = reportOf(run);
  if (code === 'internal')
    ctx.log.error({ err: error, run: String(run.id), search: run.search }, 'run broke off');

  if (stopping?.aborted === true) {
    const { id: runId, fence } = run;
    const back = await requeueRun(ctx.db, {
      runId,
      fence,
      notBefore: null,
      reason: null,
      now: ctx.clock.now(),
    });
    if (back === 'queued') await wake(ctx, [{ runId, fence }]);
    return { ...report, status: 'released', code };
  }
  // Another claim has it, or will when the lease has run out: nothing may be written here.
  if (code === 'lease_lost' || code === 'db_unavailable') return { ...report, status: 'released', code };

  const now = ctx.clock.now();
  const callsMade = run.calls_made + 1;
  const decision = decideRetry({
    code,
    retryAfterMs: failure.retryAfterMs,
    callsMade,
    maxCalls: ctx.config.maxCallsPerRun,
    attempt: callsMade,
    slotAt: run.slot_at,
    nextSlotAt: run.next_due_at,
    now,
    random: ctx.random,
  });
  if (decision.kind !== 'give_up') {
    const { notBefore } = decision;
    const back = await requeueRun(ctx.db, {
      runId: run.id,
      fence: run.fence,
      notBefore,
      reason: detail ?? null,
      now,
    });
    if (back === 'lost') return { ...report, status: 'released', code: 'lease_lost' };
    if (back === 'cancelled') return { ...report, status: 'released', code };
    await wake(ctx, [{ runId: run.id, fence: run.fence, delayMs: notBefore.getTime() - now.getTime() }]);
    return { ...report, status: 'retry', code, detail, notBefore };
  }

  const rejects = error instanceof UnreadableAnswer ? error.rejects : [];
  const rejected = error instanceof UnreadableAnswer ? rejects.length : null;
  const ours = await failRun(ctx.db, {
    runId: run.id,
    fence: run.fence,
    code,
    reason: detail ?? null,
    rejected,
    now,
  });
  if (!ours) return { ...report, status: 'released', code: 'lease_lost' };
  await insertRejects(ctx.db, run.id, rejects);
  await followUp(ctx, run, code, detail);
  return { ...report, status: 'failed', code, detail };
}

/** What is not a failure of the run's own is the database being away, or a fault of ours. */
function asRunError(error: unknown): RunError {
  if (error instanceof RunError) return error;
  const code: RunCode = isUnreachable(error) ? 'db_unavailable' : 'internal';
  return new RunError(code, { cause: error });
}
