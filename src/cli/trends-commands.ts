/** `trends`: by hand, because the width of the terminal decides how many hours a character is. */
import { formatPercent } from '../lib/display-format.ts';
import { DAY } from '../lib/time.ts';
import { InvalidInput } from '../model/errors.ts';
import type { RebuildCounts } from '../monitor/derive/follower.ts';
import type { ShareOfVoice } from '../monitor/trends/read-share-of-voice.ts';
import type { SearchTrend } from '../monitor/trends/search-trends.ts';
import type { SearchRow } from '../store/queries/search-list.ts';
import type { VoiceDayRow, VoiceRow } from '../store/queries/share-of-voice.ts';
import { ask, askItems, type Reply } from './api-requests.ts';
import type { Cli } from './command-context.ts';
import type { ListOptions } from './list-command.ts';
import { numberOption } from './option-values.ts';
import { sayAsOf } from './reply-notices.ts';
import type { TerminalPage } from './terminal-io.ts';
import { type Column, renderTable } from './terminal-table.ts';
import { wrapText } from './terminal-text.ts';
import {
  chooseHoursPerPoint,
  chooseSigns,
  drawSparkline,
  measureSparklineRoom,
  renderLegend,
  renderTrends,
} from './trend-rendering.ts';
import { formatCount, formatQuantity, roundForDisplay } from './value-formatting.ts';
import type { Command } from 'commander';

type TrendOptions = ListOptions & { compare?: string; days: number };

export function registerTrends(trends: Command, cli: Cli): void {
  trends
    .description(
      'Shows posts over time, averages, spikes and states (rising, falling, new level, silent). Gaps were not observed; they are not zero.',
    )
    .option('--topic <topic>', 'only searches of this topic')
    .option('--search <search>', 'only this search')
    .option('--compare <topics>', 'share of voice of these topics, comma-separated, and of --topic')
    .addOption(numberOption('days', 'number of days', { max: 366, fallback: 7 }))
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ strandline trends --topic harbour-ferry --days 14\n  $ strandline trends --compare harbour-ferry,night-trains\n',
    )
    .action(({ json, days, ...options }: TrendOptions) => {
      const named = options.compare === undefined ? undefined : parseComparedTopics(options);
      return cli.withApi(async (api) => {
        if (named !== undefined) {
          const compared: Figures<ShareOfVoice> = await ask(api, 'compareTopics', {
            topics: named.join(','),
            days,
          });
          if (compared.items.length === 0)
            cli.page.say('No data yet: none of these topics was observed for a whole day.');
          await cli.show(json, compared.items, () => renderComparison(compared.items, cli.page));
          return sayAsOf(cli, compared.as_of, api.now());
        }
        const { topic, search } = options;
        const found = await askItems<SearchRow>(api, 'listSearches', { topic });
        const names = found.flatMap(({ slug }) => (search === undefined || slug === search ? [slug] : []));
        if (names.length === 0 && search === undefined)
          cli.say('No searches. Add one: strandline watch "..."');
        const room = measureSparklineRoom(search === undefined ? names : [search], cli.page);
        const bucket_hours = chooseHoursPerPoint(days, room);
        const { items, as_of }: Figures<SearchTrend> = await ask(api, 'getTrends', {
          topic,
          search,
          days,
          bucket_hours,
        });
        await cli.show(json, items, () => renderTrends(items, cli.page));
        sayAsOf(cli, as_of, api.now());
      });
    });
  cli.callers.add(trends);
  registerRebuild(trends, cli);
}

type Voice = Reply<ShareOfVoice>;
type Figures<Item> = Reply<{ items: Item[]; as_of: Date | null }>;

/** @throws InvalidInput for fewer than two topics, or a search */
function parseComparedTopics({ topic, search, compare }: Omit<TrendOptions, 'days'>): string[] {
  const named = [topic ?? '', ...(compare ?? '').split(',')]
    .map((slug) => slug.trim())
    .filter((slug) => slug !== '');
  const topics = [...new Set(named)];
  if (topics.length < 2)
    throw new InvalidInput([
      { path: 'compare', given: compare, expected: 'two or more topics, or one with --topic' },
    ]);
  if (search !== undefined)
    throw new InvalidInput([
      { path: 'search', given: search, expected: 'no search: --compare takes topics' },
    ]);
  return topics;
}

function registerRebuild(trends: Command, cli: Cli): void {
  const command = trends
    .command('rebuild')
    .description('rebuild volume, coverage, growth and tallies from runs, sightings and snapshots')
    .option('--topic <topic>', 'only searches of this topic')
    .option('--search <search>', 'only this search')
    .option('--json', 'print JSON')
    .action(() => {
      // Options before `rebuild` belong to `trends`, which has the same ones.
      const { topic, search, json } = command.optsWithGlobals<{
        topic?: string;
        search?: string;
        json?: boolean;
      }>();
      return cli.withApi(async (api) => {
        const { items: rebuilt } = await ask<{ items: Rebuilt[] }>(api, 'rebuildTrends', { topic, search });
        for (const { search: slug, runs, posts } of rebuilt) {
          const filled = posts === 0 ? '' : `; growth of ${formatQuantity(posts, 'post')}`;
          cli.page.say(`${slug}: rebuilt from ${formatQuantity(runs, 'run')}${filled}`);
        }
        await cli.show(json, rebuilt, () => []);
      });
    });
  cli.callers.add(command);
}

type Rebuilt = RebuildCounts & { search: string };

/** Share of voice of topics, with their days on one scale. */
function renderComparison(voices: readonly Voice[], page: TerminalPage): string[] {
  const [first] = voices;
  if (first === undefined) return [];
  const { from, until } = first;
  const days = Math.round((until.getTime() - from.getTime()) / DAY);
  const most = Math.max(
    ...voices.flatMap(({ buckets }) => buckets.map((bucket) => readDayValue(bucket) ?? 0)),
  );
  const drawn = new Map(voices.map((voice) => [voice, drawDays(voice, days, most, page)]));
  const kinds = new Set(voices.map(({ service_kind: kind }) => kind));
  const columns: Column<Voice>[] = [
    { head: 'topic', cell: ({ topic }) => topic },
    { head: 'service', cell: ({ service_kind: kind }) => (kinds.size > 1 ? kind : '') },
    {
      head: 'share',
      cell: ({ share }) => (share === null ? page.unknown : formatPercent(share)),
      right: true,
    },
    { head: 'per day', cell: (share) => formatPerDay(share, page), right: true },
    {
      head: 'days',
      cell: (share) => drawn.get(share)?.line ?? '',
      drop: 2,
      paint: (shown) => page.colors.cyan(shown),
    },
    { head: '', cell: (share) => describeLowerBound(share, days), elastic: 2, wraps: true, least: 16 },
  ];
  const legend = renderLegend(
    { from, until, bucket_seconds: 86_400 },
    [...drawn.values()],
    chooseSigns(page),
    page,
  );
  return [
    ...wrapText(`${legend}; one scale`, page.width).map((line) => page.colors.dim(line)),
    '',
    ...renderTable(voices, columns, page),
    ...(voices.some(({ lower_bound }) => lower_bound)
      ? wrapText('lower bound: at least one response was full, so there may be more posts', page.width).map(
          (line) => page.colors.dim(line),
        )
      : []),
  ];
}

function drawDays({ from, buckets }: Voice, days: number, most: number, page: TerminalPage) {
  const byDay = new Map(buckets.map((bucket) => [bucket.bucket_at.getTime(), bucket]));
  const points = Array.from({ length: days }, (_, i) => {
    const day = byDay.get(from.getTime() + i * DAY);
    return { value: day === undefined ? null : readDayValue(day), atLeast: false };
  });
  return drawSparkline(points, chooseSigns(page), most);
}

function readDayValue({ normalised_posts, lower_bound, posts }: Reply<VoiceDayRow>): number | null {
  return normalised_posts ?? (lower_bound ? posts : null);
}

function formatPerDay(
  { normalised_per_day: mean, lower_bound }: Reply<VoiceRow>,
  page: TerminalPage,
): string {
  if (mean === null) return page.unknown;
  return `${lower_bound ? (page.more === '…' ? '≥ ' : '>= ') : ''}${formatCount(roundForDisplay(mean), page)}`;
}

/** Why the real figures may be higher: gaps, or full responses. */
function describeLowerBound({ normalised_days, lower_bound }: Reply<VoiceRow>, days: number): string {
  return [
    ...(normalised_days < days ? [`${normalised_days} of ${formatQuantity(days, 'day')} observed`] : []),
    ...(lower_bound ? ['lower bound'] : []),
  ].join('; ');
}
