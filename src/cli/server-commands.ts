/** The parts of `up` as separate processes, for more than one machine. They log JSON lines. */
import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { createLogger, type Logger } from '../platform/logger.ts';
import { openDatabaseAccess } from '../app/database-access.ts';
import { assertSources } from '../app/source-variables.ts';
import {
  openProgram,
  openPrograms,
  type Program,
  type ProgramOptions,
  type Programs,
} from '../app/program.ts';
import { runSandboxWorker } from '../app/sandbox-worker.ts';
import { describeDatabase, migrate } from '../store/db/migrate.ts';
import { VERSION } from '../config/version.ts';
import type { ListenOptions, RouteContext, WebServer } from '../app/web-server.ts';
import type { RunningWorker } from '../worker/worker.ts';
import { API_CONSEQUENCE, describeSources, limitHeapGrowth, openWithDbRetry } from './server-startup.ts';
import type { Cli } from './command-context.ts';
import { type CommandServer, serveCommands } from './command-server.ts';
import { registerServiceKey } from './token-views.ts';
import { listenForShutdown, type ShutdownRequest } from './process-exit.ts';

export function registerWorker(command: Command, cli: Cli): void {
  command
    .description(
      'Executes runs when they are due. Any number of workers can share one Postgres and one Redis.',
    )
    .action(() => runWorker(cli));
}

export function registerApi(command: Command, cli: Cli): void {
  command
    .description(
      'Runs only the API and the dashboard, at HOST and PORT. An address other than loopback requires a token: ' +
        'see `token create`.',
    )
    .action(() => runApi(cli));
}

export function registerService(command: Command, cli: Cli): void {
  command
    .description(
      'Runs only the search service, at SERVICE_PORT. Keys: `service key create`, or SERVICE_API_KEYS.',
    )
    .action(() => runService(cli));
  registerServiceKey(command, cli);
}

export function registerMigrate(command: Command, cli: Cli): void {
  command
    .description(
      'Creates or updates the schema of the database in DATABASE_URL, or of the embedded one: tables, queue, reader role.',
    )
    .action(() => migrateDatabase(cli));
}

async function runWorker(cli: Cli): Promise<void> {
  limitHeapGrowth();
  const ending = listenForShutdown();
  const programs = await openServer(cli, ending, openPrograms, { role: 'owner' });
  if (programs === null) return;
  const { real: program, sandbox } = programs;
  const { log } = program.ctx;
  let metrics: WebServer | undefined;
  let commands: CommandServer | null = null;
  try {
    logNotes(programs);
    const { readIdleReason, startWorker } = await import('../worker/worker.ts');
    let running: RunningWorker | undefined;
    metrics = await startMetricsServer({ ...program, idle: () => readIdleReason(running) });
    const start = async (of: Program) => startWorker(of.ctx, await of.backend(), VERSION);
    running = await start(program);
    const samples = sandbox === null ? null : await runSandboxWorker(program, sandbox, {}, start);
    commands = await serveCommands({ real: program, sandbox }, null);
    // Logs when sources are reachable; runs that wait ask by themselves.
    program.services.watchSources(() => {});
    log.info(
      {
        worker: program.ctx.worker,
        queue: program.ctx.queue.kind,
        concurrency: program.ctx.config.workerConcurrency,
      },
      'worker started',
    );
    ending.onRepeated(() => {
      running?.abort();
      samples?.abort();
    });
    const signal = await ending.requested;
    log.info({ signal }, 'worker shutting down');
    await Promise.all([commands?.close(), running.drain(), samples?.drain()]);
  } finally {
    ending.release();
    await commands?.close();
    await metrics?.close();
    await programs.close();
  }
}

/** Logs what an administrator should know. */
function logNotes({ real, sandboxNotes }: Programs): void {
  const { log } = real.ctx;
  for (const note of real.notes) log.warn({ note }, 'note');
  for (const note of sandboxNotes) log.warn({ note }, 'note about the sandbox');
}

async function runApi(cli: Cli): Promise<void> {
  const ending = listenForShutdown();
  const programs = await openServer(cli, ending, openPrograms, {
    role: 'guest',
    healthAt: cli.config().http,
  });
  if (programs === null) return;
  const { log } = programs.real.ctx;
  try {
    logNotes(programs);
    const { startWeb } = await import('../app/web-server.ts');
    const web = await startWeb(programs.real, programs.sandbox);
    log.info({ address: web.url }, 'web server started');
    const signal = await ending.requested;
    log.info({ signal }, 'web server shutting down');
    await web.close();
  } finally {
    ending.release();
    await programs.close();
  }
}

async function runService(cli: Cli): Promise<void> {
  const ending = listenForShutdown();
  const program = await openServer(cli, ending, openProgram, { role: 'guest', openService: true });
  if (program === null) return;
  let metrics: WebServer | undefined;
  try {
    const { url, port } = await program.services.local();
    metrics = await startMetricsServer(program);
    const { service: configured } = program.ctx.config;
    if (port !== configured.port && configured.port !== 0)
      cli.say(`port ${configured.port} is in use; using ${port}`);
    cli.say(`Search service: ${url}/search/... and ${url}/desearch/...`);
    const probed = await program.services.probe();
    for (const line of describeSources(probed, await program.ctx.ownSources(), API_CONSEQUENCE))
      cli.say(`  ${line}`);
    program.services.watchSources(() => cli.say(`  sources are reachable now: ${API_CONSEQUENCE.answering}`));
    if (program.ctx.config.service.keys.length === 0) cli.say('Create a key: strandline service key create');
    await ending.requested;
  } finally {
    ending.release();
    await metrics?.close();
    await program.close();
  }
}

async function migrateDatabase(cli: Cli): Promise<void> {
  const config = cli.config();
  const log = cli.log();
  const database = await openDatabaseAccess({ config, log, role: 'guest', kind: cli.page.kind });
  try {
    const { url, readerUrl } = database;
    cli.say(`Migrating ${describeDatabase(url)}`);
    const appRole = cli.page.kind === 'real' ? config.databaseAppRole : undefined;
    const reader = readerUrl() ?? undefined;
    const { applied, notes } = await migrate({ url, kind: cli.page.kind, readerUrl: reader, appRole, log });
    for (const note of [...database.notes, ...notes]) cli.say(`note: ${note}`);
    cli.say(applied.length === 0 ? 'Already up to date.' : `Applied: ${applied.join(', ')}`);
  } finally {
    await database.close();
  }
}

type ServerOptions = { role: 'owner' | 'guest'; openService?: boolean; healthAt?: ListenOptions };

/** @param opening.healthAt default: `METRICS_PORT` @returns null if it was asked to end before the database was reachable */
async function openServer<Opened>(
  cli: Cli,
  ending: ShutdownRequest,
  open: (options: ProgramOptions) => Promise<Opened>,
  opening: ServerOptions,
): Promise<Opened | null> {
  const config = cli.config();
  let opened: Opened | null = null;
  try {
    await assertSources(config);
    opened = await openWithDbRetry({
      open,
      config,
      log: createServerLog(cli),
      ending,
      healthAt: readMetricsAddress(config),
      ...opening,
    });
    return opened;
  } finally {
    if (opened === null) ending.release();
  }
}

/** Serves metrics at `METRICS_HOST` and `METRICS_PORT`, if the port is set. */
async function startMetricsServer(program: RouteContext): Promise<WebServer | undefined> {
  const { config, log } = program.ctx;
  const at = readMetricsAddress(config);
  if (at === undefined) return undefined;
  const { startMetrics } = await import('../app/web-server.ts');
  const server = await startMetrics(program, at);
  log.info({ address: `${server.url}/metrics` }, 'metrics server started');
  return server;
}

/** The address of metrics and health in processes without a web server. */
function readMetricsAddress({ metrics: { host, port } }: Config): ListenOptions | undefined {
  return port === undefined ? undefined : { host, port, portAsked: true, portVariable: 'METRICS_PORT' };
}

/** Servers log at `info` by default, commands at `warn`. */
function createServerLog(cli: Cli): Logger {
  const config = cli.config();
  return createLogger(config.logLevel ?? 'info', config.secrets);
}
