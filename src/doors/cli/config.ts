import type { Command } from 'commander';
import { callsPerDayOf, type Config, readConfig } from '../../config.ts';
import { SECOND } from '../../engine/clock.ts';
import type { Cli } from './cli.ts';
import { maskUrl } from '../../contract/mask-url.ts';
import { MASK } from './secrets.ts';
import type { Env } from './io.ts';
import { SERVICE_VARIABLES, type Value, type Variable } from './config-of-service.ts';
import { table } from './table.ts';

export type Setting = {
  name: string;
  value: Value;
  unit: string | null;
  from: 'environment' | 'file' | 'default';
  note: string | null;
};

export function registerConfig(config: Command, cli: Cli): void {
  config.description('The configuration.');
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
              cell: (setting) => inWords(setting, unknown),
              elastic: 1,
              least: 24,
              wraps: true,
            },
          ],
          cli.page,
        ),
      );
      if (options.json !== true)
        cli.say('what holds in this environment; a process that was started in another has its own');
    });
}

/** Every variable with what holds for it. */
export function settingsOf(config: Config, env: Env): Setting[] {
  const graceMs = graceOf(env);
  return VARIABLES.map(([name, read, unit = null]) => {
    const from = originOf(name, env);
    const value = read(config, graceMs);
    if (name === 'SEARCH_API_KEY' && from !== 'default' && config.hosted === undefined)
      return { name, value: MASK, unit, from, note: 'unused: SEARCH_API_URL is not set' };
    return { name, value, unit, from, note: value === null ? (WITHOUT[name] ?? null) : null };
  });
}

/** The configuration knows time limits with the grace in them: it is what a limit of one second has more. */
function graceOf(env: Env): number {
  return readConfig({ GRACE_SECONDS: env['GRACE_SECONDS'], NOVA_SECONDS: '1' }).callTimeoutMs.NOVA - SECOND;
}

function inWords({ value, unit, note }: Setting, unknown: string): string {
  if (value === null) return note ?? unknown;
  const measured = unit === null ? String(value) : `${value.toLocaleString('en-US')} ${unit}`;
  return note === null ? measured : `${measured} (${note})`;
}

const seconds = (ms: number) => ms / SECOND;
const url = (address: string | undefined) => (address === undefined ? null : maskUrl(address));

const VARIABLES: readonly Variable[] = [
  ['DATABASE_URL', (c) => url(c.databaseUrl)],
  ['DATABASE_READER_URL', (c) => url(c.databaseReaderUrl)],
  ['DATABASE_APP_ROLE', (c) => c.databaseAppRole ?? null],
  ['REDIS_URL', (c) => url(c.redisUrl)],
  ['STRANDLINE_DATA_DIR', (c) => c.dataDir],
  ['SEARCH_API_URL', (c) => url(c.hosted?.url)],
  ['SEARCH_API_PREFIX', (c) => c.hosted?.prefix ?? null],
  ['SEARCH_API_KEY', (c) => (c.hosted?.key === undefined ? null : MASK)],
  ['SEARCH_API_NAMES', (c) => c.hosted?.names ?? null],
  ['SERVICE_PORT', (c) => c.service.port],
  ['SERVICE_API_KEYS', (c) => (c.service.keys.length === 0 ? null : `${c.service.keys.length} ${MASK}`)],
  ...SERVICE_VARIABLES,
  ['HOST', (c) => c.http.host],
  ['PORT', (c) => c.http.port],
  ['BASE_URL', (c) => url(c.http.baseUrl)],
  ['REQUESTS_PER_MINUTE', (c) => c.requestsPerMinute, 'requests per visitor'],
  ['METRICS_HOST', (c) => c.metrics.host],
  ['METRICS_PORT', (c) => c.metrics.port ?? null],
  ['MASTER_KEY', (c) => (c.masterKey === undefined ? null : MASK)],
  ['WEBHOOK_ALLOW', (c) => c.webhook.allow ?? null],
  ['WEBHOOK_SECONDS', (c) => seconds(c.webhook.timeoutMs), 's'],
  ['LOG_LEVEL', (c) => c.logLevel ?? 'warn'],
  ['WORKER_CONCURRENCY', (c) => c.workerConcurrency, 'runs at once'],
  ['CALLS_PER_MINUTE', (c) => c.callsPerMinute ?? null, 'calls per service'],
  ['CALLS_PER_DAY', (c) => callsPerDayOf(c, 'hosted'), 'calls'],
  ['MAX_CALLS_PER_RUN', (c) => c.maxCallsPerRun, 'calls'],
  ['RUN_LEASE_SECONDS', (c) => seconds(c.leaseMs), 's'],
  ['RECONCILE_SECONDS', (c) => seconds(c.heartbeatMs), 's'],
  ['NOVA_SECONDS', (c, graceMs) => seconds(c.callTimeoutMs.NOVA - graceMs), 's'],
  ['ORBIT_SECONDS', (c, graceMs) => seconds(c.callTimeoutMs.ORBIT - graceMs), 's'],
  ['HORIZON_SECONDS', (c, graceMs) => seconds(c.callTimeoutMs.HORIZON - graceMs), 's'],
  ['GRACE_SECONDS', (_config, graceMs) => seconds(graceMs), 's, added to each of these three'],
  ['MAX_ANSWER_BYTES', (c) => c.maxAnswerBytes, 'bytes'],
  ['ANSWER_DAYS', (c) => c.answerDays, 'days'],
  ['REJECT_DAYS', (c) => c.rejectDays, 'days'],
  ['MESSAGE_DAYS', (c) => c.messageDays, 'days'],
  ['AUDIT_DAYS', (c) => c.auditDays, 'days'],
  ['SNAPSHOT_DAYS', (c) => c.snapshotDays ?? null, 'days'],
];

/** What holds where a variable has no value, and that is no lack. */
const WITHOUT: Readonly<Record<string, string>> = {
  DATABASE_URL: 'an embedded Postgres in the data folder',
  DATABASE_APP_ROLE: 'one role does everything',
  REDIS_URL: 'the queue is in Postgres',
  MASTER_KEY: 'master.key in the data folder',
  CALLS_PER_MINUTE: 'no limit',
  SNAPSHOT_DAYS: 'for ever',
};

function originOf(name: string, env: Env): Setting['from'] {
  const isSet = (variable: string) => (env[variable] ?? '').trim() !== '';
  if (isSet(name)) return 'environment';
  return isSet(`${name}_FILE`) ? 'file' : 'default';
}
