/** `search run`, `search preview` and `search try`: a manual run, upcoming slots, and one call whose result is not stored. */

import type { AskedSource } from '../model/asked-source.ts';
import { InvalidInput } from '../model/errors.ts';
import { enqueueNewRuns } from '../monitor/enqueue.ts';
import type { Trial, SearchToTry } from '../monitor/runs/trial.ts';
import type { TrialLink, TrialPost } from '../monitor/runs/trial-results.ts';
import { parseSearchSchedule, toScheduleColumns } from '../monitor/schedule/schedule.ts';
import { findSearchRow, isFreeSearch } from '../monitor/topics/find-by-slug.ts';
import { insertManualRun } from '../monitor/topics/run-now.ts';
import { previewEdit } from '../monitor/topics/save-search.ts';
import {
  describeCost,
  describeExpected,
  type Forecast,
  forecastSaved,
  forecastSearches,
  toPreviewJson,
} from '../monitor/topics/search-forecast.ts';
import { findDefaultKind } from '../monitor/topics/service-choice.ts';
import { readRun, type RunRow } from '../store/queries/run-list.ts';
import { readToolsOf } from '../store/queries/run-tools.ts';
import type { Cli, CommandProgram } from './command-context.ts';
import { deriveLocally, executeLocally, executeUntilEnded, hasWorkers } from './local-runs.ts';
import { numberOption } from './option-values.ts';
import { addRequestOptions, readRequestOptions, type RequestOptions } from './request-options.ts';
import { printMissingTools } from './result-notices.ts';
import { describeReport, describeReportWithoutWorkers, renderRun } from './run-rendering.ts';
import type { TerminalPage } from './terminal-io.ts';
import { type Column, renderList, renderTable } from './terminal-table.ts';
import { splitParagraphs } from './terminal-text.ts';
import { formatCount, formatCost, formatQuantity, formatTime } from './value-formatting.ts';
import type { Command } from 'commander';

export function registerSearchRun(search: Command, cli: Cli): void {
  search
    .command('run')
    .description('run a search now')
    .argument('<search>', 'search slug')
    .option('--wait', 'wait for the result, including retries')
    .option('--json', 'print the run as JSON')
    .addHelpText('after', '\nExample:\n  $ strandline search run ferry-posts --wait --json\n')
    .action((slug: string, options: { wait?: boolean; json?: boolean }) =>
      cli.withServer(async (program, stopping) => {
        const wait = options.wait ?? false;
        const run = await readToolsOf(
          program.ctx.db,
          await runSearchNow(cli, program, slug, { wait, stopping }),
        );
        const free = await isFreeSearch(program.ctx, slug);
        await cli.show(options.json, run, () => renderRun(run, free, cli.page));
        if (run.status === 'failed' || run.status === 'cancelled') cli.exitCode = 1;
      }),
    );
}

/**
 * Inserts a run and executes it here, or leaves it to a worker if one is running and `--wait` is not set.
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
    return executeUntilEnded(cli, ctx, runId, stopping, (report) => {
      page.say(describeReport(report, ctx.clock.now(), page));
    });
  if (await hasWorkers(ctx)) {
    if (!alreadyQueued) await enqueueNewRuns(ctx, [runId], 'manual');
    page.say(`${queued}; a worker executes it. See: strandline runs show ${runId}`);
  } else {
    const report = await executeLocally(cli, ctx, runId, stopping);
    await deriveLocally(ctx);
    page.say(
      report === null
        ? `run ${runId} waits for another run of its search. See: strandline runs show ${runId}`
        : describeReportWithoutWorkers(report, ctx.clock.now(), page),
    );
  }
  const row = await readRun(ctx.db, runId);
  if (row === undefined) throw new Error('a manual run has disappeared');
  return row;
}

type PreviewOptions = { cron?: string; tz?: string; every?: string; count: number; json?: boolean };
export function registerPreview(search: Command, cli: Cli): void {
  search
    .command('preview')
    .description('show when a search or schedule runs next, and how often')
    .argument('[search]', 'search slug; --cron or --every replace its schedule')
    .option('--cron <expression>', 'cron expression with five fields')
    .option('--tz <zone>', 'time zone of the cron expression (default: UTC)')
    .option('--every <interval>', 'interval such as 15m, or auto')
    .addOption(numberOption('count', 'number of runs to list', { max: 100, fallback: 5 }))
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ strandline search preview --cron "0 8 * * 1-5" --tz Europe/Berlin\n',
    )
    .action(async (slug: string | undefined, options: PreviewOptions) => {
      // Limits of a day, sources and costs are the server's.
      return cli.withServer(async ({ ctx }) => {
        const row = slug === undefined ? null : await findSearchRow(ctx.db, slug);
        const { cron, tz, every, count } = options;
        const when = { cron, tz, every };
        const forecast =
          row === null
            ? await forecastSearches(
                ctx,
                findDefaultKind(ctx),
                [{ name: 'preview', operation: 'microblog', ...when }],
                { count },
              )
            : await forecastSaved(ctx, [row], { edit: when, count });
        const preview = toPreviewJson(forecast);
        const isWritten = row === null || cron !== undefined || every !== undefined;
        const columns = isWritten ? toScheduleColumns(parseSearchSchedule({ ...when, slug: '' })) : row;
        const shown = {
          cron: columns.cron,
          every_seconds: columns.every_seconds,
          auto: columns.auto,
          tz: columns.tz,
          ...preview,
        };
        await cli.show(options.json, shown, () => renderPreview(forecast, cli.page));
        if (row !== null) await printMissingTools(cli, ctx, row);
      });
    });
}

function renderPreview(forecast: Forecast, page: TerminalPage): string[] {
  const preview = forecast.searches[0]?.preview;
  if (preview == null) return [];
  const { next } = toPreviewJson(forecast);
  return renderList(
    [
      ['schedule', preview.words],
      ['next', next.length > 0 ? null : preview.adaptive ? page.unknown : 'never'],
      ...next.map(({ local }, i) => [i === 0 ? 'next' : '', local] as const),
      ['expected', describeExpected(preview)],
      ['in the next 24 h', formatQuantity(preview.runsPerDay, 'run')],
      [
        'on a busy day',
        `${formatQuantity(preview.mostRunsPerDay, 'run')}, at most ${formatQuantity(preview.mostCallsPerDay, 'call')}`,
      ],
      [
        'in 30 days',
        `${formatQuantity(preview.runsPerMonth, 'run')}, at most ${formatQuantity(preview.mostCallsPerMonth, 'call')}`,
      ],
      ['cost', describeCost(forecast)],
      [
        'limit',
        preview.callsPerDayLimit === null
          ? 'none'
          : `${formatCount(preview.callsPerDayLimit, page)} calls a day for all searches of its service (CALLS_PER_DAY)`,
      ],
    ],
    page,
  );
}

type TryOptions = RequestOptions & {
  operation?: string;
  service?: string;
  limit: number;
  json?: boolean;
};

export function registerTry(group: Command, cli: Cli): void {
  const attempt = group
    .command('try')
    .description('make one call and print the results; saves none of them')
    .argument('[search]', 'slug of a saved search; the options override its own')
    .option('--operation <operation>', 'microblog (posts) or ai (all sources); without a saved search');
  addRequestOptions(attempt, () => '')
    .option('--service <service>', 'own or hosted (default: that of the saved search, else as in search add)')
    .addOption(numberOption('limit', 'maximum number of posts and links', { min: 0, max: 200, fallback: 20 }))
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ strandline search try --operation microblog --prompt "harbour ferry"\n' +
        '  $ strandline search try harbour-ferry-posts --prompt "harbour ferry timetable"\n',
    )
    .action((slug: string | undefined, options: TryOptions) => {
      assertOperation(slug, options.operation);
      const { limit: shown } = options;
      return cli.withServer(async ({ ctx }, stopping) => {
        const { operation, service } = options;
        const written: SearchToTry = { operation, service, ...readRequestOptions(options) };
        const saved = slug === undefined ? written : await previewEdit(ctx, slug, written);
        const named = written.service ?? saved.service;
        const search = { ...saved, service: named };
        const { trySearch } = await import('../monitor/runs/trial.ts');
        const trial = await trySearch(ctx, search, { signal: stopping, shown });
        const free = await ctx.isFree(trial.service_kind);
        await cli.show(options.json, trial, () => renderTrial(trial, free, ctx.clock.now(), cli.page));
      });
    });
}

/** Required without a saved search, refused with one. @throws InvalidInput */
function assertOperation(slug: string | undefined, operation: string | undefined): void {
  if ((slug === undefined) === (operation !== undefined)) return;
  const expected =
    operation === undefined ? 'one of microblog, ai' : 'no value: the saved search has an operation';
  throw new InvalidInput([{ path: 'operation', given: operation, expected }]);
}

function renderTrial(trial: Trial, free: boolean, now: Date, page: TerminalPage): string[] {
  const { posts, links, completion, posts_found, posts_known, links_found, links_known } = trial;
  const describeCount = (n: number, known: number, unit: string) =>
    `${formatQuantity(n, unit)}, ${formatCount(known, page)} known`;
  const texts = Object.values(completion ?? {}).flatMap((text) => (text === null ? [] : [text]));
  return [
    ...renderList(
      [
        ['service', trial.service],
        ['found', describeCount(posts_found, posts_known, 'post')],
        ['', describeCount(links_found, links_known, 'link')],
        ['', trial.rejected === 0 ? null : `${formatQuantity(trial.rejected, 'item')} rejected`],
        ['duration', `${(trial.latency_ms / 1_000).toFixed(1)} s`],
        ['cost', formatCost(trial.cost_usd, { free })],
      ],
      page,
    ),
    ...(posts.length === 0 ? [] : ['', ...renderTable(posts, trialPostColumns(now, page), page)]),
    ...(links.length === 0 ? [] : ['', ...renderTable(links, trialLinkColumns(now, page), page)]),
    ...texts.flatMap((text) => ['', ...splitParagraphs(text)]),
    ...(trial.plan === null ? [] : ['', ...renderTable(trial.plan, planColumns(page), page)]),
  ];
}

function planColumns(page: TerminalPage): Column<AskedSource>[] {
  return [
    { head: 'source', cell: ({ source }) => source },
    {
      head: 'query as sent',
      cell: ({ queries }) => queries.join('; ') || page.unknown,
      elastic: 3,
      least: 16,
    },
    {
      head: 'results',
      cell: ({ state, results, message }) => (state === 'failed' ? (message ?? 'failed') : String(results)),
      elastic: 1,
      least: 8,
    },
    {
      head: 'seconds',
      cell: ({ ms }) => (ms === null ? page.unknown : (ms / 1_000).toFixed(1)),
      right: true,
      drop: 1,
    },
  ];
}

function trialPostColumns(now: Date, page: TerminalPage): Column<TrialPost>[] {
  return [
    { head: 'published', cell: (post) => formatTime(post.created_at, now, page) },
    { head: 'likes', cell: (post) => formatCount(post.like_count, page), right: true },
    { head: 'by', cell: ({ author_username: by }) => (by === null ? page.unknown : `@${by}`), elastic: 1 },
    { head: 'text', cell: (post) => post.text, elastic: 4, least: 16 },
    { head: 'known', cell: ({ known }) => (known ? 'yes' : '') },
  ];
}

function trialLinkColumns(now: Date, page: TerminalPage): Column<TrialLink>[] {
  return [
    { head: 'source', cell: ({ source }) => source },
    { head: 'published', cell: (link) => formatTime(link.published_at, now, page), drop: 1 },
    { head: 'title', cell: ({ title }) => title ?? page.unknown, elastic: 3, least: 16 },
    { head: 'address', cell: ({ url }) => url, elastic: 2 },
    { head: 'known', cell: ({ known }) => (known ? 'yes' : '') },
  ];
}
