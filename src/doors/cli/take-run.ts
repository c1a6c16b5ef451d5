/** Running something at once, from a command: beside workers or without them, the claim makes it safe. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../monitor/context.ts';
import type { RunReport } from '../../monitor/run/report.ts';
import type { Id } from '../../store/database.ts';
import { readRun, type RunRow } from '../../store/reads/runs.ts';
import { liveWorkers, WORKER_SILENCE_MS } from '../../store/workers.ts';

/** How often a run that somebody else has is looked at. */
const LOOK_MS = 500;

/**
 * Executes a run in this process. What that takes is loaded here, and by no command that only reads.
 * @returns null where its search is being run by somebody else
 */
export async function executeHere(ctx: Context, runId: Id, stopping: AbortSignal): Promise<RunReport | null> {
  const { executeRun } = await import('../../monitor/run/execute.ts');
  return executeRun(ctx, runId, stopping);
}

export async function hasWorkers(ctx: Context): Promise<boolean> {
  const since = new Date(ctx.clock.now().getTime() - WORKER_SILENCE_MS);
  return (await liveWorkers(ctx.db, since)).length > 0;
}

/** Derives what follows from runs that were executed here; where workers live, they do. */
export async function deriveHere(ctx: Context): Promise<void> {
  if (await hasWorkers(ctx)) return;
  const { follow } = await import('../../monitor/derive/follow.ts');
  await follow(ctx, { settleMs: null });
}

/**
 * Runs it until it has ended: here, or by whoever else has it; a run that is tried again later is waited
 * for. Ends early when `stopping` is aborted: the run goes back to the queue.
 * @param onReport hears of every attempt that was made here
 */
export async function runUntilEnded(
  ctx: Context,
  runId: Id,
  stopping: AbortSignal,
  onReport: (report: RunReport) => void,
): Promise<RunRow> {
  for (;;) {
    const report = await executeHere(ctx, runId, stopping);
    if (report !== null) onReport(report);
    const row = await readRun(ctx.db, runId);
    if (row === undefined) throw new Error('a run that was asked for is not there');
    if (row.ended_at !== null || stopping.aborted) {
      await deriveHere(ctx);
      return row;
    }
    await sleep(LOOK_MS, undefined, { signal: stopping }).catch(() => {});
  }
}
