import type { Command } from 'commander';
import { InvalidInput, Refused } from '../../errors.ts';
import type { Database } from '../../store/database.ts';
import {
  type CompletionRow,
  type KeyItemRow,
  readCompletionOfRun,
  readKeyItems,
  readLastCompletion,
  readLinksOf,
} from '../../store/reads/completions.ts';
import type { LinkRow } from '../../store/reads/links.ts';
import { readRun } from '../../store/reads/runs.ts';
import { readId } from './arguments.ts';
import type { Cli } from './cli.ts';
import { registerCompletionDiff } from './completion-diff.ts';
import { isFirstOfSearch } from '../../monitor/run/first.ts';
import { findSearchRow } from '../../monitor/topic/find.ts';
import { tellInventedOf } from './invented.ts';
import type { Terminal } from './terminal.ts';
import { list } from './table.ts';
import { cut, oneLine, paragraphs, wrap } from './text.ts';
import { instant } from './words.ts';

/** Lines of prose are not longer than this, however wide the terminal is. */
const PROSE = 100;

export function registerCompletions(completions: Command, cli: Cli): void {
  completions.description('Completions: what the AI of the service wrote, with its sources.');
  completions
    .command('show')
    .description('show the last completion of a search, or that of a run')
    .argument('[search]', 'slug of the search')
    .option('--run <id>', 'of this run')
    .option('--json', 'print JSON')
    .action((search: string | undefined, options: { run?: string; json?: boolean }) => {
      if ((search === undefined) === (options.run === undefined))
        throw new InvalidInput([
          {
            path: 'search',
            given: search,
            expected: 'either the slug of a search or --run with the id of a run',
          },
        ]);
      const runId = options.run === undefined ? undefined : readId('run', options.run);
      return cli.withHome(async ({ ctx }) => {
        const completion = await find(ctx.db, search, runId);
        const key_items = await readKeyItems(ctx.db, completion.id);
        const links = await readLinksOf(ctx.db, completion.completion_links);
        const run = await readRun(ctx.db, completion.run_id);
        const first = run !== undefined && isFirstOfSearch(run);
        await cli.show(options.json, { ...completion, key_items, links }, () =>
          page(completion, first, key_items, links, cli.page),
        );
        await tellInventedOf(cli, ctx, options.json, [completion.search]);
      });
    });
  registerCompletionDiff(completions, cli);
}

async function find(
  db: Database,
  search: string | undefined,
  runId: bigint | undefined,
): Promise<CompletionRow> {
  if (search !== undefined) await findSearchRow(db, search);
  const row =
    runId !== undefined
      ? await readCompletionOfRun(db, runId)
      : search === undefined
        ? undefined
        : await readLastCompletion(db, search);
  if (row !== undefined) return row;
  const whose = runId === undefined ? `the search "${search}"` : `run ${runId}`;
  throw new Refused(
    'not_found',
    `${whose} has no completion: only succeeded runs of AI searches have one; see: strandline runs list`,
  );
}

function page(
  completion: CompletionRow,
  first: boolean,
  items: readonly KeyItemRow[],
  links: readonly LinkRow[],
  terminal: Terminal,
): string[] {
  const { summary, news_forum_summary, discussion_board_summary, microblog_summary, changed } = completion;
  const facts = list(
    [
      ['search', completion.search],
      ['run', String(completion.run_id)],
      ['received', instant(completion.observed_at, terminal)],
      ['cited links', first ? 'the first of its search' : changed ? 'changed' : 'as before'],
    ],
    terminal,
  );
  return [
    ...facts,
    ...prose('summary', summary, terminal),
    ...prose('news forums', news_forum_summary, terminal),
    ...prose('discussion boards', discussion_board_summary, terminal),
    ...prose('microblog', microblog_summary, terminal),
    ...numbered(
      'key items',
      items.map(({ text, url }) => [text, url]),
      terminal,
    ),
    ...numbered(
      'sources',
      links.map(({ title, url }) => [title ?? '', url]),
      terminal,
    ),
  ];
}

function prose(heading: string, text: string | null, { bold, width, more }: Terminal): string[] {
  if (text === null || text.trim() === '') return [];
  return [
    '',
    bold(cut(heading, width, more)),
    ...paragraphs(text).flatMap((one) => wrap(one, Math.min(width, PROSE))),
  ];
}

function numbered(
  heading: string,
  items: readonly (readonly [text: string, url: string | null])[],
  { bold, dim, width, more }: Terminal,
): string[] {
  if (items.length === 0) return [];
  const figures = String(items.length).length;
  // A page narrower than that has no room for numbers.
  const numbers = width > figures + 8 ? figures + 2 : 0;
  const indent = ' '.repeat(numbers);
  const room = width - numbers;
  const number = (i: number) => (numbers === 0 ? '' : `${String(i + 1).padStart(figures)}  `);
  return [
    '',
    bold(cut(heading, width, more)),
    ...items.flatMap(([text, url], i) => {
      const words = wrap(oneLine(text) || oneLine(url ?? ''), room);
      const address = url === null || oneLine(text) === '' ? [] : wrap(oneLine(url), room);
      return [
        ...words.map((line, nth) => `${nth === 0 ? number(i) : indent}${line}`),
        ...address.map((line) => `${indent}${dim(line)}`),
      ];
    }),
  ];
}
