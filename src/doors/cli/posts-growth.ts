import type { Command } from 'commander';
import { DAY } from '../../engine/clock.ts';
import { type AtAge, readLatestAges } from '../../store/reads/ages.ts';
import { GROWTH_ORDERS, type PostGrowthRow, readGrowth } from '../../store/reads/growth.ts';
import { readDerivedUntil } from '../../store/derive/until.ts';
import { tellAsOf } from './as-of.ts';
import { readLimit, readOneOf, readSince } from './arguments.ts';
import { withAddresses } from './addresses.ts';
import type { Cli } from './cli.ts';
import { assertFilter } from '../../monitor/topic/find.ts';
import { tellInvented } from './invented.ts';
import type { Page } from './page.ts';
import type { Column } from './table.ts';
import { count, when } from './words.ts';

type Options = {
  search?: string;
  topic?: string;
  by?: string;
  since?: string;
  limit?: string;
  json?: boolean;
};

export type GrowthRow = PostGrowthRow & { at_age: AtAge | null };

export function registerPostsGrowth(posts: Command, cli: Cli): void {
  posts
    .command('growth')
    .description('list the posts that grew most, beside what is typical of posts as old as they')
    .option('--search <search>', 'only those that a search found')
    .option('--topic <topic>', 'only those that a topic found')
    .option('--by <gain>', `${GROWTH_ORDERS.join(', ')} (default: engagement)`)
    .option('--since <time>', 'only those of which a counter changed since (default: 1d)')
    .option('--limit <n>', 'how many (default: 20)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ strandline posts growth --topic harbour-ferry --by views\n')
    .action((options: Options) => {
      const { search, topic, json } = options;
      const order = options.by === undefined ? 'engagement' : readOneOf('by', options.by, GROWTH_ORDERS);
      const limit = readLimit(options.limit, 20);
      return cli.withHome(async ({ ctx }) => {
        const now = ctx.clock.now();
        const since =
          options.since === undefined ? new Date(now.getTime() - DAY) : readSince(options.since, now);
        await assertFilter(ctx.db, { search, topic });
        const underived = await readDerivedUntil(ctx.db, { search, topic });
        const grown = await readGrowth(ctx.db, { search, topic, since, order, limit });
        const ids = grown.map(({ post_id }) => post_id);
        const ages = await readLatestAges(ctx.db, ids, { search, topic });
        const rows = grown.map((row) => ({ ...row, at_age: ages.get(row.post_id) ?? null }));
        if (rows.length === 0) cli.page.say('no post grew; see: strandline posts growth --help');
        await cli.show(json, rows, () =>
          withAddresses(rows, columns(now, cli.page), (post) => post.url, cli.page),
        );
        tellAsOf(cli, underived, now);
        tellInvented(
          cli,
          json,
          rows.map(({ service_kind }) => service_kind),
        );
      });
    });
}

function columns(now: Date, page: Page): Column<GrowthRow>[] {
  return [
    {
      head: 'likes',
      cell: (row) => steps(row.first_like_count, row.like_count, row.lost_like_count, page),
      right: true,
    },
    {
      head: 'views',
      cell: (row) => steps(row.first_view_count, row.view_count, row.lost_view_count, page),
      right: true,
      drop: 3,
    },
    { head: 'likes/h', cell: (row) => count(rounded(row.likes_per_hour_24h), page), right: true },
    { head: 'times the usual', cell: ({ at_age }) => (at_age === null ? '' : compared(at_age)), drop: 1 },
    {
      head: 'not seen since',
      cell: ({ not_seen_since: at }) => (at === null ? '' : when(at, now, page)),
      drop: 2,
      paint: (shown) => page.colors.yellow(shown),
    },
    {
      head: 'by',
      cell: ({ author_username: name }) => (name === null ? page.unknown : `@${name}`),
      elastic: 1,
      drop: 4,
      paint: (shown) => page.colors.cyan(shown),
    },
    { head: 'text', cell: (row) => row.text, elastic: 4, least: 16 },
  ];
}

/** `12 > 184`, from when it was first seen; `12 > 170 (fell by 14)` where a counter was seen to fall on the way. */
function steps(first: number | null, last: number | null, lost: number | null, page: Page): string {
  if (last === null) return page.unknown;
  const fell = lost !== null && lost > 0 ? ` (fell by ${count(lost, page)})` : '';
  return first === null || first === last
    ? `${count(last, page)}${fell}`
    : `${count(first, page)} > ${count(last, page)}${fell}`;
}

/** `3.2x at 24 h old`: when it was that old it had so many times what is usual of its search's posts at that age. */
function compared({ hours, engagement_ratio: ratio }: AtAge): string {
  return ratio === null ? '' : `${rounded(ratio)}x at ${hours} h old`;
}

function rounded(value: number): number;
function rounded(value: number | null): number | null;
function rounded(value: number | null): number | null {
  if (value === null) return null;
  return value >= 10 ? Math.round(value) : Math.round(value * 10) / 10;
}
