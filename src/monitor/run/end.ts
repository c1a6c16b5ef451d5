import { type RunCode, RunError } from '../../errors.ts';
import { isUnreachable } from '../../store/database.ts';
import { type ClaimedRun, failRun, requeueRun } from '../../store/runs.ts';
import { type Context, wake } from '../context.ts';
import { UnreadableAnswer } from '../read/reject.ts';
import { followUp } from './follow-up.ts';
import { untilReachable } from './reachable.ts';
import { type RunReport, reportOf } from './report.ts';
import { decideRetry } from './retry.ts';

/**
 * Every other end than success: given back because this process stops, taken over by another worker, tried
 * again later, or failed with a code of the closed list.
 */
export async function endWithoutSuccess(
  ctx: Context,
  run: ClaimedRun,
  error: unknown,
  stopping: AbortSignal | undefined,
): Promise<RunReport> {
  const failure = asRunError(error);
  if (failure.code === 'internal')
    ctx.log.error({ err: error, run: String(run.id), search: run.search }, 'run broke off');
  if (failure.code === 'lease_lost' && stopping?.aborted === true) return giveBack(ctx, run);
  // Another claim has it, or will when the lease has run out: nothing may be written here.
  if (failure.code === 'lease_lost' || failure.code === 'db_unavailable') return released(run, failure.code);

  const callsMade = run.calls_made + 1;
  const decision = decideRetry({
    code: failure.code,
    retryAfterMs: failure.retryAfterMs,
    callsMade,
    maxCalls: ctx.config.maxCallsPerRun,
    slotAt: run.slot_at,
    nextSlotAt: run.next_due_at,
    now: ctx.clock.now(),
    random: ctx.random,
  });
  return decision.kind === 'retry'
    ? tryAgain(ctx, run, failure, decision.notBefore)
    : fail(ctx, run, failure);
}

/** The run waits for whoever takes it next; a call that was given up counts as made. */
async function giveBack(ctx: Context, run: ClaimedRun): Promise<RunReport> {
  const { id: runId, fence } = run;
  const back = await requeueRun(ctx.db, {
    runId,
    fence,
    notBefore: null,
    reason: null,
    now: ctx.clock.now(),
  });
  if (back === 'queued') await wake(ctx, [{ runId, fence }]);
  return released(run, 'lease_lost');
}

async function tryAgain(
  ctx: Context,
  run: ClaimedRun,
  failure: RunError,
  notBefore: Date,
): Promise<RunReport> {
  const { id: runId, fence } = run;
  const { code, detail } = failure;
  const now = ctx.clock.now();
  const back = await untilReachable(ctx, () =>
    requeueRun(ctx.db, { runId, fence, notBefore, reason: detail ?? null, now }),
  );
  if (back !== 'queued') return released(run, back === 'lost' ? 'lease_lost' : code);
  await wake(ctx, [{ runId, fence, delayMs: notBefore.getTime() - now.getTime() }]);
  return { ...reportOf(run), status: 'retry', code, detail, notBefore };
}

async function fail(ctx: Context, run: ClaimedRun, failure: RunError): Promise<RunReport> {
  const { code, detail } = failure;
  const rejects = failure instanceof UnreadableAnswer ? failure.rejects : null;
  const ours = await untilReachable(ctx, () =>
    failRun(ctx.db, {
      runId: run.id,
      fence: run.fence,
      code,
      reason: detail ?? null,
      rejects,
      now: ctx.clock.now(),
    }),
  );
  if (!ours) return released(run, 'lease_lost');
  await untilReachable(ctx, () => followUp(ctx, run, failure));
  return { ...reportOf(run), status: 'failed', code, detail };
}

function released(run: ClaimedRun, code: RunCode): RunReport {
  return { ...reportOf(run), status: 'released', code };
}

/** What is not a failure of the run's own is the database being away, or a fault of ours. */
function asRunError(error: unknown): RunError {
  if (error instanceof RunError) return error;
  const code: RunCode = isUnreachable(error) ? 'db_unavailable' : 'internal';
  return new RunError(code, { cause: error });
}
