/** `topic rewatch`: by hand, because it executes the first runs where no worker does. */
import type { Command } from 'commander';
import type { Rewatch } from '../monitor/topics/rewatch-topic.ts';
import type { Cli } from './command-context.ts';
import { newSearchColumns } from './search-columns.ts';
import { renderTable } from './terminal-table.ts';

type RewatchOptions = Rewatch & { json?: boolean };

export function registerRewatch(topic: Command, cli: Cli): void {
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
          renderTable(searches, newSearchColumns(now, cli.page), cli.page),
        );
        cli.page.say(`${slug} is paused and continues in ${made}. Rules about ${slug} stay with it.`);
      }),
    );
}
