/** What was collected in a span, from runs, coverage and the ledger. */
import { awaitMembers } from '../../lib/await-members.ts';
import type { DataScope } from '../../store/queries/data-scope.ts';
import { readUnresponsiveTools } from '../../store/queries/run-tools.ts';
import type { SearchRow } from '../../store/queries/search-list.ts';
import {
  readSpanCalls,
  readSpanCoverage,
  type SearchSpan,
  type SpanCalls,
  type SpanCoverage,
  type SpanRuns,
  tallySpanRuns,
} from '../../store/queries/span-activity.ts';
import type { ServiceKind } from '../../model/closed-lists.ts';
import type { Context } from '../context.ts';
import { judgeCompleteness } from '../status/search-completeness.ts';
import type { SearchStatus } from '../status/search-status.ts';
import { type Digest, type DigestNames, MAX_ROWS } from './digest-shapes.ts';
import { listGaps } from './list-gaps.ts';

/** What a digest is read from: all searches of the scope that existed in the span, and the status of those that still do. */
type DigestSources = {
  searches: readonly SearchRow[];
  statuses: readonly SearchStatus[];
  scope: DataScope;
  span: SearchSpan;
  names: DigestNames;
};

type Collected = Pick<Digest, 'collected' | 'not_collected'> & {
  /** Slugs of topics of which a run succeeded. */
  checked: ReadonlySet<string>;
};

export async function readCollected(
  ctx: Pick<Context, 'db' | 'isFree'>,
  sources: DigestSources,
): Promise<Collected> {
  const { searches, span, scope } = sources;
  const { runs, coverage, calls, tools, incomplete } = await awaitMembers({
    runs: tallySpanRuns(ctx.db, span),
    coverage: readSpanCoverage(ctx.db, span),
    calls: readSpanCalls(ctx.db, span),
    tools: readUnresponsiveTools(ctx.db, scope),
    incomplete: judgeCompleteness(ctx),
  });
  const topicOf = new Map(searches.map(({ id, topic }) => [id, topic]));
  const ended = (status: SpanRuns['status']) => runs.filter((row) => row.status === status);
  return {
    collected: {
      topics: new Set(topicOf.values()).size,
      searches: searches.length,
      runs: {
        succeeded: sum(ended('succeeded'), (row) => row.runs),
        failed: sum(ended('failed'), (row) => row.runs),
        skipped: sum(ended('skipped'), (row) => row.slots),
      },
      coverage: computeCoverage(coverage),
      ...sumCalls(calls, await findFree(ctx, calls)),
    },
    not_collected: listGaps({ ...sources, runs, tools, incomplete }).slice(0, MAX_ROWS),
    checked: new Set(ended('succeeded').flatMap(({ search_id }) => topicOf.get(search_id) ?? [])),
  };
}

function sum<T>(rows: readonly T[], read: (row: T) => number): number {
  return rows.reduce((all, row) => all + read(row), 0);
}

/** Coverage of all searches of posts together; null if there are none. */
function computeCoverage(rows: readonly SpanCoverage[]): number | null {
  const whole = sum(rows, ({ span_ms }) => span_ms);
  const observed = sum(rows, ({ observed_ms, span_ms }) => Math.min(observed_ms, span_ms));
  return whole === 0 ? null : observed / whole;
}

async function findFree(
  ctx: Pick<Context, 'isFree'>,
  calls: readonly SpanCalls[],
): Promise<ReadonlySet<ServiceKind>> {
  const kinds = calls.map(({ service_kind }) => service_kind);
  const free = await Promise.all(kinds.map((kind) => ctx.isFree(kind)));
  return new Set(kinds.filter((_, i) => free[i] === true));
}

/** A cost that is missing is not zero. */
function sumCalls(calls: readonly SpanCalls[], free: ReadonlySet<ServiceKind>) {
  const paid = calls.filter(({ service_kind }) => !free.has(service_kind));
  const costs = calls.flatMap(({ cost_usd }) => cost_usd ?? []);
  return {
    calls: sum(calls, (row) => row.calls),
    cost_usd: costs.length === 0 ? null : sum(costs, (usd) => usd),
    calls_without_cost: sum(paid, (row) => row.calls_without_cost),
    free: paid.length === 0,
  };
}
