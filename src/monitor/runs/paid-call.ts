/**
 * Paid calls: recorded in a ledger before they are sent, within the limits of their service, and closed with their result. This
 * file has the calls of runs, whose responses are stored before they are parsed; `trial.ts` has those of trials.
 */

import { readCallsPerDay } from '../../config/config.ts';
import { formatTimeToSecond } from '../../lib/display-format.ts';
import type { Model } from '../../model/enumerations.ts';
import { RunError } from '../../model/errors.ts';
import { fillPlaceholders, listPlaceholders } from '../../model/placeholders.ts';
import { loadDialect } from '../../protocol/dialect.ts';
import { MAX_SEND_DELAY_MS, type Verdict } from '../../store/runs/call-limits.ts';
import { closeFailedCall, type FailedCallEnd, markUnknownCalls, openCall } from '../../store/runs/ledger.ts';
import { readNewestKnown } from '../../store/queries/newest-known-time.ts';
import { type RawResponse, storeResponse, takeUnreadResponse } from '../../store/runs/responses.ts';
import type { LeasedRun } from '../../store/runs/run-leases.ts';
import type { ServiceKind } from '../../model/closed-lists.ts';
import { redactKeyInBytes } from '../client/key-redaction.ts';
import {
  type CallAborted,
  type CallFailure,
  type CallResponse,
  callService,
} from '../client/service-call.ts';
import type { ServiceRequest } from '../client/service-request.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Context } from '../context.ts';
import { readOwnSources } from './own-sources.ts';
import { createSourceWait, waitsForSource } from '../topics/service-choice.ts';
import {
  cannotBeStored,
  retryUntilStored,
  type SpooledResponse,
  spoolResponse,
  withDbRetry,
} from './db-outage.ts';

/** Where paid calls are recorded: those of runs in `calls`, those of trials in `trials`. */
export type CallLedger<Row extends { sentAt: Date }, Stored> = {
  /** Commits the row of a call, or returns a response that makes the call unnecessary. @throws RunError if it is refused */
  open: (limits: CallLimits) => Promise<{ row: Row } | { stored: Stored }>;
  /** Headers that link the log of the service to the row. */
  headers: (row: Row) => Record<string, string>;
  /**
   * Closes the row with its response, which is paid for. Retries during a database outage.
   * @param redact removes the API key from a body; an error of it must not lose the response, or that it was received
   */
  store: (row: Row, response: PaidResponse, redact: (body: Buffer) => Buffer) => Promise<Stored>;
  /** Closes the row without a response. Idempotent. */
  closeFailed: (row: Row, end: FailedCallEnd) => Promise<void>;
  /** The error of a call that the signal aborted. */
  createAbortError: () => RunError;
};

/** A response with the time and cost of its call. */
export type PaidResponse = CallResponse & { receivedAt: Date };

/**
 * Makes one paid call. Its row is committed before the request is sent, and closed with the result.
 * @param call.signal aborts the call: the client disconnected, or the process stops
 * @throws RunError with the code of the failure
 */
export async function makePaidCall<Row extends { sentAt: Date }, Stored>(
  ctx: Context,
  call: {
    service: { kind: ServiceKind; dialect: string };
    request: ServiceRequest & { model: Model };
    signal: AbortSignal;
  },
  ledger: CallLedger<Row, Stored>,
): Promise<Stored> {
  const { service, request, signal } = call;
  const endpoint = await ctx.endpoint(service.kind);
  const dialect = loadDialect(service.dialect);
  // From here on nothing can fail before the request is sent, so that every row of the ledger is a request.
  const limits = readCallLimits(ctx, service.kind);
  const opened = await ledger.open(limits);
  if ('stored' in opened) return opened.stored;
  const { row } = opened;
  const result = await callService({
    ...endpoint,
    dialect,
    request,
    timeoutMs: ctx.config.callTimeoutMs[request.model],
    maxBytes: ctx.config.maxAnswerBytes,
    headers: ledger.headers(row),
    signal,
    clock: ctx.clock,
    leaveBy: computeSendDeadline(limits, row.sentAt),
  });
  const receivedAt = computeReceivedTime(ctx, row.sentAt, result.latencyMs);
  // From here on nothing can throw before the response is stored or spooled.
  if (result.kind === 'answer')
    return ledger.store(row, { ...result, receivedAt }, (body) => redactKeyInBytes(body, endpoint.key));
  const end = { ...result, ...classifyCallEnd(result), partial: null, now: receivedAt };
  const close = () => {
    if (result.partial === undefined) return ledger.closeFailed(row, end);
    const body = redactKeyInBytes(result.partial, endpoint.key);
    return ledger.closeFailed(row, { ...end, partial: { contentType: result.contentType, body } });
  };
  await withDbRetry(ctx, async () => close()).catch(async (error: unknown) => {
    if (!cannotBeStored(error)) throw error;
    ctx.log.error({ err: error }, 'part of a response lost');
    await withDbRetry(ctx, () => ledger.closeFailed(row, end));
  });
  if (result.kind === 'aborted') throw ledger.createAbortError();
  throw new RunError(result.code, { detail: result.detail, retryAfterMs: result.retryAfterMs });
}

/** The time of a response: the database's clock plus the duration that this process measured. Never throws: it is paid for. */
function computeReceivedTime({ clock, log }: Context, sentAt: Date, latencyMs: number): Date {
  try {
    const receivedAt = clock.statementTime() ?? new Date(sentAt.getTime() + Math.round(latencyMs));
    if (!Number.isNaN(receivedAt.getTime())) return receivedAt;
    log.error({ sentAt }, 'time of a response unknown');
  } catch (error) {
    log.error({ err: error }, 'time of a response unknown');
  }
  return systemClock.now();
}

/** State of a failed call in the ledger. A call that was aborted after it was sent may have been answered and billed. */
function classifyCallEnd(result: CallFailure | CallAborted): Pick<FailedCallEnd, 'state' | 'code'> {
  if (result.kind === 'failed') return { state: 'failed', code: result.code };
  return result.sent
    ? { state: 'unknown', code: 'unknown_outcome' }
    : { state: 'failed', code: 'timeout_connect' };
}

/** Call limits of a service, for runs and trials; null: no limit. */
type CallLimits = { callsPerDay: number | null; callsPerMinute: number | null };

/** Reads the call limits of a kind of service. */
export function readCallLimits({ config }: Pick<Context, 'config'>, kind: ServiceKind): CallLimits {
  return { callsPerDay: readCallsPerDay(config, kind), callsPerMinute: config.callsPerMinute ?? null };
}

/** The latest time at which a counted call may be sent; undefined without a limit per minute. */
function computeSendDeadline({ callsPerMinute }: CallLimits, countedAt: Date): Date | undefined {
  return callsPerMinute === null ? undefined : new Date(countedAt.getTime() + MAX_SEND_DELAY_MS);
}

/** The error of a run or trial that a limit refused. For a full minute, it says how long to wait. */
export function createLimitError(
  ctx: Pick<Context, 'clock'>,
  refusal: Exclude<Verdict, { kind: 'opened' }>,
  { callsPerMinute }: CallLimits,
): RunError {
  if (refusal.kind === 'day_cap')
    return new RunError('budget_exceeded', {
      budget: 'day',
      detail: 'all calls of this UTC day (CALLS_PER_DAY) are used up',
    });
  const at = formatTimeToSecond(refusal.until, 'UTC');
  return new RunError('budget_exceeded', {
    budget: 'minute',
    detail: `all calls of this minute (CALLS_PER_MINUTE: ${callsPerMinute}) are used up; the next is possible at ${at} UTC`,
    retryAfterMs: Math.max(refusal.until.getTime() - ctx.clock.now().getTime(), 0),
  });
}

/**
 * The newest unread response of an earlier lease of this run, which makes another call unnecessary. Marks calls of earlier
 * leases whose outcome is unknown: they may have been answered and billed.
 */
export async function findUnreadResponse(ctx: Context, run: LeasedRun): Promise<RawResponse | null> {
  // A lease that waited for a call of the lease before it does not count that call.
  if (run.fence === 1 && run.calls_made === 0) return null;
  await markUnknownCalls(ctx.db, run.id, run.fence, ctx.clock.now());
  return takeUnreadResponse(ctx.db, { runId: run.id, now: ctx.clock.statementTime() });
}

/**
 * Makes the paid call of a run and stores its raw response before it is parsed; from then on nothing calls again.
 * @throws RunError with the code of the failure; `sources_down` with `waitsFor`, before the call, while no public source is
 * reachable: what such a call does not find would look like nothing found
 */
export async function callAndStore(
  ctx: Context,
  run: LeasedRun,
  stopping: AbortSignal,
): Promise<RawResponse> {
  const own_sources = await readOwnSources(ctx, run);
  const hasOwn = (own_sources?.read ?? []).length > 0;
  if (!hasOwn && (await waitsForSource(ctx, run.service_kind))) throw createSourceWait();
  const service = { kind: run.service_kind, dialect: run.dialect };
  const request = { ...run, own_sources, extra: await fillExtra(ctx, run) };
  return makePaidCall(ctx, { service, request, signal: stopping }, createRunLedger(ctx, run, stopping));
}

async function fillExtra({ db }: Context, { id, extra }: LeasedRun): Promise<Record<string, unknown>> {
  if (listPlaceholders(extra).length === 0) return extra;
  const since = await readNewestKnown(db, id);
  return fillPlaceholders(extra, { since: since?.toISOString() ?? null });
}

function createRunLedger(
  ctx: Context,
  run: LeasedRun,
  stopping: AbortSignal,
): CallLedger<{ n: number; sentAt: Date }, RawResponse> {
  const { maxCallsPerRun } = ctx.config;
  return {
    async open(limits) {
      const call = { runId: run.id, fence: run.fence, serviceId: run.service_id, maxCallsPerRun };
      const opened = await openCall(ctx.db, { ...call, ...limits, clock: ctx.clock });
      switch (opened.kind) {
        case 'opened':
          return { row: opened };
        case 'unread':
          return { stored: await takeConcurrentResponse(ctx, run) };
        case 'lost':
          throw new RunError('lease_lost');
        case 'run_cap':
          throw new RunError('budget_exceeded', {
            budget: 'run',
            detail: `all calls of this run (MAX_CALLS_PER_RUN: ${maxCallsPerRun}) are used up`,
          });
        case 'minute_cap':
        case 'day_cap':
          throw createLimitError(ctx, opened, limits);
      }
    },
    headers: ({ n }) => ({ 'x-run-id': String(run.id), 'x-call': String(n) }),
    async store({ n, sentAt }, { httpStatus, contentType, body, receivedAt, latencyMs, costUsd }, redact) {
      const response: RawResponse = { n, httpStatus, contentType, body, receivedAt };
      const paid = { runId: run.id, response, latencyMs, costUsd, fence: run.fence, sentAt };
      return storePaidResponse(ctx, { ...paid, keyOf: run.service_kind }, redact, stopping);
    },
    closeFailed: ({ n }, end) => closeFailedCall(ctx.db, { ...end, runId: run.id, n }),
    createAbortError: () => new RunError('lease_lost'),
  };
}

/**
 * Stores a response. After any error it is on disk first, until a process with the same data directory stores it.
 * @param paid.keyOf the service whose key the body may contain
 * @throws RunError `db_unavailable` if the database is away: the next lease of the run finds the response; `internal` if this response
 *   cannot be stored: the run fails, so that nothing calls again, and the response is parsed once it can be stored
 */
async function storePaidResponse(
  ctx: Context,
  paid: SpooledResponse,
  redact: (body: Buffer) => Buffer,
  stopping: AbortSignal,
): Promise<RawResponse> {
  const onDisk: { remove: (() => Promise<void>) | null } = { remove: null };
  let { keyOf: _, ...safe } = paid;
  let redacted = false;
  const store = async () => {
    if (!redacted) safe = { ...safe, response: { ...paid.response, body: redact(paid.response.body) } };
    redacted = true;
    await storeResponse(ctx.db, safe);
  };
  try {
    await retryUntilStored(store, {
      stopping,
      onFirstFailure: async (error) => {
        ctx.log.warn({ err: error, run: String(paid.runId) }, 'response not stored; retrying');
        onDisk.remove = await spoolResponse(ctx, redacted ? safe : paid);
      },
    });
  } catch (error) {
    const event = onDisk.remove === null ? 'response lost' : 'response spooled, not stored';
    ctx.log.error({ err: error, run: String(paid.runId), call: paid.response.n }, event);
    if (!cannotBeStored(error)) throw new RunError('db_unavailable', { cause: error });
    await closeUnstoredCall(ctx, paid);
    const where = onDisk.remove === null ? 'is lost' : 'is in the spool of its worker';
    throw new RunError('internal', {
      detail: `the response could not be stored, and ${where}`,
      cause: error,
    });
  }
  await onDisk.remove?.();
  return safe.response;
}

/** Closes the ledger row of a response that cannot be stored: it was received. */
async function closeUnstoredCall(ctx: Context, { runId, response, latencyMs, costUsd }: SpooledResponse) {
  const { n, httpStatus, body, receivedAt } = response;
  const end = { state: 'received', code: null, sent: true, partial: null } as const;
  const facts = { httpStatus, bytes: body.byteLength, latencyMs, costUsd, now: receivedAt };
  await withDbRetry(ctx, () => closeFailedCall(ctx.db, { ...end, ...facts, runId, n })).catch(
    (error: unknown) =>
      // The end of the run closes it, as unknown.
      ctx.log.error({ err: error, run: String(runId), call: n }, 'call not closed'),
  );
}

/** Takes a response that another process stored while this process was about to call. */
async function takeConcurrentResponse(ctx: Context, run: LeasedRun): Promise<RawResponse> {
  const response = await takeUnreadResponse(ctx.db, { runId: run.id, now: ctx.clock.statementTime() });
  if (response === null) throw new RunError('lease_lost');
  return response;
}
