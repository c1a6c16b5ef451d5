/** `topic rewatch`: by hand, because it executes the first runs where no worker does. */
import type { Command } from 'commander';
import type { Rewatch } from '../monitor/topics/rewatch-topic.ts';
import type { Cli } from './command-context.ts';
import { newSearchColumns } from './search-columns.ts';
import type { SearchRow } from '../store/queries/search-list.ts';
import { renderTable } from './terminal-table.ts';

type RewatchOptions = Rewatch & { json?: boolean };

export function registerRewatch(topic: Command, cli: Cli): void {
  const command = topic
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
      cli.withApi(
        async (api) => {
          const [{ followFirstRuns }, { ask, askItems }] = await Promise.all([
            import('./first-runs.ts'),
            import('./api-requests.ts'),
          ]);
          const made = await ask<NewTopic>(api, 'rewatchTopic', { topic: slug, ...options });
          if (json !== true) for (const line of made.forecast) cli.page.say(line);
          const created = await askItems<SearchRow & { status: string }>(api, 'listSearches', {
            topic: made.slug,
          });
          const searches = await followFirstRuns(cli, api, created);
          await cli.show(json, { topic: made.slug, searches }, () =>
            renderTable(searches, newSearchColumns(api.now(), cli.page), cli.page),
          );
          cli.page.say(`${slug} is paused and continues in ${made.slug}. Rules about ${slug} stay with it.`);
        },
        { runsIn: 'server' },
      ),
    );
  cli.callers.add(command);
}

type NewTopic = { slug: string; forecast: string[] };
