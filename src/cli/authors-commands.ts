import type { Command } from 'commander';
import { findAuthor, forgetAuthor, countStored } from '../store/erase/forget-author.ts';
import type { Cli } from './command-context.ts';
import { oneLine } from './terminal-text.ts';
import { formatQuantity } from './value-formatting.ts';

type ForgetOptions = { service: string; yes?: boolean; json?: boolean };

export function registerForget(authors: Command, cli: Cli): void {
  authors
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
    .action((nameOrId: string, { service, yes, json }: ForgetOptions) =>
      cli.withServer(async ({ ctx }) => {
        const row = await findAuthor(ctx.db, service, nameOrId);
        if (row === undefined) {
          await cli.show(json, { author: nameOrId, service, forgotten: true, removed: {} }, () => []);
          cli.say('Already deleted.');
          return;
        }
        const { external_id: id, username } = row;
        const who = oneLine(username === null ? id : `@${username} (${id})`);
        if (yes !== true) {
          const stored = await countStored(ctx, row);
          await cli.show(json, { author: id, username, service, forgotten: false, stored }, () => []);
          const { posts, links } = stored;
          cli.say(
            `${who}: ${formatQuantity(posts, 'post')}, ${formatQuantity(links, 'link')} and the raw responses that name them would be deleted`,
          );
          cli.say('Nothing deleted. To delete, add --yes.');
          cli.exitCode = 2;
          return;
        }
        const removed = await forgetAuthor(ctx, row);
        await cli.show(json, { author: id, username, service, forgotten: true, removed }, () => []);
        const parts = [
          formatQuantity(removed['posts'] ?? 0, 'post'),
          formatQuantity(removed['links'] ?? 0, 'link'),
          formatQuantity(removed['answers'] ?? 0, 'raw response'),
        ];
        cli.say(`${who}: deleted, with ${parts.join(', ')}`);
      }),
    );
}
