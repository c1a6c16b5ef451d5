/** `search run`, `search preview` and `search try`: a run by hand, when a search would run, and one call that is not kept. */

import { InvalidInput } from '../domain/errors.ts';
import { enqueueNewRuns } from '../monitor/enqueue.ts';
import type { DryRun, SearchToDryRun } from '../monitor/runs/dry-run.ts';
import type { DryRunLink, DryRunPost } from '../monitor/runs/dry-run-results.ts';
import { FAR_FUTURE } from '../monitor/schedule/cadence.ts';
import { parseSchedule } from '../monitor/schedule/schedule.ts';
import { findSearchRow } from '../monitor/topics/find-by-slug.ts';
import { insertManualRun } from '../monitor/topics/run-now.ts';
import { previewEdit } from '../monitor/topics/save-search.ts';
import { previewSearch } from '../monitor/topics/schedule-preview.ts';
import { systemClock } from '../platform/clock.ts';
import { readRun, type RunRow } from '../store/queries/run-list.ts';
import type { SearchRow } from '../store/queries/search-list.ts';
import type { Cli, CommandProgram } from './command-context.ts';
import { deriveLocally, executeLocally, executeUntilEnded, hasWorkers } from './local-runs.ts';
import { parseWholeNumber } from './option-values.ts';
import { printSimulatedNotice } from './result-notices.ts';
import { describeReport, describeReportWithoutWorkers, renderRun } from './run-rendering.ts';
import type { TerminalPage } from './terminal-io.ts';
import { type Column, renderList, renderTable } from './terminal-table.ts';
import { splitParagraphs } from './terminal-text.ts';
import { formatCount, formatDollars, formatQuantity, formatTime } from './value-formatting.ts';
import type { Command } from 'commander';

export function registerSearchRun(search: Command, cli: Cli): void {
  search
    .command('run')
    .description('run a search now')
    .argument('<search>', 'its slug')
    .option('--wait', 'run it here and wait until it has ended, also through retries')
    .option('--json', 'print the run as JSON')
    .addHelpText('after', '\nExample:\n  $ strandline search run ferry-posts --wait --json\n')
    .action((slug: string, options: { wait?: boolean; json?: boolean }) =>
      cli.withProgram(async (program, stopping) => {
        const run = await runSearchNow(cli, program, slug, { wait: options.wait ?? false, stopping });
        await cli.show(options.json, run, () => renderRun(run, cli.page));
        if (run.status === 'failed' || run.status === 'cancelled') cli.exitCode = 1;
      }),
    );
}

/**
 * Inserts a run and runs it here; only where nobody waits and workers run it is left to them.
 * @throws Refused `not_found`
 */
async function runSearchNow(
  cli: Cli,
  { ctx }: Pick<CommandProgram, 'ctx'>,
  slug: string,
  { wait, stopping }: { wait: boolean; stopping: AbortSignal },
): Promise<RunRow> {
  const { page } = cli;
  const { runId, alreadyQueued } = await insertManualRun(ctx, slug);
  const queued = `run ${runId} is ${alreadyQueued ? 'already queued' : 'queued'}`;
  if (alreadyQueued && wait) page.say(queued);
  if (wait)
    return executeUntilEnded(ctx, runId, stopping, (report) => {
      page.say(describeReport(report, ctx.clock.now(), page));
    });
  if (await hasWorkers(ctx)) {
    if (!alreadyQueued) await enqueueNewRuns(ctx, [runId], 'manual');
    page.say(`${queued}; a worker takes it (see: strandline runs show ${runId})`);
  } else {
    const report = await executeLocally(ctx, runId, stopping);
    await deriveLocally(ctx);
    page.say(
      report === null
        ? `run ${runId} waits: its search is being run (see: strandline runs show ${runId})`
        : describeReportWithoutWorkers(report, ctx.clock.now(), page),
    );
  }
  const row = await readRun(ctx.db, runId);
  if (row === undefined) throw new Error('a run that was asked for is not there');
  return row;
}

type PreviewOptions = { cron?: string; tz?: string; every?: string; count?: string; json?: boolean };
type PreviewedSearch = Pick<SearchRow, 'slug' | 'cron' | 'every_seconds' | 'tz' | 'service_kind'>;

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
    .action(async (slug: string | undefined, options: PreviewOptions) => {
      const n = options.count === undefined ? 5 : parseWholeNumber('count', options.count, 1, 100);
      const written = options.cron !== undefined || options.every !== undefined || options.tz !== undefined;
      if (slug === undefined || written) {
        const kind = cli.config().hosted === undefined ? 'sandbox' : 'hosted';
        const schedule = {
          cron: options.cron,
          tz: options.tz,
          every: options.every,
          slug: slug ?? 'preview',
        };
        return printPreview(cli, createUnsavedSearch(schedule, kind), n, options.json);
      }
      return cli.withProgram(async ({ ctx }) =>
        printPreview(cli, await findSearchRow(ctx.db, slug), n, options.json),
      );
    });
}

/** A schedule that no search has yet. @throws InvalidInput */
function createUnsavedSearch(
  written: { slug: string; cron: string | undefined; tz: string | undefined; every: string | undefined },
  service_kind: PreviewedSearch['service_kind'],
): PreviewedSearch {
  const schedule = parseSchedule(written);
  const { slug } = written;
  return schedule.kind === 'cron'
    ? { slug, cron: schedule.cron, every_seconds: null, tz: schedule.tz, service_kind }
    : { slug, cron: null, every_seconds: schedule.seconds, tz: 'UTC', service_kind };
}

async function printPreview(
  cli: Cli,
  search: PreviewedSearch,
  n: number,
  json: boolean | undefined,
): Promise<void> {
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
    renderList(
      [
        ['runs', preview.words],
        ...(next.length === 0 ? [['next', 'never'] as const] : []),
        ...next.map(({ local }, i) => [i === 0 ? 'next' : '', local] as const),
        ['in the next 24 h', formatQuantity(preview.runsPerDay, 'run')],
        [
          'on a busy day',
          `${formatQuantity(preview.mostRunsPerDay, 'run')}, at most ${formatQuantity(preview.mostCallsPerDay, 'call')}`,
        ],
        [
          'limit',
          preview.callsPerDayLimit === null
            ? 'none: its service costs nothing'
            : `${formatCount(preview.callsPerDayLimit, page)} calls a day for its whole service (CALLS_PER_DAY)`,
        ],
      ],
      page,
    ),
  );
}

type TryOptions = {
  operation?: string;
  prompt?: string;
  tools?: string;
  model?: string;
  dateFilter?: string;
  streaming?: boolean;
  extra?: string;
  service?: string;
  limit?: string;
  json?: boolean;
};

export function registerTry(group: Command, cli: Cli): void {
  group
    .command('try')
    .description('try out a search that need not be saved: makes one call, shows what comes, keeps nothing')
    .argument('[search]', 'slug of a saved one; other options: as if it had those')
    .option('--operation <operation>', 'microblog (posts) or ai (all sources), where no saved one is named')
    .option('--prompt <text>', 'what is asked')
    .option('--tools <list>', 'tools of an ai search, separated by commas')
    .option('--model <model>', 'NOVA, ORBIT or HORIZON: about 10, 30 or 120 seconds')
    .option('--date-filter <filter>', 'how far back an ai search looks, such as PAST_24_HOURS or PAST_WEEK')
    .option('--streaming', 'have the answer of an ai search streamed')
    .option('--extra <json>', 'JSON object of members beyond the specification')
    .option(
      '--service <service>',
      'own, sandbox or hosted (default: its own; else as for a search that is saved)',
    )
    .option('--limit <n>', 'how many posts and links to show (default: 20)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ strandline search try --operation microblog --prompt "harbour ferry"\n' +
        '  $ strandline search try harbour-ferry-posts --prompt "harbour ferry timetable"\n',
    )
    .action((slug: string | undefined, options: TryOptions) => {
      assertOperation(slug, options.operation);
      const shown = options.limit === undefined ? 20 : parseWholeNumber('limit', options.limit, 0, 200);
      return cli.withProgram(async ({ ctx }, stopping) => {
        const written = readTryOptions(options);
        const saved = slug === undefined ? written : await previewEdit(ctx, slug, written);
        const search = { ...saved, service: written.service ?? saved.service };
        const { dryRunSearch } = await import('../monitor/runs/dry-run.ts');
        const trial = await dryRunSearch(ctx, search, { signal: stopping, shown });
        await cli.show(options.json, trial, () => renderTrial(trial, ctx.clock.now(), cli.page));
        printSimulatedNotice(cli, options.json, [trial.service_kind]);
      });
    });
}

/** Which of the two is meant is never guessed, and never another than was saved. @throws InvalidInput */
function assertOperation(slug: string | undefined, given: string | undefined): void {
  if ((slug === undefined) === (given !== undefined)) return;
  const expected = given === undefined ? 'one of microblog, ai' : 'only where no saved search is named';
  throw new InvalidInput([{ path: 'operation', given, expected }]);
}

function readTryOptions({
  tools,
  dateFilter,
  limit: _limit,
  json: _json,
  ...rest
}: TryOptions): SearchToDryRun {
  return { ...rest, tools: tools?.split(','), date_filter: dateFilter };
}

function renderTrial(trial: DryRun, now: Date, page: TerminalPage): string[] {
  const { posts, links, completion, posts_found, posts_known, links_found, links_known } = trial;
  const found = (n: number, known: number, unit: string) =>
    `${formatQuantity(n, unit)}, of which ${formatCount(known, page)} known already`;
  const texts = Object.values(completion ?? {}).flatMap((text) => (text === null ? [] : [text]));
  return [
    ...renderList(
      [
        ['service', trial.service],
        ['found', found(posts_found, posts_known, 'post')],
        ['', found(links_found, links_known, 'link')],
        ...(trial.rejected === 0
          ? []
          : [['', `${formatQuantity(trial.rejected, 'item')} that could not be read`] as const]),
        ['took', `${(trial.latency_ms / 1_000).toFixed(1)} s, cost ${formatDollars(trial.cost_usd, page)}`],
      ],
      page,
    ),
    ...(posts.length === 0 ? [] : ['', ...renderTable(posts, trialPostColumns(now, page), page)]),
    ...(links.length === 0 ? [] : ['', ...renderTable(links, trialLinkColumns(now, page), page)]),
    ...texts.flatMap((text) => ['', ...splitParagraphs(text)]),
  ];
}

function trialPostColumns(now: Date, page: TerminalPage): Column<DryRunPost>[] {
  return [
    { head: 'written', cell: (post) => formatTime(post.created_at, now, page) },
    { head: 'likes', cell: (post) => formatCount(post.like_count, page), right: true },
    { head: 'by', cell: ({ author_username: by }) => (by === null ? page.unknown : `@${by}`), elastic: 1 },
    { head: 'text', cell: (post) => post.text, elastic: 4, least: 16 },
    { head: 'known', cell: ({ known }) => (known ? 'yes' : '') },
  ];
}

function trialLinkColumns(now: Date, page: TerminalPage): Column<DryRunLink>[] {
  return [
    { head: 'source', cell: ({ source }) => source },
    { head: 'published', cell: (link) => formatTime(link.published_at, now, page), drop: 1 },
    { head: 'title', cell: ({ title }) => title ?? page.unknown, elastic: 3, least: 16 },
    { head: 'address', cell: ({ url }) => url, elastic: 2 },
    { head: 'known', cell: ({ known }) => (known ? 'yes' : '') },
  ];
}
