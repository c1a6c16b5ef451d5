import type { Command } from 'commander';
import { describeCompletionChange } from '../model/statements/answer-change.ts';
import { InvalidInput, Refused } from '../model/errors.ts';
import { describeToolCoverage } from '../model/tool-coverage.ts';
import type { Database } from '../store/db/database.ts';
import {
  type CompletionRow,
  type KeyItemRow,
  readRunCompletion,
  readKeyItems,
  readLastCompletion,
} from '../store/queries/completions.ts';
import { type LinkRow, readLinksByIds } from '../store/queries/links.ts';
import { isBaselineRun, readRun } from '../store/queries/run-list.ts';
import { readRunTools, type RunToolRow } from '../store/queries/run-tools.ts';
import { parseId } from './option-values.ts';
import type { Cli } from './command-context.ts';
import { registerCompletionDiff } from './completions-diff-command.ts';
import { findSearchRow } from '../monitor/topics/find-by-slug.ts';
import type { Terminal } from './terminal-io.ts';
import { renderList } from './terminal-table.ts';
import { MAX_PROSE_WIDTH, truncate, oneLine, splitParagraphs, wrapText } from './terminal-text.ts';
import { createDayFormat, formatInstant } from './value-formatting.ts';

export function registerCompletions(completions: Command, cli: Cli): void {
  completions.description('Completions: texts written by AI searches, with their sources.');
  completions
    .command('show')
    .description('show the latest completion of a search, or the completion of a run')
    .argument('[search]', 'search slug')
    .option('--run <id>', 'the completion of this run')
    .option('--json', 'print JSON')
    .action((search: string | undefined, options: { run?: string; json?: boolean }) => {
      if ((search === undefined) === (options.run === undefined))
        throw new InvalidInput([
          {
            path: 'search',
            given: search,
            expected: 'either a search slug or --run with a run id',
          },
        ]);
      const runId = options.run === undefined ? undefined : parseId('run', options.run);
      return cli.withProgram(async ({ ctx }) => {
        const completion = await findCompletion(ctx.db, search, runId);
        const key_items = await readKeyItems(ctx.db, completion.id);
        const links = await readLinksByIds(ctx.db, completion.completion_links);
        const run = await readRun(ctx.db, completion.run_id);
        const isFirst = run !== undefined && isBaselineRun(run);
        const tools = await readRunTools(ctx.db, [completion.run_id]);
        await cli.show(options.json, { ...completion, key_items, links, tools }, () =>
          renderCompletion({ ...completion, tools }, isFirst, key_items, links, cli.page),
        );
      });
    });
  registerCompletionDiff(completions, cli);
}

async function findCompletion(
  db: Database,
  search: string | undefined,
  runId: bigint | undefined,
): Promise<CompletionRow> {
  const named = search === undefined ? undefined : await findSearchRow(db, search);
  const row =
    runId !== undefined
      ? await readRunCompletion(db, runId)
      : named && (await readLastCompletion(db, named.slug));
  if (row !== undefined) return row;
  const whose = runId === undefined ? `the search "${search}"` : `run ${runId}`;
  throw new Refused(
    'not_found',
    `${whose} has no completion; only successful runs of AI searches have one. See: strandline runs list`,
  );
}

function renderCompletion(
  completion: CompletionRow & { tools: readonly RunToolRow[] },
  isFirst: boolean,
  items: readonly KeyItemRow[],
  links: readonly LinkRow[],
  terminal: Terminal,
): string[] {
  const { summary, news_forum_summary, discussion_board_summary, microblog_summary, changed } = completion;
  const compared = describeCompletionChange(completion);
  const verdict = compared === null ? 'not compared' : `${changed ? 'changed' : 'unchanged'}: ${compared}`;
  const facts = renderList(
    [
      ['search', completion.search],
      ['run', String(completion.run_id)],
      ['received', formatInstant(completion.observed_at, terminal)],
      ['change', isFirst && compared === null ? 'first completion, nothing to compare' : verdict],
      ['tools', describeToolCoverage(completion.tools, createDayFormat(terminal))],
    ],
    terminal,
  );
  return [
    ...facts,
    ...renderProse('summary', summary, terminal),
    ...renderProse('news forums', news_forum_summary, terminal),
    ...renderProse('discussion boards', discussion_board_summary, terminal),
    ...renderProse('microblog', microblog_summary, terminal),
    ...renderNumbered(
      'key items',
      items.map(({ text, url }) => [text, url]),
      terminal,
    ),
    ...renderNumbered(
      'sources',
      links.map(({ title, url }) => [title ?? '', url]),
      terminal,
    ),
  ];
}

function renderProse(heading: string, text: string | null, { bold, width, more }: Terminal): string[] {
  if (text === null || text.trim() === '') return [];
  return [
    '',
    bold(truncate(heading, width, more)),
    ...splitParagraphs(text).flatMap((paragraph) => wrapText(paragraph, Math.min(width, MAX_PROSE_WIDTH))),
  ];
}

function renderNumbered(
  heading: string,
  items: readonly (readonly [text: string, url: string | null])[],
  { bold, dim, width, more }: Terminal,
): string[] {
  if (items.length === 0) return [];
  const figures = String(items.length).length;
  // Numbers are left out if the page is too narrow.
  const numbers = width > figures + 8 ? figures + 2 : 0;
  const indent = ' '.repeat(numbers);
  const room = width - numbers;
  const number = (i: number) => (numbers === 0 ? '' : `${String(i + 1).padStart(figures)}  `);
  return [
    '',
    bold(truncate(heading, width, more)),
    ...items.flatMap(([text, url], i) => {
      const words = wrapText(oneLine(text) || oneLine(url ?? ''), room);
      const address = url === null || oneLine(text) === '' ? [] : wrapText(oneLine(url), room);
      return [
        ...words.map((line, nth) => `${nth === 0 ? number(i) : indent}${line}`),
        ...address.map((line) => `${indent}${dim(line)}`),
      ];
    }),
  ];
}
