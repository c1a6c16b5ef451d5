/** Tries a search without saving it: one paid call, whose results are not stored. */

import type { ServiceKind } from '../../model/closed-lists.ts';
import { fillPlaceholders } from '../../model/placeholders.ts';
import type { Operation } from '../../model/enumerations.ts';
import { RunError } from '../../model/errors.ts';
import type { ParsedResults } from '../../model/parsed-results.ts';
import { MINUTE } from '../../lib/time.ts';
import type { Id } from '../../store/db/database.ts';
import { PLAN_HEADER } from '../../protocol/extensions.ts';
import { removeForgotten } from '../../store/erase/tombstones.ts';
import type { Service } from '../../store/services/services.ts';
import {
  closeTrial,
  findKnownItems,
  markTrialUnreadable,
  openTrial,
  type TrialRequest,
} from '../../store/runs/trials.ts';
import type { Context } from '../context.ts';
import { checkSearch, pickRequest, type WrittenSearch } from '../topics/search-definition.ts';
import { chooseService } from '../topics/service-choice.ts';
import { cannotBeStored, withDbRetry } from './db-outage.ts';
import { type TrialResults, summarizeResults } from './trial-results.ts';
import { type CallLedger, createLimitError, makePaidCall, type PaidResponse } from './paid-call.ts';
import { parseStoredResponse } from './parse-and-save.ts';

/** A search as a person writes it; slug and schedule are optional. */
export type SearchToTry = Omit<WrittenSearch, 'slug'> & {
  slug?: string | undefined;
  service?: string | undefined;
};

/** How long after its time limit a response may wait for the database. */
const TRIAL_GRACE_MS = 6 * MINUTE;
const DEFAULT_SHOWN = 20;

/**
 * Tries a search with the same validation, service choice, call and parsing as a saved one. Makes one call, which counts
 * against the limits of the day and the minute and is recorded before it is sent.
 * @param options.signal aborted when the client disconnects: the call is aborted, and still counts
 * @param options.shown maximum number of posts, and of links, in the result; default 20
 * @throws InvalidInput with all problems, before the call
 * @throws RunError with a code: `budget_exceeded` before the call (with the time to wait if the minute is full), others after it
 */
export async function trySearch(
  ctx: Context,
  tried: SearchToTry,
  { signal, shown = DEFAULT_SHOWN }: { signal: AbortSignal; shown?: number },
): Promise<Trial> {
  const { request, service } = await prepareRequest(ctx, tried);
  if (signal.aborted) throw new RunError('unknown_outcome', { detail: 'the client disconnected' });
  const ledger = createTrialLedger(ctx, request, service);
  const received = await makePaidCall(ctx, { service, request, signal }, ledger);
  const { id, sentAt, response } = received;
  const read = await parseTrialResponse(ctx, received, { request, service });
  const findings = await removeForgotten(ctx.db.pool, {
    serviceId: service.id,
    findings: read,
    linkRules: ctx.config.linkRules,
  });
  const known = await findKnownItems(ctx.db, {
    serviceId: service.id,
    posts: findings.kept.posts.map(({ external_id }) => external_id),
    links: findings.kept.links,
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
  tried: SearchToTry,
): Promise<{ request: TrialRequest; service: Service }> {
  const scheduled = tried.cron !== undefined || tried.every !== undefined;
  const checked = checkSearch({
    ...tried,
    slug: tried.slug ?? 'trial',
    ...(scheduled ? {} : { every: '1h' }),
  });
  const { operation, definition } = checked;
  // A trial has no earlier response.
  const extra = fillPlaceholders(definition.extra, { since: null });
  const request = { operation, ...pickRequest(definition), extra };
  return { request, service: await chooseService(ctx, tried.service) };
}

type TrialRow = { id: Id; sentAt: Date };
/** The key may still be in the body. */
type ReceivedTrial = TrialRow & { response: PaidResponse; redact: (body: Buffer) => Buffer };

function createTrialLedger(
  ctx: Context,
  request: TrialRequest,
  service: Service,
): CallLedger<TrialRow, ReceivedTrial> {
  return {
    async open(limits) {
      const deadlineMs = ctx.config.callTimeoutMs[request.model] + TRIAL_GRACE_MS;
      const trial = { serviceId: service.id, request, deadlineMs, clock: ctx.clock };
      const opened = await openTrial(ctx.db, { ...trial, ...limits });
      if (opened.kind !== 'opened') throw createLimitError(ctx, opened, limits);
      return { row: opened };
    },
    headers: ({ id }) => ({ 'x-trial-id': String(id), [PLAN_HEADER]: 'true' }),
    async store({ id, sentAt }, response, redact) {
      const end = { ...response, state: 'received', code: null, now: response.receivedAt } as const;
      await withDbRetry(ctx, () => closeTrial(ctx.db, { ...end, id })).catch((error: unknown) => {
        if (!cannotBeStored(error)) throw error;
        // The response is shown nevertheless; its call is closed as unknown.
        ctx.log.error({ err: error, trial: String(id) }, 'call not closed');
      });
      return { id, sentAt, response, redact };
    },
    closeFailed: ({ id }, end) => closeTrial(ctx.db, { ...end, id }),
    createAbortError: () => new RunError('unknown_outcome', { detail: 'the client disconnected' }),
  };
}

/**
 * The results of a response whose call is recorded, without the key.
 * @throws UnreadableResponse, or what the removal of the key throws, after its code is recorded
 */
async function parseTrialResponse(
  ctx: Context,
  { id, response, redact }: ReceivedTrial,
  { request, service }: { request: TrialRequest; service: Service },
): Promise<ParsedResults> {
  const { operation, tools } = request;
  try {
    const redacted = { ...response, body: redact(response.body) };
    return await parseStoredResponse({ operation, tools, dialect: service.dialect }, redacted);
  } catch (error) {
    const code = error instanceof RunError ? error.code : 'internal';
    await withDbRetry(ctx, () => markTrialUnreadable(ctx.db, id, code));
    throw error;
  }
}

/** The result of a trial. Only the row of the call is stored. */
export type Trial = TrialResults & {
  /** Key in the view `trials`. */
  id: Id;
  service: string;
  service_kind: ServiceKind;
  operation: Operation;
  sent_at: Date;
  received_at: Date;
  /** From request to last byte, in milliseconds. */
  latency_ms: number;
  /** Cost of the call in US dollars; null if not reported. */
  cost_usd: number | null;
  /** Size of the decoded response. */
  bytes: number;
};
