import type { Command } from 'commander';
import type { Rewatch } from '../monitor/topics/rewatch-topic.ts';
import {
  addStatus,
  addTopicStatus,
  judgeTopic,
  readSearchStatuses,
  readTopicStatuses,
  type TopicStatus,
} from '../monitor/status/search-status.ts';
import { readSearches } from '../store/queries/search-list.ts';
import { readTopics, type TopicRow } from '../store/queries/topic-list.ts';
import { showRows } from './list-command.ts';
import { MAX_LIMIT } from './option-values.ts';
import type { Cli } from './command-context.ts';
import { findTopicRow } from '../monitor/topics/find-by-slug.ts';
import { registerPurge } from './purge-command.ts';
import type { TerminalPage } from './terminal-io.ts';
import { searchColumns } from './search-rendering.ts';
import { addTopicStates } from './state-views.ts';
import { describeTopicStatus, formatNext, nameTopic, paintStatus } from './status-rendering.ts';
import { type Column, renderList, renderTable } from './terminal-table.ts';
import { formatCount, formatInstant, formatRelative } from './value-formatting.ts';

export function registerTopic(topic: Command, cli: Cli): void {
  topic.description('Topics: groups of saved searches.');
  registerList(topic, cli);
  registerShow(topic, cli);
  registerRename(topic, cli);
  addTopicStates(topic, cli);
  registerPurge(topic, cli, 'topic');
  registerRewatch(topic, cli);
}

function registerList(topic: Command, cli: Cli): void {
  topic
    .command('list')
    .description('list topics')
    .option('--all', 'include removed topics')
    .option('--json', 'print JSON')
    .action((options: { all?: boolean; json?: boolean }) =>
      cli.withServer(async ({ ctx }) => {
        const rows = await readTopics(ctx.db, { removed: options.all, limit: MAX_LIMIT });
        const statuses = await readTopicStatuses(ctx);
        const none = 'No topics. Create one: strandline watch "..."';
        const shown = rows.map((row) => addTopicStatus(row, statuses.get(row.slug)));
        const columns = topicColumns(statuses, ctx.clock.now(), cli.page);
        await showRows(cli, options.json, shown, { columns, none });
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
        const searches = await readSearches(ctx.db, {
          topic: row.slug,
          removed: row.archived_at !== null,
          limit: MAX_LIMIT,
        });
        const ids = searches.map(({ id }) => id);
        const statuses = await readSearchStatuses(ctx, ids);
        const status = judgeTopic(statuses);
        const now = ctx.clock.now();
        const known = { ...addTopicStatus(row, status), searches: addStatus(searches, statuses) };
        await cli.show(options.json, known, () => [
          ...renderList(
            [
              ['topic', row.slug],
              ['name', row.name],
              ['status', row.archived_at === null ? describeTopicStatus(status, now, page) : null],
              ['created', formatInstant(row.created_at, page)],
              ['continues in', row.successor],
              ['removed', row.archived_at && formatInstant(row.archived_at, page)],
            ],
            page,
          ),
          ...(searches.length === 0
            ? []
            : ['', ...renderTable(searches, searchColumns(now, page, statuses), page)]),
        ]);
      }),
    );
}

function registerRename(topic: Command, cli: Cli): void {
  topic
    .command('rename')
    .description('change the name or the slug of a topic; its former slug continues to work')
    .argument('<topic>', 'topic slug')
    .option('--name <name>', 'new display name')
    .option('--slug <slug>', 'new slug; the slugs of its searches stay')
    .option('--json', 'print the topic as JSON')
    .action((slug: string, options: { name?: string; slug?: string; json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const { renameTopic } = await import('../monitor/topics/save-topic.ts');
        const renamed = await renameTopic(ctx, slug, { name: options.name, slug: options.slug });
        const row = await findTopicRow(ctx.db, renamed);
        await cli.show(options.json, row, () => []);
        cli.page.say(`${slug}: now "${row.name}", ${row.slug}`);
      }),
    );
}

type RewatchOptions = Rewatch & { json?: boolean };

function registerRewatch(topic: Command, cli: Cli): void {
  topic
    .command('rewatch')
    .description(
      'start the searches of a topic on another service, in a new topic; pauses the old one, which keeps its rules',
    )
    .argument('<topic>', 'topic slug')
    .option('--service <service>', 'own or hosted (default: hosted if SEARCH_API_URL is set, else own)')
    .option('--slug <slug>', 'slug of the new topic (default: the slug with -2)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ strandline topic rewatch tide-pools\n')
    .action((slug: string, { json, ...options }: RewatchOptions) =>
      cli.withServer(async (program, stopping) => {
        const [{ rewatchTopic }, { executeFirstRuns }] = await Promise.all([
          import('../monitor/topics/rewatch-topic.ts'),
          import('./local-runs.ts'),
        ]);
        const { topic: made, created } = await rewatchTopic(program.ctx, slug, options);
        const searches = await executeFirstRuns(cli, program, created, { json, stopping });
        const now = program.ctx.clock.now();
        await cli.show(json, { topic: made, searches }, () =>
          renderTable(searches, searchColumns(now, cli.page), cli.page),
        );
        cli.page.say(`${slug} is paused and continues in ${made}. Rules about ${slug} stay with it.`);
      }),
    );
}

function topicColumns(
  statuses: ReadonlyMap<string, TopicStatus>,
  now: Date,
  page: TerminalPage,
): Column<TopicRow>[] {
  const statusOf = ({ slug, archived_at }: TopicRow) =>
    archived_at === null ? statuses.get(slug) : undefined;
  const describe = (row: TopicRow) => {
    const status = statusOf(row);
    if (status === undefined) return row.archived_at === null ? 'no searches' : 'removed';
    return nameTopic(status, page);
  };
  return [
    { head: 'topic', cell: (row) => row.slug },
    { head: 'searches', cell: (row) => formatCount(row.searches, page), right: true, drop: 1 },
    {
      head: 'status',
      cell: describe,
      paint: (shown, row) => paintStatus(shown, statusOf(row)?.status, page),
    },
    { head: 'last run', cell: (row) => formatRelative(statusOf(row)?.last_run_at, now, page), drop: 2 },
    { head: 'next', cell: (row) => formatNext(statusOf(row)?.next_due_at, now, page), drop: 4 },
    { head: 'created', cell: (row) => formatInstant(row.created_at, page), drop: 5 },
    { head: 'name', cell: (row) => row.name, elastic: 2, drop: 3 },
  ];
}
