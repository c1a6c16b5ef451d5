import type { Command } from 'commander';
import { systemClock } from '../../engine/clock.ts';
import { FAR_FUTURE } from '../../monitor/schedule/cadence.ts';
import { parseSchedule } from '../../monitor/schedule/schedule.ts';
import { previewSearch } from '../../monitor/topic/preview.ts';
import type { SearchRow } from '../../store/reads/searches.ts';
import { readWhole } from './arguments.ts';
import type { Cli } from './cli.ts';
import { findSearchRow } from '../../monitor/topic/find.ts';
import { list } from './table.ts';
import { count, counted } from './words.ts';

type Options = { cron?: string; tz?: string; every?: string; count?: string; json?: boolean };
type Previewed = Pick<SearchRow, 'slug' | 'cron' | 'every_seconds' | 'tz' | 'service_kind'>;

export function registerPreview(search: Command, cli: Cli): void {
  search
    .command('preview')
    .description('say when a search, or a schedule, runs next and how often')
    .argument('[search]', 'its slug; with --cron or --every: as if it had that schedule')
    .option('--cron <expression>', 'a cron expression of five fields')
    .option('--tz <zone>', 'its time zone (default: UTC)')
    .option('--every <interval>', 'an interval such as 15m')
    .option('--count <n>', 'how many runs to list (default: 5)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ strandline search preview --cron "0 8 * * 1-5" --tz Europe/Berlin\n',
    )
    .action(async (slug: string | undefined, options: Options) => {
      const n = options.count === undefined ? 5 : readWhole('count', options.count, 1, 100);
      const written = options.cron !== undefined || options.every !== undefined || options.tz !== undefined;
      if (slug === undefined || written) {
        const kind = cli.config().hosted === undefined ? 'sandbox' : 'hosted';
        const asked = { cron: options.cron, tz: options.tz, every: options.every, slug: slug ?? 'preview' };
        return showPreview(cli, asWritten(asked, kind), n, options.json);
      }
      return cli.withHome(async ({ ctx }) =>
        showPreview(cli, await findSearchRow(ctx.db, slug), n, options.json),
      );
    });
}

/** A schedule that no search has yet. @throws InvalidInput */
function asWritten(
  written: { slug: string; cron: string | undefined; tz: string | undefined; every: string | undefined },
  service_kind: Previewed['service_kind'],
): Previewed {
  const schedule = parseSchedule(written);
  const { slug } = written;
  return schedule.kind === 'cron'
    ? { slug, cron: schedule.cron, every_seconds: null, tz: schedule.tz, service_kind }
    : { slug, cron: null, every_seconds: schedule.seconds, tz: 'UTC', service_kind };
}

async function showPreview(cli: Cli, search: Previewed, n: number, json: boolean | undefined): Promise<void> {
  const { page } = cli;
  const preview = previewSearch({ clock: systemClock, config: cli.config() }, search, n);
  const next = preview.next.filter(({ at }) => at.getTime() < FAR_FUTURE);
  const { cron, every_seconds, tz } = search;
  const value = {
    cron,
    every_seconds,
    tz,
    words: preview.words,
    next,
    runs_per_day: preview.runsPerDay,
    most_runs_per_day: preview.mostRunsPerDay,
    most_calls_per_day: preview.mostCallsPerDay,
    calls_per_day_limit: preview.callsPerDayLimit,
  };
  await cli.show(json, value, () =>
    list(
      [
        ['runs', preview.words],
        ...(next.length === 0 ? [['next', 'never'] as const] : []),
        ...next.map(({ local }, i) => [i === 0 ? 'next' : '', local] as const),
        ['in the next 24 h', counted(preview.runsPerDay, 'run')],
        [
          'on a busy day',
          `${counted(preview.mostRunsPerDay, 'run')}, at most ${counted(preview.mostCallsPerDay, 'call')}`,
        ],
        [
          'limit',
          preview.callsPerDayLimit === null
            ? 'none: its service costs nothing'
            : `${count(preview.callsPerDayLimit, page)} calls a day for its whole service (CALLS_PER_DAY)`,
        ],
      ],
      page,
    ),
  );
}
