import type { OwnLinkRule } from '../../model/links/link-identity.ts';
import type { ParsedResults, Reject } from '../../model/parsed-results.ts';
import { givenRows } from '../db/batches.ts';
import { type Id, type Transaction, writeRows } from '../db/database.ts';
import { execute, rowsOf, type Statement, statement, timeOf, verbatim } from '../db/statement.ts';

/** Parsed results of a response of a run. */
export type ResponseToSave = {
  runId: Id;
  searchId: Id;
  serviceId: Id;
  findings: ParsedResults;
  /** When the response was received: the time of all its facts. */
  observedAt: Date;
  /** Rules of link identity of the configuration (`LINK_RULES`); default: none. */
  linkRules?: readonly OwnLinkRule[];
};

/** Results with the fence of their lease: only the holder of the highest fence may save. */
export type SaveInput = ResponseToSave & {
  fence: number;
  /** Number of the response, which is marked as read; undefined if it is not stored. */
  response?: number;
  /** When the run ends; null: now, by the database's clock. */
  endedAt: Date | null;
};

/** A response that was read before and is parsed again. */
export type AgainInput = ResponseToSave & {
  response: number;
  /** The time of additional discoveries. */
  endedAt: Date;
};

/** A response that was unread when its run ended. */
export type LateInput = ResponseToSave & {
  response: number;
  /** The statement time; null: the database's clock. */
  now: Date | null;
};

export type Outcome = {
  baseline: boolean;
  itemsNewBefore: number;
  /** The time of its discoveries. */
  at: Date;
  /**
   * Whether its results become the run's. Otherwise a newer response of the run was read, and this one only adds
   * facts and discoveries.
   */
  isResult: boolean;
  /** Whether a newer response of the search was read: no alerts are sent. */
  isOlder: boolean;
  /** Whether any author was ever forgotten: the results must then be checked for them. */
  anyForgotten: boolean;
};

/** Inserts the rejects of a response. @param run the table or CTE with its run, @param id the column with the run's ID */
export function insertRejects(run: string, id: string, rejects: readonly Reject[]): Statement {
  return statement`INSERT INTO strandline.rejects (run_id, path, code, sample)
    SELECT ${verbatim(`${run}.${id}`)}, j.path, j.code, j.sample
    FROM ${verbatim(run)}, json_to_recordset(${JSON.stringify(rejects)}::json) AS j(path text, code text, sample text)`;
}

/**
 * Marks runs as succeeded. First statement of the save: it matches only the lease with the highest fence, so a worker
 * that was suspended and resumes late changes nothing. The first succeeded run of a request version is its baseline,
 * even with no results. Marks the responses as read.
 * @returns the outcome of each run; `null` if another worker holds its lease
 */
export async function completeRuns(
  tx: Transaction,
  inputs: readonly SaveInput[],
): Promise<(Outcome | null)[]> {
  const runIds = inputs.map(({ runId }) => runId);
  const asked = givenRows('asked', {
    id: ['bigint', runIds],
    fence: ['int', inputs.map(({ fence }) => fence)],
    ended_at: ['timestamptz', inputs.map(({ endedAt }) => endedAt)],
    items_seen: ['int', inputs.map(({ findings }) => findings.itemsSeen)],
    rejected: ['int', inputs.map(({ findings }) => findings.rejects.length)],
    response: ['int', inputs.map(({ response }) => response ?? null)],
  });
  const rejects = writeRows(
    inputs.flatMap(({ runId, findings }) => findings.rejects.map((reject) => ({ run_id: runId, ...reject }))),
  );
  const rows = await rowsOf<Outcome & { id: Id }>(
    tx,
    statement`WITH won AS (
      UPDATE strandline.runs r
      SET status = 'succeeded', ended_at = ${timeOf(verbatim('asked.ended_at'))}, lease_until = NULL,
        leases = 0, not_before = NULL, offer_at = NULL, reason = NULL, items_seen = asked.items_seen, items_new = 0, rejected = asked.rejected,
        baseline = NOT EXISTS (SELECT FROM strandline.runs b WHERE b.search_id = r.search_id
          AND b.request_version = r.request_version AND b.status = 'succeeded' AND b.id <> r.id)
      FROM ${asked}
      WHERE r.id = ANY (${runIds}::bigint[]) AND r.id = asked.id AND r.fence = asked.fence AND r.status = 'running'
      RETURNING r.id, r.baseline, r.ended_at, asked.response
    ), response AS (
      UPDATE strandline.responses SET read_at = won.ended_at
      FROM won WHERE run_id = won.id AND n = won.response AND read_at IS NULL
    ), told AS (
      INSERT INTO strandline.rejects (run_id, path, code, sample)
      SELECT won.id, j.path, j.code, j.sample
      FROM json_to_recordset(${rejects}::json) AS j(run_id bigint, path text, code text, sample text) JOIN won ON won.id = j.run_id
    )
    SELECT id, baseline, 0 AS "itemsNewBefore", ended_at AS at, true AS "isResult", false AS "isOlder",
      strandline.any_forgotten() AS "anyForgotten"
    FROM won`,
    'win_run',
  );
  const won = new Map(rows.map(({ id, ...outcome }) => [id, outcome]));
  return runIds.map((runId) => won.get(runId) ?? null);
}

/**
 * The same for a response that is parsed again; a failed run may become a succeeded one. Whatever it returned before or at
 * the baseline is baseline too. So no lock against {@link completeRuns} is needed: if neither transaction sees the other,
 * both are baselines, as if this response had come second.
 * @returns `null` if the run has not ended with a response
 */
export async function completeAgain(
  tx: Transaction,
  { runId, response, endedAt, findings }: AgainInput,
): Promise<Outcome | null> {
  const [outcome] = await rowsOf<Outcome>(
    tx,
    statement`WITH won AS (
      UPDATE strandline.runs r
      SET status = 'succeeded', code = NULL, reason = NULL, items_seen = ${findings.itemsSeen}, rejected = ${findings.rejects.length},
        items_new = coalesce(r.items_new, 0),
        baseline = coalesce(r.ended_at <= (SELECT max(b.ended_at) FROM strandline.runs b WHERE b.search_id = r.search_id
          AND b.request_version = r.request_version AND b.baseline), true)
      WHERE r.id = ${runId} AND r.status IN ('succeeded', 'failed')
      RETURNING r.id, r.baseline, r.items_new
    ), response AS (
      UPDATE strandline.responses SET read_at = ${endedAt}
      FROM won WHERE run_id = won.id AND n = ${response} AND read_at IS NULL
    ), cleared AS (
      DELETE FROM strandline.rejects WHERE run_id = (SELECT id FROM won)
    ), told AS (
      ${insertRejects('won', 'id', findings.rejects)}
    )
    SELECT baseline, items_new AS "itemsNewBefore", ${endedAt}::timestamptz AS at, true AS "isResult", false AS "isOlder",
      strandline.any_forgotten() AS "anyForgotten"
    FROM won`,
  );
  return outcome ?? null;
}

/**
 * The same for a response that was unread when its run ended. Locks the run first, so that of two responses of one run each sees the
 * results of the other. The run keeps the results of a newer response that was read. A failed run becomes a succeeded one only if no
 * later run succeeded: what people and rules were notified about since then must stay true. Discoveries get the current time, which is
 * when they became known.
 * @returns `null` if the run has not ended, or another process has read the response
 */
export async function markReadLate(
  tx: Transaction,
  { runId, response, now, findings }: LateInput,
): Promise<Outcome | null> {
  const { rowCount } = await execute(
    tx,
    statement`SELECT FROM strandline.runs WHERE id = ${runId} AND status IN ('succeeded', 'failed', 'cancelled') FOR NO KEY UPDATE`,
  );
  if (rowCount === 0) return null;
  const [outcome] = await rowsOf<Outcome>(
    tx,
    statement`WITH response AS (
      UPDATE strandline.responses SET read_at = ${timeOf(now)} WHERE run_id = ${runId} AND n = ${response} AND read_at IS NULL
      RETURNING n, received_at, read_at
    ), judged AS MATERIALIZED (
      SELECT r.id, a.read_at, coalesce(r.items_new, 0) AS before,
        NOT EXISTS (SELECT FROM strandline.run_results WHERE run_id = r.id) OR NOT EXISTS (
          SELECT FROM strandline.calls c WHERE c.run_id = r.id AND c.state = 'received' AND (c.received_at, c.n) > (a.received_at, a.n)
            AND NOT EXISTS (SELECT FROM strandline.responses u WHERE u.run_id = c.run_id AND u.n = c.n AND u.read_at IS NULL)
        ) AS result,
        EXISTS (SELECT FROM strandline.runs o JOIN strandline.run_results n ON n.run_id = o.id
          WHERE o.search_id = r.search_id AND o.ended_at > a.received_at
            AND coalesce(n.observed_at, o.ended_at) > a.received_at) AS older,
        r.status = 'succeeded' OR (r.status = 'failed' AND NOT EXISTS (
          SELECT FROM strandline.runs l WHERE l.search_id = r.search_id AND l.ended_at > r.ended_at AND l.status = 'succeeded'
        )) AS succeeds,
        coalesce(r.ended_at <= (SELECT max(b.ended_at) FROM strandline.runs b WHERE b.search_id = r.search_id
          AND b.request_version = r.request_version AND b.baseline), true) AS baseline
      FROM response a, strandline.runs r WHERE r.id = ${runId}
    ), run AS (
      UPDATE strandline.runs r
      SET status = CASE WHEN succeeds THEN 'succeeded' ELSE status END, code = CASE WHEN NOT succeeds THEN code END,
        reason = CASE WHEN NOT succeeds THEN reason END, baseline = succeeds AND j.baseline,
        items_seen = CASE WHEN result THEN ${findings.itemsSeen} ELSE items_seen END,
        rejected = CASE WHEN result THEN ${findings.rejects.length} ELSE rejected END,
        items_new = j.before
      FROM judged j WHERE r.id = j.id
    ), cleared AS (
      DELETE FROM strandline.rejects WHERE run_id = (SELECT id FROM judged WHERE result)
    ), told AS (
      ${insertRejects('judged', 'id', findings.rejects)} WHERE judged.result
    )
    SELECT baseline, before AS "itemsNewBefore", read_at AS at, result AS "isResult", older AS "isOlder",
      strandline.any_forgotten() AS "anyForgotten"
    FROM judged`,
  );
  return outcome ?? null;
}
