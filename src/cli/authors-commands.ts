import type { Command } from 'commander';
import { ask } from './api-requests.ts';
import type { Cli } from './command-context.ts';
import { oneLine } from './terminal-text.ts';
import { formatQuantity } from './value-formatting.ts';

type ForgetOptions = { service: string; yes?: boolean; json?: boolean };

export function registerForget(authors: Command, cli: Cli): void {
  const command = authors
    .command('forget')
    .summary('delete an author and everything stored about them, for good')
    .description(
      'Deletes an author and everything stored about them: posts and reposts of them, counters, links to them, and ' +
        'raw responses that name them. Later runs do not store them again. See docs/reference/storage.md for what remains.',
    )
    .argument('<author>', '@username, or the id on the service')
    .requiredOption('--service <service>', 'the service that returned the author; see: strandline status')
    .option('--yes', 'delete; without it, only show what would be deleted')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ strandline authors forget @somebody --service hosted --yes\n')
    .action((author: string, { service, yes, json }: ForgetOptions) =>
      cli.withApi(async (api) => {
        const known = await ask<Known>(api, 'previewForget', { service, author });
        if (known.forgotten) {
          await cli.show(json, { author, service, forgotten: true, removed: {} }, () => []);
          cli.say('Already deleted.');
          return;
        }
        const { author: id, username, stored } = known;
        const who = oneLine(username === null ? id : `@${username} (${id})`);
        if (yes !== true) {
          await cli.show(json, { author: id, username, service, forgotten: false, stored }, () => []);
          const { posts, links } = stored;
          cli.say(
            `${who}: ${formatQuantity(posts, 'post')}, ${formatQuantity(links, 'link')} and the raw responses that name them would be deleted`,
          );
          cli.say('Nothing deleted. To delete, add --yes.');
          cli.exitCode = 2;
          return;
        }
        const { removed } = await ask<Forgotten>(api, 'forgetAuthor', { service, author });
        await cli.show(json, { author: id, username, service, forgotten: true, removed }, () => []);
        const parts = [
          formatQuantity(removed['posts'] ?? 0, 'post'),
          formatQuantity(removed['links'] ?? 0, 'link'),
          formatQuantity(removed['answers'] ?? 0, 'raw response'),
        ];
        cli.say(`${who}: deleted, with ${parts.join(', ')}`);
      }),
    );
  cli.callers.add(command);
}

type Known = {
  author: string;
  username: string | null;
  forgotten: boolean;
  stored: { posts: number; links: number };
};
type Forgotten = { removed: Record<string, number> };
