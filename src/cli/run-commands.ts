/** `runs show` and `runs replay`, by hand: one prints a response as it was sent, the other derives what follows from it. */
import { escapeUnsafe } from '../lib/text.ts';
import { Refused } from '../model/errors.ts';
import { idKey } from '../model/value-shapes.ts';
import { describeToolReason } from '../model/tool-coverage.ts';
import { findRunRow, isFreeSearch } from '../monitor/topics/find-by-slug.ts';
import { readRunCompletion } from '../store/queries/completions.ts';
import { readNewestDiscoveries } from '../store/queries/discoveries.ts';
import { describeDiscoveries } from '../store/queries/described-discoveries.ts';
import { type CallRow, readCalls, readRejects, type RejectRow } from '../store/queries/run-list.ts';
import { readToolsOf, type RunToolRow } from '../store/queries/run-tools.ts';
import { loadNewestResponse } from '../store/runs/responses.ts';
import type { Cli } from './command-context.ts';
import { z } from 'zod';
import { runDiscoveryColumns } from './discovery-rendering.ts';
import { deriveLocally } from './local-runs.ts';
import { createInvalidOption, MAX_LIMIT } from './option-values.ts';
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

/** @param text the id, as it was typed */
export function showRun(
  cli: Cli,
  text: string,
  options: { response?: boolean; answer?: boolean; json?: boolean },
): Promise<void> {
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
}

/** @param text the id, as it was typed */
export function replayRunOf(cli: Cli, text: string, options: { json?: boolean }): Promise<void> {
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

export function parseId(path: string, text: string): bigint {
  const id = z.safeDecode(idKey, text);
  if (!id.success) throw createInvalidOption(path, text, 'an id: a whole number from 1');
  return id.data;
}
