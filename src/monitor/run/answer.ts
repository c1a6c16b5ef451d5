import { callsPerDayOf } from '../../config.ts';
import { loadDialect } from '../../contract/dialect.ts';
import { RunError } from '../../errors.ts';
import {
  closeFailedCall,
  type KeptAnswer,
  keepAnswer,
  loadAnswer,
  markUnknownCalls,
  openCall,
} from '../../store/ledger.ts';
import type { ClaimedRun } from '../../store/runs.ts';
import { callService } from '../client/call.ts';
import type { CallAborted, CallFailure } from '../client/result.ts';
import { concealInBytes } from '../client/secret.ts';
import type { Context } from '../context.ts';
import { untilReachable } from './reachable.ts';
import { spool } from './spool.ts';

/**
 * The answer that an earlier claim of this run kept, if there is one: it was paid for, nothing is called
 * again. A call that was sent and never heard of is marked, for it may have been answered and paid.
 */
export async function keptAnswer(ctx: Context, run: ClaimedRun): Promise<KeptAnswer | null> {
  if (run.calls_made === 0) return null;
  const answer = await loadAnswer(ctx.db, run.id);
  if (answer === null) await markUnknownCalls(ctx.db, run.id, run.fence, ctx.clock.now());
  return answer;
}

/**
 * Makes the paid call and keeps its answer, raw, before anyone reads meaning into it. The ledger's row
 * is committed before the request is sent; from the moment the answer is kept nothing calls again.
 * @throws RunError with the code of what went wrong
 */
export async function callAndKeep(ctx: Context, run: ClaimedRun, signal: AbortSignal): Promise<KeptAnswer> {
  const endpoint = await ctx.endpoint(run.service_kind);
  const dialect = loadDialect(run.dialect);
  // Nothing below can fail before the request is sent: a row of the ledger is a request.
  const sentAt = ctx.clock.now();
  const n = await openLedger(ctx, run, sentAt);
  const result = await callService({
    ...endpoint,
    dialect,
    request: run,
    timeoutMs: ctx.config.callTimeoutMs[run.model],
    maxBytes: ctx.config.maxAnswerBytes,
    headers: { 'x-run-id': String(run.id), 'x-call': String(n) },
    signal,
    clock: ctx.clock,
  });
  const receivedAt = ctx.clock.now();
  if (result.kind !== 'answer') throw await closeLedger(ctx, run, n, result, receivedAt);
  const { httpStatus, contentType, latencyMs, costUsd } = result;
  const body = concealInBytes(result.body, endpoint.key);
  const answer: KeptAnswer = { n, httpStatus, contentType, body, receivedAt };
  const paid = { runId: run.id, answer, latencyMs, costUsd };
  let letGo = () => Promise.resolve();
  await untilReachable(
    ctx,
    () => keepAnswer(ctx.db, paid),
    async () => {
      letGo = await spool(ctx, { ...paid, fence: run.fence, sentAt });
    },
  );
  await letGo();
  return answer;
}

/** Writes down how a call without an answer ended. An aborted one may have been answered, and paid. */
async function closeLedger(
  ctx: Context,
  run: ClaimedRun,
  n: number,
  result: CallFailure | CallAborted,
  now: Date,
): Promise<RunError> {
  const aborted = result.kind === 'aborted';
  const code = aborted ? 'unknown_outcome' : result.code;
  const { httpStatus, bytes, latencyMs, costUsd } = result;
  const state = aborted ? 'unknown' : 'failed';
  await untilReachable(ctx, () =>
    closeFailedCall(ctx.db, { runId: run.id, n, state, code, httpStatus, bytes, latencyMs, costUsd, now }),
  );
  if (aborted) return new RunError('lease_lost');
  return new RunError(result.code, { detail: result.detail, retryAfterMs: result.retryAfterMs });
}

async function openLedger(ctx: Context, run: ClaimedRun, now: Date): Promise<number> {
  const opened = await openCall(ctx.db, {
    runId: run.id,
    fence: run.fence,
    serviceId: run.service_id,
    maxCallsPerRun: ctx.config.maxCallsPerRun,
    callsPerDay: callsPerDayOf(ctx.config, run.service_kind),
    now,
  });
  switch (opened.kind) {
    case 'opened':
      return opened.n;
    case 'lost':
      throw new RunError('lease_lost');
    case 'run_cap':
      throw new RunError('budget_exceeded', {
        budget: 'run',
        detail: `all ${ctx.config.maxCallsPerRun} calls of this run are used up`,
      });
    case 'day_cap':
      throw new RunError('budget_exceeded', {
        budget: 'day',
        detail: 'the calls of this day (CALLS_PER_DAY, UTC) are used up',
      });
  }
}
