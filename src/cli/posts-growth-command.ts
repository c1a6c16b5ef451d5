/** `posts growth`: by hand, as the other figures of trends. */
import type { Command } from 'commander';
import { DAY } from '../lib/time.ts';
import { findScope } from '../monitor/topics/find-by-slug.ts';
import type { PostAge } from '../store/queries/counters-at-age.ts';
import { GROWTH_ORDERS, type GrowthOrder, type PostGrowthRow, readGrowth } from '../store/queries/growth.ts';
import type { Cli } from './command-context.ts';
import { addListOptions, type ListOptions, showRows } from './list-command.ts';
import { choiceOption, limitOption, type PastTime, timeOption } from './option-values.ts';
import type { TerminalPage } from './terminal-io.ts';
import type { Column } from './terminal-table.ts';
import { formatCount, formatTime, roundForDisplay } from './value-formatting.ts';

type GrowthRow = PostGrowthRow & { at_age: PostAge | null };

export function registerPostsGrowth(posts: Command, cli: Cli): void {
  const command = posts
    .command('growth')
    .description('list the posts that grew most, compared with posts of the same age');
  addListOptions(command, 'posts', [
    choiceOption('--by <gain>', GROWTH_ORDERS.join(', '), GROWTH_ORDERS, 'engagement'),
    timeOption('since', 'only posts with a counter that changed since (default: 1d)', cli.page),
    limitOption(20),
  ])
    .addHelpText('after', '\nExample:\n  $ strandline posts growth --topic harbour-ferry --by views\n')
    .action((options: ListOptions & { by: GrowthOrder; since?: PastTime; limit: number }) =>
      cli.withProgram(async ({ ctx }) => {
        const [{ readDerivedUntil }, { readLatestAges }, { printAsOfNotice }] = await Promise.all([
          import('../store/derive/pending-derivations.ts'),
          import('../store/queries/counters-at-age.ts'),
          import('./result-notices.ts'),
        ]);
        const now = ctx.clock.now();
        const { by: order, limit, json } = options;
        const since = options.since?.(now) ?? new Date(now.getTime() - DAY);
        const scope = await findScope(ctx.db, options);
        const underived = await readDerivedUntil(ctx.db, scope);
        const grown = await readGrowth(ctx.db, { ...scope, since, order, limit });
        const ids = grown.map(({ post_id }) => post_id);
        const ages = await readLatestAges(ctx.db, ids, scope);
        const rows = grown.map((row) => ({ ...row, at_age: ages.get(row.post_id) ?? null }));
        await showRows(cli, json, rows, {
          columns: growthColumns(now, cli.page),
          none: 'No posts grew. For other time ranges, see: strandline posts growth --help',
          readUrl: ({ url }) => url,
        });
        printAsOfNotice(cli, underived, now);
      }),
    );
}

function growthColumns(now: Date, page: TerminalPage): Column<GrowthRow>[] {
  return [
    {
      head: 'likes',
      cell: (row) => formatGrowth(row.first_like_count, row.like_count, row.lost_like_count, page),
      right: true,
    },
    {
      head: 'views',
      cell: (row) => formatGrowth(row.first_view_count, row.view_count, row.lost_view_count, page),
      right: true,
      drop: 3,
    },
    {
      head: 'likes/h',
      cell: (row) => formatCount(roundForDisplay(row.likes_per_hour_24h), page),
      right: true,
    },
    {
      head: 'vs. typical',
      cell: ({ at_age }) => (at_age === null ? '' : formatComparison(at_age)),
      drop: 1,
    },
    {
      head: 'last returned',
      cell: ({ not_seen_since: at }) => (at === null ? '' : formatTime(at, now, page)),
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
    { head: 'text', cell: ({ text }) => text, elastic: 4, least: 16 },
  ];
}

/** `12 > 184` since it was first seen; `12 > 170 (fell by 14)` if the counter fell in between. */
function formatGrowth(
  first: number | null,
  last: number | null,
  lost: number | null,
  page: TerminalPage,
): string {
  if (last === null) return page.unknown;
  const fell = lost !== null && lost > 0 ? ` (fell by ${formatCount(lost, page)})` : '';
  return first === null || first === last
    ? `${formatCount(last, page)}${fell}`
    : `${formatCount(first, page)} > ${formatCount(last, page)}${fell}`;
}

/** `3.2x at 24 h`: its engagement at that age, compared with posts of its search at the same age. */
function formatComparison({ hours, engagement_ratio: ratio }: PostAge): string {
  return ratio === null ? '' : `${roundForDisplay(ratio)}x at ${hours} h`;
}
