import type { Home } from '../../home.ts';
import type { Created } from '../../monitor/topic/create.ts';
import { readRun, type RunRow } from '../../store/reads/runs.ts';
import { readSearch, type SearchRow } from '../../store/reads/searches.ts';
import type { Cli } from './cli.ts';
import { lonelyOutcomeLine } from './run-line.ts';
import { deriveHere, executeHere, hasWorkers } from './take-run.ts';

export type SavedSearch = SearchRow & { first_run: RunRow };

/**
 * The first look of searches that were just saved: done here where no worker lives, left to the worker
 * where one does. How it ends changes nothing about the searches: they are saved.
 */
export async function takeFirstRuns(
  cli: Cli,
  { ctx }: Home,
  created: readonly Created[],
  stopping: AbortSignal,
): Promise<SavedSearch[]> {
  const { page } = cli;
  if (await hasWorkers(ctx))
    page.say('saved; a worker takes the first look at once (see: strandline runs list)');
  else {
    await Promise.all(
      created.map(async ({ firstRunId }) => {
        const report = await executeHere(ctx, firstRunId, stopping);
        if (report !== null) page.say(lonelyOutcomeLine(report, ctx.clock.now(), page));
      }),
    );
    await deriveHere(ctx);
  }
  return Promise.all(
    created.map(async ({ search, firstRunId }) => {
      const row = await readSearch(ctx.db, search.slug);
      const run = await readRun(ctx.db, firstRunId);
      if (row === undefined || run === undefined) throw new Error('a search that was saved is not there');
      return { ...row, first_run: run };
    }),
  );
}
