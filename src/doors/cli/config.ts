import type { Command } from 'commander';
import { callsPerDayOf, type Config } from '../../config.ts';
import type { Cli } from './cli.ts';
import { maskUrl } from './secrets.ts';
import type { Env } from './io.ts';
import { table } from './table.ts';

type Value = string | number | null;

export type Setting = { name: string; value: Value; from: 'environment' | 'file' | 'default' };

export function registerConfig(program: Command, cli: Cli): void {
  const config = program.command('config').summary('configuration: show').description('The configuration.');
  config
    .command('show')
    .description('show what holds, and where it comes from; secrets are masked')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const settings = settingsOf(cli.config(), cli.io.env);
      const { unknown } = cli.page;
      await cli.show(options.json, settings, () =>
        table(
          settings,
          [
            { head: 'variable', cell: ({ name }) => name },
            {
              head: 'from',
              cell: ({ from }) => from,
              paint: (shown) => (shown === 'default' ? cli.page.dim(shown) : shown),
            },
            {
              head: 'value',
              cell: ({ value }) => (value === null ? unknown : String(value)),
              elastic: 1,
              least: 24,
              wraps: true,
            },
          ],
          cli.page,
        ),
      );
    });
}

/** Every variable with what holds for it. */
export function settingsOf(config: Config, env: Env): Setting[] {
  return VARIABLES.map(([name, read]) => ({ name, value: read(config), from: originOf(name, env) }));
}

const seconds = (ms: number) => ms / 1_000;
const url = (address: string | undefined) => (address === undefined ? null : maskUrl(address));
const MASK = '(hidden)';

/** How a time limit splits into a model's time and the grace cannot be told from their sum: the sum is shown. */
const VARIABLES: readonly (readonly [name: string, read: (config: Config) => Value])[] = [
  ['DATABASE_URL', (c) => url(c.databaseUrl)],
  ['DATABASE_READER_URL', (c) => url(c.databaseReaderUrl)],
  ['REDIS_URL', (c) => url(c.redisUrl)],
  ['STRANDLINE_DATA_DIR', (c) => c.dataDir],
  ['SEARCH_API_URL', (c) => url(c.hosted?.url)],
  ['SEARCH_API_PREFIX', (c) => c.hosted?.prefix ?? null],
  ['SEARCH_API_KEY', (c) => (c.hosted?.key === undefined ? null : MASK)],
  ['SEARCH_API_NAMES', (c) => c.hosted?.names ?? null],
  ['SERVICE_PORT', (c) => c.service.port],
  ['SERVICE_API_KEYS', (c) => (c.service.keys.length === 0 ? null : `${c.service.keys.length} ${MASK}`)],
  ['SERVICE_SOURCES', (c) => c.service.sources],
  ['HOST', (c) => c.http.host],
  ['PORT', (c) => c.http.port],
  ['BASE_URL', (c) => url(c.http.baseUrl)],
  ['LOG_LEVEL', (c) => c.logLevel ?? 'warn'],
  ['WORKER_CONCURRENCY', (c) => c.workerConcurrency],
  ['CALLS_PER_MINUTE', (c) => c.callsPerMinute ?? null],
  ['CALLS_PER_DAY', (c) => callsPerDayOf(c, 'hosted')],
  ['MAX_CALLS_PER_RUN', (c) => c.maxCallsPerRun],
  ['RUN_LEASE_SECONDS', (c) => seconds(c.leaseMs)],
  ['RECONCILE_SECONDS', (c) => seconds(c.reconcileMs)],
  ['NOVA_SECONDS', (c) => `${seconds(c.callTimeoutMs.NOVA)} with grace`],
  ['ORBIT_SECONDS', (c) => `${seconds(c.callTimeoutMs.ORBIT)} with grace`],
  ['HORIZON_SECONDS', (c) => `${seconds(c.callTimeoutMs.HORIZON)} with grace`],
  ['MAX_ANSWER_BYTES', (c) => c.maxAnswerBytes],
  ['ANSWER_DAYS', (c) => c.answerDays],
];

function originOf(name: string, env: Env): Setting['from'] {
  const isSet = (variable: string) => (env[variable] ?? '').trim() !== '';
  if (isSet(name)) return 'environment';
  return isSet(`${name}_FILE`) ? 'file' : 'default';
}
