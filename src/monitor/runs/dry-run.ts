/**
 * Trying out a search that is not saved: one call, shown and forgotten. More than 300 lines, a third of which are the types
 * of what is shown.
 */

import type { Operation, Source } from '../../domain/enumerations.ts';
import { RunError } from '../../domain/errors.ts';
import type {
  ParsedAuthor,
  ParsedLink,
  ParsedPost,
  ParsedResults,
  PostCounter,
  Warning,
} from '../../domain/parsed-results.ts';
import { MINUTE } from '../../domain/time.ts';
import { loadDialect } from '../../protocol/dialect.ts';
import type { Id } from '../../store/database.ts';
import { removeForgotten } from '../../store/maintenance/tombstones.ts';
import type { RawResponse } from '../../store/responses.ts';
import type { Service, ServiceKind } from '../../store/services.ts';
import {
  closeTrial,
  findKnownItems,
  markTrialUnreadable,
  openTrial,
  type TrialRequest,
} from '../../store/trials.ts';
import { redactKeyInBytes } from '../client/key-redaction.ts';
import {
  type CallAborted,
  type CallFailure,
  type CallResponse,
  callService,
} from '../client/service-call.ts';
import type { Context } from '../context.ts';
import { checkSearch, type WrittenSearch } from '../topics/search-definition.ts';
import { chooseService } from '../topics/service-choice.ts';
import { withDbRetry } from './db-outage.ts';
import {
  type CallLimits,
  classifyCallEnd,
  computeSendDeadline,
  createLimitError,
  readCallLimits,
} from './paid-call.ts';
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
  const endpoint = await ctx.endpoint(service.kind);
  const dialect = loadDialect(service.dialect);
  if (signal.aborted) throw new RunError('unknown_outcome', { detail: 'nobody waited for it' });

  const timeoutMs = ctx.config.callTimeoutMs[request.model];
  const limits = readCallLimits(ctx, service.kind);
  const { id, sentAt } = await openDryRun(ctx, { request, service, timeoutMs, limits });
  const result = await callService({
    ...endpoint,
    dialect,
    request,
    timeoutMs,
    maxBytes: ctx.config.maxAnswerBytes,
    headers: { 'x-trial-id': String(id) },
    signal,
    clock: ctx.clock,
    leaveBy: computeSendDeadline(limits, sentAt),
  });
  const receivedAt = ctx.clock.now();
  await closeDryRun(ctx, id, result, receivedAt);
  if (result.kind !== 'answer') throw toRunError(result);

  const body = redactKeyInBytes(result.body, endpoint.key);
  const read = await parseDryRunResponse(ctx, id, {
    request,
    service,
    answer: { ...result, n: 1, body, receivedAt },
  });
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
    received_at: receivedAt,
    latency_ms: result.latencyMs,
    cost_usd: result.costUsd,
    bytes: result.bytes,
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

type DryRunCall = { request: TrialRequest; service: Service; timeoutMs: number; limits: CallLimits };

/** @throws RunError `budget_exceeded` */
async function openDryRun(
  ctx: Context,
  { request, service, timeoutMs, limits }: DryRunCall,
): Promise<{ id: Id; sentAt: Date }> {
  const { clock } = ctx;
  const call = { serviceId: service.id, request, deadlineMs: timeoutMs + DRY_RUN_GRACE_MS };
  const opened = await openTrial(ctx.db, { ...call, ...limits, clock });
  if (opened.kind === 'opened') return opened;
  throw createLimitError(ctx, opened, limits);
}

async function closeDryRun(
  ctx: Context,
  id: Id,
  result: CallResponse | CallFailure | CallAborted,
  now: Date,
): Promise<void> {
  const { httpStatus, bytes, latencyMs, costUsd, sent } = result;
  const end =
    result.kind === 'answer' ? ({ state: 'received', code: null } as const) : classifyCallEnd(result);
  await withDbRetry(ctx, () =>
    closeTrial(ctx.db, { id, ...end, sent, httpStatus, bytes, latencyMs, costUsd, now }),
  );
}

function toRunError(result: CallFailure | CallAborted): RunError {
  if (result.kind === 'aborted')
    return new RunError('unknown_outcome', { detail: 'nobody waited for its end' });
  return new RunError(result.code, { detail: result.detail, retryAfterMs: result.retryAfterMs });
}

/** @throws UnreadableResponse, once its code is written down */
async function parseDryRunResponse(
  ctx: Context,
  id: Id,
  { request, service, answer }: { request: TrialRequest; service: Service; answer: RawResponse },
): Promise<ParsedResults> {
  const { operation, tools } = request;
  try {
    return await parseStoredResponse({ operation, tools, dialect: service.dialect }, answer);
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

type DryRunResults = {
  /** Items in the answer, read or not. */
  items_seen: number;
  /** Items that could not be read. */
  rejected: number;
  /** How many posts there are, and how many of them the database holds already, through whichever search. */
  posts_found: number;
  posts_known: number;
  /** The first of them, in the answer's order. */
  posts: DryRunPost[];
  links_found: number;
  links_known: number;
  links: DryRunLink[];
  /** Null for a microblog search, and where the answer has none. */
  completion: DryRunCompletion | null;
  /** What the service says was not as asked. */
  warnings: Warning[];
};

export type DryRunPost = Record<PostCounter, number | null> & {
  external_id: string;
  author_username: string | null;
  author_name: string | null;
  text: string;
  url: string | null;
  created_at: Date | null;
  lang: string | null;
  known: boolean;
};

export type DryRunLink = {
  url: string;
  site: string;
  source: Source;
  title: string | null;
  snippet: string | null;
  published_at: Date | null;
  known: boolean;
};

type DryRunCompletion = Record<(typeof COMPLETION_TEXTS)[number], string | null>;
const COMPLETION_TEXTS = [
  'summary',
  'microblog_summary',
  'discussion_board_summary',
  'news_forum_summary',
] as const;

/** @param shown most posts, and most links */
function summarizeResults(
  { posts, links, authors, completion, warnings, rejects, itemsSeen }: ParsedResults,
  known: { posts: ReadonlySet<string>; links: ReadonlySet<string> },
  shown: number,
): DryRunResults {
  const writers = new Map(authors.map((author) => [author.external_id, author]));
  const isKnownPost = ({ external_id: id }: ParsedPost) => known.posts.has(id);
  const isKnownLink = ({ canonical }: ParsedLink) => known.links.has(canonical);
  return {
    items_seen: itemsSeen,
    rejected: rejects.length,
    posts_found: posts.length,
    posts_known: posts.filter(isKnownPost).length,
    posts: posts
      .slice(0, shown)
      .map((post) => describePost(post, writers.get(post.author_external_id ?? ''), isKnownPost(post))),
    links_found: links.length,
    links_known: links.filter(isKnownLink).length,
    links: links.slice(0, shown).map((link) => describeLink(link, isKnownLink(link))),
    completion: completion && {
      summary: completion.summary,
      microblog_summary: completion.microblog_summary,
      discussion_board_summary: completion.discussion_board_summary,
      news_forum_summary: completion.news_forum_summary,
    },
    warnings,
  };
}

function describePost(post: ParsedPost, author: ParsedAuthor | undefined, known: boolean): DryRunPost {
  const { external_id, text, url, lang } = post;
  return {
    external_id,
    author_username: author?.username ?? null,
    author_name: author?.name ?? null,
    text,
    url,
    created_at: toDate(post.created_at),
    lang,
    reply_count: post.reply_count,
    repost_count: post.repost_count,
    like_count: post.like_count,
    view_count: post.view_count,
    quote_count: post.quote_count,
    impression_count: post.impression_count,
    bookmark_count: post.bookmark_count,
    known,
  };
}

function describeLink(link: ParsedLink, known: boolean): DryRunLink {
  const { canonical: url, site, source, title, snippet } = link;
  return { url, site, source, title, snippet, published_at: toDate(link.published_at), known };
}

function toDate(iso: string | null): Date | null {
  return iso === null ? null : new Date(iso);
}
