import path from 'node:path';
import type { Command } from 'commander';
import { readCallsPerDay } from '../config/config.ts';
import { createLogger } from '../platform/logger.ts';
import type { Program } from '../app/program.ts';
import type { RunReport } from '../monitor/runs/run-end.ts';
import { formatSlot } from '../monitor/schedule/schedule-text.ts';
import { createSampleTopic } from '../monitor/topics/save-topic.ts';
import { readHighlights } from '../store/queries/highlights.ts';
import { readNextSlots } from '../store/queries/search-list.ts';
import { listSearches } from '../store/searches.ts';
import { loadService, type LocalService, SAMPLE_TOPIC } from '../app/service-access.ts';
import { VERSION } from '../config/version.ts';
import type { WebServer } from '../app/web-server.ts';
import type { RunningWorker } from '../worker/worker.ts';
import { describeSources, limitHeapGrowth, openWithDbRetry, WATCH_CONSEQUENCE } from './server-startup.ts';
import type { Cli } from './command-context.ts';
import { renderRunReport } from './run-rendering.ts';
import { listenForShutdown } from './process-exit.ts';

export function registerUp(command: Command, cli: Cli): void {
  command
    .description(
      'Runs everything in one process tree: the dashboard and the API (at PORT), the database, the search service ' +
        'and a worker. Ctrl-C ends it.',
    )
    .addHelpText(
      'after',
      '\nNothing needs to be installed or set; see `strandline config show` for what can be.\n',
    )
    .action(() => runUp(cli));
}

/**
 * Everything in one process tree, with nothing installed, and a topic of the sandbox to look at. Says what
 * it stands on, then each run in a line, until it is asked to end and has drained.
 */
async function runUp(cli: Cli): Promise<void> {
  limitHeapGrowth();
  const ending = listenForShutdown();
  const config = cli.config();
  const log = createLogger(config.logLevel ?? 'warn', config.secrets);
  const { bold, dim } = cli.page;
  const print = (...lines: string[]) => void cli.out.write(`${lines.join('\n')}\n`);
  print(`${bold('strandline')} ${VERSION}`, '');
  const opening = openWithDbRetry({
    config,
    log,
    role: 'owner',
    openService: true,
    ending,
    healthAt: config.http,
  });
  // The first start of a database takes seconds of another process: meanwhile this one loads what it serves with.
  const loading = Promise.all([import('../app/web-server.ts'), import('../worker/worker.ts'), loadService()]);
  const [program, [{ startWeb }, { readIdleReason, startWorker }]] = await Promise.all([opening, loading]);
  if (program === null) return ending.release();
  let web: WebServer | undefined;
  try {
    // The service first: a dashboard that moves on must not take its port.
    const service = await program.services.local();
    let worker: RunningWorker | undefined;
    web = await startWeb({ ...program, idle: () => readIdleReason(worker) });
    print(`  ${bold('dashboard')}   ${describeDashboard(program, web)}`);
    const sources = describeSources(await program.services.probe(), service.root, WATCH_CONSEQUENCE);
    print(...describeSetup(program, service, sources), ...(await listWarnings(program)), '');
    const sample = await createSampleTopic(program.ctx, SAMPLE_TOPIC);
    if (sample !== null) print(dim(`  made a sample topic, ${sample.topic}: simulated posts`), '');

    const firstRuns = createCountdown(sample?.created.length ?? 0);
    const shown = new Set<Promise<void>>();
    worker = await startWorker(program.ctx, await program.backend(), VERSION, {
      onReport: (report) => {
        const showing = printReport(cli, program, report).finally(() => {
          shown.delete(showing);
          firstRuns.count();
        });
        shown.add(showing);
      },
    });
    try {
      ending.onRepeated(() => worker?.abort());
      await Promise.race([ending.requested, firstRuns.done]);
      print('', ...(await describeNextSteps(program)).map(dim), '');
      await ending.requested;
      print(dim('  ending: what is under way is finished (Ctrl-C again gives it back)'));
    } finally {
      await Promise.all([web.close(), worker.drain()]);
      await Promise.all(shown);
    }
  } finally {
    ending.release();
    await web?.close();
    await program.close();
  }
  print(dim('  ended; everything is kept'));
}

/** The first thing a person should open. */
function describeDashboard({ ctx }: Program, { url, port }: WebServer): string {
  const { baseUrl, port: configured } = ctx.config.http;
  if (baseUrl !== undefined) return `${baseUrl} (listening at ${url})`;
  return port === configured || configured === 0 ? url : `${url} (${configured} was taken)`;
}

/** What it stands on, one fact a line. */
function describeSetup(
  { ctx, embedded, databaseUrl, notes }: Program,
  service: LocalService,
  sources: readonly string[],
): string[] {
  const { dataDir, hosted } = ctx.config;
  const configured = ctx.config.service.port;
  const { hostname, port, pathname } = new URL(databaseUrl);
  const data = path.relative('', dataDir);
  const database =
    embedded === null
      ? `${decodeURIComponent(pathname.slice(1))} at ${hostname}:${port === '' ? '5432' : port}`
      : `PostgreSQL ${embedded.version}, embedded, on port ${embedded.port}${embedded.adopted ? '; it was running' : ''}`;
  const moved = service.port === configured || configured === 0 ? '' : ` (${configured} was taken)`;
  const [firstSource = '', ...otherSources] = sources;
  const perDay = readCallsPerDay(ctx.config, 'hosted');
  return [
    `  data        ${data === '' || data.startsWith('..') ? dataDir : data}`,
    `  database    ${database}`,
    `  queue       BullMQ on ${ctx.queue.kind === 'redis' ? 'Redis' : 'Postgres'}`,
    `  service     ${service.url}${moved}`,
    `  sources     ${firstSource}`,
    ...otherSources.map((line) => `              ${line}`),
    ...(hosted === undefined ? [] : [`  hosted      ${new URL(hosted.url).host}`]),
    `  paid calls  ${hosted === undefined ? '0 possible' : `up to ${perDay} a day possible (CALLS_PER_DAY)`}`,
    ...notes.map((note) => `  note        ${note}`),
  ];
}

/** What a person should know before it runs on. */
async function listWarnings({ ctx }: Program): Promise<string[]> {
  if (ctx.config.hosted !== undefined) return [];
  const searches = await listSearches(ctx.db.pool);
  const stranded = searches.filter(
    ({ service_kind, state }) => service_kind === 'hosted' && state === 'active',
  ).length;
  return stranded === 0
    ? []
    : [`  note        ${stranded} searches of the hosted service fail until SEARCH_API_URL is set`];
}

async function printReport({ page, out }: Cli, { ctx }: Program, report: RunReport): Promise<void> {
  try {
    const fresh = report.status === 'succeeded' && !report.diff.baseline;
    const highlights = fresh ? await readHighlights(ctx.db, report.diff) : [];
    await out.write(`${renderRunReport(report, highlights, ctx.clock.now(), page).join('\n')}\n`);
  } catch (error) {
    ctx.log.warn({ err: error }, 'a run could not be shown');
  }
}

async function describeNextSteps({ ctx }: Program): Promise<string[]> {
  const slots = await readNextSlots(ctx.db, 3);
  const next = slots.map((slot) => `  next  ${formatSlot(slot.next_due_at, slot.tz)}  ${slot.search}`);
  return [
    ...(next.length === 0 ? ['  nothing is due: no search is active'] : next),
    '',
    '  watch something of your own   strandline watch "a text", or in the dashboard',
    '  see what is new               strandline new --follow',
    '  end                           Ctrl-C',
  ];
}

/** Resolves once it has been counted down to nothing. */
function createCountdown(from: number): { done: Promise<void>; count(): void } {
  let left = from;
  let finish = () => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const check = () => {
    if (left <= 0) finish();
  };
  check();
  return {
    done,
    count: () => {
      left -= 1;
      check();
    },
  };
}
