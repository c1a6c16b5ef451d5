/** Ends runs: reports the result, and decides what a failure means for the search. */

import { RUN_CODES, type RunCode, RunError } from '../../model/errors.ts';
import type { ParsedResults } from '../../model/parsed-results.ts';
import { SECOND } from '../../lib/time.ts';
import {
  type Id,
  inTransaction,
  isDatabaseError,
  readTime,
  refusesData,
  type Transaction,
} from '../../store/db/database.ts';
import type { ResponseKey } from '../../store/runs/responses.ts';
import type { LeasedRun } from '../../store/runs/run-leases.ts';
import { haveLastRunsFailedWith, failRun, readOwnStatus, requeueRun } from '../../store/runs/run-states.ts';
import type { Diff } from '../../store/save/save-responses.ts';
import { listActiveSearches } from '../../store/topics/searches.ts';
import { type LockedSearch, lockSearch, setSearchState } from '../../store/topics/search-states.ts';
import type { Context } from '../context.ts';
import { UnreadableResponse } from '../parse/rejects-and-warnings.ts';
import { createSourceWait, waitsForSource } from '../topics/service-choice.ts';
import { stopSearch } from '../schedule/due-slots.ts';
import { withDbRetry } from './db-outage.ts';
import { decideRetry } from './retry-policy.ts';

/**
 * Ends a run without success: released because this process stops, taken over by another worker, to be retried, or failed
 * with a code.
 * @param end.response the response that was being read, if there was one
 */
export async function endWithoutSuccess(
  ctx: Context,
  run: LeasedRun,
  { error, response, stopping }: { error: unknown; response: ResponseKey | undefined; stopping: AbortSignal },
): Promise<RunReport> {
  const failure = toRunError(error);
  if (failure.code === 'internal')
    ctx.log.error({ err: error, run: String(run.id), search: run.search }, 'run aborted');
  if (failure.code === 'lease_lost' && stopping.aborted) return releaseRun(ctx, run);
  // Another worker has leased the run, or will when the lease expires: write nothing.
  if (failure.code === 'lease_lost' || failure.code === 'db_unavailable')
    return reportRelease(run, failure.code);

  // Without a network, nothing is found, which is no result of the search: the run waits, as it does before its call.
  const isLost =
    failure.code === 'sources_down' &&
    failure.waitsFor === undefined &&
    (await waitsForSource(ctx, run.service_kind, { failed: true }));
  const end = isLost ? createSourceWait() : failure;
  const callsMade = run.calls_made + 1;
  const decision = decideRetry({
    code: end.code,
    waitsFor: end.waitsFor,
    retryAfterMs: end.retryAfterMs,
    callsMade,
    maxCalls: ctx.config.maxCallsPerRun,
    slotAt: run.slot_at,
    nextSlotAt: run.next_due_at,
    now: ctx.clock.now(),
    random: ctx.random,
  });
  // An unreadable response is marked as read; after any other failure it stays unread.
  const unreadable = failure instanceof UnreadableResponse ? (response?.n ?? null) : null;
  return decision.kind === 'retry'
    ? requeueForRetry(ctx, run, end, { notBefore: decision.notBefore, unreadable })
    : failWithCode(ctx, run, failure, unreadable);
}

/** A stopping process does not wait longer for the database: the run is leased again when its lease expires. */
const RELEASE_RETRY_MS = 5 * SECOND;

/** Requeues the run for the next lease; an aborted call counts as made. */
async function releaseRun(ctx: Context, run: LeasedRun): Promise<RunReport> {
  const { id: runId, fence } = run;
  const now = ctx.clock.statementTime();
  const release = () => requeueRun(ctx.db, { runId, fence, notBefore: null, reason: null, now });
  await withDbRetry(ctx, release, RELEASE_RETRY_MS);
  return reportRelease(run, 'lease_lost');
}

async function requeueForRetry(
  ctx: Context,
  run: LeasedRun,
  failure: RunError,
  { notBefore, unreadable }: { notBefore: Date; unreadable: number | null },
): Promise<RunReport> {
  const { id: runId, fence } = run;
  const { code, detail } = failure;
  const now = ctx.clock.statementTime();
  const status = await withDbRetry(
    ctx,
    async () =>
      (await requeueRun(ctx.db, { runId, fence, notBefore, reason: detail ?? null, unreadable, now })) ??
      readOwnStatus(ctx.db, run),
  );
  if (status !== 'queued') return reportRelease(run, status === null ? 'lease_lost' : code);
  return {
    ...describeRun(run),
    status: 'retry',
    code,
    detail,
    notBefore,
    isWaiting: failure.waitsFor !== undefined,
  };
}

async function failWithCode(
  ctx: Context,
  run: LeasedRun,
  failure: RunError,
  unreadable: number | null,
): Promise<RunReport> {
  const { code, detail } = failure;
  const { rejects, tools } = failure instanceof UnreadableResponse ? failure : { rejects: null, tools: [] };
  const ours = await withDbRetry(ctx, async () => {
    const isFailed = await failRun(ctx.db, {
      runId: run.id,
      fence: run.fence,
      code,
      reason: detail ?? null,
      rejects,
      tools,
      unreadable,
      now: ctx.clock.statementTime(),
    });
    return isFailed || (await readOwnStatus(ctx.db, run)) === 'failed';
  });
  if (!ours) return reportRelease(run, 'lease_lost');
  await withDbRetry(ctx, () => suspendAfterFailure(ctx, run, failure));
  return { ...describeRun(run), status: 'failed', code, detail };
}

function reportRelease(run: LeasedRun, code: RunCode): RunReport {
  return { ...describeRun(run), status: 'released', code };
}

/** Any error that is not a RunError is a temporary failure of the database or an internal error. */
function toRunError(error: unknown): RunError {
  if (error instanceof RunError) return error;
  const code: RunCode = isDatabaseError(error) && !refusesData(error) ? 'db_unavailable' : 'internal';
  return new RunError(code, { cause: error });
}

/** How a run ended in this process, for display. */
export type RunReport = {
  runId: Id;
  search: string;
  topic: string;
  trigger: LeasedRun['trigger'];
  service: string;
} & (
  | { status: 'succeeded'; diff: Diff; posts: number; links: number; authors: number; rejected: number }
  | { status: 'failed'; code: RunCode; detail: string | undefined }
  | {
      status: 'retry';
      code: RunCode;
      detail: string | undefined;
      notBefore: Date;
      /** Nothing was called and nothing failed: there was no room in the minute, or no reachable source. */
      isWaiting: boolean;
    }
  /** Released or taken over; another worker continues. */
  | { status: 'released'; code: RunCode }
);

function describeRun({ id: runId, search, topic, trigger, service }: LeasedRun) {
  return { runId, search, topic, trigger, service };
}

export function reportSuccess(run: LeasedRun, findings: ParsedResults, diff: Diff): RunReport {
  return {
    ...describeRun(run),
    status: 'succeeded',
    diff,
    posts: findings.posts.length,
    links: findings.links.length,
    authors: findings.authors.length,
    rejected: findings.rejects.length,
  };
}

/** Consecutive rejections of the request after which the search becomes broken. */
const MAX_REFUSALS = 3;

/**
 * Stops searches after a failure. A rejected key or an empty account would fail every search of the service, so all of them
 * become broken, with the reason, until a person resumes them.
 */
async function suspendAfterFailure(
  ctx: Context,
  run: LeasedRun,
  { code, budget, detail }: RunError,
): Promise<void> {
  if (code === 'auth' || code === 'payment') {
    const searches = await listActiveSearches(ctx.db, run.service_id);
    for (const searchId of searches) await suspendSearch(ctx, searchId, `${code}: ${RUN_CODES[code]}`);
    ctx.log.error(
      { service: run.service, code, searches: searches.length },
      'all searches of the service stopped',
    );
  } else if (budget === 'day') {
    await capSearch(ctx, run.search_id, detail ?? RUN_CODES[code]);
  } else if (
    code === 'invalid_request' &&
    (await haveLastRunsFailedWith(ctx.db, run.search_id, code, MAX_REFUSALS))
  ) {
    await suspendSearch(ctx, run.search_id, `${code}: rejected ${MAX_REFUSALS} times in a row`);
  }
}

async function suspendSearch(ctx: Context, searchId: Id, reason: string): Promise<void> {
  await changeIfActive(ctx, searchId, (tx, search) => stopSearch(ctx, tx, search, { to: 'broken', reason }));
}

/** The search stays due: each slot until the next UTC day gets a row, `skipped / capped`. */
async function capSearch(ctx: Context, searchId: Id, reason: string): Promise<void> {
  await changeIfActive(ctx, searchId, async (tx) =>
    setSearchState(tx, searchId, 'capped', reason, await readTime(tx, ctx.clock)),
  );
}

/** Does nothing if the search is no longer active. */
async function changeIfActive(
  ctx: Context,
  searchId: Id,
  change: (tx: Transaction, search: LockedSearch) => Promise<void>,
): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    const search = await lockSearch(tx, searchId);
    if (search === null || search.state !== 'active' || search.archived_at !== null) return;
    await change(tx, search);
  });
}
