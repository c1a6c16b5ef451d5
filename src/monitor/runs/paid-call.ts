/** The paid call of a run: counted before it is sent, stored before it is parsed, within the limits of its service. */

import { readCallsPerDay } from '../../config/config.ts';
import { type RunCode, RunError } from '../../domain/errors.ts';
import { loadDialect } from '../../protocol/dialect.ts';
import { MAX_SEND_DELAY_MS, type Verdict } from '../../store/call-limits.ts';
import { closeFailedCall, markUnknownCalls, openCall } from '../../store/ledger.ts';
import { type RawResponse, storeResponse, takeUnreadResponse } from '../../store/responses.ts';
import type { ClaimedRun } from '../../store/run-claims.ts';
import type { ServiceKind } from '../../store/services.ts';
import { redactKeyInBytes } from '../client/key-redaction.ts';
import { type CallAborted, type CallFailure, callService } from '../client/service-call.ts';
import type { Context } from '../context.ts';
import { retryUntilStored, type SpooledResponse, spoolResponse, withDbRetry } from './db-outage.ts';

/**
 * The newest response that an earlier claim of this run stored and nobody has read: it was paid for, nothing is called
 * again. Calls of earlier claims that were sent and never heard of are marked, for they may have been answered and paid.
 */
export async function findUnreadResponse(ctx: Context, run: ClaimedRun): Promise<RawResponse | null> {
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
  const limits = readCallLimits(ctx, run.service_kind);
  const opened = await openLedgerCall(ctx, run, limits);
  if (opened.kind === 'unread') return takeConcurrentResponse(ctx, run);
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
    leaveBy: computeSendDeadline(limits, sentAt),
  });
  const receivedAt = computeReceivedTime(ctx, sentAt, result.latencyMs);
  if (result.kind !== 'answer')
    throw await recordFailedCall(ctx, run, { n, key: endpoint.key }, result, receivedAt);
  const { httpStatus, contentType, latencyMs, costUsd } = result;
  const body = redactKeyInBytes(result.body, endpoint.key);
  const response: RawResponse = { n, httpStatus, contentType, body, receivedAt };
  await storePaidResponse(
    ctx,
    { runId: run.id, response, latencyMs, costUsd, fence: run.fence, sentAt },
    stopping,
  );
  return response;
}

/** The time of a response: no clock but the database's, and what this process measured since. */
function computeReceivedTime({ clock }: Context, sentAt: Date, latencyMs: number): Date {
  return clock.statementTime() ?? new Date(sentAt.getTime() + Math.round(latencyMs));
}

/** @throws RunError `db_unavailable`: it is on disk, until a process that sees the same folder stores it */
async function storePaidResponse(ctx: Context, paid: SpooledResponse, stopping: AbortSignal): Promise<void> {
  const onDisk: { remove: (() => Promise<void>) | null } = { remove: null };
  try {
    await retryUntilStored(() => storeResponse(ctx.db, paid), {
      stopping,
      onFirstFailure: async (error) => {
        ctx.log.warn({ err: error, run: String(paid.runId) }, 'response not stored; retrying');
        onDisk.remove = await spoolResponse(ctx, paid);
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
async function recordFailedCall(
  ctx: Context,
  run: ClaimedRun,
  { n, key }: { n: number; key: string | undefined },
  result: CallFailure | CallAborted,
  now: Date,
): Promise<RunError> {
  const { httpStatus, contentType, bytes, latencyMs, costUsd, sent } = result;
  const body = result.partial && redactKeyInBytes(result.partial, key);
  const partial = body === undefined ? null : { contentType, body };
  const call = { runId: run.id, n, sent, httpStatus, partial, bytes, latencyMs, costUsd, now };
  await withDbRetry(ctx, () => closeFailedCall(ctx.db, { ...call, ...classifyCallEnd(result) }));
  if (result.kind === 'aborted') return new RunError('lease_lost');
  return new RunError(result.code, { detail: result.detail, retryAfterMs: result.retryAfterMs });
}

/** How the ledger has a call that failed. One that was aborted once it was sent may have been answered, and paid. */
export function classifyCallEnd(result: CallFailure | CallAborted): {
  state: 'failed' | 'unknown';
  code: RunCode;
} {
  if (result.kind === 'failed') return { state: 'failed', code: result.code };
  return result.sent
    ? { state: 'unknown', code: 'unknown_outcome' }
    : { state: 'failed', code: 'timeout_connect' };
}

/** @throws RunError where the call is refused */
async function openLedgerCall(
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
      throw createLimitError(ctx, opened, limits);
  }
}

/** A response that another process stored while this one was about to call. */
async function takeConcurrentResponse(ctx: Context, run: ClaimedRun): Promise<RawResponse> {
  const response = await takeUnreadResponse(ctx.db, { runId: run.id, now: ctx.clock.statementTime() });
  if (response === null) throw new RunError('lease_lost');
  return response;
}

/** The limits of a service's calls, as runs and trials meet them; null: no limit. */
export type CallLimits = { callsPerDay: number | null; callsPerMinute: number | null };

/** Most calls to a service of this kind; null: no limit. */
export function readCallLimits({ config }: Pick<Context, 'config'>, kind: ServiceKind): CallLimits {
  return { callsPerDay: readCallsPerDay(config, kind), callsPerMinute: config.callsPerMinute ?? null };
}

/** The latest time for a counted call to be sent; undefined where the minute has no limit. */
export function computeSendDeadline({ callsPerMinute }: CallLimits, countedAt: Date): Date | undefined {
  return callsPerMinute === null ? undefined : new Date(countedAt.getTime() + MAX_SEND_DELAY_MS);
}

/** What a refusal means to a run or a trial. A full minute says how long to wait, and when that is. */
export function createLimitError(
  ctx: Pick<Context, 'clock'>,
  refusal: Exclude<Verdict, { kind: 'opened' }>,
  { callsPerMinute }: CallLimits,
): RunError {
  if (refusal.kind === 'day_cap')
    return new RunError('budget_exceeded', {
      budget: 'day',
      detail: 'the calls of this day (CALLS_PER_DAY, UTC) are used up',
    });
  const at = refusal.until.toISOString().slice(11, 19);
  return new RunError('budget_exceeded', {
    budget: 'minute',
    detail: `all ${callsPerMinute} calls of this minute (CALLS_PER_MINUTE) are used up; the next is possible at ${at} UTC`,
    retryAfterMs: Math.max(refusal.until.getTime() - ctx.clock.now().getTime(), 0),
  });
}
