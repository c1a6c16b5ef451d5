import { toJson } from '../lib/json-values.ts';
import { createNotFound, InvalidInput } from '../model/errors.ts';
import { addStatus, readSearchStatuses } from '../monitor/status/search-status.ts';
import { findSearchRow } from '../monitor/topics/find-by-slug.ts';
import { createSearch, editSearch } from '../monitor/topics/save-search.ts';
import type { WrittenSearch } from '../monitor/topics/search-definition.ts';
import { readPaces } from '../store/runs/pace.ts';
import { readRunPage } from '../store/queries/run-list.ts';
import { readToolsOf } from '../store/queries/run-tools.ts';
import { readIntervalChanges, SHOWN_INTERVAL_CHANGES } from '../store/queries/search-list.ts';
import type { Cli } from './command-context.ts';
import { executeFirstRuns } from './local-runs.ts';
import { printMissingTools } from './result-notices.ts';
import { renderRun } from './run-rendering.ts';
import { describeEdit, renderIntervalChanges, renderSearch } from './search-rendering.ts';
import { registerPreview, registerSearchRun, registerTry } from './search-run-commands.ts';
import { addRequestOptions, readRequestOptions, type RequestOptions } from './request-options.ts';
import { asTopic, describeTopicStatus, type StatusOfTopic } from './status-rendering.ts';
import type { Command } from 'commander';

/** The commands below `search` that are no operations. */
export function registerSearchByHand(search: Command, cli: Cli): void {
  registerAddAndEdit(search, cli);
  registerShow(search, cli);
  registerSearchRun(search, cli);
  registerPreview(search, cli);
  registerTry(search, cli);
}

function registerShow(search: Command, cli: Cli): void {
  search
    .command('show')
    .description('show a search, its state and its last run')
    .argument('<search>', 'search slug')
    .option('--json', 'print JSON')
    .action((slug: string, options: { json?: boolean }) =>
      cli.withServer(async ({ ctx }) => {
        const row = await findSearchRow(ctx.db, slug);
        const {
          runs: [newest],
        } = await readRunPage(ctx.db, { search: row.slug, limit: 1 });
        const last = newest && (await readToolsOf(ctx.db, newest));
        const free = await ctx.isFree(row.service_kind);
        const [pace] = await readPaces(ctx.db, [row.id]);
        const statuses = await readSearchStatuses(ctx, [row.id]);
        const [known] = addStatus([row], statuses);
        if (known === undefined) throw createNotFound('search', row.slug);
        const json = JSON.parse(toJson(asTopic(known))) as StatusOfTopic; // its JSON
        const status = describeTopicStatus(json, { now: ctx.clock.now(), page: cli.page });
        const interval_changes = await readIntervalChanges(ctx.db, row.id, {
          limit: SHOWN_INTERVAL_CHANGES,
        });
        await cli.show(options.json, { ...known, last_run: last ?? null, interval_changes }, () => [
          ...renderSearch(row, cli.page, { pace, status }),
          ...renderIntervalChanges(interval_changes, cli.page),
          ...(last === undefined ? [] : ['', ...renderRun(last, free, cli.page)]),
        ]);
      }),
    );
}

/** Options of a search; the monitor validates the values. */
type SearchOptions = RequestOptions & {
  cron?: string;
  tz?: string;
  every?: string;
  label?: string[];
  sensitivity?: string;
  json?: boolean;
};

const ADD_EXAMPLES = `
Examples:
  $ strandline search add ferry-posts --operation microblog --prompt "harbour ferry" --every 15m
  $ strandline search add ferry-news --operation ai --prompt "harbour ferry" --topic ferry \\
      --tools "Web Search,News Forum Search" --date-filter PAST_WEEK --cron "0 8 * * 1-5" --tz Europe/Berlin
`;

function registerAddAndEdit(search: Command, cli: Cli): void {
  const add = search
    .command('add')
    .description('save a search and run it')
    .argument('<slug>', 'search slug: lower-case letters, digits, hyphens')
    .option('--operation <operation>', 'microblog (posts) or ai (all sources)')
    .option('--topic <topic>', 'topic slug; created if it does not exist (default: the search slug)')
    .option('--service <service>', 'own or hosted (default: hosted if SEARCH_API_URL is set, else own)')
    .addHelpText('after', ADD_EXAMPLES);
  addSearchOptions(add, describeDefault).action(
    (slug: string, options: SearchOptions & { operation?: string; topic?: string; service?: string }) => {
      const { operation, topic, service } = options;
      // No default, because the two differ in cost.
      if (operation === undefined)
        throw new InvalidInput([{ path: 'operation', given: undefined, expected: 'one of microblog, ai' }]);
      return cli.withServer(async (program, stopping) => {
        const created = await createSearch(program.ctx, {
          slug,
          operation,
          topic,
          service,
          ...readSearchOptions(options),
        });
        const [saved] = await executeFirstRuns(cli, program, [created], { json: options.json, stopping });
        await cli.show(options.json, saved, () => (saved === undefined ? [] : renderSearch(saved, cli.page)));
      });
    },
  );

  const edit = search
    .command('edit')
    .description('change a search; omitted options keep their values')
    .argument('<search>', 'search slug')
    .option('--slug <slug>', 'new slug; the former one continues to work');
  addSearchOptions(edit, () => '').action((slug: string, options: SearchOptions & { slug?: string }) =>
    cli.withServer(async ({ ctx }) => {
      const before = await findSearchRow(ctx.db, slug);
      const changes = { slug: options.slug, ...readSearchOptions(options) };
      const { changed, changesRequest, search: edited } = await editSearch(ctx, slug, changes);
      const row = await findSearchRow(ctx.db, edited.slug);
      await cli.show(options.json, row, () => renderSearch(row, cli.page));
      if (!changed) cli.page.say('Nothing changed.');
      else cli.page.say(`${slug}: ${describeEdit(before, row).join('; ')}`);
      await printMissingTools(cli, ctx, row);
      if (changesRequest) cli.page.say('The request changed, so the next run is a new baseline.');
    }),
  );
}

const describeDefault = (value: string) => ` (default: ${value})`;

/** @param unless describes the default of an option */
function addSearchOptions(command: Command, unless: (value: string) => string): Command {
  return addRequestOptions(command, unless)
    .option('--cron <expression>', 'schedule as a cron expression with five fields')
    .option('--tz <zone>', `time zone of the cron expression, such as Europe/Berlin${unless('UTC')}`)
    .option(
      '--every <interval>',
      'schedule as an interval, such as 90s, 15m or 1h30m, or auto: as often as something is posted',
    )
    .option('--label <label>', 'label (repeatable)', (label, before: string[] | undefined) => [
      ...(before ?? []),
      label,
    ])
    .option('--sensitivity <level>', `spike sensitivity: low, normal, high or off${unless('normal')}`)
    .option('--json', 'print JSON');
}

function readSearchOptions(options: SearchOptions): Omit<WrittenSearch, 'slug' | 'operation'> {
  const { cron, tz, every, label, sensitivity } = options;
  return {
    ...readRequestOptions(options),
    cron,
    tz,
    every,
    labels: label,
    sensitivity,
  };
}
