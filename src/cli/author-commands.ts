import type { Command } from 'commander';
import { findAuthor, forgetAuthor, countStored } from '../store/maintenance/forget-author.ts';
import type { Cli } from './command-context.ts';
import { oneLine } from './terminal-text.ts';
import { formatQuantity } from './value-formatting.ts';

type ForgetOptions = { service: string; yes?: boolean; json?: boolean };

export function registerAuthor(author: Command, cli: Cli): void {
  author.description('Authors of posts, as far as they are stored.');
  author
    .command('forget')
    .summary('remove an author and keep them from coming back')
    .description(
      'Removes an author with all that is stored of them: posts and what repeats them, their counters, links to them, ' +
        'and raw answers that name them. Later answers bring none of it back. See docs/storage.md for what stays.',
    )
    .argument('<author>', 'the id on the service, or @ and the name there')
    .requiredOption('--service <service>', 'the service that the author was found on, see: strandline status')
    .option('--yes', 'do it; otherwise it is only said what would go')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ strandline author forget @somebody --service hosted --yes\n')
    .action((nameOrId: string, { service, yes, json }: ForgetOptions) =>
      cli.withProgram(async ({ ctx }) => {
        const row = await findAuthor(ctx.db, service, nameOrId);
        if (row === undefined) {
          await cli.show(json, { author: nameOrId, service, forgotten: true, removed: {} }, () => []);
          cli.say('forgotten already');
          return;
        }
        const { external_id: id, username } = row;
        const who = oneLine(username === null ? id : `@${username} (${id})`);
        if (yes !== true) {
          const stored = await countStored(ctx.db, row);
          await cli.show(json, { author: id, username, service, forgotten: false, stored }, () => []);
          const { posts, links } = stored;
          cli.say(
            `${who}: ${formatQuantity(posts, 'post')} and ${formatQuantity(links, 'link')} would go, and raw answers with them`,
          );
          cli.say('nothing was removed: add --yes');
          cli.exitCode = 2;
          return;
        }
        const removed = await forgetAuthor(ctx, row);
        await cli.show(json, { author: id, username, service, forgotten: true, removed }, () => []);
        const parts = [
          formatQuantity(removed['posts'] ?? 0, 'post'),
          formatQuantity(removed['links'] ?? 0, 'link'),
          formatQuantity(removed['answers'] ?? 0, 'raw answer'),
        ];
        cli.say(`${who}: forgotten, with ${parts.join(', ')}`);
      }),
    );
}
