import type { OwnLinkRule } from '../../model/links/link-identity.ts';
import type { ParsedResults } from '../../model/parsed-results.ts';
import { type Id, type Transaction, writeRows } from '../db/database.ts';
import { sqlTime } from '../db/statement.ts';

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
export const insertRejectsSql = (run: string, id: string, rejects: `$${number}`) => `
  INSERT INTO strandline.rejects (run_id, path, code, sample)
  SELECT ${run}.${id}, j.path, j.code, j.sample
  FROM ${run}, json_to_recordset(${rejects}::json) AS j(path text, code text, sample text)`;

/**
 * Marks runs as succeeded. First statement of the save: it matches only the lease with the highest fence, so a worker
 * that was suspended and resumes late changes nothing. The first succeeded run of a request version is its baseline,
 * even with no results. Marks the response as read.
 * $1 runs, $2 fences, $3 times or null, $4 items, $5 reject counts, $6 response numbers, $7 rejects.
 */
const COMPLETE_RUNS = `
WITH won AS (
  UPDATE strandline.runs r
  SET status = 'succeeded', ended_at = ${sqlTime('asked.ended_at')}, lease_until = NULL,
    leases = 0, not_before = NULL, offer_at = NULL, reason = NULL, items_seen = asked.items_seen, items_new = 0, rejected = asked.rejected,
    baseline = NOT EXISTS (SELECT FROM strandline.runs b WHERE b.search_id = r.search_id
      AND b.request_version = r.request_version AND b.status = 'succeeded' AND b.id <> r.id)
  FROM unnest($1::bigint[], $2::int[], $3::timestamptz[], $4::int[], $5::int[], $6::int[])
    AS asked(id, fence, ended_at, items_seen, rejected, response)
  WHERE r.id = ANY ($1::bigint[]) AND r.id = asked.id AND r.fence = asked.fence AND r.status = 'running'
  RETURNING r.id, r.baseline, r.ended_at, asked.response
), response AS (
  UPDATE strandline.responses SET read_at = won.ended_at
  FROM won WHERE run_id = won.id AND n = won.response AND read_at IS NULL
), told AS (
  INSERT INTO strandline.rejects (run_id, path, code, sample)
  SELECT won.id, j.path, j.code, j.sample
  FROM json_to_recordset($7::json) AS j(run_id bigint, path text, code text, sample text) JOIN won ON won.id = j.run_id
)
SELECT id, baseline, 0 AS "itemsNewBefore", ended_at AS at, true AS "isResult", false AS "isOlder",
  strandline.any_forgotten() AS "anyForgotten"
FROM won`;

/**
 * The same for a response that is parsed again; a failed run may become a succeeded one. Whatever it returned before or at
 * the baseline is baseline too. So no lock against {@link COMPLETE_RUNS} is needed: if neither transaction sees the other,
 * both are baselines, as if this response had come second.
 */
const COMPLETE_AGAIN = `
WITH won AS (
  UPDATE strandline.runs r
  SET status = 'succeeded', code = NULL, reason = NULL, items_seen = $2, rejected = $3, items_new = coalesce(r.items_new, 0),
    baseline = coalesce(r.ended_at <= (SELECT max(b.ended_at) FROM strandline.runs b WHERE b.search_id = r.search_id
      AND b.request_version = r.request_version AND b.baseline), true)
  WHERE r.id = $1 AND r.status IN ('succeeded', 'failed')
  RETURNING r.id, r.baseline, r.items_new
), response AS (
  UPDATE strandline.responses SET read_at = ${sqlTime('$6')}
  FROM won WHERE run_id = won.id AND n = $5 AND read_at IS NULL
), cleared AS (
  DELETE FROM strandline.rejects WHERE run_id = (SELECT id FROM won)
), told AS (
  ${insertRejectsSql('won', 'id', '$4')}
)
SELECT baseline, items_new AS "itemsNewBefore", $6::timestamptz AS at, true AS "isResult", false AS "isOlder",
  strandline.any_forgotten() AS "anyForgotten"
FROM won`;

/**
 * The same for a response that was unread when its run ended, after {@link LOCK_ENDED_RUN}. The run keeps the results
 * of a newer response that was read. A failed run becomes a succeeded one only if no later run succeeded: what people
 * and rules were notified about since then must stay true. Discoveries get the current time, which is when they
 * became known.
 * $1 run, $2 response, $3 items, $4 reject count, $5 rejects, $6 time.
 */
const MARK_READ_LATE = `
WITH response AS (
  UPDATE strandline.responses SET read_at = ${sqlTime('$6')} WHERE run_id = $1 AND n = $2 AND read_at IS NULL
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
  FROM response a, strandline.runs r WHERE r.id = $1
), run AS (
  UPDATE strandline.runs r
  SET status = CASE WHEN succeeds THEN 'succeeded' ELSE status END, code = CASE WHEN NOT succeeds THEN code END,
    reason = CASE WHEN NOT succeeds THEN reason END, baseline = succeeds AND j.baseline,
    items_seen = CASE WHEN result THEN $3 ELSE items_seen END, rejected = CASE WHEN result THEN $4 ELSE rejected END,
    items_new = j.before
  FROM judged j WHERE r.id = j.id
), cleared AS (
  DELETE FROM strandline.rejects WHERE run_id = (SELECT id FROM judged WHERE result)
), told AS (
  ${insertRejectsSql('judged', 'id', '$5')} WHERE judged.result
)
SELECT baseline, before AS "itemsNewBefore", read_at AS at, result AS "isResult", older AS "isOlder",
  strandline.any_forgotten() AS "anyForgotten"
FROM judged`;

/** Serializes two responses of one run, so that each sees the results of the other. $1 run. */
const LOCK_ENDED_RUN = `
SELECT FROM strandline.runs WHERE id = $1 AND status IN ('succeeded', 'failed', 'cancelled') FOR NO KEY UPDATE`;

/** @returns the outcome of each run; `null` if another worker holds its lease */
export async function completeRuns(
  tx: Transaction,
  inputs: readonly SaveInput[],
): Promise<(Outcome | null)[]> {
  const rejects = inputs.flatMap(({ runId, findings }) =>
    findings.rejects.map((reject) => ({ run_id: runId, ...reject })),
  );
  const { rows } = await tx.query<Outcome & { id: Id }>({
    name: 'win_run',
    text: COMPLETE_RUNS,
    values: [
      inputs.map(({ runId }) => runId),
      inputs.map(({ fence }) => fence),
      inputs.map(({ endedAt }) => endedAt),
      inputs.map(({ findings }) => findings.itemsSeen),
      inputs.map(({ findings }) => findings.rejects.length),
      inputs.map(({ response }) => response ?? null),
      writeRows(rejects),
    ],
  });
  const won = new Map(rows.map(({ id, ...outcome }) => [id, outcome]));
  return inputs.map(({ runId }) => won.get(runId) ?? null);
}

/** @returns `null` if the run has not ended with a response */
export async function completeAgain(tx: Transaction, input: AgainInput): Promise<Outcome | null> {
  const { findings } = input;
  const { rows } = await tx.query<Outcome>(COMPLETE_AGAIN, [
    input.runId,
    findings.itemsSeen,
    findings.rejects.length,
    JSON.stringify(findings.rejects),
    input.response,
    input.endedAt,
  ]);
  return rows[0] ?? null;
}

/** @returns `null` if the run has not ended, or another process has read the response */
export async function markReadLate(tx: Transaction, input: LateInput): Promise<Outcome | null> {
  const { findings } = input;
  const { rowCount } = await tx.query(LOCK_ENDED_RUN, [input.runId]);
  if (rowCount === 0) return null;
  const { rows } = await tx.query<Outcome>(MARK_READ_LATE, [
    input.runId,
    input.response,
    findings.itemsSeen,
    findings.rejects.length,
    JSON.stringify(findings.rejects),
    input.now,
  ]);
  return rows[0] ?? null;
}
