/** The parts of `up`, each as a process of its own, for more than one machine. They log as JSON lines. */
import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { createLogger, type Logger } from '../platform/logger.ts';
import type { Program } from '../app/program.ts';
import { assertNamedSources } from '../app/source-variables.ts';
import { describeDatabase, migrate } from '../store/migrate.ts';
import { VERSION } from '../config/version.ts';
import type { ListenOptions, RouteContext, WebServer } from '../app/web-server.ts';
import type { RunningWorker } from '../worker/worker.ts';
import { API_CONSEQUENCE, describeSources, limitHeapGrowth, openWithDbRetry } from './server-startup.ts';
import type { Cli } from './command-context.ts';
import { registerServiceKey } from './token-commands.ts';
import { listenForShutdown, type ShutdownRequest } from './process-exit.ts';

export function registerWorker(command: Command, cli: Cli): void {
  command
    .description('Takes up runs as they come due. Any number of workers share one Postgres and one Redis.')
    .action(() => runWorker(cli));
}

export function registerApi(command: Command, cli: Cli): void {
  command
    .description(
      'Runs the API and the dashboard alone, at HOST and PORT. Bound elsewhere than to this machine it needs a token ' +
        'first: see `token create`.',
    )
    .action(() => runApi(cli));
}

export function registerService(command: Command, cli: Cli): void {
  command
    .description(
      'Runs the search service alone, at SERVICE_PORT. Keys: `service key create`, or SERVICE_API_KEYS.',
    )
    .action(() => runService(cli));
  registerServiceKey(command, cli);
}

export function registerMigrate(command: Command, cli: Cli): void {
  command
    .description(
      'Brings the database that DATABASE_URL names (or the embedded one) up to date: our tables, the queue, the reader.',
    )
    .action(() => migrateDatabase(cli));
}

async function runWorker(cli: Cli): Promise<void> {
  limitHeapGrowth();
  const ending = listenForShutdown();
  const program = await openServer(cli, ending, { role: 'owner' });
  if (program === null) return;
  const { log } = program.ctx;
  let metrics: WebServer | undefined;
  try {
    for (const note of program.notes) log.warn({ note }, 'note');
    const { readIdleReason, startWorker } = await import('../worker/worker.ts');
    let running: RunningWorker | undefined;
    metrics = await startMetricsServer({ ...program, idle: () => readIdleReason(running) });
    running = await startWorker(program.ctx, await program.backend(), VERSION);
    log.info(
      {
        worker: program.ctx.worker,
        queue: program.ctx.queue.kind,
        concurrency: program.ctx.config.workerConcurrency,
      },
      'worker takes runs',
    );
    ending.onRepeated(() => running?.abort());
    const signal = await ending.requested;
    log.info({ signal }, 'worker drains');
    await running.drain();
  } finally {
    ending.release();
    await metrics?.close();
    await program.close();
  }
}

async function runApi(cli: Cli): Promise<void> {
  const ending = listenForShutdown();
  const program = await openServer(cli, ending, { role: 'guest', healthAt: cli.config().http });
  if (program === null) return;
  const { log } = program.ctx;
  try {
    for (const note of program.notes) log.warn({ note }, 'note');
    const { startWeb } = await import('../app/web-server.ts');
    const web = await startWeb(program);
    log.info({ address: web.url }, 'the API and the dashboard listen');
    const signal = await ending.requested;
    log.info({ signal }, 'the API and the dashboard drain');
    await web.close();
  } finally {
    ending.release();
    await program.close();
  }
}

async function runService(cli: Cli): Promise<void> {
  const ending = listenForShutdown();
  const program = await openServer(cli, ending, { role: 'guest', openService: true });
  if (program === null) return;
  let metrics: WebServer | undefined;
  try {
    const { url, port, root } = await program.services.local();
    metrics = await startMetricsServer(program);
    const { service: configured } = program.ctx.config;
    if (port !== configured.port && configured.port !== 0)
      cli.say(`port ${configured.port} was taken; it is ${port}`);
    cli.say(`the search service answers at ${url}/search/... and ${url}/desearch/...`);
    for (const line of describeSources(await program.services.probe(), root, API_CONSEQUENCE))
      cli.say(`  ${line}`);
    if (program.ctx.config.service.keys.length === 0)
      cli.say('keys: those made by `strandline service key create`');
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
  await assertNamedSources(config);
  if (config.databaseUrl === undefined) {
    await cli.withProgram(async (program) => {
      cli.say(`${describeDatabase(program.databaseUrl)} is up to date`);
      await Promise.resolve();
    });
    return;
  }
  cli.say(`migrating ${describeDatabase(config.databaseUrl)}`);
  const { applied, notes } = await migrate({
    url: config.databaseUrl,
    readerUrl: config.databaseReaderUrl,
    appRole: config.databaseAppRole,
    log,
  });
  for (const note of notes) cli.say(`note: ${note}`);
  cli.say(applied.length === 0 ? 'it was up to date' : `applied: ${applied.join(', ')}`);
}

type ServerOptions = { role: 'owner' | 'guest'; openService?: boolean; healthAt?: ListenOptions };

/** @param opening.healthAt at `METRICS_PORT`, unless said @returns null where it was asked to end before there was a database */
async function openServer(
  cli: Cli,
  ending: ShutdownRequest,
  opening: ServerOptions,
): Promise<Program | null> {
  const config = cli.config();
  const program = await openWithDbRetry({
    config,
    log: createServerLog(cli),
    ending,
    healthAt: readMetricsAddress(config),
    ...opening,
  });
  if (program === null) ending.release();
  return program;
}

/** At `METRICS_HOST` and `METRICS_PORT`, where the latter is set. */
async function startMetricsServer(program: RouteContext): Promise<WebServer | undefined> {
  const { config, log } = program.ctx;
  const at = readMetricsAddress(config);
  if (at === undefined) return undefined;
  const { startMetrics } = await import('../app/web-server.ts');
  const server = await startMetrics(program, at);
  log.info({ address: `${server.url}/metrics` }, 'figures are told');
  return server;
}

/** Where a process without a server of its own serves metrics and health; others than this machine need a token. */
function readMetricsAddress({ metrics: { host, port } }: Config): ListenOptions | undefined {
  return port === undefined ? undefined : { host, port, portAsked: true };
}

/** Servers say what they do; commands only what is wrong. */
function createServerLog(cli: Cli): Logger {
  const config = cli.config();
  return createLogger(config.logLevel ?? 'info', config.secrets);
}
