import type { Command } from 'commander';
import { systemClock } from '../../engine/clock.ts';
import { POST_ORDERS, type PostRow, readPosts } from '../../store/reads/posts.ts';
import { readLimit, readOneOf, readSince } from './arguments.ts';
import { withAddresses } from './addresses.ts';
import type { Cli } from './cli.ts';
import { assertFilter } from '../../monitor/topic/find.ts';
import { tellInvented } from './invented.ts';
import type { Page } from './page.ts';
import type { Column } from './table.ts';
import { registerPostsGrowth } from './posts-growth.ts';
import { registerPostsTop } from './posts-top.ts';
import { count, when } from './words.ts';

type Options = {
  search?: string;
  topic?: string;
  since?: string;
  sort?: string;
  limit?: string;
  json?: boolean;
};

export function registerPosts(posts: Command, cli: Cli): void {
  posts.description('Posts that searches found, as last seen.');
  posts
    .command('list')
    .description('list posts')
    .option('--search <search>', 'only those that a search found')
    .option('--topic <topic>', 'only those that a topic found')
    .option(
      '--since <time>',
      'only those written since: 2026-11-21, 2026-11-21T14:05Z, 1h, 2d, today, yesterday',
    )
    .option('--sort <order>', `${POST_ORDERS.join(', ')} (default: newest)`)
    .option('--limit <n>', 'how many (default: 20)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ strandline posts list --topic harbour-ferry --sort likes --since 1w\n',
    )
    .action((options: Options) => {
      const { search, topic } = options;
      const since = options.since === undefined ? undefined : readSince(options.since, systemClock.now());
      const order = options.sort === undefined ? 'newest' : readOneOf('sort', options.sort, POST_ORDERS);
      const limit = readLimit(options.limit, 20);
      return cli.withHome(async ({ ctx }) => {
        await assertFilter(ctx.db, { search, topic });
        const rows = await readPosts(ctx.db, { search, topic, since, order, limit });
        if (rows.length === 0) cli.page.say('no posts');
        await cli.show(options.json, rows, () =>
          withAddresses(rows, postColumns(ctx.clock.now(), cli.page), (post) => post.url, cli.page),
        );
        tellInvented(
          cli,
          options.json,
          rows.map(({ service }) => service),
        );
      });
    });
  registerPostsTop(posts, cli);
  registerPostsGrowth(posts, cli);
}

export function postColumns(now: Date, page: Page): Column<PostRow>[] {
  return [
    { head: 'written', cell: (post) => when(post.created_at, now, page) },
    { head: 'likes', cell: (post) => count(post.like_count, page), right: true },
    { head: 'reposts', cell: (post) => count(post.repost_count, page), right: true, drop: 2 },
    { head: 'views', cell: (post) => count(post.view_count, page), right: true, drop: 1 },
    {
      head: 'by',
      cell: ({ author_username: name }) => (name === null ? page.unknown : `@${name}`),
      elastic: 1,
      paint: (shown) => page.colors.cyan(shown),
    },
    { head: 'text', cell: (post) => post.text, elastic: 4, least: 16 },
  ];
}
