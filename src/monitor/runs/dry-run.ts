/** Trying out a search that is not saved: one paid call, shown and forgotten. */

import type { Operation } from '../../domain/enumerations.ts';
import { RunError } from '../../domain/errors.ts';
import type { ParsedResults } from '../../domain/parsed-results.ts';
import { MINUTE } from '../../domain/time.ts';
import type { Id } from '../../store/database.ts';
import { removeForgotten } from '../../store/maintenance/tombstones.ts';
import type { Service, ServiceKind } from '../../store/services.ts';
import {
  closeTrial,
  findKnownItems,
  markTrialUnreadable,
  openTrial,
  type TrialRequest,
} from '../../store/trials.ts';
import type { Context } from '../context.ts';
import { checkSearch, type WrittenSearch } from '../topics/search-definition.ts';
import { chooseService } from '../topics/service-choice.ts';
import { withDbRetry } from './db-outage.ts';
import { type DryRunResults, summarizeResults } from './dry-run-results.ts';
import { type CallLedger, createLimitError, makePaidCall, type PaidResponse } from './paid-call.ts';
import { parseStoredResponse } from './parse-and-save.ts';

/** A search as a person writes it, of which neither name nor schedule need be known yet. */
export type SearchToDryRun = Omit<WrittenSearch, 'slug'> & {
  slug?: string | undefined;
  service?: string | undefined;
};

/** So long after its time limit an answer may still wait for a database that is away. */
const DRY_RUN_GRACE_MS = 6 * MINUTE;
const DEFAULT_SHOWN = 20;

/**
 * Tries out a search: the same checks, the same choice of a service, the same call and the same reading as when it is
 * saved and runs. One call is made, counted in the day and the minute as any other, and written down before it is sent.
 * @param options.signal aborted when nobody waits for it any more: the call is given up, and counts
 * @param options.shown most posts and most links that come back; 20 where left out
 * @throws InvalidInput with everything that is wrong, before anything is called
 * @throws RunError with the code of what went wrong: `budget_exceeded` without a call (with the time to wait where the minute is full), all else after it
 */
export async function dryRunSearch(
  ctx: Context,
  tried: SearchToDryRun,
  { signal, shown = DEFAULT_SHOWN }: { signal: AbortSignal; shown?: number },
): Promise<DryRun> {
  const { request, service } = await prepareRequest(ctx, tried);
  if (signal.aborted) throw new RunError('unknown_outcome', { detail: 'nobody waited for it' });
  const ledger = createTrialLedger(ctx, request, service);
  const { id, sentAt, response } = await makePaidCall(ctx, { service, request, signal }, ledger);
  const read = await parseDryRunResponse(ctx, id, { request, service, response });
  const findings = await removeForgotten(ctx.db.pool, { serviceId: service.id, findings: read });
  const known = await findKnownItems(ctx.db, {
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
    received_at: response.receivedAt,
    latency_ms: response.latencyMs,
    cost_usd: response.costUsd,
    bytes: response.bytes,
    ...summarizeResults(findings.kept, known, shown),
  };
}

/** @throws InvalidInput */
async function prepareRequest(
  ctx: Context,
  tried: SearchToDryRun,
): Promise<{ request: TrialRequest; service: Service }> {
  const scheduled = tried.cron !== undefined || tried.every !== undefined;
  const checked = checkSearch({
    ...tried,
    slug: tried.slug ?? 'trial',
    ...(scheduled ? {} : { every: '1h' }),
  });
  const { prompt, tools, model, date_filter, streaming, extra } = checked.definition;
  const request = { operation: checked.operation, prompt, tools, model, date_filter, streaming, extra };
  return { request, service: await chooseService(ctx, tried.service) };
}

type TrialRow = { id: Id; sentAt: Date };

function createTrialLedger(
  ctx: Context,
  request: TrialRequest,
  service: Service,
): CallLedger<TrialRow, TrialRow & { response: PaidResponse }> {
  return {
    async open(limits) {
      const deadlineMs = ctx.config.callTimeoutMs[request.model] + DRY_RUN_GRACE_MS;
      const trial = { serviceId: service.id, request, deadlineMs, clock: ctx.clock };
      const opened = await openTrial(ctx.db, { ...trial, ...limits });
      if (opened.kind !== 'opened') throw createLimitError(ctx, opened, limits);
      return { row: opened };
    },
    headers: ({ id }) => ({ 'x-trial-id': String(id) }),
    async store({ id, sentAt }, response) {
      const end = { ...response, state: 'received', code: null, now: response.receivedAt } as const;
      await withDbRetry(ctx, () => closeTrial(ctx.db, { ...end, id }));
      return { id, sentAt, response };
    },
    closeFailed: ({ id }, end) => closeTrial(ctx.db, { ...end, id }),
    createAbortError: () => new RunError('unknown_outcome', { detail: 'nobody waited for its end' }),
  };
}

/** @throws UnreadableResponse, once its code is written down */
async function parseDryRunResponse(
  ctx: Context,
  id: Id,
  { request, service, response }: { request: TrialRequest; service: Service; response: PaidResponse },
): Promise<ParsedResults> {
  const { operation, tools } = request;
  try {
    return await parseStoredResponse({ operation, tools, dialect: service.dialect }, response);
  } catch (error) {
    const code = error instanceof RunError ? error.code : 'internal';
    await withDbRetry(ctx, () => markTrialUnreadable(ctx.db, id, code));
    throw error;
  }
}

/** What one call brought. None of it is stored but the row of the call itself. */
export type DryRun = DryRunResults & {
  /** Key in the view `trials`. */
  id: Id;
  service: string;
  service_kind: ServiceKind;
  operation: Operation;
  sent_at: Date;
  received_at: Date;
  /** From request to last byte, in milliseconds. */
  latency_ms: number;
  /** What the service said the call cost, in US dollars; null when it said nothing. */
  cost_usd: number | null;
  /** Size of the decoded answer. */
  bytes: number;
};
