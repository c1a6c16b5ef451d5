/** Parses stored responses and saves their results. */

import { RunError } from '../../model/errors.ts';
import type { ParsedResults } from '../../model/parsed-results.ts';
import { runCooperatively } from '../../platform/run-cooperatively.ts';
import { loadDialect } from '../../protocol/dialect.ts';
import type { Id } from '../../store/db/database.ts';
import type { RawResponse, ResponseKey } from '../../store/runs/responses.ts';
import type { LeasedRun } from '../../store/runs/run-leases.ts';
import { readOwnStatus } from '../../store/runs/run-states.ts';
import type { Diff } from '../../store/save/save-responses.ts';
import { readCommittedDiff, saveFindings } from '../../store/save/save.ts';
import type { Context } from '../context.ts';
import { parseResponseInSteps } from '../parse/parse-response.ts';
import { explainNoResponse, UnreadableResponse } from '../parse/rejects-and-warnings.ts';
import { withDbRetry } from './db-outage.ts';

/**
 * Parses a stored response. Pure: the same bytes give the same results, now and in a replay. Yields to the event loop, so that
 * leases are renewed and other runs continue however large the response is.
 * @throws UnreadableResponse if it cannot be used; `sources_down` or `source_needs_key` if it is empty because no source
 *   responded: an unanswered search is not an empty result
 */
export async function parseStoredResponse(
  run: Pick<LeasedRun, 'operation' | 'dialect' | 'tools'>,
  response: Pick<RawResponse, 'body' | 'contentType' | 'receivedAt'>,
): Promise<ParsedResults> {
  const parsing = parseResponseInSteps({
    operation: run.operation,
    body: response.body,
    contentType: response.contentType,
    dialect: loadDialect(run.dialect),
    receivedAt: response.receivedAt,
  });
  const findings = await runCooperatively(parsing);
  const why = explainNoResponse(findings, run.operation === 'ai' ? new Set(run.tools).size : 1);
  if (why !== null)
    throw new UnreadableResponse(why.code, {
      detail: why.detail,
      rejects: findings.rejects,
      tools: findings.tools,
      ownSources: findings.ownSources,
    });
  return findings;
}

/**
 * Saves the results together with the run's success. If the connection breaks during the commit, checks the run, and saves
 * again only if nothing was committed.
 * @throws RunError `lease_lost` if another worker holds the lease of the run
 */
export async function saveResults(
  ctx: Context,
  run: LeasedRun,
  response: ResponseKey,
  findings: ParsedResults,
): Promise<Diff> {
  const diff = await withDbRetry(ctx, () =>
    saveFindings(ctx.db, {
      ...toSave(ctx, run.id, run, response, findings),
      fence: run.fence,
      endedAt: ctx.clock.statementTime(),
    }),
  );
  if (diff !== null) return diff;
  // Our commit succeeded but its confirmation was lost: the diff is in the database.
  if ((await readOwnStatus(ctx.db, run)) === 'succeeded') return readCommittedDiff(ctx.db, run.id);
  throw new RunError('lease_lost');
}

/** What each way of saving the results of a response needs. */
export function toSave(
  { config: { linkRules } }: Pick<Context, 'config'>,
  runId: Id,
  { search_id: searchId, service_id: serviceId }: Pick<LeasedRun, 'search_id' | 'service_id'>,
  { n: response, receivedAt: observedAt }: ResponseKey,
  findings: ParsedResults,
) {
  return { runId, searchId, serviceId, findings, response, observedAt, linkRules };
}
