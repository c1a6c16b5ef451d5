/** What searches did in a span of time: runs by outcome, the observed share, calls, and what followed their spikes. */
import type { RunCode } from '../../model/errors.ts';
import type { Id, Pooled } from '../db/database.ts';
import { execute, rowsOf, statement, verbatim } from '../db/statement.ts';
import type { RunStatus, ServiceKind } from '../../model/closed-lists.ts';

/** Searches, and a span of time, of which `until` is excluded. */
export type SearchSpan = { searchIds: readonly Id[]; from: Date; until: Date };

/** Runs of a search that ended alike. */
export type SpanRuns = {
  search_id: Id;
  status: RunStatus;
  code: RunCode | null;
  /** Why they were skipped or cancelled; null for any other. */
  reason: string | null;
  runs: number;
  /** Number of slots: a run may represent a range of missed slots. */
  slots: number;
  first_slot_at: Date;
  last_slot_at: Date;
};

/** Runs that ended in the span, in groups. */
export async function tallySpanRuns(
  { pool }: Pooled,
  { searchIds, from, until }: SearchSpan,
): Promise<SpanRuns[]> {
  return rowsOf(
    pool,
    statement`SELECT search_id, status, code, CASE WHEN status IN ('skipped', 'cancelled') THEN reason END AS reason,
        count(*)::int AS runs, sum(coalesce(span_slots, 1))::int AS slots,
        min(coalesce(slot_at, created_at)) AS first_slot_at, max(coalesce(span_until, slot_at, created_at)) AS last_slot_at
      FROM strandline.runs WHERE search_id = ANY (${searchIds}::bigint[]) AND ended_at >= ${from} AND ended_at < ${until}
      GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`,
    'tally_span_runs',
  );
}

/** How long a search of posts was observed in a span, and how much of the span it existed. */
export type SpanCoverage = { search_id: Id; observed_ms: number; span_ms: number };

/** A time as milliseconds from the start of a quarter of an hour, within it. */
const offset = (time: string) =>
  verbatim(`least(900000, greatest(0, extract(epoch FROM ${time} - v.bucket_at) * 1000))::int`);

/** Only of searches that ever found a post: responses of other searches do not show when posts were observed. */
export async function readSpanCoverage(
  { pool }: Pooled,
  { searchIds, from, until }: SearchSpan,
): Promise<SpanCoverage[]> {
  // Quarters of an hour that are only in part in the span count with that part. A search counts from its creation on, and
  // until it was removed.
  return rowsOf(
    pool,
    statement`SELECT s.id AS search_id, coalesce(o.observed_ms, 0)::float8 AS observed_ms,
        greatest(0, extract(epoch FROM b.hi - b.lo) * 1000)::float8 AS span_ms
      FROM strandline.searches s
      CROSS JOIN LATERAL (
        SELECT greatest(${from}::timestamptz, s.created_at) AS lo, least(${until}::timestamptz, s.archived_at) AS hi
      ) b
      LEFT JOIN LATERAL (
        SELECT sum(CASE WHEN v.bucket_at >= b.lo AND v.bucket_at <= b.hi - interval '15 minutes' THEN v.exposure_ms ELSE (
          SELECT coalesce(sum(upper(r) - lower(r)), 0)
          FROM unnest(v.observed * int4multirange(int4range(${offset('b.lo')}, ${offset('b.hi')}))) r
        ) END) AS observed_ms
        FROM strandline.volume v
        WHERE v.search_id = s.id AND v.bucket_at > b.lo - interval '15 minutes' AND v.bucket_at < b.hi
      ) o ON true
      WHERE s.id = ANY (${searchIds}::bigint[]) AND EXISTS (SELECT FROM strandline.coverage c WHERE c.search_id = s.id)`,
    'span_coverage',
  );
}

/** Calls to a kind of service. */
export type SpanCalls = {
  service_kind: ServiceKind;
  calls: number;
  /** Sum of the reported costs; null if none is reported. */
  cost_usd: number | null;
  calls_without_cost: number;
};

/** Calls of runs of these searches. Lost calls count, because they may be paid. */
export async function readSpanCalls(
  { pool }: Pooled,
  { searchIds, from, until }: SearchSpan,
): Promise<SpanCalls[]> {
  // A refunded call was never sent.
  return rowsOf(
    pool,
    statement`SELECT v.kind AS service_kind, count(*)::int AS calls, sum(c.cost_usd)::float8 AS cost_usd,
        (count(*) - count(c.cost_usd))::int AS calls_without_cost
      FROM strandline.services v
      JOIN strandline.calls c ON c.service_id = v.id AND c.sent_at >= ${from} AND c.sent_at < ${until} AND NOT c.refunded
      JOIN strandline.runs r ON r.id = c.run_id AND r.search_id = ANY (${searchIds}::bigint[])
      GROUP BY 1 ORDER BY 1`,
    'span_calls',
  );
}

/** @param until excluded @returns by spike, what was observed per hour after it; null: nothing */
export async function readAfterSpikes(
  { pool }: Pooled,
  spikeIds: readonly Id[],
  until: Date,
): Promise<ReadonlyMap<Id, number | null>> {
  if (spikeIds.length === 0) return new Map();
  // Posts: the last hour of observed time, in quarters of an hour. Engagement: what posts gained up to the last run
  // that was compared.
  const { rows } = await execute<{ spike_id: Id; per_hour: string | number | null }>(
    pool,
    statement`SELECT k.id AS spike_id, CASE k.measure WHEN 'posts' THEN p.per_hour ELSE g.per_hour END AS per_hour
      FROM strandline.spikes k
      LEFT JOIN LATERAL (
        SELECT sum(q.exposed_posts) * 3600000.0 / nullif(sum(q.exposure_ms), 0) AS per_hour FROM (
          SELECT exposed_posts, exposure_ms FROM strandline.volume
          WHERE search_id = k.search_id AND bucket_at >= k.window_end AND bucket_at < ${until} AND exposure_ms > 0
          ORDER BY bucket_at DESC LIMIT 4
        ) q
      ) p ON k.measure = 'posts'
      LEFT JOIN LATERAL (
        SELECT gained * 3600.0 / extract(epoch FROM observed_until - compared_from) AS per_hour FROM strandline.coverage
        WHERE search_id = k.search_id AND observed_until > k.window_end AND observed_until < ${until}
          AND compared_from >= k.window_end AND compared_posts > 0
        ORDER BY observed_until DESC LIMIT 1
      ) g ON k.measure = 'engagement'
      WHERE k.id = ANY (${spikeIds}::bigint[])`,
    'after_spikes',
  );
  return new Map(
    rows.map(({ spike_id, per_hour }) => [spike_id, per_hour === null ? null : Number(per_hour)]),
  );
}

/** The answers of an AI search around a span. */
export type SpanAnswer = {
  search_id: Id;
  /** Of the newest answer with parsed statements before the end of the span. */
  run_id: Id;
  observed_at: Date;
  /** Whether any answer in the span had news. */
  changed: boolean;
  /** The newest one before the span; null if there is none. */
  before_run_id: Id | null;
  before_at: Date | null;
};

/** Searches without an answer are left out. */
export async function readSpanAnswers(
  { pool }: Pooled,
  { searchIds, from, until }: SearchSpan,
): Promise<SpanAnswer[]> {
  return rowsOf(
    pool,
    statement`SELECT u.id AS search_id, n.run_id, n.observed_at, b.run_id AS before_run_id, b.observed_at AS before_at,
        EXISTS (
          SELECT FROM strandline.completions c
          WHERE c.search_id = u.id AND c.observed_at >= ${from} AND c.observed_at < ${until} AND c.changed
        ) AS changed
      FROM unnest(${searchIds}::bigint[]) u(id)
      CROSS JOIN LATERAL (
        SELECT run_id, observed_at FROM strandline.completions
        WHERE search_id = u.id AND observed_at < ${until} AND claims > 0 ORDER BY observed_at DESC, run_id DESC LIMIT 1
      ) n
      LEFT JOIN LATERAL (
        SELECT run_id, observed_at FROM strandline.completions
        WHERE search_id = u.id AND observed_at < ${from} AND claims > 0 ORDER BY observed_at DESC, run_id DESC LIMIT 1
      ) b ON true`,
    'span_answers',
  );
}
