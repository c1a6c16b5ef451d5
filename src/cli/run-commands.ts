/** `runs show` and `runs replay`, by hand: one prints a response as it was sent, the other counts what was found again. */
import { z } from 'zod';
import { escapeUnsafe } from '../lib/text.ts';
import { idKey } from '../model/value-shapes.ts';
import { describeToolReason } from '../model/tool-coverage.ts';
import type { CompletionRow } from '../store/queries/completions.ts';
import type { DescribedDiscovery } from '../store/queries/described-discoveries.ts';
import type { CallRow, RejectRow, RunRow } from '../store/queries/run-list.ts';
import type { RunToolRow } from '../store/queries/run-tools.ts';
import type { Api } from './api-client.ts';
import { ask, askBytes, askItems, type Reply } from './api-requests.ts';
import { RUN_ANSWER } from './byte-replies.ts';
import type { Cli } from './command-context.ts';
import { runDiscoveryColumns } from './discovery-rendering.ts';
import { createInvalidOption } from './option-values.ts';
import { renderRun } from './run-rendering.ts';
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

/** `free`: its calls are known to cost nothing. */
export type WholeRun = RunRow & {
  free: boolean;
  tools: RunToolRow[];
  call_rows: CallRow[];
  completion: CompletionRow | null;
};

/** @param text the id, as it was typed */
export function showRun(
  cli: Cli,
  text: string,
  options: { response?: boolean; answer?: boolean; json?: boolean },
): Promise<void> {
  const run = parseId('id', text);
  return cli.withApi(async (api) => {
    if (options.response === true || options.answer === true) return printResponse(cli, api, run);
    const { call_rows: calls, ...row } = await ask<WholeRun>(api, 'getRun', { run });
    const rejects = await askItems<RejectRow>(api, 'listRejects', { run });
    const described = options.json === true ? undefined : true;
    const newest = await askItems<DescribedDiscovery>(api, 'listDiscoveries', { run, described });
    const discoveries = newest.toReversed();
    const { free } = row;
    await cli.show(options.json, { ...row, calls, rejects, discoveries }, () => {
      const { page } = cli;
      const now = api.now();
      return [
        ...renderRun(row, free, page),
        ...renderSection('tools', row.tools, toolColumns(now, page), page),
        ...renderSection('calls', calls, callColumns(free, page), page),
        ...renderSection('new', discoveries, runDiscoveryColumns(now, page), page, ({ url }) => url),
        ...renderSection('rejected items', rejects, rejectColumns(), page),
      ];
    });
  });
}

/** @param text the id, as it was typed */
export function replayRunOf(cli: Cli, text: string, options: { json?: boolean }): Promise<void> {
  const id = parseId('id', text);
  return cli.withApi(
    async (api) => {
      const { replayed } = await ask<{ replayed: Replayed }>(api, 'replayRun', { run: id });
      const run = await ask<WholeRun>(api, 'getRun', { run: id });
      await api.here?.derive();
      await cli.show(options.json, run, () => renderRun(run, run.free, cli.page));
      const counts = `${formatQuantity(replayed.posts, 'post')}, ${formatQuantity(replayed.links, 'link')}`;
      cli.page.say(`parsed again: ${counts}; ${replayed.fresh} new`);
    },
    { runsIn: 'server' },
  );
}

type Replayed = { posts: number; links: number; fresh: number };

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
async function printResponse(cli: Cli, api: Api, run: string): Promise<void> {
  const pieces = await askBytes(api, RUN_ANSWER, { run });
  if (!cli.page.live) {
    for await (const piece of pieces) await cli.out.write(piece);
    return;
  }
  const read: Uint8Array[] = [];
  for await (const piece of pieces) read.push(piece);
  const shown = escapeUnsafe(Buffer.concat(read).toString('utf8'));
  return cli.out.write(shown.endsWith('\n') ? shown : `${shown}\n`);
}

function toolColumns(now: Date, page: TerminalPage): Column<Reply<RunToolRow>>[] {
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

function callColumns(free: boolean, page: TerminalPage): Column<Reply<CallRow>>[] {
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

function rejectColumns(): Column<Reply<RejectRow>>[] {
  return [
    { head: 'path', cell: (reject) => reject.path, elastic: 1, wraps: true },
    { head: 'code', cell: (reject) => reject.code },
    { head: 'sample', cell: (reject) => reject.sample, elastic: 2 },
  ];
}

export function parseId(path: string, text: string): string {
  if (!z.safeDecode(idKey, text).success)
    throw createInvalidOption(path, text, 'an id: a whole number from 1');
  return text;
}
