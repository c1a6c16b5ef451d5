/** `search show`, `add` and `edit`, by hand: they show runs beside the search, and say what changed. */
import { InvalidInput } from '../model/errors.ts';
import { explainMissingTools } from '../monitor/topics/tool-sources.ts';
import type { RunRow } from '../store/queries/run-list.ts';
import type { IntervalChangeRow, SearchRow } from '../store/queries/search-list.ts';
import type { MissingTool } from '../model/tool-coverage.ts';
import { ask, askItems } from './api-requests.ts';
import type { Cli } from './command-context.ts';
import { followFirstRuns } from './first-runs.ts';
import type { WholeRun } from './run-commands.ts';
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

type Shown = SearchRow & { current_interval: string | null; completeness: string | null };
/** How many changes of an adaptive interval are shown. */
const SHOWN_INTERVAL_CHANGES = 5;

function registerShow(search: Command, cli: Cli): void {
  const command = search
    .command('show')
    .description('show a search, its state and its last run')
    .argument('<search>', 'search slug')
    .option('--json', 'print JSON')
    .action((slug: string, options: { json?: boolean }) =>
      cli.withApi(
        async (api) => {
          const known = await ask<Shown>(api, 'getSearch', { search: slug });
          const [newest] = await askItems<RunRow>(api, 'listRuns', { search: known.slug }, 1);
          const last = newest && (await ask<WholeRun>(api, 'getRun', { run: newest.id }));
          const interval_changes = await askItems<IntervalChangeRow>(
            api,
            'listIntervalChanges',
            { search: known.slug },
            SHOWN_INTERVAL_CHANGES,
          );
          // Its times as text.
          const topic = asTopic(known) as unknown as StatusOfTopic;
          const status = describeTopicStatus(topic, { now: api.now(), page: cli.page });
          await cli.show(options.json, { ...known, last_run: last ?? null, interval_changes }, () => [
            ...renderSearch(known, cli.page, {
              interval: known.current_interval,
              completeness: known.completeness,
              status,
            }),
            ...renderIntervalChanges(interval_changes, cli.page),
            ...(last === undefined ? [] : ['', ...renderRun(last, last.free, cli.page)]),
          ]);
        },
        { runsIn: 'server' },
      ),
    );
  cli.callers.add(command);
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
      return cli.withApi(
        async (api) => {
          const saved = await ask<Created>(api, 'createSearch', {
            slug,
            operation: operation.toLowerCase(),
            topic,
            service: service?.toLowerCase(),
            ...readSearchOptions(options),
          });
          if (options.json !== true) for (const line of saved.forecast) cli.page.say(line);
          const [shown] = await followFirstRuns(cli, api, [saved]);
          await cli.show(options.json, shown, () =>
            shown === undefined ? [] : renderSearch(shown, cli.page),
          );
        },
        { runsIn: 'server' },
      );
    },
  );
  cli.callers.add(add);

  const edit = search
    .command('edit')
    .description('change a search; omitted options keep their values')
    .argument('<search>', 'search slug')
    .option('--slug <slug>', 'new slug; the former one continues to work');
  addSearchOptions(edit, () => '').action((slug: string, options: SearchOptions & { slug?: string }) =>
    cli.withApi(
      async (api) => {
        const before = await ask<SearchRow>(api, 'getSearch', { search: slug });
        const members = { ...readSearchOptions(options), slug: options.slug };
        const row = await ask<SearchRow & { missing_tools: MissingTool[] }>(api, 'editSearch', {
          search: slug,
          ...members,
        });
        await cli.show(options.json, row, () => renderSearch(row, cli.page));
        const changes = describeEdit(before, row);
        cli.page.say(changes.length === 0 ? 'Nothing changed.' : `${slug}: ${changes.join('; ')}`);
        for (const words of explainMissingTools(row.missing_tools)) cli.page.say(`${row.slug}: ${words}`);
        if (row.request_version !== before.request_version)
          cli.page.say('The request changed, so the next run is a new baseline.');
      },
      { runsIn: 'server' },
    ),
  );
  cli.callers.add(edit);
}

type Created = SearchRow & { status: string; forecast: string[] };

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

function readSearchOptions(options: SearchOptions): Record<string, unknown> {
  const { cron, tz, every, label, sensitivity } = options;
  return {
    ...readRequestOptions(options),
    cron,
    tz,
    every,
    labels: label,
    sensitivity: sensitivity?.toLowerCase(),
  };
}
