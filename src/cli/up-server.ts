import path from 'node:path';
import { readCallsPerDay } from '../config/config.ts';
import { type DatabaseAccess, WITHOUT_SANDBOX } from '../app/database-access.ts';
import { openPrograms, type Program, type Programs } from '../app/program.ts';
import { type SamplePast, startSamplePast } from '../app/sample-past.ts';
import { runSandboxWorker } from '../app/sandbox-worker.ts';
import { createToken, OPERATOR } from '../monitor/access/manage-tokens.ts';
import type { RunReport } from '../monitor/runs/run-end.ts';
import { hasTokens } from '../store/access/tokens.ts';
import { formatSlot } from '../monitor/schedule/schedule-text.ts';
import { describeMissingTools } from '../monitor/topics/tool-sources.ts';
import { createSampleTopic } from '../monitor/topics/save-topic.ts';
import { readHighlights } from '../store/queries/highlights.ts';
import { describeDatabase } from '../store/db/migrate.ts';
import { Refused } from '../model/errors.ts';
import type { Context } from '../monitor/context.ts';
import { isUnconfigured } from '../model/tool-coverage.ts';
import { readUnresponsiveTools } from '../store/queries/run-tools.ts';
import { readNextSlots } from '../store/queries/search-list.ts';
import { listSearches } from '../store/topics/searches.ts';
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
import { describeRunTools } from './local-runs.ts';
import { createDayFormat } from './value-formatting.ts';
import { describeUnresponsiveTools } from './reply-notices.ts';
import { renderRunReport } from './run-rendering.ts';
import type { ShutdownRequest } from './process-exit.ts';
import { findServer } from './running-server.ts';
import type { Terminal, TerminalPage } from './terminal-io.ts';

/**
 * Runs everything, and prints what it uses, then one line per run, until it is asked to end and current runs have finished.
 * @param database what it runs on, which may still be starting
 */
export async function runUp(
  cli: Cli,
  database: Promise<DatabaseAccess>,
  ending: ShutdownRequest,
  { createToken: createsToken = false }: UpOptions = {},
): Promise<void> {
  limitHeapGrowth();
  const config = cli.config();
  const log = cli.log();
  const { page } = cli;
  const print = (...lines: string[]) => void cli.out.write(`${lines.join('\n')}\n`);
  const note = (line: string) => page.wrapHint(line, page.width).map(page.dim);
  const opening = openWithDbRetry({
    open: openPrograms,
    config,
    log,
    role: 'owner',
    openService: true,
    database,
    ending,
    healthAt: config.http,
  }).catch(async (error: unknown) => {
    throw await nameRunningDashboard(error, config.dataDir);
  });
  const loading = Promise.all([import('../app/web-server.ts'), import('../worker/worker.ts'), loadService()]);
  const [programs, [{ startWeb }, { readIdleReason, startWorker }]] = await Promise.all([opening, loading]);
  if (programs === null) return;
  const { real, sandbox } = programs;
  const reports = createReportPrinter(cli);
  const start = async (program: Program) => {
    const isNews = createWaitFilter();
    return startWorker(program.ctx, await program.backend(), VERSION, (report) => {
      if (isNews(report)) void reports.add(program.ctx, report);
    });
  };
  let web: WebServer | undefined;
  let commands: CommandServer | null = null;
  let worker: RunningWorker | undefined;
  let sample: Promise<Sample> | undefined;
  try {
    const serving = real.services.local();
    // The sample's first runs take a second, in which the rest starts.
    if (sandbox !== null) sample = startSample(real, sandbox, start);
    sample?.catch(() => {});
    // Before the dashboard: one that moves to the next port must not take the service's.
    const service = await serving;
    // Before the server starts: it refuses an address that others can reach while there is no token.
    const tokens = createsToken ? await createFirstTokens(programs) : [];
    web = await startWeb({ ...real, idle: () => readIdleReason(worker) }, sandbox);
    commands = await serveCommands({ real, sandbox }, config.http.baseUrl ?? web.url);
    print(`  ${page.bold('dashboard')}   ${describeDashboard(real, web)}`);
    const consequence = describeWatchConsequence(config.hosted !== undefined);
    const state = await real.ctx.ownSources();
    const sources = describeSources(await real.services.probe(), state, consequence);
    const missing = describeMissingTools(await real.services.missingTools('own'));
    if (missing !== '' && state === 'answering') sources.push(`not searched: ${missing}`);
    const setup = [
      ...describeSetup(real, service, sources),
      `  sandbox     ${describeSandbox(programs, web)}`,
      ...(await listWarnings(real, page)),
    ];
    print(...setup.flatMap((line) => wrapFact(line, page)), ...tokens, '');
    real.services.watchSources((probed) =>
      print(...note(`  sources     ${describeReachable(probed, config.hosted !== undefined)}`)),
    );
    reports.begin();
    worker = await start(real);
    const samples = await sample;
    ending.onRepeated(() => {
      worker?.abort();
      samples?.worker.abort();
    });
    await Promise.race([ending.requested, reports.printed(samples?.firstRuns ?? 0)]);
    print('', ...(await describeNextSteps(real, page)).flatMap(note), '');
    await ending.requested;
    print(
      ...note(
        '  Shutting down: finishing current runs (press Ctrl-C again to stop now; they will be retried)',
      ),
    );
  } finally {
    const samples = await sample?.catch(() => undefined);
    await Promise.all([
      web?.close(),
      commands?.close(),
      worker?.drain(),
      samples?.worker.drain(),
      samples?.past.close(),
    ]);
    await reports.end();
    ending.release();
    await programs.close();
  }
  print(page.dim(`  Stopped. Your data is in ${describeData(real)}.`));
}

export type UpOptions = { createToken?: boolean };

/** A token with all scopes for each database that has none. @returns lines that show them, and where to use them */
async function createFirstTokens({ real, sandbox }: Programs): Promise<string[]> {
  const lines: string[] = [];
  for (const { ctx } of sandbox === null ? [real] : [real, sandbox]) {
    if (await hasTokens(ctx.db)) continue;
    const acting = { ...ctx, actor: { kind: 'program', name: 'first start' } } as const;
    const { key } = await createToken(acting, { name: 'first', scopes: ['admin'] }, OPERATOR);
    lines.push(ctx.kind === 'real' ? `  token       ${key}` : `  in /sandbox ${key}`);
  }
  return lines.length === 0 ? [] : [...lines, '              shown once: keep it, and sign in with it'];
}

type Sample = {
  /** First runs that were just created. */
  firstRuns: number;
  worker: Awaited<ReturnType<typeof runSandboxWorker>>;
  past: SamplePast;
};

async function startSample(
  real: Program,
  sandbox: Program,
  start: (program: Program) => Promise<RunningWorker>,
): Promise<Sample> {
  const sample = await createSampleTopic(sandbox.ctx, SAMPLE_TOPIC);
  const past = startSamplePast(sandbox);
  return {
    firstRuns: sample?.created.length ?? 0,
    worker: await runSandboxWorker(real, sandbox, {}, start),
    past,
  };
}

function describeDashboard({ ctx }: Program, { url, port }: WebServer): string {
  const { baseUrl, port: configured } = ctx.config.http;
  if (baseUrl !== undefined) return `${baseUrl} (listening at ${url})`;
  return port === configured || configured === 0 ? url : `${url} (${configured} was in use)`;
}

/** Where simulated data is, or why there is none. */
function describeSandbox({ sandbox, sandboxNotes }: Programs, { url }: WebServer): string {
  if (sandbox !== null) return [`${url}/sandbox (simulated data)`, ...sandboxNotes].join('; ');
  return sandboxNotes[0] ?? `off: ${WITHOUT_SANDBOX}`;
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
  const tools = (await readUnresponsiveTools(program.ctx.db, {})).filter(
    ({ reason }) => !isUnconfigured(reason),
  );
  return [
    ...describeUnresponsiveTools(tools, page).map((line) => `  tools       ${line}`),
    ...(await listStranded(program)),
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

/** Prints reports of runs, from {@link begin} on. */
type ReportPrinter = {
  /** Resolves when the report was printed. */
  add(ctx: Context, report: RunReport): Promise<void>;
  begin(): void;
  /** Resolves when this many reports were printed. */
  printed(count: number): Promise<void>;
  /** Waits for what is being printed; without a beginning, nothing is. */
  end(): Promise<void>;
};

function createReportPrinter(cli: Cli): ReportPrinter {
  const pending = new Set<Promise<void>>();
  let decide = (_prints: boolean) => {};
  const prints = new Promise<boolean>((resolve) => {
    decide = resolve;
  });
  let count = 0;
  let onPrinted = () => {};

  async function print(ctx: Context, report: RunReport): Promise<void> {
    if (!(await prints)) return;
    await printReport(cli, ctx, report);
    count += 1;
    onPrinted();
  }

  return {
    add: async (ctx, report) => {
      const printing = print(ctx, report).finally(() => pending.delete(printing));
      pending.add(printing);
      await printing;
    },
    begin: () => decide(true),
    printed: (wanted) =>
      new Promise((resolve) => {
        onPrinted = () => {
          if (count >= wanted) resolve();
        };
        onPrinted();
      }),
    end: async () => {
      decide(false);
      await Promise.all(pending);
    },
  };
}

async function printReport({ page, out }: Cli, ctx: Context, report: RunReport): Promise<void> {
  try {
    const fresh = report.status === 'succeeded' && !report.diff.baseline;
    const highlights = fresh ? await readHighlights(ctx.db, report.diff) : [];
    const coverage = await describeRunTools(ctx, report.runId, createDayFormat(page));
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
