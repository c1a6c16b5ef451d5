import type { DataScope } from '../store/queries/data-scope.ts';
import { formatPercent } from '../lib/display-format.ts';
import { InvalidInput } from '../model/errors.ts';
import type { RebuildCounts } from '../monitor/derive/follower.ts';
import { findScope, findSearches, findTopicRow } from '../monitor/topics/find-by-slug.ts';
import { readShareOfVoice, type ShareOfVoice } from '../monitor/trends/read-share-of-voice.ts';
import { readTrends } from '../monitor/trends/search-trends.ts';
import { DAY } from '../lib/time.ts';
import type { Database } from '../store/db/database.ts';
import { readDerivedUntil } from '../store/derive/pending-derivations.ts';
import type { SearchRow } from '../store/queries/search-list.ts';
import type { VoiceDayRow, VoiceRow } from '../store/queries/share-of-voice.ts';
import type { Cli } from './command-context.ts';
import type { ListOptions } from './list-command.ts';
import { numberOption } from './option-values.ts';
import { printAsOfNotice } from './result-notices.ts';
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
    .action((options: TrendOptions) => {
      const { days } = options;
      const named = options.compare === undefined ? undefined : parseComparedTopics(options);
      return cli.withProgram(async ({ ctx }) => {
        if (named !== undefined) {
          const compared: string[] = [];
          for (const slug of named) compared.push((await findTopicRow(ctx.db, slug)).slug);
          const underived = await readDerivedUntil(ctx.db, { topic: compared });
          const voices = await readShareOfVoice(ctx, compared, days);
          if (voices.length === 0)
            cli.page.say('No data yet: none of these topics was observed for a whole day.');
          await cli.show(options.json, voices, () => renderComparison(voices, cli.page));
          printAsOfNotice(cli, underived, ctx.clock.now());
          return;
        }
        const scope = await findScope(ctx.db, options);
        const searches = await findSearches(ctx.db, scope);
        if (searches.length === 0) cli.say('No searches. Add one: strandline watch "..."');
        const room = measureSparklineRoom(
          searches.map(({ slug }) => slug),
          cli.page,
        );
        const underived = await readDerivedUntil(ctx.db, scope);
        const asOf = new Map(underived.map(({ search_id, as_of }) => [search_id, as_of]));
        const trendsRead = await readTrends(ctx, searches, {
          days,
          hoursEach: chooseHoursPerPoint(days, room),
        });
        const rows = trendsRead.map((row) => ({ ...row, as_of: asOf.get(row.search_id) ?? null }));
        await cli.show(options.json, rows, () => renderTrends(rows, cli.page));
        printAsOfNotice(cli, underived, ctx.clock.now());
      });
    });
  registerRebuild(trends, cli);
}

/** @throws InvalidInput for fewer than two topics, or a search */
function parseComparedTopics({ topic, search, compare }: TrendOptions): string[] {
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
  trends
    .command('rebuild')
    .description('rebuild volume, coverage, growth and tallies from runs, sightings and snapshots')
    .option('--topic <topic>', 'only searches of this topic')
    .option('--search <search>', 'only this search')
    .option('--json', 'print JSON')
    .action((_options: object, command: Command) => {
      // Options before `rebuild` belong to `trends`, which has the same ones.
      const { topic, search, json } = command.optsWithGlobals<{
        topic?: string;
        search?: string;
        json?: boolean;
      }>();
      return cli.withProgram(async ({ ctx }) => {
        const { rebuildTrends } = await import('../monitor/derive/follower.ts');
        const rebuilt: (RebuildCounts & { search: string })[] = [];
        for (const { id, slug } of await findRebuilt(ctx.db, { topic, search })) {
          const counts = await rebuildTrends(ctx, id);
          rebuilt.push({ search: slug, ...counts });
          const filled = counts.posts === 0 ? '' : `; growth of ${formatQuantity(counts.posts, 'post')}`;
          cli.page.say(`${slug}: rebuilt from ${formatQuantity(counts.runs, 'run')}${filled}`);
        }
        await cli.show(json, rebuilt, () => []);
      });
    });
}

/** The named search or topic, or everything. Removed searches keep their figures, so they are rebuilt, too. */
async function findRebuilt(db: Database, named: DataScope): Promise<SearchRow[]> {
  return findSearches(db, await findScope(db, named), { removed: true });
}

/** Share of voice of topics, with their days on one scale. */
function renderComparison(voices: readonly ShareOfVoice[], page: TerminalPage): string[] {
  const [first] = voices;
  if (first === undefined) return [];
  const { from, until } = first;
  const days = Math.round((until.getTime() - from.getTime()) / DAY);
  const most = Math.max(
    ...voices.flatMap(({ buckets }) => buckets.map((bucket) => readDayValue(bucket) ?? 0)),
  );
  const drawn = new Map(voices.map((voice) => [voice, drawDays(voice, days, most, page)]));
  const kinds = new Set(voices.map(({ service_kind: kind }) => kind));
  const columns: Column<ShareOfVoice>[] = [
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

function drawDays({ from, buckets }: ShareOfVoice, days: number, most: number, page: TerminalPage) {
  const byDay = new Map(buckets.map((bucket) => [bucket.bucket_at.getTime(), bucket]));
  const points = Array.from({ length: days }, (_, i) => {
    const day = byDay.get(from.getTime() + i * DAY);
    return { value: day === undefined ? null : readDayValue(day), atLeast: false };
  });
  return drawSparkline(points, chooseSigns(page), most);
}

function readDayValue({ normalised_posts, lower_bound, posts }: VoiceDayRow): number | null {
  return normalised_posts ?? (lower_bound ? posts : null);
}

function formatPerDay({ normalised_per_day: mean, lower_bound }: VoiceRow, page: TerminalPage): string {
  if (mean === null) return page.unknown;
  return `${lower_bound ? (page.more === '…' ? '≥ ' : '>= ') : ''}${formatCount(roundForDisplay(mean), page)}`;
}

/** Why the real figures may be higher: gaps, or full responses. */
function describeLowerBound({ normalised_days, lower_bound }: VoiceRow, days: number): string {
  return [
    ...(normalised_days < days ? [`${normalised_days} of ${formatQuantity(days, 'day')} observed`] : []),
    ...(lower_bound ? ['lower bound'] : []),
  ].join('; ');
}
