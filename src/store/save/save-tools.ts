/**
 * Saves coverage by tool. Requested tools are those of the request of the run's version; results of another tool, which some
 * services return, count as well.
 */
import type { Tool } from '../../model/enumerations.ts';
import type { ToolReport } from '../../model/tool-coverage.ts';
import { givenRows } from '../db/batches.ts';
import { type Id, type Transaction, writeRows } from '../db/database.ts';
import { execute, type Statement, statement } from '../db/statement.ts';
import type { ResponseToSave } from './outcome.ts';

/** Requests of operation B name no tools, so the operation counts as this tool. */
const MICROBLOG_TOOL: Tool = 'Microblog Search';

/**
 * Inserts one row per tool; tools that a response does not mention have the `responded` and `reason` of their run.
 * @param ended a table of runs: `run_id`, `observed_at`, `responded`, `reason`
 */
export function insertTools(ended: Statement, reports: readonly RunReports[]): Statement {
  const written = writeRows(
    reports.flatMap(({ runId, tools }) => tools.map((report) => ({ run_id: runId, ...report }))),
  );
  return statement`INSERT INTO strandline.run_tools AS t
      (run_id, tool, search_id, request_version, observed_at, asked, responded, items, reason, detail)
    SELECT e.run_id, n.tool, r.search_id, r.request_version, e.observed_at, n.tool = ANY (q.tools),
      CASE WHEN p.tool IS NULL THEN e.responded ELSE p.responded END, p.items,
      CASE WHEN p.tool IS NULL THEN e.reason ELSE p.reason END, p.detail
    FROM ${ended} e
    CROSS JOIN LATERAL (SELECT search_id, version, request_version FROM strandline.runs WHERE id = e.run_id OFFSET 0) r
    CROSS JOIN LATERAL (SELECT operation FROM strandline.searches WHERE id = r.search_id OFFSET 0) s
    CROSS JOIN LATERAL (
      SELECT CASE s.operation WHEN 'ai' THEN tools ELSE ${[MICROBLOG_TOOL]}::text[] END AS tools
      FROM strandline.search_versions WHERE search_id = r.search_id AND version = r.version OFFSET 0
    ) q
    CROSS JOIN LATERAL (
      SELECT unnest(q.tools) AS tool
      UNION SELECT o.tool FROM json_to_recordset(${written}::json) AS o(run_id bigint, tool text, items int)
        WHERE o.run_id = e.run_id AND o.items > 0
    ) n
    LEFT JOIN json_to_recordset(${written}::json)
      AS p(run_id bigint, tool text, responded boolean, items int, reason text, detail text)
      ON p.run_id = e.run_id AND p.tool = n.tool
    ON CONFLICT (run_id, tool) DO UPDATE SET observed_at = excluded.observed_at, asked = excluded.asked,
      responded = excluded.responded, items = excluded.items, reason = excluded.reason, detail = excluded.detail`;
}

/** What the response of a run reports of its tools. */
type RunReports = { runId: Id; tools: readonly ToolReport[] };

/**
 * Saves the tools of responses that are the result of their run.
 * @param isAgain the run has ended before: its former rows are deleted
 */
export async function saveTools(
  tx: Transaction,
  results: readonly ResponseToSave[],
  isAgain: boolean,
): Promise<void> {
  if (results.length === 0) return;
  const runIds = results.map(({ runId }) => runId);
  if (isAgain)
    await execute(tx, statement`DELETE FROM strandline.run_tools WHERE run_id = ANY (${runIds}::bigint[])`);
  const ended = givenRows('u', {
    run_id: ['bigint', runIds],
    observed_at: ['timestamptz', results.map(({ observedAt }) => observedAt)],
  });
  await execute(
    tx,
    insertTools(
      statement`(SELECT u.*, NULL::boolean AS responded, 'not_reported' AS reason FROM ${ended})`,
      results.map(({ runId, findings }) => ({ runId, tools: findings.tools })),
    ),
    'insert_tools',
  );
}
