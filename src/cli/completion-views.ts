/** `completions`: one with its sources, and the difference between two. */
import type { Command } from 'commander';
import { describeCompletionChange } from '../model/statements/answer-change.ts';
import { describeToolCoverage } from '../model/tool-coverage.ts';
import type { CompletionDiff } from '../store/queries/completion-diff.ts';
import type { CompletionRow, KeyItemRow } from '../store/queries/completions.ts';
import type { LinkRow } from '../store/queries/links.ts';
import type { RunToolRow } from '../store/queries/run-tools.ts';
import type { Cli } from './command-context.ts';
import { addOperations } from './operation-commands.ts';
import { type JsonOf, type OperationView, renderFacts, type Terms, withDates } from './reply-view.ts';
import type { Terminal } from './terminal-io.ts';
import { MAX_PROSE_WIDTH, oneLine, splitParagraphs, truncate, wrapText } from './terminal-text.ts';
import { createDayFormat } from './value-formatting.ts';

type Shown = JsonOf<CompletionRow> &
  JsonOf<{ key_items: KeyItemRow[]; links: LinkRow[]; tools: RunToolRow[]; first: boolean }>;
/** A completion, or the difference between two. */
type Row = Shown & JsonOf<CompletionDiff>;

const VIEW: OperationView<Row> = {
  columns: [],
  replies: {
    showCompletion: { lines: renderCompletion },
    diffCompletions: {
      // One completion needs neither it nor what it imports.
      lines: async (diff, { page }) =>
        (await import('./completion-diff-view.ts')).renderCompletionDiff(diff, page),
      says: ({ from_first, from: { run_id } }) =>
        from_first ? [`note: no completion is that old; compared with the first one, of run ${run_id}`] : [],
    },
  },
};

function renderCompletion(completion: Shown, terms: Terms): string[] {
  const { page } = terms;
  const { summary, news_forum_summary, discussion_board_summary, microblog_summary } = completion;
  const { changed, first, key_items, links } = completion;
  const compared = describeCompletionChange(completion);
  const verdict = compared === null ? 'not compared' : `${changed ? 'changed' : 'unchanged'}: ${compared}`;
  const tools = completion.tools.map((tool) => withDates(tool, ['observed_at', 'last_responded_at']));
  return [
    ...renderFacts(
      completion,
      [
        'search',
        { of: 'run_id', head: 'run' },
        { of: 'observed_at', head: 'received' },
        {
          of: 'changed',
          head: 'change',
          as: () => (first && compared === null ? 'first completion, nothing to compare' : verdict),
        },
        { of: 'tools', as: () => describeToolCoverage(tools, createDayFormat(page)) },
      ],
      terms,
    ),
    ...renderProse('summary', summary, page),
    ...renderProse('news forums', news_forum_summary, page),
    ...renderProse('discussion boards', discussion_board_summary, page),
    ...renderProse('microblog', microblog_summary, page),
    ...renderNumbered(
      'key items',
      key_items.map(({ text, url }) => [text, url]),
      page,
    ),
    ...renderNumbered(
      'sources',
      links.map(({ title, url }) => [title ?? '', url]),
      page,
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

export function registerCompletions(completions: Command, cli: Cli): void {
  completions.description('Completions: texts written by AI searches, with their sources.');
  addOperations(completions, cli, VIEW);
}
