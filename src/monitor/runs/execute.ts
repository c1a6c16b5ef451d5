/** Executes a run, one line per step. */

import type { Id } from '../../store/db/database.ts';
import type { ResponseKey } from '../../store/runs/responses.ts';
import type { Context } from '../context.ts';
import { callAndStore, findUnreadResponse } from './paid-call.ts';
import { leaseForWorker, ExclusiveAccessNeeded, type RunGate, startLeaseRenewal } from './lease.ts';
import { endWithoutSuccess, reportSuccess, type RunReport } from './run-end.ts';
import { parseLateResponses } from './late-and-replay.ts';
import { UnreadableResponse } from '../parse/rejects-and-warnings.ts';
import { keepSourceReports } from './own-sources.ts';
import { parseStoredResponse, saveResults } from './parse-and-save.ts';

/** Default for callers that never stop early. */
const NEVER_STOPPING = new AbortController().signal;

/**
 * Executes a run, or reads responses that arrived after its end. Any number of callers may call it for the same run: the lease
 * lets one of them continue, the ledger enforces the limits of paid calls, and the save stores all results or none.
 *
 * @param stopping aborted when this process shuts down: a call in progress is aborted and the run is released
 * @param gate the gate for all runs of a worker; omitted by a process that executes one run
 * @returns how the run ended; `null` if there was nothing to execute (leased by another worker, not due, already ended)
 */
export async function executeRun(
  ctx: Context,
  runId: Id,
  stopping: AbortSignal = NEVER_STOPPING,
  gate?: RunGate,
): Promise<RunReport | null> {
  if (gate === undefined) return executeSteps(ctx, runId, stopping, { alone: true });
  try {
    return await gate.shared(() => executeSteps(ctx, runId, stopping, { alone: false }));
  } catch (error) {
    if (!(error instanceof ExclusiveAccessNeeded)) throw error;
    return gate.alone(() => executeSteps(ctx, runId, stopping, { alone: true }));
  }
}

/** From the lease of a run to its end. */
async function executeSteps(
  ctx: Context,
  runId: Id,
  stopping: AbortSignal,
  { alone }: { alone: boolean },
): Promise<RunReport | null> {
  const run = await leaseForWorker(ctx, runId, alone);
  if (run === null) {
    await parseLateResponses(ctx, runId);
    return null;
  }

  const release = startLeaseRenewal(ctx, run);
  let response: ResponseKey | undefined;
  try {
    const raw = (await findUnreadResponse(ctx, run)) ?? (await callAndStore(ctx, run, stopping));
    // The body is stored and need not stay in memory until the save ends.
    response = { n: raw.n, receivedAt: raw.receivedAt };
    const findings = await parseStoredResponse(run, raw);
    const diff = await saveResults(ctx, run, response, findings);
    await keepSourceReports(ctx, run, findings.ownSources, response.receivedAt);
    return reportSuccess(run, findings, diff);
  } catch (error) {
    if (error instanceof UnreadableResponse && response !== undefined)
      await keepSourceReports(ctx, run, error.ownSources, response.receivedAt);
    return await endWithoutSuccess(ctx, run, { error, response, stopping });
  } finally {
    release();
  }
}
