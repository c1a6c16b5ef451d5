import type { Command } from 'commander';
import { type Change, changeSearch } from '../../monitor/topic/state.ts';
import { readRuns } from '../../store/reads/runs.ts';
import { readSearches } from '../../store/reads/searches.ts';
import { SEARCH_STATES } from '../../store/schema/analytics/topics.ts';
import { LIMIT_MAX, readOneOf } from './arguments.ts';
import type { Cli } from './cli.ts';
import { assertFilter, findSearchRow } from '../../monitor/topic/find.ts';
import { runPage } from './run-page.ts';
import { registerDefine } from './search-define.ts';
import { changed, searchColumns, searchPage } from './search-page.ts';
import { registerPreview } from './search-preview.ts';
import { registerSearchRun } from './search-run.ts';
import { registerTry } from './search-try.ts';
import { table } from './table.ts';
import { relative } from './words.ts';

export function registerSearch(search: Command, cli: Cli): void {
  search.description('Saved searches: what is asked, of whom, and when.');
  registerDefine(search, cli);
  registerList(search, cli);
  registerShow(search, cli);
  registerSearchRun(search, cli);
  registerPreview(search, cli);
  registerTry(search, cli);
  for (const [change, summary] of CHANGES) registerChange(search, cli, change, summary);
}

function registerList(search: Command, cli: Cli): void {
  search
    .command('list')
    .description('list saved searches')
    .option('--topic <topic>', 'only those of a topic')
    .option('--state <state>', 'only those that are active, paused, broken or capped')
    .option('--all', 'removed ones too')
    .option('--json', 'print JSON')
    .action((options: { topic?: string; state?: string; all?: boolean; json?: boolean }) => {
      const state =
        options.state === undefined ? undefined : readOneOf('state', options.state, SEARCH_STATES);
      return cli.withHome(async ({ ctx }) => {
        const { topic, all: removed } = options;
        await assertFilter(ctx.db, { topic });
        const rows = await readSearches(ctx.db, { topic, state, removed, limit: LIMIT_MAX });
        if (rows.length === 0) cli.page.say('no searches; add one: strandline watch "..."');
        await cli.show(options.json, rows, () =>
          table(rows, searchColumns(ctx.clock.now(), cli.page), cli.page),
        );
      });
    });
}

function registerShow(search: Command, cli: Cli): void {
  search
    .command('show')
    .description('show a search, its state and its last run')
    .argument('<search>', 'its slug')
    .option('--json', 'print JSON')
    .action((slug: string, options: { json?: boolean }) =>
      cli.withHome(async ({ ctx }) => {
        const row = await findSearchRow(ctx.db, slug);
        const [last] = await readRuns(ctx.db, { search: slug, limit: 1 });
        await cli.show(options.json, { ...row, last_run: last ?? null }, () => [
          ...searchPage(row, cli.page),
          ...(last === undefined ? [] : ['', ...runPage(last, cli.page)]),
        ]);
      }),
    );
}

const CHANGES: readonly (readonly [Change, string])[] = [
  ['pause', 'stop running a search; what waits is cancelled'],
  ['resume', 'go on at the next slot, also after it was broken or capped'],
  ['remove', 'stop for good; what it found stays'],
];

function registerChange(search: Command, cli: Cli, change: Change, summary: string): void {
  search
    .command(change)
    .description(summary)
    .argument('<search>', 'its slug')
    .option('--json', 'print JSON')
    .action((slug: string, options: { json?: boolean }) =>
      cli.withHome(async ({ ctx }) => {
        await changeSearch(ctx, slug, change);
        const row = await findSearchRow(ctx.db, slug);
        await cli.show(options.json, row, () => []);
        cli.page.say(
          `${slug}: ${changed(change, row, relative(row.next_due_at, ctx.clock.now(), cli.page))}`,
        );
      }),
    );
}
