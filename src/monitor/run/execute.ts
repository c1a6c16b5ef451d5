import type { Id } from '../../store/database.ts';
import type { ResponseKey } from '../../store/responses.ts';
import type { Context } from '../context.ts';
import { callAndStore, unreadResponse } from './answer.ts';
import { claim } from './claim.ts';
import { endWithoutSuccess } from './end.ts';
import { readLateResponses } from './late.ts';
import { holdLease } from './lease.ts';
import { readFindings } from './reading.ts';
import { type RunReport, succeeded } from './report.ts';
import { save } from './saving.ts';
import { type Solitude, SolitudeNeeded } from './solitude.ts';

/** Of who runs without being told to stop. */
const NEVER = new AbortController().signal;

/**
 * Does what there is to do for a run: executes it, or reads responses that came after its end. Whoever calls it, worker
 * or person, the claim makes sure that one of them goes on, the ledger that no more is paid than is allowed, and the
 * save that everything is there afterwards or nothing is.
 *
 * @param stopping aborted when this process wants to end: a call under way is aborted, the run is released
 * @param solitude the gate that all runs of a worker pass; left out by a process that does one thing
 * @returns how it ended; `null` when there was nothing to execute (taken, not due, already ended)
 */
export async function executeRun(
  ctx: Context,
  runId: Id,
  stopping: AbortSignal = NEVER,
  solitude?: Solitude,
): Promise<RunReport | null> {
  if (solitude === undefined) return journey(ctx, runId, stopping, { alone: true });
  try {
    return await solitude.shared(() => journey(ctx, runId, stopping, { alone: false }));
  } catch (error) {
    if (!(error instanceof SolitudeNeeded)) throw error;
    return solitude.alone(() => journey(ctx, runId, stopping, { alone: true }));
  }
}

/** The journey of a run, from its claim to its end. */
async function journey(
  ctx: Context,
  runId: Id,
  stopping: AbortSignal,
  { alone }: { alone: boolean },
): Promise<RunReport | null> {
  const run = await claim(ctx, runId, alone);
  if (run === null) {
    await readLateResponses(ctx, runId);
    return null;
  }

  const release = holdLease(ctx, run);
  let response: ResponseKey | undefined;
  try {
    const raw = (await unreadResponse(ctx, run)) ?? (await callAndStore(ctx, run, stopping));
    // Its body is stored, and need not stay in memory until the save ends.
    response = { n: raw.n, receivedAt: raw.receivedAt };
    const findings = await readFindings(run, raw);
    const diff = await save(ctx, run, response, findings);
    return succeeded(run, findings, diff);
  } catch (error) {
    return await endWithoutSuccess(ctx, run, { error, response, stopping });
  } finally {
    release();
  }
}
