/** `posts growth`: by hand, because its figures may be behind, which is said. */
import type { Command } from 'commander';
import { GROWTH_ORDERS, type GrowthOrder } from '../model/counters.ts';
import type { PostAge } from '../store/queries/counters-at-age.ts';
import type { PostGrowthRow } from '../store/queries/growth.ts';
import { ask, type Reply } from './api-requests.ts';
import type { Cli } from './command-context.ts';
import { addListOptions, type ListOptions, showRows } from './list-command.ts';
import { choiceOption, numberOption, type PastTime, timeOption } from './option-values.ts';
import { sayAsOf } from './reply-notices.ts';
import type { TerminalPage } from './terminal-io.ts';
import type { Column } from './terminal-table.ts';
import { formatCount, formatTime, roundForDisplay } from './value-formatting.ts';

type Growth = PostGrowthRow & { at_age: PostAge | null };
type GrowthRow = Reply<Growth>;

export function registerPostsGrowth(posts: Command, cli: Cli): void {
  const command = posts
    .command('growth')
    .description('list the posts that grew most, compared with posts of the same age');
  addListOptions(command, 'posts', [
    choiceOption('--by <gain>', GROWTH_ORDERS.join(', '), GROWTH_ORDERS, 'engagement'),
    timeOption('since', 'only posts with a counter that changed since (default: 1d)', cli.page),
    numberOption('limit', 'maximum number', { max: 200, fallback: 20 }),
  ])
    .addHelpText('after', '\nExample:\n  $ strandline posts growth --topic harbour-ferry --by views\n')
    .action(
      ({ since, json, ...members }: ListOptions & { by: GrowthOrder; since?: PastTime; limit: number }) =>
        cli.withApi(async (api) => {
          const now = api.now();
          const { items, as_of } = await ask<{ items: Growth[]; as_of: Date | null }>(api, 'listGrowth', {
            ...members,
            since: since?.(now),
          });
          await showRows(cli, json, items, {
            columns: growthColumns(now, cli.page),
            none: 'No posts grew. For other time ranges, see: strandline posts growth --help',
            readUrl: ({ url }) => url,
          });
          sayAsOf(cli, as_of, now);
        }),
    );
  cli.callers.add(command);
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
function formatComparison({ hours, engagement_ratio: ratio }: Reply<PostAge>): string {
  return ratio === null ? '' : `${roundForDisplay(ratio)}x at ${hours} h`;
}
