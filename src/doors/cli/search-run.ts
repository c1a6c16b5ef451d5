import type { Command } from 'commander';
import { enqueueNewRuns } from '../../monitor/enqueue.ts';
import { insertManualRun } from '../../monitor/topic/run-now.ts';
import { readRun, type RunRow } from '../../store/reads/runs.ts';
import type { Cli, CommandHome } from './cli.ts';
import { lonelyOutcomeLine, outcomeLine } from './run-line.ts';
import { runPage } from './run-page.ts';
import { deriveHere, executeHere, hasWorkers, runUntilEnded } from './take-run.ts';

export function registerSearchRun(search: Command, cli: Cli): void {
  search
    .command('run')
    .description('run a search now')
    .argument('<search>', 'its slug')
    .option('--wait', 'run it here and wait until it has ended, also through retries')
    .option('--json', 'print the run as JSON')
    .addHelpText('after', '\nExample:\n  $ strandline search run ferry-posts --wait --json\n')
    .action((slug: string, options: { wait?: boolean; json?: boolean }) =>
      cli.withHome(async (home, stopping) => {
        const run = await runNow(cli, home, slug, { wait: options.wait ?? false, stopping });
        await cli.show(options.json, run, () => runPage(run, cli.page));
        if (run.status === 'failed' || run.status === 'cancelled') cli.exitCode = 1;
      }),
    );
}

/**
 * Inserts a run and runs it here; only where nobody waits and workers live it is left to them.
 * @throws Refused `not_found`
 */
export async function runNow(
  cli: Cli,
  { ctx }: Pick<CommandHome, 'ctx'>,
  slug: string,
  { wait, stopping }: { wait: boolean; stopping: AbortSignal },
): Promise<RunRow> {
  const { page } = cli;
  const { runId, alreadyQueued } = await insertManualRun(ctx, slug);
  const queued = `run ${runId} is ${alreadyQueued ? 'already queued' : 'queued'}`;
  if (alreadyQueued && wait) page.say(queued);
  if (wait)
    return runUntilEnded(ctx, runId, stopping, (report) => {
      page.say(outcomeLine(report, ctx.clock.now(), page));
    });
  if (await hasWorkers(ctx)) {
    if (!alreadyQueued) await enqueueNewRuns(ctx, [runId], 'manual');
    page.say(`${queued}; a worker takes it (see: strandline runs show ${runId})`);
  } else {
    const report = await executeHere(ctx, runId, stopping);
    await deriveHere(ctx);
    page.say(
      report === null
        ? `run ${runId} waits: its search is being run (see: strandline runs show ${runId})`
        : lonelyOutcomeLine(report, ctx.clock.now(), page),
    );
  }
  const row = await readRun(ctx.db, runId);
  if (row === undefined) throw new Error('a run that was asked for is not there');
  return row;
}
