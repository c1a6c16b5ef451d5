/** `search run`, `search preview` and `search try`: a manual run, upcoming slots, and one call whose result is not stored. */

import type { AskedSource } from '../model/asked-source.ts';
import { InvalidInput } from '../model/errors.ts';
import type { MissingTool } from '../model/tool-coverage.ts';
import type { Trial as ReadTrial } from '../monitor/runs/trial.ts';
import type { TrialLink, TrialPost } from '../monitor/runs/trial-results.ts';
import { explainMissingTools } from '../monitor/topics/tool-sources.ts';
import type { SearchRow } from '../store/queries/search-list.ts';
import type { Api } from './api-client.ts';
import { ask, type Reply } from './api-requests.ts';
import type { Cli } from './command-context.ts';
import { executesHere, followRun } from './first-runs.ts';
import { numberOption } from './option-values.ts';
import { addRequestOptions, readRequestOptions, type RequestOptions } from './request-options.ts';
import type { WholeRun } from './run-commands.ts';
import { describeReportWithoutWorkers, renderRun } from './run-rendering.ts';
import type { TerminalPage } from './terminal-io.ts';
import { type Column, renderList, renderTable } from './terminal-table.ts';
import { splitParagraphs } from './terminal-text.ts';
import { formatCount, formatCost, formatQuantity, formatTime } from './value-formatting.ts';
import type { Command } from 'commander';

export function registerSearchRun(search: Command, cli: Cli): void {
  const command = search
    .command('run')
    .description('run a search now')
    .argument('<search>', 'search slug')
    .option('--wait', 'wait for the result, including retries')
    .option('--json', 'print the run as JSON')
    .addHelpText('after', '\nExample:\n  $ strandline search run ferry-posts --wait --json\n')
    .action((slug: string, options: { wait?: boolean; json?: boolean }) =>
      cli.withApi(
        async (api, stopping) => {
          const run = await runSearchNow(cli, api, slug, { wait: options.wait ?? false, stopping });
          await cli.show(options.json, run, () => renderRun(run, run.free, cli.page));
          if (run.status === 'failed' || run.status === 'cancelled') cli.exitCode = 1;
        },
        { runsIn: 'server', stops: true },
      ),
    );
  cli.callers.add(command);
}

/** Requests a run, and executes it here, or leaves it to a worker if one is running and `--wait` is not set. */
async function runSearchNow(
  cli: Cli,
  api: Api,
  search: string,
  { wait, stopping }: { wait: boolean; stopping: AbortSignal },
): Promise<Reply<WholeRun>> {
  const { page } = cli;
  const { id, already_queued } = await ask<{ id: bigint; already_queued: boolean }>(api, 'runSearch', {
    search,
  });
  const queued = `run ${id} is ${already_queued ? 'already queued' : 'queued'}`;
  if (wait) {
    if (already_queued) page.say(queued);
    return followRun(cli, api, id, stopping);
  }
  if (await executesHere(api)) {
    const report = (await api.here?.execute(id)) ?? null;
    await api.here?.derive();
    page.say(
      report === null
        ? `run ${id} waits for another run of its search. See: strandline runs show ${id}`
        : describeReportWithoutWorkers(report, api.now(), page),
    );
  } else page.say(`${queued}; a worker executes it. See: strandline runs show ${id}`);
  return ask<WholeRun>(api, 'getRun', { run: id });
}

type PreviewOptions = { cron?: string; tz?: string; every?: string; count: number; json?: boolean };
export function registerPreview(search: Command, cli: Cli): void {
  const command = search
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
    .action((slug: string | undefined, { json, ...members }: PreviewOptions) =>
      cli.withApi(
        async (api) => {
          const preview =
            slug === undefined
              ? await ask<Preview>(api, 'previewSchedule', members)
              : await ask<Preview>(api, 'previewSearch', { search: slug, ...members });
          await cli.show(json, preview, () => renderPreview(preview, cli.page));
          if (slug !== undefined)
            for (const words of explainMissingTools(preview.missing_tools)) cli.page.say(`${slug}: ${words}`);
        },
        { runsIn: 'server' },
      ),
    );
  cli.callers.add(command);
}

type Preview = {
  words: string;
  auto: string | null;
  next: { at: Date; local: string }[];
  expected: string | null;
  cost: string;
  runs_per_day: number;
  most_runs_per_day: number;
  most_calls_per_day: number;
  calls_per_month: number;
  most_calls_per_month: number;
  calls_per_day_limit: number | null;
  missing_tools: MissingTool[];
};

function renderPreview(preview: Reply<Preview>, page: TerminalPage): string[] {
  const { next, calls_per_day_limit: limit } = preview;
  return renderList(
    [
      ['schedule', preview.words],
      ['next', next.length > 0 ? null : preview.auto === null ? 'never' : page.unknown],
      ...next.map(({ local }, i) => [i === 0 ? 'next' : '', local] as const),
      ['expected', preview.expected],
      ['in the next 24 h', formatQuantity(preview.runs_per_day, 'run')],
      [
        'on a busy day',
        `${formatQuantity(preview.most_runs_per_day, 'run')}, at most ${formatQuantity(preview.most_calls_per_day, 'call')}`,
      ],
      [
        'in 30 days',
        `${formatQuantity(preview.calls_per_month, 'run')}, at most ${formatQuantity(preview.most_calls_per_month, 'call')}`,
      ],
      ['cost', preview.cost],
      [
        'limit',
        limit === null
          ? 'none'
          : `${formatCount(limit, page)} calls a day for all searches of its service (CALLS_PER_DAY)`,
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
    .action((search: string | undefined, options: TryOptions) => {
      assertOperation(search, options.operation);
      const { limit: shown, json, operation, service } = options;
      return cli.withApi(
        async (api) => {
          const written = { operation, service, ...readRequestOptions(options) };
          const saved = search === undefined ? {} : await readSaved(api, search);
          const trial = await ask<Trial>(api, 'trySearch', {
            ...saved,
            ...Object.fromEntries(Object.entries(written).filter(([, value]) => value !== undefined)),
            shown,
          });
          await cli.show(json, trial, () => renderTrial(trial, api.now(), cli.page));
        },
        { runsIn: 'server', stops: true },
      );
    });
  cli.callers.add(attempt);
}

type Trial = ReadTrial & { free: boolean };

/** The request of a saved search, as a trial takes it. */
async function readSaved(api: Api, search: string): Promise<Record<string, unknown>> {
  const row = await ask<SearchRow>(api, 'getSearch', { search });
  const { operation, service_kind: service, prompt, model, extra, tools, date_filter, streaming } = row;
  const request = { operation, service, prompt, model, extra };
  return operation === 'ai'
    ? { ...request, tools, date_filter: date_filter ?? undefined, streaming }
    : request;
}

/** Required without a saved search, refused with one. @throws InvalidInput */
function assertOperation(slug: string | undefined, operation: string | undefined): void {
  if ((slug === undefined) === (operation !== undefined)) return;
  const expected =
    operation === undefined ? 'one of microblog, ai' : 'no value: the saved search has an operation';
  throw new InvalidInput([{ path: 'operation', given: operation, expected }]);
}

function renderTrial(trial: Reply<Trial>, now: Date, page: TerminalPage): string[] {
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
        ['cost', formatCost(trial.cost_usd, trial)],
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
