/** The journey of a run, one step a line. */

import type { Id } from '../../store/database.ts';
import type { ResponseKey } from '../../store/responses.ts';
import type { Context } from '../context.ts';
import { callAndStore, findUnreadResponse } from './paid-call.ts';
import { claimForWorker, ExclusiveAccessNeeded, type RunGate, startLeaseRenewal } from './claim.ts';
import { endWithoutSuccess, reportSuccess, type RunReport } from './run-end.ts';
import { parseLateResponses } from './late-and-replay.ts';
import { parseStoredResponse, saveResults } from './parse-and-save.ts';

/** For callers that are never stopped. */
const NEVER_STOPPING = new AbortController().signal;

/**
 * Does what there is to do for a run: executes it, or reads responses that came after its end. Whoever calls it, worker
 * or person, the claim makes sure that one of them goes on, the ledger that no more is paid than is allowed, and the
 * save that everything is there afterwards or nothing is.
 *
 * @param stopping aborted when this process wants to end: a call under way is aborted, the run is released
 * @param gate the gate that all runs of a worker pass; left out by a process that does one thing
 * @returns how it ended; `null` when there was nothing to execute (taken, not due, already ended)
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

/** From the claim of a run to its end. */
async function executeSteps(
  ctx: Context,
  runId: Id,
  stopping: AbortSignal,
  { alone }: { alone: boolean },
): Promise<RunReport | null> {
  const run = await claimForWorker(ctx, runId, alone);
  if (run === null) {
    await parseLateResponses(ctx, runId);
    return null;
  }

  const release = startLeaseRenewal(ctx, run);
  let response: ResponseKey | undefined;
  try {
    const raw = (await findUnreadResponse(ctx, run)) ?? (await callAndStore(ctx, run, stopping));
    // Its body is stored, and need not stay in memory until the save ends.
    response = { n: raw.n, receivedAt: raw.receivedAt };
    const findings = await parseStoredResponse(run, raw);
    const diff = await saveResults(ctx, run, response, findings);
    return reportSuccess(run, findings, diff);
  } catch (error) {
    return await endWithoutSuccess(ctx, run, { error, response, stopping });
  } finally {
    release();
  }
}
