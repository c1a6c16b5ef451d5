/** Trying out a search that is not saved: one call, shown and forgotten. */
import { loadDialect } from '../../contract/dialect.ts';
import { MINUTE } from '../../engine/clock.ts';
import { RunError } from '../../errors.ts';
import type { Id } from '../../store/database.ts';
import { withoutForgotten } from '../../store/forget/leave-out.ts';
import type { RawResponse } from '../../store/responses.ts';
import type { Service } from '../../store/services.ts';
import { closeTrial, knownAmong, noteUnreadable, openTrial, type Request } from '../../store/trials.ts';
import { callService } from '../client/call.ts';
import type { CallAborted, CallFailure, RawAnswer } from '../client/result.ts';
import { concealInBytes } from '../client/secret.ts';
import type { Context } from '../context.ts';
import type { Findings } from '../read/findings.ts';
import { checkSearch, type WrittenSearch } from '../topic/definition.ts';
import { serviceFor } from '../topic/service-for.ts';
import { endOf } from './answer.ts';
import { withDbRetry } from './db-retry.ts';
import { type CallLimits, limitsOf, refusedByLimit, sentBy } from './limits.ts';
import { readFindings } from './reading.ts';
import { foundIn, type Trial } from './trial.ts';

/** A search as a person writes it, of which neither name nor schedule need be known yet. */
export type Tried = Omit<WrittenSearch, 'slug'> & { slug?: string | undefined; service?: string | undefined };

/** So long after its time limit an answer may still wait for a database that is away. */
const GRACE_MS = 6 * MINUTE;
const SHOWN = 20;

/**
 * Tries out a search: the same checks, the same choice of a service, the same call and the same reading as when it is
 * saved and runs. One call is made, counted in the day and the minute as any other, and written down before it is sent.
 * @param options.signal aborted when nobody waits for it any more: the call is given up, and counts
 * @param options.shown most posts and most links that come back; 20 where left out
 * @throws InvalidInput with everything that is wrong, before anything is called
 * @throws RunError with the code of what went wrong: `budget_exceeded` without a call (with the time to wait where the minute is full), all else after it
 */
export async function trySearch(
  ctx: Context,
  tried: Tried,
  { signal, shown = SHOWN }: { signal: AbortSignal; shown?: number },
): Promise<Trial> {
  const { request, service } = await asked(ctx, tried);
  const endpoint = await ctx.endpoint(service.kind);
  const dialect = loadDialect(service.dialect);
  if (signal.aborted) throw new RunError('unknown_outcome', { detail: 'nobody waited for it' });

  const timeoutMs = ctx.config.callTimeoutMs[request.model];
  const limits = limitsOf(ctx, service.kind);
  const { id, sentAt } = await open(ctx, { request, service, timeoutMs, limits });
  const result = await callService({
    ...endpoint,
    dialect,
    request,
    timeoutMs,
    maxBytes: ctx.config.maxAnswerBytes,
    headers: { 'x-trial-id': String(id) },
    signal,
    clock: ctx.clock,
    leaveBy: sentBy(limits, sentAt),
  });
  const receivedAt = ctx.clock.now();
  await close(ctx, id, result, receivedAt);
  if (result.kind !== 'answer') throw failureOf(result);

  const body = concealInBytes(result.body, endpoint.key);
  const read = await reading(ctx, id, { request, service, answer: { ...result, n: 1, body, receivedAt } });
  const findings = await withoutForgotten(ctx.db.pool, { serviceId: service.id, findings: read });
  const known = await knownAmong(ctx.db, {
    serviceId: service.id,
    posts: findings.kept.posts.map(({ external_id }) => external_id),
    links: findings.kept.links.map(({ canonical }) => canonical),
  });
  return {
    id,
    service: service.name,
    service_kind: service.kind,
    operation: request.operation,
    sent_at: sentAt,
    received_at: receivedAt,
    latency_ms: result.latencyMs,
    cost_usd: result.costUsd,
    bytes: result.bytes,
    ...foundIn(findings.kept, known, shown),
  };
}

/** @throws InvalidInput */
async function asked(ctx: Context, tried: Tried): Promise<{ request: Request; service: Service }> {
  const scheduled = tried.cron !== undefined || tried.every !== undefined;
  const checked = checkSearch({
    ...tried,
    slug: tried.slug ?? 'trial',
    ...(scheduled ? {} : { every: '1h' }),
  });
  const { prompt, tools, model, date_filter, streaming, extra } = checked.definition;
  const request = { operation: checked.operation, prompt, tools, model, date_filter, streaming, extra };
  return { request, service: await serviceFor(ctx, tried.service) };
}

type Opening = { request: Request; service: Service; timeoutMs: number; limits: CallLimits };

/** @throws RunError `budget_exceeded` */
async function open(
  ctx: Context,
  { request, service, timeoutMs, limits }: Opening,
): Promise<{ id: Id; sentAt: Date }> {
  const { clock } = ctx;
  const call = { serviceId: service.id, request, deadlineMs: timeoutMs + GRACE_MS };
  const opened = await openTrial(ctx.db, { ...call, ...limits, clock });
  if (opened.kind === 'opened') return opened;
  throw refusedByLimit(ctx, opened, limits);
}

async function close(
  ctx: Context,
  id: Id,
  result: RawAnswer | CallFailure | CallAborted,
  now: Date,
): Promise<void> {
  const { httpStatus, bytes, latencyMs, costUsd, sent } = result;
  const end = result.kind === 'answer' ? ({ state: 'received', code: null } as const) : endOf(result);
  await withDbRetry(ctx, () =>
    closeTrial(ctx.db, { id, ...end, sent, httpStatus, bytes, latencyMs, costUsd, now }),
  );
}

function failureOf(result: CallFailure | CallAborted): RunError {
  if (result.kind === 'aborted')
    return new RunError('unknown_outcome', { detail: 'nobody waited for its end' });
  return new RunError(result.code, { detail: result.detail, retryAfterMs: result.retryAfterMs });
}

/** @throws UnreadableAnswer, once its code is written down */
async function reading(
  ctx: Context,
  id: Id,
  { request, service, answer }: { request: Request; service: Service; answer: RawResponse },
): Promise<Findings> {
  const { operation, tools } = request;
  try {
    return await readFindings({ operation, tools, dialect: service.dialect }, answer);
  } catch (error) {
    const code = error instanceof RunError ? error.code : 'internal';
    await withDbRetry(ctx, () => noteUnreadable(ctx.db, id, code));
    throw error;
  }
}
