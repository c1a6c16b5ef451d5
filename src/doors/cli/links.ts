import type { Command } from 'commander';
import { type LinkRow, readLinks } from '../../store/reads/links.ts';
import { readLimit } from './arguments.ts';
import { withAddresses } from './addresses.ts';
import type { Cli } from './cli.ts';
import { assertFilter } from './find.ts';
import type { Page } from './page.ts';
import type { Column } from './table.ts';
import { when } from './words.ts';

type Options = { search?: string; topic?: string; limit?: string; json?: boolean };

export function registerLinks(program: Command, cli: Cli): void {
  const links = program
    .command('links')
    .summary('links: list')
    .description('Links that searches found, by their canonical address.');
  links
    .command('list')
    .description('list links, the newest first')
    .option('--search <search>', 'only those that a search found')
    .option('--topic <topic>', 'only those that a topic found')
    .option('--limit <n>', 'how many (default: 20)')
    .option('--json', 'print JSON')
    .action((options: Options) => {
      const { search, topic } = options;
      const limit = readLimit(options.limit, 20);
      return cli.withHome(async ({ ctx }) => {
        await assertFilter(ctx.db, { search, topic });
        const rows = await readLinks(ctx.db, { search, topic, limit });
        if (rows.length === 0) cli.page.say('no links');
        await cli.show(options.json, rows, () =>
          withAddresses(rows, linkColumns(ctx.clock.now(), cli.page), (link) => link.url, cli.page),
        );
      });
    });
}

export function linkColumns(now: Date, page: Page): Column<LinkRow>[] {
  return [
    { head: 'first seen', cell: (link) => when(link.first_seen_at, now, page) },
    { head: 'title', cell: (link) => link.title ?? page.unknown, elastic: 2, least: 16 },
  ];
}
