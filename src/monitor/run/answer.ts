import { loadDialect } from '../../contract/dialect.ts';
import { type RunCode, RunError } from '../../errors.ts';
import { closeFailedCall, markUnknownCalls, openCall } from '../../store/ledger.ts';
import { type RawResponse, storeResponse, takeUnreadResponse } from '../../store/responses.ts';
import type { ClaimedRun } from '../../store/runs.ts';
import { callService } from '../client/call.ts';
import type { CallAborted, CallFailure } from '../client/result.ts';
import { concealInBytes } from '../client/secret.ts';
import type { Context } from '../context.ts';
import { untilStored, withDbRetry } from './db-retry.ts';
import { type CallLimits, limitsOf, refusedByLimit, sentBy } from './limits.ts';
import { type Spooled, spool } from './spool.ts';

/**
 * The newest response that an earlier claim of this run stored and nobody has read: it was paid for, nothing is called
 * again. Calls of earlier claims that were sent and never heard of are marked, for they may have been answered and paid.
 */
export async function unreadResponse(ctx: Context, run: ClaimedRun): Promise<RawResponse | null> {
  // A claim that waited for a call of the claim before it does not count that call.
  if (run.fence === 1 && run.calls_made === 0) return null;
  await markUnknownCalls(ctx.db, run.id, run.fence, ctx.clock.now());
  return takeUnreadResponse(ctx.db, { runId: run.id, now: ctx.clock.statementTime() });
}

/**
 * Makes the paid call and stores its response, raw, before anyone parses it. The ledger's row
 * is committed before the request is sent; from the moment the response is stored nothing calls again.
 * @throws RunError with the code of what went wrong
 */
export async function callAndStore(
  ctx: Context,
  run: ClaimedRun,
  stopping: AbortSignal,
): Promise<RawResponse> {
  const endpoint = await ctx.endpoint(run.service_kind);
  const dialect = loadDialect(run.dialect);
  // Nothing below can fail before the request is sent: a row of the ledger is a request.
  const limits = limitsOf(ctx, run.service_kind);
  const opened = await openLedger(ctx, run, limits);
  if (opened.kind === 'unread') return storedMeanwhile(ctx, run);
  const { n, sentAt } = opened;
  const result = await callService({
    ...endpoint,
    dialect,
    request: run,
    timeoutMs: ctx.config.callTimeoutMs[run.model],
    maxBytes: ctx.config.maxAnswerBytes,
    headers: { 'x-run-id': String(run.id), 'x-call': String(n) },
    signal: stopping,
    clock: ctx.clock,
    leaveBy: sentBy(limits, sentAt),
  });
  const receivedAt = receivedTime(ctx, sentAt, result.latencyMs);
  if (result.kind !== 'answer')
    throw await closeLedger(ctx, run, { n, key: endpoint.key }, result, receivedAt);
  const { httpStatus, contentType, latencyMs, costUsd } = result;
  const body = concealInBytes(result.body, endpoint.key);
  const response: RawResponse = { n, httpStatus, contentType, body, receivedAt };
  await store(ctx, { runId: run.id, response, latencyMs, costUsd, fence: run.fence, sentAt }, stopping);
  return response;
}

/** The time of a response: no clock but the database's, and what this process measured since. */
function receivedTime({ clock }: Context, sentAt: Date, latencyMs: number): Date {
  return clock.statementTime() ?? new Date(sentAt.getTime() + Math.round(latencyMs));
}

/** @throws RunError `db_unavailable`: it is on disk, until a process that sees the same folder stores it */
async function store(ctx: Context, paid: Spooled, stopping: AbortSignal): Promise<void> {
  const onDisk: { remove: (() => Promise<void>) | null } = { remove: null };
  try {
    await untilStored(() => storeResponse(ctx.db, paid), {
      stopping,
      onFirstFailure: async (error) => {
        ctx.log.warn({ err: error, run: String(paid.runId) }, 'response not stored; retrying');
        onDisk.remove = await spool(ctx, paid);
      },
    });
  } catch (error) {
    const event = onDisk.remove === null ? 'response lost' : 'response spooled, not stored';
    ctx.log.error({ err: error, run: String(paid.runId), call: paid.response.n }, event);
    throw new RunError('db_unavailable', { cause: error });
  }
  await onDisk.remove?.();
}

/** Writes down how a call without a response ended, and stores what had arrived of a body that broke off. */
async function closeLedger(
  ctx: Context,
  run: ClaimedRun,
  { n, key }: { n: number; key: string | undefined },
  result: CallFailure | CallAborted,
  now: Date,
): Promise<RunError> {
  const { httpStatus, contentType, bytes, latencyMs, costUsd, sent } = result;
  const body = result.partial && concealInBytes(result.partial, key);
  const partial = body === undefined ? null : { contentType, body };
  const call = { runId: run.id, n, sent, httpStatus, partial, bytes, latencyMs, costUsd, now };
  await withDbRetry(ctx, () => closeFailedCall(ctx.db, { ...call, ...endOf(result) }));
  if (result.kind === 'aborted') return new RunError('lease_lost');
  return new RunError(result.code, { detail: result.detail, retryAfterMs: result.retryAfterMs });
}

/** How the ledger has a call that failed. One that was aborted once it was sent may have been answered, and paid. */
export function endOf(result: CallFailure | CallAborted): { state: 'failed' | 'unknown'; code: RunCode } {
  if (result.kind === 'failed') return { state: 'failed', code: result.code };
  return result.sent
    ? { state: 'unknown', code: 'unknown_outcome' }
    : { state: 'failed', code: 'timeout_connect' };
}

/** @throws RunError where the call is refused */
async function openLedger(
  ctx: Context,
  run: ClaimedRun,
  limits: CallLimits,
): Promise<{ kind: 'opened'; n: number; sentAt: Date } | { kind: 'unread' }> {
  const { clock } = ctx;
  const { maxCallsPerRun } = ctx.config;
  const call = { runId: run.id, fence: run.fence, serviceId: run.service_id, maxCallsPerRun };
  const opened = await openCall(ctx.db, { ...call, ...limits, clock });
  switch (opened.kind) {
    case 'opened':
    case 'unread':
      return opened;
    case 'lost':
      throw new RunError('lease_lost');
    case 'run_cap':
      throw new RunError('budget_exceeded', {
        budget: 'run',
        detail: `all ${maxCallsPerRun} calls of this run are used up`,
      });
    case 'minute_cap':
    case 'day_cap':
      throw refusedByLimit(ctx, opened, limits);
  }
}

/** A response that another process stored while this one was about to call. */
async function storedMeanwhile(ctx: Context, run: ClaimedRun): Promise<RawResponse> {
  const response = await takeUnreadResponse(ctx.db, { runId: run.id, now: ctx.clock.statementTime() });
  if (response === null) throw new RunError('lease_lost');
  return response;
}
