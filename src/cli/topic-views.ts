/** `topic`: lists, one topic with its searches, and what changes it. */
import type { Command } from 'commander';
import type { Brief } from '../model/value-shapes.ts';
import type { SearchStatusName } from '../model/closed-lists.ts';
import type { SearchRow } from '../store/queries/search-list.ts';
import type { TopicRow } from '../store/queries/topic-list.ts';
import type { Cli } from './command-context.ts';
import { addOperations, isOperation } from './operation-commands.ts';
import { type JsonOf, type OperationView, renderFacts, type Terms } from './reply-view.ts';
import { listedSearchColumns } from './search-columns.ts';
import { addTopicStates } from './state-views.ts';
import {
  describeTopicStatus,
  formatNext,
  nameTopic,
  paintStatus,
  type StatusOfTopic,
} from './status-rendering.ts';
import type { TerminalPage } from './terminal-io.ts';
import { renderTable } from './terminal-table.ts';
import { MAX_PROSE_WIDTH, oneLine, wrapText } from './terminal-text.ts';
import { formatInstant, formatRelative } from './value-formatting.ts';

type SearchOfTopic = JsonOf<SearchRow> & { status: SearchStatusName };
/** A topic of a list. */
type Listed = Omit<JsonOf<TopicRow>, 'searches'> & Omit<StatusOfTopic, 'total'> & { searches: number };
/** One topic, with its searches; of a removed topic those that were removed, too. */
type Shown = Omit<Listed, 'searches'> & { searches: SearchOfTopic[]; brief: Brief | null };
type Row = Listed & Shown;

/** Of a list. */
const withTotal = (row: Row) => ({ ...row, total: (row as Listed).searches }); // the number, where it is no list

const LIST: OperationView<Row> = {
  columns: [
    { of: 'slug', head: 'topic' },
    { of: 'searches', right: true, drop: 1 },
    {
      of: 'status',
      as: (row, { page }) =>
        row.status === null
          ? 'no searches'
          : row.archived_at === null
            ? nameTopic(withTotal(row), page)
            : 'removed',
      paint: (shown, row, { page }) => paintStatus(shown, row.status, page),
    },
    {
      of: 'last_run_at',
      head: 'last run',
      as: ({ last_run_at: at }, { now, page }) => formatRelative(at, now, page),
      drop: 2,
    },
    {
      of: 'next_due_at',
      head: 'next',
      as: ({ next_due_at: at }, { now, page }) => formatNext(at, now, page),
      drop: 4,
    },
    { of: 'created_at', head: 'created', drop: 5 },
    { of: 'name', elastic: 2, drop: 3 },
  ],
  none: 'No topics. Create one: strandline watch "..."',
  replies: {
    getTopic: {
      complete: async (row, { ask }) => ({
        ...row,
        searches: (await ask('listSearches', {
          topic: row.slug,
          ...(row.archived_at === null ? {} : { removed: 'true' }),
        })) as never, // as that operation replies
      }),
      lines: renderTopic,
    },
    setTopicLanguage: {
      says: ({ language }, { typed }) => [
        `${String(typed['topic'])}: ${language === null ? 'nothing is translated' : `translated into ${language}`}`,
      ],
    },
    renameTopic: {
      says: ({ slug, name }, { typed }) => [`${String(typed['topic'])}: now "${name}", ${slug}`],
    },
  },
};

function renderTopic(row: Row, terms: Terms): string[] {
  const { searches, brief } = row as Shown; // as it was completed
  const total = searches.filter(({ archived_at }) => archived_at === null).length;
  const { now, page } = terms;
  return [
    ...renderFacts(
      row,
      [
        { of: 'slug', head: 'topic' },
        'name',
        {
          of: 'status',
          as: ({ archived_at }) =>
            archived_at === null ? describeTopicStatus({ ...row, total }, terms) : null,
        },
        { of: 'goal', as: ({ goal }) => goal },
        { of: 'language', as: ({ language }) => language },
        { of: 'created_at', head: 'created' },
        { of: 'successor', head: 'continues in', as: ({ successor }) => successor },
        {
          of: 'archived_at',
          head: 'removed',
          as: ({ archived_at: at }) => (at === null ? null : formatInstant(at, page)),
        },
      ],
      terms,
    ),
    ...renderBrief(brief, page),
    ...(searches.length === 0 ? [] : ['', ...renderTable(searches, listedSearchColumns(now, page), page)]),
  ];
}

/** Sentences with what they cite by name, since numbers lead nowhere; and who wrote them. */
function renderBrief(brief: Brief | null, page: TerminalPage): string[] {
  if (brief === null) return [];
  const width = Math.min(page.width, MAX_PROSE_WIDTH);
  const by = `Written by a language model (${brief.model}), ${formatInstant(brief.written_at, page)}, of the last 24 hours.`;
  const lines = brief.sentences.map(({ text, sources }) => {
    const cited = brief.sources.filter(({ n }) => sources.includes(n));
    return [text, ...cited.map(({ kind, id }) => `(${kind} ${id})`)].join(' ');
  });
  return [
    '',
    ...lines.flatMap((line) => wrapText(oneLine(line), width)),
    ...wrapText(oneLine(by), width).map(page.colors.dim),
  ];
}

export async function registerTopic(topic: Command, cli: Cli): Promise<void> {
  topic.description('Topics: groups of saved searches.');
  addOperations(topic, cli, LIST, ({ subject }) => subject === 'topics');
  addTopicStates(topic, cli);
  if (!isOperation(cli)) (await import('./rewatch-command.ts')).registerRewatch(topic, cli);
}
