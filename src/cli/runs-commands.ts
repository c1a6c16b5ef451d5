import { escapeUnsafe } from '../lib/text.ts';
import { Refused } from '../model/errors.ts';
import { describeToolReason } from '../model/tool-coverage.ts';
import { findRunRow, findScope, isFreeSearch } from '../monitor/topics/find-by-slug.ts';
import { readRunCompletion } from '../store/queries/completions.ts';
import { readNewestDiscoveries } from '../store/queries/discoveries.ts';
import { describeDiscoveries } from '../store/queries/described-discoveries.ts';
import {
  type CallRow,
  readCalls,
  readRejects,
  readRunPage,
  type RejectRow,
} from '../store/queries/run-list.ts';
import { readToolsOf, type RunToolRow } from '../store/queries/run-tools.ts';
import { loadNewestResponse } from '../store/runs/responses.ts';
import { RUN_STATUSES, type RunStatus } from '../model/closed-lists.ts';
import type { Cli } from './command-context.ts';
import { runDiscoveryColumns } from './discovery-rendering.ts';
import { deriveLocally } from './local-runs.ts';
import { addListOptions, type ListOptions, showRows } from './list-command.ts';
import { choiceOption, limitOption, MAX_LIMIT, parseId } from './option-values.ts';
import { renderRun, runColumns } from './run-rendering.ts';
import type { Terminal, TerminalPage } from './terminal-io.ts';
import { type Column, renderTableWithUrls } from './terminal-table.ts';
import { truncate } from './terminal-text.ts';
import {
  formatBytes,
  formatCount,
  formatCost,
  formatInstant,
  formatQuantity,
  formatTime,
} from './value-formatting.ts';
import { type Command, Option } from 'commander';

export function registerRuns(runs: Command, cli: Cli): void {
  runs.description('Runs: one per slot, including skipped slots, plus manual runs.');
  registerList(runs, cli);
  registerShow(runs, cli);
  registerReplay(runs, cli);
}

function registerList(runs: Command, cli: Cli): void {
  const words = `only runs with this status: ${RUN_STATUSES.join(', ')}`;
  addListOptions(runs.command('list').description('list runs, newest first'), 'runs', [
    choiceOption('--status <status>', words, RUN_STATUSES),
    limitOption(20),
  ]).action((options: ListOptions & { status?: RunStatus; limit: number }) =>
    cli.withProgram(async ({ ctx }) => {
      const { status, limit, json } = options;
      const scope = await findScope(ctx.db, options);
      const { runs: rows } = await readRunPage(ctx.db, { ...scope, status, limit });
      await showRows(cli, json, rows, { columns: runColumns(ctx.clock.now(), cli.page), none: 'No runs.' });
    }),
  );
}

function registerShow(runs: Command, cli: Cli): void {
  runs
    .command('show')
    .description('show a run: its calls, discoveries and rejected items')
    .argument('<id>', 'run id')
    .option('--response', 'print the raw response instead, also of a failed run')
    .addOption(new Option('--answer', 'the same').hideHelp())
    .option('--json', 'print JSON')
    .action((text: string, options: { response?: boolean; answer?: boolean; json?: boolean }) => {
      const id = parseId('id', text);
      return cli.withServer(async ({ ctx }) => {
        const { db } = ctx;
        const run = await readToolsOf(db, await findRunRow(db, id));
        if (options.response === true || options.answer === true)
          return printResponse(cli, (await loadNewestResponse(db, id))?.body, id);
        const calls = await readCalls(db, id);
        const rejects = await readRejects(db, id);
        const newest = (await readNewestDiscoveries(db, { runId: id, limit: MAX_LIMIT })).toReversed();
        const discoveries = options.json === true ? newest : await describeDiscoveries(db, newest);
        const completion = (await readRunCompletion(db, id)) ?? null;
        const free = await isFreeSearch(ctx, run.search);
        await cli.show(options.json, { ...run, calls, rejects, discoveries, completion }, () => {
          const { page } = cli;
          const now = ctx.clock.now();
          return [
            ...renderRun(run, free, page),
            ...renderSection('tools', run.tools, toolColumns(now, page), page),
            ...renderSection('calls', calls, callColumns(free, page), page),
            ...renderSection('new', discoveries, runDiscoveryColumns(now, page), page, ({ url }) => url),
            ...renderSection('rejected items', rejects, rejectColumns(), page),
          ];
        });
      });
    });
}

function renderSection<Row>(
  name: string,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  page: Terminal,
  readUrl: (row: Row) => string | null = () => null,
): string[] {
  if (rows.length === 0) return [];
  return [
    '',
    page.bold(truncate(name, page.width, page.more)),
    ...renderTableWithUrls(rows, columns, readUrl, page),
  ];
}

/** Raw bytes to a pipe; on a terminal, control characters are escaped. */
async function printResponse(cli: Cli, body: Buffer | undefined, id: bigint): Promise<void> {
  if (body === undefined) throw new Refused('not_found', `run ${id} has no stored response`);
  if (!cli.page.live) return cli.out.write(body);
  const shown = escapeUnsafe(body.toString('utf8'));
  return cli.out.write(shown.endsWith('\n') ? shown : `${shown}\n`);
}

function registerReplay(runs: Command, cli: Cli): void {
  runs
    .command('replay')
    .description('parse the stored response of a run again with the current parser; makes no call')
    .argument('<id>', 'run id')
    .option('--json', 'print the run as JSON')
    .action((text: string, options: { json?: boolean }) => {
      const id = parseId('id', text);
      return cli.withServer(async ({ ctx }) => {
        const { replayRun } = await import('../monitor/runs/late-and-replay.ts');
        const { findings, diff } = await replayRun(ctx, id);
        await deriveLocally(ctx);
        const run = await readToolsOf(ctx.db, await findRunRow(ctx.db, id));
        const free = await isFreeSearch(ctx, run.search);
        await cli.show(options.json, run, () => renderRun(run, free, cli.page));
        const counts = `${formatQuantity(findings.posts.length, 'post')}, ${formatQuantity(findings.links.length, 'link')}`;
        const fresh = diff.newPosts.length + diff.newLinks.length;
        cli.page.say(`parsed again: ${counts}; ${fresh} new`);
      });
    });
}

function toolColumns(now: Date, page: TerminalPage): Column<RunToolRow>[] {
  const words = (responded: boolean | null) =>
    responded === null ? page.unknown : responded ? 'responded' : 'no response';
  return [
    { head: 'tool', cell: ({ tool, asked: isAsked }) => (isAsked ? tool : `${tool} (not asked)`) },
    { head: 'status', cell: ({ responded }) => words(responded) },
    {
      head: 'results',
      cell: ({ items, truncated }) => `${formatCount(items, page)}${truncated === true ? ' or more' : ''}`,
      right: true,
    },
    {
      head: 'reason',
      cell: ({ reason, detail }) => (reason === null ? '' : describeToolReason(reason, detail)),
      elastic: 1,
      wraps: true,
    },
    {
      head: 'last response',
      cell: ({ responded, last_responded_at: last }) =>
        responded !== false ? '' : last === null ? 'never' : formatTime(last, now, page),
    },
  ];
}

function callColumns(free: boolean, page: TerminalPage): Column<CallRow>[] {
  return [
    { head: 'n', cell: (call) => String(call.n), right: true },
    { head: 'state', cell: (call) => call.state },
    { head: 'sent', cell: (call) => formatInstant(call.sent_at, page) },
    {
      head: 'http',
      cell: (call) => (call.http_status === null ? page.unknown : String(call.http_status)),
      right: true,
    },
    {
      head: 'duration',
      cell: (call) => (call.latency_ms === null ? page.unknown : `${formatCount(call.latency_ms, page)} ms`),
      right: true,
    },
    { head: 'size', cell: (call) => formatBytes(call.bytes, page), right: true },
    { head: 'cost', cell: (call) => formatCost(call.cost_usd, { free }), right: true },
    { head: 'code', cell: (call) => call.code ?? '' },
  ];
}

function rejectColumns(): Column<RejectRow>[] {
  return [
    { head: 'path', cell: (reject) => reject.path, elastic: 1, wraps: true },
    { head: 'code', cell: (reject) => reject.code },
    { head: 'sample', cell: (reject) => reject.sample, elastic: 2 },
  ];
}
