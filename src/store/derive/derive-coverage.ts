/** What runs observed, and what posts gained between them, derived from a batch of readings. */
import { SECOND } from '../../lib/time.ts';
import type { DateFilter, Operation } from '../../model/enumerations.ts';
import { type Id, type Transaction, writeRows } from '../db/database.ts';
import { execute, statement, verbatim } from '../db/statement.ts';
import { computeReach, type Reach, type RunBefore, UNKNOWN_EVERY_SECONDS } from '../volume/reach.ts';
import { keptGainsSql } from '../volume/run-gains.ts';
import { S } from './counter-sql.ts';

/**
 * If this many of the previous run's newest posts are returned again, the response is a list of the newest posts, not
 * a coincidence.
 */
const MIN_REPEATED_POSTS = 5;

/**
 * Inputs for how far back each run of a batch observed, in the order of responses. The previous run is in the batch,
 * or the newest with coverage. The interval of a cron schedule is the distance to the previous slot, which has a row
 * even if it was skipped. Times of posts are read only if it is full or comes after an outage, whether it repeats the previous one
 * only if it is full. $1 readings.
 */
const LOOK_BACK = `
WITH batch AS MATERIALIZED (
  SELECT p.run_id, p.search_id, p.at, p.posts, r.request_version, s.operation, v.date_filter,
    coalesce(p.every_seconds, v.every_seconds, extract(epoch FROM coalesce(r.slot_at, r.created_at) - (
      SELECT coalesce(span_until, slot_at) FROM ${S}.runs b
      WHERE b.search_id = r.search_id AND b.slot_at < coalesce(r.slot_at, r.created_at) ORDER BY b.slot_at DESC LIMIT 1
    ))::float8, ${UNKNOWN_EVERY_SECONDS}) AS every_seconds,
    CASE WHEN jsonb_typeof(v.extra -> 'count') = 'number' THEN (v.extra ->> 'count')::float8 END AS requested_posts,
    (SELECT max(ended_at) FROM ${S}.search_states
      WHERE search_id = r.search_id AND state <> 'active' AND ended_at <= p.at) AS resumed_at,
    (SELECT max(began_at) FROM ${S}.search_states
      WHERE search_id = r.search_id AND state <> 'active' AND began_at < p.at AND (ended_at IS NULL OR ended_at > p.at)) AS stopped_at
  FROM ${S}.pending_derivations p
  JOIN ${S}.runs r ON r.id = p.run_id
  JOIN ${S}.searches s ON s.id = r.search_id
  JOIN ${S}.search_versions v ON v.search_id = r.search_id AND v.version = r.version
  WHERE p.id = ANY ($1::bigint[]) AND p.posts IS NOT NULL
), known AS MATERIALIZED (
  SELECT b.*, coalesce(lag(b.run_id) OVER w, c.run_id) AS before_id,
    coalesce(lag(coalesce(b.stopped_at, b.at)) OVER w, c.observed_until) AS last_until,
    greatest(c.most_posts, max(b.posts) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS most_posts
  FROM batch b LEFT JOIN LATERAL (
    SELECT run_id, observed_until, most_posts FROM ${S}.coverage
    WHERE search_id = b.search_id AND observed_until <= b.at AND (observed_until, run_id) < (b.at, b.run_id)
      AND request_version = b.request_version
    ORDER BY observed_until DESC, run_id DESC LIMIT 1
  ) c ON true
  WINDOW w AS (PARTITION BY b.search_id, b.request_version ORDER BY b.at, b.run_id)
)
SELECT k.*, f.is_full, CASE WHEN f.is_full OR k.last_until < k.at - 2 * k.every_seconds * interval '1 second' THEN (
    SELECT array_agg(extract(epoch FROM g.at)::float8 * 1000)
    FROM ${S}.run_results rr, unnest(rr.post_ids) u(id)
    CROSS JOIN LATERAL (
      SELECT least(post_created_at, k.at) AS at FROM ${S}.post_sightings
      WHERE search_id = k.search_id AND post_id = u.id AND post_created_at IS NOT NULL OFFSET 0
    ) g WHERE rr.run_id = k.run_id
  ) END AS times,
  f.is_full AND (
    SELECT count(*) = ${MIN_REPEATED_POSTS} AND bool_and(n.id = ANY (rr.post_ids)) FROM ${S}.run_results rr, (
      SELECT u.id FROM ${S}.run_results b, unnest(b.post_ids) u(id)
      CROSS JOIN LATERAL (
        SELECT post_created_at AS at FROM ${S}.post_sightings WHERE search_id = k.search_id AND post_id = u.id OFFSET 0
      ) g
      WHERE b.run_id = k.before_id AND g.at IS NOT NULL
      ORDER BY least(g.at, k.last_until) DESC, u.id DESC LIMIT ${MIN_REPEATED_POSTS}
    ) n WHERE rr.run_id = k.run_id
  ) AS repeats
FROM known k CROSS JOIN LATERAL (
  SELECT k.posts > 0 AND (k.posts >= coalesce(k.most_posts, 0) OR coalesce(k.posts >= k.requested_posts, false)) AS is_full OFFSET 0
) f
ORDER BY k.search_id, k.at, k.run_id`;

type RunRow = {
  run_id: Id;
  search_id: Id;
  at: Date;
  posts: number;
  request_version: number;
  operation: Operation;
  date_filter: DateFilter | null;
  every_seconds: number;
  resumed_at: Date | null;
  stopped_at: Date | null;
  before_id: Id | null;
  last_until: Date | null;
  most_posts: number | null;
  is_full: boolean;
  times: number[] | null;
  repeats: boolean;
};

/** What a run observed, as in `strandline.coverage`. */
export type Coverage = {
  runId: Id;
  searchId: Id;
  requestVersion: number;
  reach: Reach;
  everySeconds: number;
  posts: number;
  mostPosts: number;
  /** The previous run of the request, if it was received at most two intervals before, and when: gains are known between the two. */
  compared: { runId: Id; at: number } | null;
};

/** Coverage, and what else the pace of a search is learned from. */
export type ObservedRun = Coverage & {
  /** Until when the previous run of the request observed (ms since 1970); null: none did, or the search was stopped since. */
  lastUntil: number | null;
  /** Publication times of its posts if it may be truncated; null if it reaches back to the previous run. */
  times: readonly number[] | null;
};

/** Coverage of the runs of a batch, except for runs whose response does not show it. */
export async function findCoverage(tx: Transaction, ids: readonly Id[]): Promise<ObservedRun[]> {
  const { rows } = await tx.query<RunRow>({ name: 'look_back', text: LOOK_BACK, values: [ids] });
  return rows.flatMap((run) => {
    const everySeconds = Math.round(run.every_seconds);
    const before = {
      operation: run.operation,
      dateFilter: run.date_filter,
      everySeconds,
      // An AI search without any posts so far has observed nothing, whether its runs are in this batch or in an earlier one.
      lastUntil:
        run.operation === 'ai' && (run.most_posts ?? 0) === 0 ? null : (run.last_until?.getTime() ?? null),
      isFull: run.is_full,
      repeats: run.repeats,
      resumedAt: run.resumed_at?.getTime() ?? null,
      stoppedAt: run.stopped_at?.getTime() ?? null,
    };
    const { run_id: runId, search_id: searchId, request_version: requestVersion, posts } = run;
    const reach = computeReach(before, { observedAt: run.at.getTime(), posts, times: run.times ?? [] });
    if (reach === null) return [];
    const mostPosts = Math.max(posts, run.most_posts ?? 0);
    const isResumed = before.resumedAt !== null && before.resumedAt > (before.lastUntil ?? before.resumedAt);
    const lastUntil = isResumed ? null : before.lastUntil;
    const times = run.repeats ? null : run.times;
    const compared = findCompared(run.before_id, before, reach.until);
    return [
      { runId, searchId, requestVersion, reach, everySeconds, posts, mostPosts, compared, lastUntil, times },
    ];
  });
}

/** If the run before is longer ago, the time of a gain is unknown. */
function findCompared(
  runId: Id | null,
  { lastUntil: at, everySeconds }: RunBefore,
  until: number,
): Coverage['compared'] {
  if (runId === null || at === null || at >= until) return null;
  return at >= until - 2 * everySeconds * SECOND ? { runId, at } : null;
}

/** Writes what runs observed, and what posts gained since the previous run. */
export async function saveCoverage(tx: Transaction, coverage: readonly Coverage[]): Promise<void> {
  if (coverage.length === 0) return;
  const rows = coverage.map(
    ({ runId, searchId, requestVersion, reach, everySeconds, posts, mostPosts, compared }) => ({
      run_id: runId,
      search_id: searchId,
      request_version: requestVersion,
      observed_until: new Date(reach.until),
      observed_from: new Date(reach.from),
      reached_from: new Date(reach.reached),
      every_seconds: everySeconds,
      posts,
      most_posts: mostPosts,
      compared_run_id: compared?.runId ?? null,
      compared_from: compared === null ? null : new Date(compared.at),
    }),
  );
  await execute(
    tx,
    statement`
INSERT INTO strandline.coverage (run_id, search_id, request_version, observed_until, observed_from, reached_from, every_seconds, posts, most_posts,
  compared_from, compared_posts, gained, top_post_id, top_gained)
SELECT c.run_id, c.search_id, c.request_version, c.observed_until, c.observed_from, c.reached_from, c.every_seconds, c.posts, c.most_posts,
  c.compared_from, g.*
FROM json_to_recordset(${writeRows(rows)}::json) AS c(run_id bigint, search_id bigint, request_version integer, observed_until timestamptz,
  observed_from timestamptz, reached_from timestamptz, every_seconds integer, posts integer, most_posts integer,
  compared_run_id bigint, compared_from timestamptz)
LEFT JOIN LATERAL ${verbatim(keptGainsSql('c'))} g ON c.compared_run_id IS NOT NULL
ORDER BY c.run_id`,
    'save_coverage',
  );
}
