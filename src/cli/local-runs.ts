/** Executes runs in the process of a command, where no server and no worker does. The lease makes that safe next to workers. */
import type { Program } from '../app/program.ts';
import type { ActingContext } from '../monitor/context.ts';
import type { RunReport } from '../monitor/runs/run-end.ts';
import type { Id } from '../store/db/database.ts';

type LocalProgram = Pick<Program, 'embedded' | 'readerUrl'> & { ctx: ActingContext };

/** What the process of a command does that has no server. */
export type LocalRuns = {
  program: LocalProgram;
  /** Whether a worker runs somewhere: it executes new runs. */
  hasWorkers: () => Promise<boolean>;
  /** Executes one attempt of a run. @returns null if another process runs its search */
  execute: (runId: string) => Promise<RunReport | null>;
  /** Which tools of a run did not respond; null if all did. @param formatDay as the terminal writes days */
  describeTools: (runId: string, formatDay: (at: Date) => string) => Promise<string | null>;
  /** Derives figures from runs that were executed here, unless a worker does it. */
  derive: () => Promise<void>;
  /** Deletes what is being purged, as far as no run in progress prevents it. */
  continuePurges: () => Promise<void>;
};

export function openLocalRuns(program: LocalProgram, stopping: AbortSignal): LocalRuns {
  const { ctx } = program;
  // Loaded lazily, because most commands only read.
  const hasWorkers = async () => {
    const { hasLiveWorkers } = await import('../store/runs/worker-registry.ts');
    return hasLiveWorkers(ctx.db, ctx.clock);
  };
  return {
    program,
    hasWorkers,
    execute: async (runId) => {
      const { executeRun } = await import('../monitor/runs/execute.ts');
      return executeRun(ctx, BigInt(runId), stopping);
    },
    describeTools: (runId, formatDay) => describeRunTools(ctx, BigInt(runId), formatDay),
    derive: async () => {
      if (await hasWorkers()) return;
      const { derivePending } = await import('../monitor/derive/follower.ts');
      await derivePending(ctx, { settleMs: null });
    },
    continuePurges: async () => {
      const { continuePurges } = await import('../store/erase/purge.ts');
      await continuePurges(ctx.db, () => !stopping.aborted);
    },
  };
}

/** Which tools of a run did not respond; null if all did, or the run was not executed. */
export async function describeRunTools(
  { db }: Pick<ActingContext, 'db'>,
  runId: Id,
  formatDay: (at: Date) => string,
): Promise<string | null> {
  const [{ describeToolCoverage }, { readRunTools }] = await Promise.all([
    import('../model/tool-coverage.ts'),
    import('../store/queries/run-tools.ts'),
  ]);
  return describeToolCoverage(await readRunTools(db, [runId]), formatDay);
}
