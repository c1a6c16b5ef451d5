import type { Command } from 'commander';
import { type PostRow, readPosts } from '../../store/reads/posts.ts';
import { readLimit, readOneOf, readSince } from './arguments.ts';
import { withAddresses } from './addresses.ts';
import type { Cli } from './cli.ts';
import { assertFilter } from '../../monitor/topic/find.ts';
import { tellInvented } from './invented.ts';
import type { Page } from './page.ts';
import type { Column } from './table.ts';
import { count, when } from './words.ts';

const COUNTERS = ['likes', 'reposts', 'replies', 'views', 'quotes'] as const;
type Counter = (typeof COUNTERS)[number];

type Options = {
  search?: string;
  topic?: string;
  by?: string;
  since?: string;
  limit?: string;
  json?: boolean;
};

export function registerPostsTop(posts: Command, cli: Cli): void {
  posts
    .command('top')
    .description('list the posts that have most')
    .option('--search <search>', 'only those that a search found')
    .option('--topic <topic>', 'only those that a topic found')
    .option('--by <counter>', `${COUNTERS.join(', ')} (default: likes)`)
    .option('--since <time>', 'only those written since: 2026-11-21, 2026-11-21T14:05Z, 1h, 2d, today')
    .option('--limit <n>', 'how many (default: 20)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ strandline posts top --topic harbour-ferry --by views --since 1w\n',
    )
    .action((options: Options) => {
      const { search, topic, json } = options;
      const by = options.by === undefined ? 'likes' : readOneOf('by', options.by, COUNTERS);
      const limit = readLimit(options.limit, 20);
      return cli.withHome(async ({ ctx }) => {
        const now = ctx.clock.now();
        const since = options.since === undefined ? undefined : readSince(options.since, now);
        await assertFilter(ctx.db, { search, topic });
        const rows = await readPosts(ctx.db, { search, topic, since, order: by, limit });
        if (rows.length === 0) cli.page.say('no posts');
        await cli.show(json, rows, () =>
          withAddresses(rows, columns(by, now, cli.page), (post) => post.url, cli.page),
        );
        tellInvented(
          cli,
          json,
          rows.map(({ service }) => service),
        );
      });
    });
}

const COUNT: Readonly<Record<Counter, (post: PostRow) => number | null>> = {
  likes: (post) => post.like_count,
  reposts: (post) => post.repost_count,
  replies: (post) => post.reply_count,
  views: (post) => post.view_count,
  quotes: (post) => post.quote_count,
};

/** What is asked for comes first; of the others some, where there is room. */
function columns(by: Counter, now: Date, page: Page): Column<PostRow>[] {
  const counter = (head: Counter, drop?: number): Column<PostRow> => ({
    head,
    cell: (post) => count(COUNT[head](post), page),
    right: true,
    ...(drop === undefined ? {} : { drop }),
  });
  const others = COUNTERS.filter((one) => one !== by && one !== 'quotes');
  return [
    counter(by),
    ...others.map((one, i) => counter(one, i + 2)),
    { head: 'written', cell: (post) => when(post.created_at, now, page), drop: 1 },
    {
      head: 'by',
      cell: ({ author_username: name }) => (name === null ? page.unknown : `@${name}`),
      elastic: 1,
      paint: (shown) => page.colors.cyan(shown),
    },
    { head: 'text', cell: (post) => post.text, elastic: 4, least: 16 },
  ];
}
