/** Executes runs in the process of a command. The lease makes that safe next to workers. */

import type { Program } from '../app/program.ts';
import type { Context } from '../monitor/context.ts';
import type { RunReport } from '../monitor/runs/run-end.ts';
import type { CreatedSearch } from '../monitor/topics/save-search.ts';
import { waitsForSource } from '../monitor/topics/service-choice.ts';
import type { Id } from '../store/db/database.ts';
import { readRun, type RunRow } from '../store/queries/run-list.ts';
import { readSearch, type SearchRow } from '../store/queries/search-list.ts';
import { hasLiveWorkers } from '../store/runs/worker-registry.ts';
import type { Cli } from './command-context.ts';
import { describeRunTools, printForecast } from './result-notices.ts';
import { describeReportWithoutWorkers } from './run-rendering.ts';
import { setTimeout as sleep } from 'node:timers/promises';

/** How often to poll a run that another process executes. */
const RUN_POLL_MS = 500;

/**
 * Executes a run in this process. A server that does so for a shell prints the run like those of its worker. Loaded lazily,
 * because most commands only read.
 * @returns null if another process runs its search
 */
export async function executeLocally(
  { caller }: Pick<Cli, 'caller'>,
  ctx: Context,
  runId: Id,
  stopping: AbortSignal,
): Promise<RunReport | null> {
  const { executeRun } = await import('../monitor/runs/execute.ts');
  const report = await executeRun(ctx, runId, stopping);
  if (report !== null) await caller?.onReport?.(ctx, report);
  return report;
}

export async function hasWorkers(ctx: Context): Promise<boolean> {
  return hasLiveWorkers(ctx.db, ctx.clock.now());
}

/** Derives trends from runs that were executed here, unless a worker does it. */
export async function deriveLocally(ctx: Context): Promise<void> {
  if (await hasWorkers(ctx)) return;
  const { derivePending } = await import('../monitor/derive/follower.ts');
  await derivePending(ctx, { settleMs: null });
}

/**
 * Waits until a run has ended, here or in another process, including retries. Returns early when `stopping` is aborted:
 * the run goes back to the queue.
 * @param onReport called for each attempt in this process
 */
export async function executeUntilEnded(
  cli: Pick<Cli, 'caller'>,
  ctx: Context,
  runId: Id,
  stopping: AbortSignal,
  onReport: (report: RunReport) => void,
): Promise<RunRow> {
  for (;;) {
    const report = await executeLocally(cli, ctx, runId, stopping);
    if (report !== null) onReport(report);
    const row = await readRun(ctx.db, runId);
    if (row === undefined) throw new Error('a manual run has disappeared');
    if (row.ended_at !== null || stopping.aborted) {
      await deriveLocally(ctx);
      return row;
    }
    await sleep(RUN_POLL_MS, undefined, { signal: stopping }).catch(() => {});
  }
}

type SavedSearch = SearchRow & { first_run: RunRow };

export const WAITS_FOR_SOURCE =
  'No public source is reachable now: the first runs start when a source is reachable, which is checked every minute';

/**
 * Executes first runs in this process, and prints how each ended and which of its tools did not respond.
 * @param options.isReported which reports are printed. Default: all
 * @param options.isCovered of which searches tools are printed. Default: all
 */
export async function executeHere(
  cli: Cli,
  ctx: Context,
  created: readonly CreatedSearch[],
  {
    stopping,
    isReported = () => true,
    isCovered = () => true,
  }: {
    stopping: AbortSignal;
    isReported?: (report: RunReport) => boolean;
    isCovered?: (search: CreatedSearch['search']) => boolean;
  },
): Promise<void> {
  const { page } = cli;
  await Promise.all(
    created.map(async ({ search, firstRunId }) => {
      const report = await executeLocally(cli, ctx, firstRunId, stopping);
      if (report === null) return;
      if (isReported(report)) page.say(describeReportWithoutWorkers(report, ctx.clock.now(), page));
      const coverage = isCovered(search) ? await describeRunTools(ctx, firstRunId, page) : null;
      if (coverage !== null) page.say(`${report.search}: ${coverage}`);
    }),
  );
  await deriveLocally(ctx);
}

/**
 * Says what new searches cost, and executes their first runs here, unless a worker is running. The searches stay saved whatever
 * the result.
 */
export async function executeFirstRuns(
  cli: Cli,
  { ctx }: Program,
  created: readonly CreatedSearch[],
  { json, stopping }: { json: boolean | undefined; stopping: AbortSignal },
): Promise<SavedSearch[]> {
  const { page } = cli;
  const searches = created.map(({ search }) => search);
  if (json !== true) await printForecast(cli, ctx, searches);
  if (await hasWorkers(ctx)) {
    const own = created.some(({ search }) => search.service_kind === 'own');
    const when = own && (await waitsForSource(ctx, 'own')) ? WAITS_FOR_SOURCE : 'First runs start now';
    page.say(`Saved. ${when}; see: strandline runs list`);
  } else await executeHere(cli, ctx, created, { stopping });
  return Promise.all(
    created.map(async ({ search, firstRunId }) => {
      const row = await readSearch(ctx.db, search.slug);
      const run = await readRun(ctx.db, firstRunId);
      if (row === undefined || run === undefined) throw new Error('a saved search has disappeared');
      return { ...row, first_run: run };
    }),
  );
}
