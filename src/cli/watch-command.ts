import type { Command } from 'commander';
import { DEFAULT_EVERY } from '../monitor/schedule/schedule.ts';
import type { SearchRow } from '../store/queries/search-list.ts';
import { ask, askItems, atOptions } from './api-requests.ts';
import type { Cli } from './command-context.ts';
import { followFirstRuns } from './first-runs.ts';
import { oneLine } from './terminal-text.ts';

type WatchOptions = {
  name?: string;
  slug?: string;
  service?: string;
  goal?: string;
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
    .option('--goal <words>', 'only news that is what these words ask for; needs a language model')
    .option('--every <interval>', `interval of the microblog search (default: ${DEFAULT_EVERY.microblog})`)
    .option('--ai-every <interval>', `interval of the AI search (default: ${DEFAULT_EVERY.ai})`)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ strandline watch "harbour ferry" --every 5m\n  $ strandline watch https://news.example\n',
    )
    .action((text: string, { json, every, aiEvery, ...options }: WatchOptions) =>
      cli.withApi(
        async (api, stopping) => {
          const members = { text, ...options, posts_every: every, ai_every: aiEvery };
          const made = await atOptions({ posts_every: 'every', ai_every: 'ai-every' }, () =>
            ask<NewTopic>(api, 'watchTopic', members),
          );
          const { slug: topic, free, forecast, notes } = made;
          const created = await askItems<SearchRow & { status: string }>(api, 'listSearches', { topic });
          if (json === true)
            await cli.show(json, { topic, searches: await followFirstRuns(cli, api, created) }, () => []);
          else {
            if (!free) for (const line of forecast) cli.page.say(line);
            const { followFirstView, renderFirstView } = await import('./first-view.ts');
            const view = await followFirstView(cli, api, { topic, created, stopping });
            await cli.show(json, view, () => renderFirstView(topic, view, api.now(), cli.page));
          }
          if (options.slug === undefined && /^topic-[0-9a-f]{8}$/.test(topic))
            cli.page.say(
              `No slug could be derived from the text, so the topic is called ${topic}. To choose a slug: --slug`,
            );
          for (const note of notes) cli.page.say(oneLine(note));
          cli.page.say(`Watching ${topic}. See what is new: strandline new --topic ${topic}`);
          if (json !== true) cli.page.say('To be told: strandline channels add team ADDRESS');
        },
        { runsIn: 'server', stops: true },
      ),
    );
  cli.callers.add(command);
}

type NewTopic = { slug: string; free: boolean; forecast: string[]; notes: string[] };
