import { type RunCode, RunError } from '../../errors.ts';
import { isOfDatabase, refusesData } from '../../store/database.ts';
import type { ResponseKey } from '../../store/responses.ts';
import { type ClaimedRun, failRun, requeueRun } from '../../store/runs.ts';
import type { Context } from '../context.ts';
import { UnreadableAnswer } from '../read/reject.ts';
import { withDbRetry } from './db-retry.ts';
import { followUp } from './follow-up.ts';
import { type RunReport, reportOf } from './report.ts';
import { decideRetry } from './retry.ts';

/**
 * Every other end than success: released because this process stops, taken over by another worker, retried
 * later, or failed with a code of the closed list.
 * @param end.response what was read when it failed, where there was a response
 */
export async function endWithoutSuccess(
  ctx: Context,
  run: ClaimedRun,
  { error, response, stopping }: { error: unknown; response: ResponseKey | undefined; stopping: AbortSignal },
): Promise<RunReport> {
  const failure = asRunError(error);
  if (failure.code === 'internal')
    ctx.log.error({ err: error, run: String(run.id), search: run.search }, 'run aborted');
  if (failure.code === 'lease_lost' && stopping.aborted) return release(ctx, run);
  // Another claim has it, or will when the lease has run out: nothing may be written here.
  if (failure.code === 'lease_lost' || failure.code === 'db_unavailable') return released(run, failure.code);

  const callsMade = run.calls_made + 1;
  const decision = decideRetry({
    code: failure.code,
    budget: failure.budget,
    retryAfterMs: failure.retryAfterMs,
    callsMade,
    maxCalls: ctx.config.maxCallsPerRun,
    slotAt: run.slot_at,
    nextSlotAt: run.next_due_at,
    now: ctx.clock.now(),
    random: ctx.random,
  });
  // Nothing more can be made of it. One that failed for another reason stays unread.
  const unreadable = failure instanceof UnreadableAnswer ? (response?.n ?? null) : null;
  return decision.kind === 'retry'
    ? retry(ctx, run, failure, { notBefore: decision.notBefore, unreadable })
    : fail(ctx, run, failure, unreadable);
}

/** The run waits for whoever claims it next; a call that was aborted counts as made. */
async function release(ctx: Context, run: ClaimedRun): Promise<RunReport> {
  const { id: runId, fence } = run;
  const now = ctx.clock.statementTime();
  await requeueRun(ctx.db, { runId, fence, notBefore: null, reason: null, now });
  return released(run, 'lease_lost');
}

async function retry(
  ctx: Context,
  run: ClaimedRun,
  failure: RunError,
  { notBefore, unreadable }: { notBefore: Date; unreadable: number | null },
): Promise<RunReport> {
  const { id: runId, fence } = run;
  const { code, detail } = failure;
  const now = ctx.clock.statementTime();
  const back = await withDbRetry(ctx, () =>
    requeueRun(ctx.db, { runId, fence, notBefore, reason: detail ?? null, unreadable, now }),
  );
  if (back !== 'queued') return released(run, back === 'lost' ? 'lease_lost' : code);
  return { ...reportOf(run), status: 'retry', code, detail, notBefore };
}

async function fail(
  ctx: Context,
  run: ClaimedRun,
  failure: RunError,
  unreadable: number | null,
): Promise<RunReport> {
  const { code, detail } = failure;
  const rejects = failure instanceof UnreadableAnswer ? failure.rejects : null;
  const ours = await withDbRetry(ctx, () =>
    failRun(ctx.db, {
      runId: run.id,
      fence: run.fence,
      code,
      reason: detail ?? null,
      rejects,
      unreadable,
      now: ctx.clock.statementTime(),
    }),
  );
  if (!ours) return released(run, 'lease_lost');
  await withDbRetry(ctx, () => followUp(ctx, run, failure));
  return { ...reportOf(run), status: 'failed', code, detail };
}

function released(run: ClaimedRun, code: RunCode): RunReport {
  return { ...reportOf(run), status: 'released', code };
}

/** What is not a failure of the run's own is one of the database, which may pass, or a fault of ours. */
function asRunError(error: unknown): RunError {
  if (error instanceof RunError) return error;
  const code: RunCode = isOfDatabase(error) && !refusesData(error) ? 'db_unavailable' : 'internal';
  return new RunError(code, { cause: error });
}
