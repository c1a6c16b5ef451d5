/** State changes of runs: queue, requeue, fail, read. Leases are in `run-leases.ts`, success in `save/outcome.ts`. */
import { Refused, type RunCode } from '../../model/errors.ts';
import type { Operation, Tool } from '../../model/enumerations.ts';
import type { Reject } from '../../model/parsed-results.ts';
import type { ToolReport } from '../../model/tool-coverage.ts';
import type { Database, Id, Queryable, Transaction } from '../db/database.ts';
import { execute, selectIds, statement, timeOf } from '../db/statement.ts';
import { mayStart } from './run-leases.ts';
import { insertRejects } from '../save/outcome.ts';
import { insertTools } from '../save/save-tools.ts';
import { OFFER_AGAIN_MS } from './slots.ts';

/**
 * Ends a leased run without success. Marks an unusable response as read, and stores its rejects.
 * @param input.now the statement's time; null: the database's clock
 * @returns false if another worker holds the lease of the run
 */
export async function failRun(
  db: Database,
  input: {
    runId: Id;
    fence: number;
    code: RunCode;
    reason: string | null;
    /** Null if there was no response to parse. */
    rejects: readonly Reject[] | null;
    /** Number of the unreadable response. */
    unreadable?: number | null;
    /** The reports of that response about tools. */
    tools?: readonly ToolReport[];
    now: Date | null;
  },
): Promise<boolean> {
  const response = input.unreadable ?? null;
  // A run without a call requested no tool.
  const ended = statement`(SELECT id AS run_id, false AS responded, ${input.code}::text AS reason,
    (SELECT received_at FROM strandline.responses WHERE run_id = failed.id AND n = ${response}) AS observed_at
    FROM failed WHERE EXISTS (SELECT FROM strandline.calls WHERE run_id = failed.id AND NOT refunded))`;
  const tools = insertTools(ended, [{ runId: input.runId, tools: input.tools ?? [] }]);
  const failed = await selectIds(
    db.pool,
    statement`WITH failed AS (
       UPDATE strandline.runs
       SET status = 'failed', code = ${input.code}, reason = ${input.reason}, rejected = ${input.rejects?.length ?? null},
         ended_at = ${timeOf(input.now)}, lease_until = NULL, leases = 0, offer_at = NULL
       WHERE id = ${input.runId} AND fence = ${input.fence} AND status = 'running'
       RETURNING id, search_id, ended_at
     ), unknown AS (
       -- A call whose end could not be recorded may have been answered and billed. No ended run has a call under way.
       UPDATE strandline.calls SET state = 'unknown', code = 'unknown_outcome', received_at = failed.ended_at
       FROM failed WHERE run_id = failed.id AND state = 'sent'
     ), response AS (
       UPDATE strandline.responses SET read_at = failed.ended_at
       FROM failed WHERE run_id = failed.id AND n = ${response} AND read_at IS NULL
     ), covered AS (
       ${tools} RETURNING t.tool, t.asked, t.responded
     ), counted AS (
       INSERT INTO strandline.count_increments (name, labels, n)
       SELECT 'run_tools', ARRAY[tool, 'silent', strandline.kind_of_search((SELECT search_id FROM failed))], 1 FROM covered WHERE asked AND NOT responded
     ), told AS (
       ${insertRejects('failed', 'id', input.rejects ?? [])}
     )
     SELECT id FROM failed`,
  );
  return failed.length === 1;
}

/**
 * Requeues a leased run for a retry, or because this worker is stopping. The scan enqueues it at `notBefore`, or
 * immediately if null.
 * @param input.now the statement's time; null: the database's clock
 * @returns `cancelled` if its search is now paused, broken or removed; null if another worker holds the lease of the run
 */
export async function requeueRun(
  db: Database,
  input: {
    runId: Id;
    fence: number;
    notBefore: Date | null;
    reason: string | null;
    /** Number of the unreadable response. */
    unreadable?: number | null;
    now: Date | null;
  },
): Promise<'queued' | 'cancelled' | null> {
  // Requeues a leased run, unless its search was stopped in the meantime. Share-locks the search's row first: a
  // concurrent pause or removal is either visible here, or finds the run queued. Manual runs of a paused search are
  // still executed.
  const { rows } = await execute<{ status: 'queued' | 'cancelled' }>(
    db.pool,
    statement`WITH search AS (
      SELECT CASE
        WHEN s.archived_at IS NOT NULL THEN 'removed'
        WHEN s.state = 'broken' OR (s.state = 'paused' AND r.trigger <> 'manual') THEN s.state
      END AS stopped
      FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id
      WHERE r.id = ${input.runId} FOR SHARE OF s
    ), requeued AS (
      UPDATE strandline.runs
      SET status = CASE WHEN stopped IS NULL THEN 'queued' ELSE 'cancelled' END,
        not_before = CASE WHEN stopped IS NULL THEN ${input.notBefore}::timestamptz END,
        offer_at = CASE WHEN stopped IS NULL THEN coalesce(${input.notBefore}::timestamptz, ${timeOf(input.now)}) END,
        ended_at = CASE WHEN stopped IS NOT NULL THEN ${timeOf(input.now)} END,
        reason = coalesce(stopped, ${input.reason}), lease_until = NULL, leases = 0
      FROM search
      WHERE id = ${input.runId} AND fence = ${input.fence} AND status = 'running'
      RETURNING id, status
    ), response AS (
      UPDATE strandline.responses SET read_at = ${timeOf(input.now)} FROM requeued
      WHERE run_id = requeued.id AND n = ${input.unreadable ?? null} AND read_at IS NULL
    )
    SELECT status FROM requeued`,
  );
  return rows[0]?.status ?? null;
}

/**
 * The status of a run that this lease was the last to hold; null if another lease has held it since. Shows whether the
 * commit of an end succeeded although its confirmation was lost.
 */
export async function readOwnStatus(
  db: Database,
  { id, fence }: { id: Id; fence: number },
): Promise<string | null> {
  const { rows } = await execute<{ status: string }>(
    db.pool,
    statement`SELECT status FROM strandline.runs WHERE id = ${id} AND fence = ${fence}`,
  );
  return rows[0]?.status ?? null;
}

/**
 * Creates a run outside the schedule: the first one of a new search, or a manual one. The caller enqueues it; if
 * nobody leases it, the scan enqueues it again after {@link OFFER_AGAIN_MS}. Share-locks the search's row, to wait for a
 * concurrent removal and see it.
 * @param input.now the statement time; null: the database's clock
 * @throws Refused `not_found` if the search is removed
 */
export async function insertRun(
  tx: Queryable,
  input: { searchId: Id; trigger: 'manual' | 'first'; now: Date | null },
): Promise<Id> {
  const { rows } = await execute<{ id: Id }>(
    tx,
    statement`INSERT INTO strandline.runs (search_id, version, request_version, trigger, status, created_at, offer_at)
     SELECT s.id, s.version, v.request_version, ${input.trigger}, 'queued', t.now, t.now + ${OFFER_AGAIN_MS} * interval '1 ms'
     FROM strandline.searches s JOIN strandline.search_versions v ON v.search_id = s.id AND v.version = s.version,
       (SELECT ${timeOf(input.now)} AS now) t
     WHERE s.id = ${input.searchId} AND s.archived_at IS NULL FOR SHARE OF s RETURNING id`,
  );
  const row = rows[0];
  if (row === undefined) throw new Refused('not_found', 'the search was removed');
  return row.id;
}

/**
 * An unleased run of the current version that can start now. Excludes retries and runs queued before an edit, which are
 * not what a person requests.
 */
export async function findQueuedRun(tx: Transaction, searchId: Id, now: Date | null): Promise<Id | null> {
  const [id] = await selectIds(
    tx,
    statement`SELECT r.id FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id AND s.version = r.version
      WHERE r.search_id = ${searchId} AND r.status = 'queued' AND ${mayStart(timeOf(now))}
      ORDER BY r.id LIMIT 1`,
  );
  return id ?? null;
}

export type ReplayableRun = {
  search_id: Id;
  service_id: Id;
  operation: Operation;
  /** Tools of the version that it used. */
  tools: Tool[];
  dialect: string;
  status: string;
  ended_at: Date | null;
};

export async function findRunForReplay(db: Database, runId: Id): Promise<ReplayableRun | null> {
  const { rows } = await execute<ReplayableRun>(
    db.pool,
    statement`SELECT r.search_id, s.service_id, s.operation, v.tools, sv.dialect, r.status, r.ended_at
     FROM strandline.runs r
     JOIN strandline.searches s ON s.id = r.search_id
     JOIN strandline.search_versions v ON v.search_id = r.search_id AND v.version = r.version
     JOIN strandline.services sv ON sv.id = s.service_id
     WHERE r.id = ${runId}`,
  );
  return rows[0] ?? null;
}

/** Whether the newest `times` ended runs of a search all failed with this code. False if the search has fewer ended runs. */
export async function haveLastRunsFailedWith(
  db: Database,
  searchId: Id,
  code: string,
  times: number,
): Promise<boolean> {
  const { rows } = await execute<{ code: string | null }>(
    db.pool,
    statement`SELECT code FROM strandline.runs WHERE search_id = ${searchId} AND status IN ('succeeded', 'failed') ORDER BY id DESC LIMIT ${times}`,
  );
  return rows.length === times && rows.every((row) => row.code === code);
}
