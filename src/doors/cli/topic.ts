import type { Command } from 'commander';
import { type Change, changeTopic } from '../../monitor/topic/state.ts';
import { readSearches } from '../../store/reads/searches.ts';
import { readTopics, type TopicRow } from '../../store/reads/topics.ts';
import { LIMIT_MAX } from './arguments.ts';
import type { Cli } from './cli.ts';
import { findTopicRow } from '../../monitor/topic/find.ts';
import type { Page } from './page.ts';
import { changed, searchColumns } from './search-page.ts';
import { type Column, list, table } from './table.ts';
import { count, instant, relative } from './words.ts';

export function registerTopic(topic: Command, cli: Cli): void {
  topic.description('Topics: what you care about. Each has one or more saved searches.');
  registerList(topic, cli);
  registerShow(topic, cli);
  for (const [change, summary] of CHANGES) registerChange(topic, cli, change, summary);
}

function registerList(topic: Command, cli: Cli): void {
  topic
    .command('list')
    .description('list topics')
    .option('--all', 'removed ones too')
    .option('--json', 'print JSON')
    .action((options: { all?: boolean; json?: boolean }) =>
      cli.withHome(async ({ ctx }) => {
        const rows = await readTopics(ctx.db, { removed: options.all, limit: LIMIT_MAX });
        if (rows.length === 0) cli.page.say('no topics; make one: strandline watch "..."');
        await cli.show(options.json, rows, () => table(rows, topicColumns(cli.page), cli.page));
      }),
    );
}

function registerShow(topic: Command, cli: Cli): void {
  topic
    .command('show')
    .description('show a topic and its searches')
    .argument('<topic>', 'its slug')
    .option('--json', 'print JSON')
    .action((slug: string, options: { json?: boolean }) =>
      cli.withHome(async ({ ctx }) => {
        const { page } = cli;
        const row = await findTopicRow(ctx.db, slug);
        const searches = await readSearches(ctx.db, { topic: slug, limit: LIMIT_MAX });
        // What a list counts, a show shows.
        await cli.show(options.json, { ...row, searches }, () => [
          ...list(
            [
              ['topic', row.slug],
              ['name', row.name],
              ['sample', row.sample ? 'yes: simulated posts' : 'no'],
              ['made', instant(row.created_at, page)],
              ...(row.archived_at === null ? [] : [['removed', instant(row.archived_at, page)] as const]),
            ],
            page,
          ),
          ...(searches.length === 0
            ? []
            : ['', ...table(searches, searchColumns(ctx.clock.now(), page), page)]),
        ]);
      }),
    );
}

const CHANGES: readonly (readonly [Change, string])[] = [
  ['pause', 'stop running all searches of a topic'],
  ['resume', 'go on with all searches of a topic'],
  ['remove', 'stop for good, with all its searches; what they found stays'],
];

function registerChange(topic: Command, cli: Cli, change: Change, summary: string): void {
  topic
    .command(change)
    .description(summary)
    .argument('<topic>', 'its slug')
    .option('--json', 'print the topic as JSON')
    .action((slug: string, options: { json?: boolean }) =>
      cli.withHome(async ({ ctx }) => {
        const left = await changeTopic(ctx, slug, change);
        const row = await findTopicRow(ctx.db, slug);
        const searches = await readSearches(ctx.db, { topic: slug, limit: LIMIT_MAX });
        await cli.show(options.json, { ...row, searches }, () => []);
        const now = ctx.clock.now();
        for (const search of left)
          cli.page.say(
            `${search.slug}: ${changed(change, search, relative(search.next_due_at, now, cli.page))}`,
          );
        if (change === 'remove') cli.page.say(`${slug}: removed; what it found stays`);
      }),
    );
}

function topicColumns(page: Page): Column<TopicRow>[] {
  return [
    { head: 'topic', cell: (row) => row.slug },
    { head: 'searches', cell: (row) => count(row.searches, page), right: true, drop: 1 },
    { head: 'made', cell: (row) => instant(row.created_at, page) },
    { head: 'state', cell: (row) => (row.archived_at === null ? '' : 'removed') },
    { head: 'sample', cell: (row) => (row.sample ? 'sample' : ''), drop: 2 },
    { head: 'name', cell: (row) => row.name, elastic: 2, drop: 3 },
  ];
}
