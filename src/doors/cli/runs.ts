import type { Command } from 'commander';
import { Refused } from '../../errors.ts';
import { loadNewestResponse } from '../../store/responses.ts';
import { readCompletionOfRun } from '../../store/reads/completions.ts';
import { newestDiscoveries } from '../../store/reads/discoveries.ts';
import { readCalls, readRejects, readRuns } from '../../store/reads/runs.ts';
import { RUN_STATUSES } from '../../store/schema/analytics/runs.ts';
import { LIMIT_MAX, readId, readLimit, readOneOf } from './arguments.ts';
import { withAddresses } from './addresses.ts';
import type { Cli } from './cli.ts';
import { discoveryColumnsOfRun } from './discovery-page.ts';
import { callColumns, rejectColumns } from './run-details.ts';
import { runColumns, runPage } from './run-page.ts';
import { deriveHere } from './take-run.ts';
import { assertFilter, findRunRow } from '../../monitor/topic/find.ts';
import { type Column, table } from './table.ts';
import type { Terminal } from './terminal.ts';
import { cut } from './text.ts';
import { counted } from './words.ts';

export function registerRuns(runs: Command, cli: Cli): void {
  runs.description(
    'Runs: one for every slot that was due, also for those that were not run, and those by hand.',
  );
  registerList(runs, cli);
  registerShow(runs, cli);
  registerReplay(runs, cli);
}

type ListOptions = { search?: string; topic?: string; status?: string; limit?: string; json?: boolean };

function registerList(runs: Command, cli: Cli): void {
  runs
    .command('list')
    .description('list runs, the newest first')
    .option('--search <search>', 'only those of a search')
    .option('--topic <topic>', 'only those of a topic')
    .option('--status <status>', `only those that are ${RUN_STATUSES.join(', ')}`)
    .option('--limit <n>', 'how many (default: 20)')
    .option('--json', 'print JSON')
    .action((options: ListOptions) => {
      const { search, topic } = options;
      const limit = readLimit(options.limit, 20);
      const status =
        options.status === undefined ? undefined : readOneOf('status', options.status, RUN_STATUSES);
      return cli.withHome(async ({ ctx }) => {
        await assertFilter(ctx.db, { search, topic });
        const rows = await readRuns(ctx.db, { search, topic, status, limit });
        if (rows.length === 0) cli.page.say('no runs');
        await cli.show(options.json, rows, () =>
          table(rows, runColumns(ctx.clock.now(), cli.page), cli.page),
        );
      });
    });
}

function registerShow(runs: Command, cli: Cli): void {
  runs
    .command('show')
    .description('show a run: its calls, what was new, what could not be read')
    .argument('<id>', 'its id')
    .option('--answer', 'print its kept answer instead, as it came')
    .option('--json', 'print JSON')
    .action((given: string, options: { answer?: boolean; json?: boolean }) => {
      const id = readId('id', given);
      return cli.withHome(async ({ ctx }) => {
        const { db } = ctx;
        const run = await findRunRow(db, id);
        if (options.answer === true) return printAnswer(cli, (await loadNewestResponse(db, id))?.body, id);
        const calls = await readCalls(db, id);
        const rejects = await readRejects(db, id);
        const discoveries = await newestDiscoveries(db, { runId: id, limit: LIMIT_MAX });
        const completion = (await readCompletionOfRun(db, id)) ?? null;
        await cli.show(options.json, { ...run, calls, rejects, discoveries, completion }, () => {
          const { page } = cli;
          const now = ctx.clock.now();
          return [
            ...runPage(run, page),
            ...section('calls', calls, callColumns(page), page),
            ...section('new', discoveries, discoveryColumnsOfRun(now, page), page, ({ url }) => url),
            ...section('not readable', rejects, rejectColumns(), page),
          ];
        });
      });
    });
}

function section<Row>(
  name: string,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  page: Terminal,
  addressOf: (row: Row) => string | null = () => null,
): string[] {
  if (rows.length === 0) return [];
  return ['', page.bold(cut(name, page.width, page.more)), ...withAddresses(rows, columns, addressOf, page)];
}

/** To a pipe the bytes as they came; to a terminal nothing that it could take for a command. */
async function printAnswer(cli: Cli, body: Buffer | undefined, id: bigint): Promise<void> {
  if (body === undefined) throw new Refused('not_found', `run ${id} has no kept answer`);
  if (!cli.page.live) return cli.out.write(body);
  // Whatever is no character, or orders others about, stands as its code.
  const shown = body.toString('utf8').replace(/[^\P{Cc}\n\t]|[\u2028-\u202e\u2066-\u2069]/gu, codeOf);
  return cli.out.write(shown.endsWith('\n') ? shown : `${shown}\n`);
}

function codeOf(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function registerReplay(runs: Command, cli: Cli): void {
  runs
    .command('replay')
    .description('read the kept answer of a run again, with the reader of today; nobody is called')
    .argument('<id>', 'its id')
    .option('--json', 'print the run as JSON')
    .action((given: string, options: { json?: boolean }) => {
      const id = readId('id', given);
      return cli.withHome(async ({ ctx }) => {
        const { replayRun } = await import('../../monitor/run/replay.ts');
        const { findings, diff } = await replayRun(ctx, id);
        await deriveHere(ctx);
        const run = await findRunRow(ctx.db, id);
        await cli.show(options.json, run, () => runPage(run, cli.page));
        const found = `${counted(findings.posts.length, 'post')}, ${counted(findings.links.length, 'link')}`;
        const fresh = diff.newPosts.length + diff.newLinks.length;
        cli.page.say(`read again: ${found}; ${fresh} that were not found before`);
      });
    });
}
