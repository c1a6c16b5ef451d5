import type { Command } from 'commander';
import { watchTopic } from '../monitor/topics/save-topic.ts';
import type { Cli } from './command-context.ts';
import { executeFirstRuns } from './local-runs.ts';
import { printSandboxFallback } from './result-notices.ts';
import { searchColumns } from './search-rendering.ts';
import { renderTable } from './terminal-table.ts';

type WatchOptions = {
  name?: string;
  slug?: string;
  service?: string;
  every?: string;
  aiEvery?: string;
  json?: boolean;
};

export function registerWatch(command: Command, cli: Cli): void {
  command
    .description('Watches a text: a topic with one microblog and one AI search, both looked at at once.')
    .argument('<text>', 'what to look for')
    .option('--name <name>', 'what to call the topic (default: the text)')
    .option('--slug <slug>', 'its short name for commands (default: made from the text)')
    .option(
      '--service <service>',
      'own, sandbox or hosted (default: hosted where SEARCH_API_URL is set, else own where a public source answers, else sandbox)',
    )
    .option('--every <interval>', 'how often to look for posts (default: 15m)')
    .option('--ai-every <interval>', 'how often to ask the AI search (default: 1h)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ strandline watch "harbour ferry" --every 5m\n')
    .action((text: string, options: WatchOptions) =>
      cli.withProgram(async (program, stopping) => {
        const { name, slug, service, every, aiEvery, json } = options;
        const { topic, created } = await watchTopic(program.ctx, {
          text,
          name,
          slug,
          service,
          postsEvery: every,
          aiEvery,
        });
        if (service === undefined)
          await printSandboxFallback(
            cli,
            program.ctx,
            created[0]?.search,
            `--service own --slug ${topic.slice(0, 46)}-2`,
          );
        const searches = await executeFirstRuns(cli, program, created, stopping);
        const now = program.ctx.clock.now();
        await cli.show(json, { topic, searches }, () =>
          renderTable(searches, searchColumns(now, cli.page), cli.page),
        );
        cli.page.say(`watching ${topic}; see what is new: strandline new --topic ${topic}`);
      }),
    );
}
