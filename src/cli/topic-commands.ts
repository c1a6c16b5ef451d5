import type { Command } from 'commander';
import { type SearchChange, changeTopic } from '../monitor/topics/search-state.ts';
import { readSearches, type SearchRow } from '../store/queries/search-list.ts';
import { readTopics, type TopicRow } from '../store/queries/topic-list.ts';
import { MAX_LIMIT } from './option-values.ts';
import type { Cli } from './command-context.ts';
import { findTopicRow } from '../monitor/topics/find-by-slug.ts';
import { registerPurge } from './purge-command.ts';
import type { TerminalPage } from './terminal-io.ts';
import { describeStateChange, searchColumns } from './search-rendering.ts';
import { type Column, renderList, renderTable } from './terminal-table.ts';
import { formatCount, formatInstant, formatRelative } from './value-formatting.ts';

export function registerTopic(topic: Command, cli: Cli): void {
  topic.description('Topics: groups of saved searches.');
  registerList(topic, cli);
  registerShow(topic, cli);
  for (const [change, summary] of STATE_CHANGES) registerStateChange(topic, cli, change, summary);
  registerPurge(topic, cli, 'topic');
}

function registerList(topic: Command, cli: Cli): void {
  topic
    .command('list')
    .description('list topics')
    .option('--all', 'include removed topics')
    .option('--json', 'print JSON')
    .action((options: { all?: boolean; json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const rows = await readTopics(ctx.db, { removed: options.all, limit: MAX_LIMIT });
        if (rows.length === 0) cli.page.say('No topics. Create one: strandline watch "..."');
        await cli.show(options.json, rows, () => renderTable(rows, topicColumns(cli.page), cli.page));
      }),
    );
}

function registerShow(topic: Command, cli: Cli): void {
  topic
    .command('show')
    .description('show a topic and its searches')
    .argument('<topic>', 'topic slug')
    .option('--json', 'print JSON')
    .action((slug: string, options: { json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const { page } = cli;
        const row = await findTopicRow(ctx.db, slug);
        const searches = await readSearches(ctx.db, { topic: slug, limit: MAX_LIMIT });
        await cli.show(options.json, { ...row, searches }, () => [
          ...renderList(
            [
              ['topic', row.slug],
              ['name', row.name],
              ['data', describeData(searches)],
              ['created', formatInstant(row.created_at, page)],
              ...(row.archived_at === null
                ? []
                : [['removed', formatInstant(row.archived_at, page)] as const]),
            ],
            page,
          ),
          ...(searches.length === 0
            ? []
            : ['', ...renderTable(searches, searchColumns(ctx.clock.now(), page), page)]),
        ]);
      }),
    );
}

const STATE_CHANGES: readonly (readonly [SearchChange, string])[] = [
  ['pause', 'stop running all searches of a topic'],
  ['resume', 'resume all searches of a topic'],
  ['remove', 'remove a topic and its searches; keeps what they found'],
];

function registerStateChange(topic: Command, cli: Cli, change: SearchChange, summary: string): void {
  topic
    .command(change)
    .description(summary)
    .argument('<topic>', 'topic slug')
    .option('--json', 'print the topic as JSON')
    .action((slug: string, options: { json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const left = await changeTopic(ctx, slug, change);
        const row = await findTopicRow(ctx.db, slug);
        const searches = await readSearches(ctx.db, { topic: slug, limit: MAX_LIMIT });
        await cli.show(options.json, { ...row, searches }, () => []);
        const now = ctx.clock.now();
        for (const search of left)
          cli.page.say(
            `${search.slug}: ${describeStateChange(change, search, formatRelative(search.next_due_at, now, cli.page))}`,
          );
        if (change === 'remove')
          cli.page.say(
            `${slug}: removed; what it found stays. To delete it, too: strandline topic purge ${slug}`,
          );
      }),
    );
}

function describeData(searches: readonly SearchRow[]): string {
  const simulated = searches.filter(({ service_kind }) => service_kind === 'sandbox').length;
  if (simulated === 0) return searches.length === 0 ? 'none' : 'real';
  return simulated === searches.length ? 'simulated' : 'real and simulated';
}

function topicColumns(page: TerminalPage): Column<TopicRow>[] {
  return [
    { head: 'topic', cell: (row) => row.slug },
    { head: 'searches', cell: (row) => formatCount(row.searches, page), right: true, drop: 1 },
    { head: 'created', cell: (row) => formatInstant(row.created_at, page) },
    { head: 'state', cell: (row) => (row.archived_at === null ? '' : 'removed') },
    { head: 'sample', cell: (row) => (row.sample ? 'simulated' : ''), drop: 2 },
    { head: 'name', cell: (row) => row.name, elastic: 2, drop: 3 },
  ];
}
