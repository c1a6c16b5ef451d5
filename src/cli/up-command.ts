import path from 'node:path';
import type { Command } from 'commander';
import { readCallsPerDay } from '../config/config.ts';
import { WITHOUT_SANDBOX } from '../app/database-access.ts';
import { openSandbox, type Program } from '../app/program.ts';
import { runSandboxWorker } from '../app/sandbox-worker.ts';
import type { RunReport } from '../monitor/runs/run-end.ts';
import { formatSlot } from '../monitor/schedule/schedule-text.ts';
import { describeOutdatedLinks } from '../monitor/status/outdated-links.ts';
import { describeMissingTools } from '../monitor/topics/tool-sources.ts';
import { createSampleTopic } from '../monitor/topics/save-topic.ts';
import { readHighlights } from '../store/queries/highlights.ts';
import { describeDatabase } from '../store/migrate.ts';
import { Refused } from '../domain/errors.ts';
import { isUnconfigured } from '../domain/tool-coverage.ts';
import { readSilentTools } from '../store/queries/run-tools.ts';
import { readNextSlots } from '../store/queries/search-list.ts';
import { listSearches } from '../store/searches.ts';
import { loadService, type LocalService, SAMPLE_TOPIC } from '../app/service-access.ts';
import { VERSION } from '../config/version.ts';
import type { WebServer } from '../app/web-server.ts';
import type { RunningWorker } from '../worker/worker.ts';
import { type CommandServer, serveCommands } from './command-server.ts';
import {
  describeReachable,
  describeSources,
  limitHeapGrowth,
  openWithDbRetry,
  describeWatchConsequence,
} from './server-startup.ts';
import type { Cli } from './command-context.ts';
import { describeRunTools, describeSilences } from './result-notices.ts';
import { renderRunReport } from './run-rendering.ts';
import { listenForShutdown } from './process-exit.ts';
import { findServer } from './running-server.ts';
import type { Terminal, TerminalPage } from './terminal-io.ts';

export function registerUp(command: Command, cli: Cli): void {
  command
    .description(
      'Runs everything: the dashboard and the API (at PORT), the database, the search service and a worker. ' +
        'Press Ctrl-C to stop.',
    )
    .addHelpText('after', '\nNeeds no setup. For all settings, see: strandline config show\n')
    .action(() => runUp(cli));
}

/** Prints what it uses, then one line per run, until it is asked to end and current runs have finished. */
async function runUp(cli: Cli): Promise<void> {
  limitHeapGrowth();
  const ending = listenForShutdown();
  const config = cli.config();
  const log = cli.log();
  const { bold, dim } = cli.page;
  const print = (...lines: string[]) => void cli.out.write(`${lines.join('\n')}\n`);
  print(`${bold('strandline')} ${VERSION}`, '');
  const note = (line: string) => cli.page.wrapHint(line, cli.page.width).map(dim);
  if (cli.page.live) print(dim('  Starting the database…'));
  const opening = openWithDbRetry({
    config,
    log,
    role: 'owner',
    openService: true,
    ending,
    healthAt: config.http,
  }).catch(async (error: unknown) => {
    ending.release();
    throw await nameRunningDashboard(error, config.dataDir);
  });
  // Modules load while the database starts in another process.
  const loading = Promise.all([import('../app/web-server.ts'), import('../worker/worker.ts'), loadService()]);
  const [program, [{ startWeb }, { readIdleReason, startWorker }]] = await Promise.all([opening, loading]);
  if (program === null) return ending.release();
  let web: WebServer | undefined;
  let commands: CommandServer | null = null;
  let sandbox: Program | null = null;
  try {
    const beside = await openSandbox({ config, log, role: 'owner' }, program);
    sandbox = beside.program;
    // The service first: a dashboard that moves to the next port must not take the service's.
    const service = await program.services.local();
    let worker: RunningWorker | undefined;
    const idle = () => readIdleReason(worker);
    web = await startWeb({ ...program, idle }, sandbox);
    commands = await serveCommands({ real: program, sandbox }, config.http.baseUrl ?? web.url, {
      run: cli.run,
      onReport: (report) => printReport(cli, program, report),
    });
    print(`  ${bold('dashboard')}   ${describeDashboard(program, web)}`);
    const consequence = describeWatchConsequence(config.hosted !== undefined);
    const state = await program.ctx.ownSources();
    const sources = describeSources(await program.services.probe(), state, consequence);
    const missing = describeMissingTools(await program.services.missingTools('own'));
    if (missing !== '' && state === 'answering') sources.push(`not searched: ${missing}`);
    const setup = [
      ...describeSetup(program, service, sources),
      `  sandbox     ${describeSandbox(beside, web)}`,
      ...(await listWarnings(program, cli.page)),
    ];
    print(...setup.flatMap((line) => wrapFact(line, cli.page)), '');
    const sample = sandbox === null ? null : await createSampleTopic(sandbox.ctx, SAMPLE_TOPIC);
    program.services.watchSources((probed) =>
      print(...note(`  sources     ${describeReachable(probed, config.hosted !== undefined)}`)),
    );
    const firstRuns = createCountdown(sample?.created.length ?? 0);
    const shown = new Set<Promise<void>>();
    const start = async (of: Program) => {
      const isNews = createWaitFilter();
      return startWorker(of.ctx, await of.backend(), VERSION, (report) => {
        if (!isNews(report)) return;
        const showing = printReport(cli, of, report).finally(() => {
          shown.delete(showing);
          firstRuns.count();
        });
        shown.add(showing);
      });
    };
    worker = await start(program);
    const samples = sandbox === null ? null : await runSandboxWorker(program, sandbox, {}, start);
    try {
      ending.onRepeated(() => {
        worker?.abort();
        samples?.abort();
      });
      await Promise.race([ending.requested, firstRuns.done]);
      print('', ...(await describeNextSteps(program, cli.page)).flatMap(note), '');
      await ending.requested;
      print(
        ...note(
          '  Shutting down: finishing current runs (press Ctrl-C again to stop now; they will be retried)',
        ),
      );
    } finally {
      await Promise.all([web.close(), commands?.close(), worker.drain(), samples?.drain()]);
      await Promise.all(shown);
    }
  } finally {
    ending.release();
    await web?.close();
    await commands?.close();
    await sandbox?.close();
    await program.close();
  }
  print(dim(`  Stopped. Your data is in ${describeData(program)}.`));
}

function describeDashboard({ ctx }: Program, { url, port }: WebServer): string {
  const { baseUrl, port: configured } = ctx.config.http;
  if (baseUrl !== undefined) return `${baseUrl} (listening at ${url})`;
  return port === configured || configured === 0 ? url : `${url} (${configured} was in use)`;
}

/** Where simulated data is, or why there is none. */
function describeSandbox(
  { program, notes }: Awaited<ReturnType<typeof openSandbox>>,
  { url }: WebServer,
): string {
  if (program !== null) return [`${url}/sandbox (simulated, with a sample topic)`, ...notes].join('; ');
  return notes[0] ?? `off: ${WITHOUT_SANDBOX}`;
}

function describeSetup(
  { ctx, embedded, databaseUrl, notes }: Program,
  service: LocalService,
  sources: readonly string[],
): string[] {
  const { hosted } = ctx.config;
  const configured = ctx.config.service.port;
  const { hostname, port, pathname } = new URL(databaseUrl);
  const database =
    embedded === null
      ? `${decodeURIComponent(pathname.slice(1))} at ${hostname}:${port === '' ? '5432' : port}`
      : `PostgreSQL ${embedded.version}, embedded, on port ${embedded.port}${embedded.adopted ? '; already running' : ''}`;
  const moved = service.port === configured || configured === 0 ? '' : ` (${configured} was in use)`;
  const [firstSource = '', ...otherSources] = sources;
  const perDay = readCallsPerDay(ctx.config, 'hosted');
  return [
    `  data        ${describeDataDir(ctx.config.dataDir)}`,
    `  database    ${database}`,
    `  queue       BullMQ on ${ctx.queue.kind === 'redis' ? 'Redis' : 'Postgres'}`,
    `  service     ${service.url}${moved}`,
    `  sources     ${firstSource}`,
    ...otherSources.map((line) => `              ${line}`),
    ...(hosted === undefined ? [] : [`  hosted      ${new URL(hosted.url).host}`]),
    `  paid calls  ${hosted === undefined ? 'none (no paid service configured)' : `at most ${perDay} a day (CALLS_PER_DAY)`}`,
    ...notes.map((note) => `  note        ${note}`),
  ];
}

function describeDataDir(dataDir: string): string {
  const data = path.relative('', dataDir);
  return data === '' || data.startsWith('..') ? dataDir : data;
}

function describeData({ ctx, embedded, databaseUrl }: Program): string {
  return embedded === null ? describeDatabase(databaseUrl) : describeDataDir(ctx.config.dataDir);
}

/** Wraps the value of a labeled line below itself. */
function wrapFact(line: string, { width, wrapHint }: Terminal): string[] {
  const room = width - LABEL_WIDTH;
  const label = line.slice(0, LABEL_WIDTH);
  return wrapHint(line.slice(LABEL_WIDTH).trimStart(), room < 20 ? Number.POSITIVE_INFINITY : room).map(
    (part, i) => `${i === 0 ? label : ' '.repeat(LABEL_WIDTH)}${part}`,
  );
}

const LABEL_WIDTH = 14;

/** A second server is refused; the address of the first is what a person needs next. */
async function nameRunningDashboard(failure: unknown, dataDir: string): Promise<unknown> {
  if (!(failure instanceof Refused) || failure.kind !== 'conflict') return failure;
  const { dashboard = null } = (await findServer(dataDir).catch(() => undefined)) ?? {};
  return dashboard === null
    ? failure
    : new Refused('conflict', `${failure.message} Its dashboard: ${dashboard}`);
}

async function listWarnings(program: Program, page: TerminalPage): Promise<string[]> {
  // Those without a key are among the sources.
  const silent = (await readSilentTools(program.ctx.db, {})).filter(({ reason }) => !isUnconfigured(reason));
  const outdated = await describeOutdatedLinks(program.ctx);
  return [
    ...describeSilences(silent, page).map((line) => `  tools       ${line}`),
    ...(await listStranded(program)),
    ...(outdated === null ? [] : [`  note        ${outdated}; run: strandline links rekey`]),
  ];
}

async function listStranded({ ctx }: Program): Promise<string[]> {
  if (ctx.config.hosted !== undefined) return [];
  const searches = await listSearches(ctx.db.pool);
  const stranded = searches.filter(
    ({ service_kind, state }) => service_kind === 'hosted' && state === 'active',
  ).length;
  if (stranded === 0) return [];
  const fail = stranded === 1 ? 'search of the hosted service fails' : 'searches of the hosted service fail';
  return [`  note        ${stranded} ${fail} until you set SEARCH_API_URL`];
}

async function printReport({ page, out }: Cli, { ctx }: Program, report: RunReport): Promise<void> {
  try {
    const fresh = report.status === 'succeeded' && !report.diff.baseline;
    const highlights = fresh ? await readHighlights(ctx.db, report.diff) : [];
    const coverage = await describeRunTools(ctx, report.runId, page);
    const lines = renderRunReport(report, { highlights, coverage }, ctx.clock.now(), page);
    await out.write(`${lines.join('\n')}\n`);
  } catch (error) {
    ctx.log.warn({ err: error }, 'printing a run failed');
  }
}

async function describeNextSteps({ ctx }: Program, { live, zone }: TerminalPage): Promise<string[]> {
  // A slot in the past belongs to a demo that is being simulated, or is about to run.
  const now = ctx.clock.now();
  const slots = (await readNextSlots(ctx.db, 50)).filter(({ next_due_at }) => next_due_at > now).slice(0, 3);
  const next = slots.map(
    (slot) => `  next  ${formatSlot(slot.next_due_at, live ? zone : slot.tz)}  ${slot.search}`,
  );
  return [
    ...(next.length === 0 ? ['  Nothing is watched yet.'] : next),
    '',
    '  watch a topic     strandline watch "your words"',
    '  see what is new   strandline new --follow',
    '  stop              Ctrl-C',
  ];
}

/** A run that waits for a source asks every minute; only the first time is worth a line. */
function createWaitFilter(): (report: RunReport) => boolean {
  const waiting = new Set<RunReport['runId']>();
  return (report) => {
    const waits = report.status === 'retry' && report.code === 'sources_down' && report.isWaiting;
    if (!waits) waiting.delete(report.runId);
    else if (waiting.has(report.runId)) return false;
    else waiting.add(report.runId);
    return true;
  };
}

/** Resolves when the count reaches zero. */
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
