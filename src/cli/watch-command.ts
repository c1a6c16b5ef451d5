import type { Command } from 'commander';
import { DEFAULT_EVERY } from '../monitor/schedule/schedule.ts';
import { watch } from '../monitor/sources/watch-address.ts';
import type { Cli } from './command-context.ts';
import { executeFirstRuns } from './local-runs.ts';
import { oneLine } from './terminal-text.ts';

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
    .description(
      'Creates a topic with a microblog search and an AI search, and runs both immediately. If the text is an address, the page or its feed becomes the only source of the topic, and each new item is reported.',
    )
    .argument('<text>', 'words, a name or a question; or the address of a page or feed')
    .option('--name <name>', 'topic name (default: the text)')
    .option('--slug <slug>', 'topic slug (default: derived from the text)')
    .option('--service <service>', 'own or hosted (default: hosted if SEARCH_API_URL is set, else own)')
    .option('--every <interval>', `interval of the microblog search (default: ${DEFAULT_EVERY.microblog})`)
    .option('--ai-every <interval>', `interval of the AI search (default: ${DEFAULT_EVERY.ai})`)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ strandline watch "harbour ferry" --every 5m\n  $ strandline watch https://news.example\n',
    )
    .action((text: string, options: WatchOptions) =>
      cli.withServer(async (program, stopping) => {
        const { name, slug, service, every, aiEvery, json } = options;
        const { topic, created, notes } = await watch(program.ctx, {
          text,
          name,
          slug,
          service,
          postsEvery: every,
          aiEvery,
        });
        if (json === true) {
          const searches = await executeFirstRuns(cli, program, created, { json, stopping });
          await cli.show(json, { topic, searches }, () => []);
        } else {
          const { followFirstRuns, renderFirstView } = await import('./first-view.ts');
          const view = await followFirstRuns(cli, program, { topic, created, stopping });
          const now = program.ctx.clock.now();
          await cli.show(json, view, () => renderFirstView(topic, view, now, cli.page));
        }
        if (slug === undefined && /^topic-[0-9a-f]{8}$/.test(topic))
          cli.page.say(
            `No slug could be derived from the text, so the topic is called ${topic}. To choose a slug: --slug`,
          );
        for (const note of notes) cli.page.say(oneLine(note));
        cli.page.say(`Watching ${topic}. See what is new: strandline new --topic ${topic}`);
        if (json !== true) cli.page.say('To be told: strandline channels add team ADDRESS');
      }),
    );
}
