/** `config show`: every variable, with its value and where it comes from. */

import { type Config, readCallsPerDay, readConfig } from '../config/config.ts';
import { maskUrl } from '../domain/link.ts';
import { SECOND } from '../domain/time.ts';
import type { Cli } from './command-context.ts';
import { MASK } from './config-secrets.ts';
import type { Env } from './terminal-io.ts';
import { renderTable } from './terminal-table.ts';
import type { Command } from 'commander';

type SettingValue = string | number | null;
type ConfigVariable = readonly [
  name: string,
  read: (config: Config, graceMs: number) => SettingValue,
  unit?: string,
];

type Setting = {
  name: string;
  value: SettingValue;
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
      const settings = listSettings(cli.config(), cli.io.env);
      const { unknown } = cli.page;
      await cli.show(options.json, settings, () =>
        renderTable(
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
              cell: (setting) => formatSetting(setting, unknown),
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
function listSettings(config: Config, env: Env): Setting[] {
  const graceMs = readGraceMs(env);
  return CONFIG_VARIABLES.map(([name, read, unit = null]) => {
    const from = findOrigin(name, env);
    const value = read(config, graceMs);
    if (name === 'SEARCH_API_KEY' && from !== 'default' && config.hosted === undefined)
      return { name, value: MASK, unit, from, note: 'unused: SEARCH_API_URL is not set' };
    return { name, value, unit, from, note: value === null ? (MEANING_WHEN_UNSET[name] ?? null) : null };
  });
}

/** The configuration knows time limits with the grace in them: it is what a limit of one second has more. */
function readGraceMs(env: Env): number {
  return readConfig({ GRACE_SECONDS: env['GRACE_SECONDS'], NOVA_SECONDS: '1' }).callTimeoutMs.NOVA - SECOND;
}

function formatSetting({ value, unit, note }: Setting, unknown: string): string {
  if (value === null) return note ?? unknown;
  const measured = unit === null ? String(value) : `${value.toLocaleString('en-US')} ${unit}`;
  return note === null ? measured : `${measured} (${note})`;
}

const toSeconds = (ms: number) => ms / SECOND;
const maskOptionalUrl = (address: string | undefined) => (address === undefined ? null : maskUrl(address));
const maskSecret = (secret: string | undefined) => (secret === undefined ? null : MASK);

/** The search service's variables, its sources' and its writer's, with what holds for each. */
const SERVICE_VARIABLES: readonly ConfigVariable[] = [
  ['SERVICE_CALLS_PER_MINUTE', (c) => c.service.callsPerMinute, 'calls of one key'],
  ['SERVICE_SOURCES', (c) => c.service.sources.wanted.join(',')],
  ['SERVICE_CONTACT', (c) => c.service.sources.contact ?? null],
  ['SERVICE_SOURCE_URLS', (c) => maskUrlPairs(c.service.sources.addresses)],
  ['SERVICE_WEB_GROUP', (c) => String(c.service.webGroup)],
  ['ENCYCLOPEDIA_LANGUAGE', (c) => c.service.sources.encyclopedia.language],
  ['ENCYCLOPEDIA_DATE_MODE', (c) => c.service.sources.encyclopedia.dates],
  ['BLUESKY_HANDLE', (c) => c.service.sources.bluesky?.handle ?? null],
  ['BLUESKY_APP_PASSWORD', (c) => maskSecret(c.service.sources.bluesky?.appPassword)],
  ['BLUESKY_SERVER', (c) => maskOptionalUrl(c.service.sources.bluesky?.server)],
  ['MASTODON_SERVER', (c) => maskOptionalUrl(c.service.sources.mastodon.server)],
  ['MASTODON_TOKEN', (c) => maskSecret(c.service.sources.mastodon.token)],
  ['X_BEARER_TOKEN', (c) => maskSecret(c.service.sources.x?.bearerToken)],
  ['X_USD_PER_DAY', (c) => c.service.sources.x?.usdPerDay ?? 0, 'dollars'],
  ['REDDIT_CLIENT_ID', (c) => c.service.sources.reddit?.clientId ?? null],
  ['REDDIT_CLIENT_SECRET', (c) => maskSecret(c.service.sources.reddit?.clientSecret)],
  ['REDDIT_USERNAME', (c) => c.service.sources.reddit?.username ?? null],
  ['LEMMY_SERVER', (c) => maskOptionalUrl(c.service.sources.lemmy?.server)],
  ['YOUTUBE_API_KEY', (c) => maskSecret(c.service.sources.youtube?.apiKey)],
  ['SEARXNG_URL', (c) => maskOptionalUrl(c.service.sources.searxng?.server)],
  ['BRAVE_API_KEY', (c) => maskSecret(c.service.sources.brave?.apiKey)],
  ['TAVILY_API_KEY', (c) => maskSecret(c.service.sources.tavily?.apiKey)],
  ['EXA_API_KEY', (c) => maskSecret(c.service.sources.exa?.apiKey)],
  ['LLM_BASE_URL', (c) => maskOptionalUrl(c.service.model?.baseUrl)],
  ['LLM_API_KEY', (c) => maskSecret(c.service.model?.apiKey)],
  ['LLM_MODEL', (c) => c.service.model?.model ?? null],
];

function maskUrlPairs(addresses: Readonly<Record<string, string>>): string | null {
  const shown = Object.entries(addresses).map(([name, address]) => `${name}=${maskUrl(address)}`);
  return shown.length === 0 ? null : shown.join(',');
}

const CONFIG_VARIABLES: readonly ConfigVariable[] = [
  ['DATABASE_URL', (c) => maskOptionalUrl(c.databaseUrl)],
  ['DATABASE_READER_URL', (c) => maskOptionalUrl(c.databaseReaderUrl)],
  ['DATABASE_APP_ROLE', (c) => c.databaseAppRole ?? null],
  ['REDIS_URL', (c) => maskOptionalUrl(c.redisUrl)],
  ['STRANDLINE_DATA_DIR', (c) => c.dataDir],
  ['SEARCH_API_URL', (c) => maskOptionalUrl(c.hosted?.url)],
  ['SEARCH_API_PREFIX', (c) => c.hosted?.prefix ?? null],
  ['SEARCH_API_KEY', (c) => maskSecret(c.hosted?.key)],
  ['SEARCH_API_NAMES', (c) => c.hosted?.names ?? null],
  ['SERVICE_PORT', (c) => c.service.port],
  ['SERVICE_API_KEYS', (c) => (c.service.keys.length === 0 ? null : `${c.service.keys.length} ${MASK}`)],
  ...SERVICE_VARIABLES,
  ['HOST', (c) => c.http.host],
  ['PORT', (c) => c.http.port],
  ['BASE_URL', (c) => maskOptionalUrl(c.http.baseUrl)],
  ['REQUESTS_PER_MINUTE', (c) => c.requestsPerMinute, 'requests per visitor'],
  ['METRICS_HOST', (c) => c.metrics.host],
  ['METRICS_PORT', (c) => c.metrics.port ?? null],
  ['MASTER_KEY', (c) => maskSecret(c.masterKey)],
  ['WEBHOOK_ALLOW', (c) => c.webhook.allow ?? null],
  ['WEBHOOK_SECONDS', (c) => toSeconds(c.webhook.timeoutMs), 's'],
  ['LOG_LEVEL', (c) => c.logLevel ?? 'warn'],
  ['WORKER_CONCURRENCY', (c) => c.workerConcurrency, 'runs at once'],
  ['CALLS_PER_MINUTE', (c) => c.callsPerMinute ?? null, 'calls per service'],
  ['CALLS_PER_DAY', (c) => readCallsPerDay(c, 'hosted'), 'calls'],
  ['MAX_CALLS_PER_RUN', (c) => c.maxCallsPerRun, 'calls'],
  ['RUN_LEASE_SECONDS', (c) => toSeconds(c.leaseMs), 's'],
  ['RECONCILE_SECONDS', (c) => toSeconds(c.heartbeatMs), 's'],
  ['NOVA_SECONDS', (c, graceMs) => toSeconds(c.callTimeoutMs.NOVA - graceMs), 's'],
  ['ORBIT_SECONDS', (c, graceMs) => toSeconds(c.callTimeoutMs.ORBIT - graceMs), 's'],
  ['HORIZON_SECONDS', (c, graceMs) => toSeconds(c.callTimeoutMs.HORIZON - graceMs), 's'],
  ['GRACE_SECONDS', (_config, graceMs) => toSeconds(graceMs), 's, added to each of these three'],
  ['MAX_ANSWER_BYTES', (c) => c.maxAnswerBytes, 'bytes'],
  ['ANSWER_DAYS', (c) => c.answerDays, 'days'],
  ['REJECT_DAYS', (c) => c.rejectDays, 'days'],
  ['MESSAGE_DAYS', (c) => c.messageDays, 'days'],
  ['AUDIT_DAYS', (c) => c.auditDays, 'days'],
  ['SNAPSHOT_DAYS', (c) => c.snapshotDays ?? null, 'days'],
];

/** What holds where a variable has no value, and that is no lack. */
const MEANING_WHEN_UNSET: Readonly<Record<string, string>> = {
  DATABASE_URL: 'an embedded Postgres in the data folder',
  DATABASE_APP_ROLE: 'one role does everything',
  REDIS_URL: 'the queue is in Postgres',
  MASTER_KEY: 'master.key in the data folder',
  CALLS_PER_MINUTE: 'no limit',
  SNAPSHOT_DAYS: 'for ever',
};

function findOrigin(name: string, env: Env): Setting['from'] {
  const isSet = (variable: string) => (env[variable] ?? '').trim() !== '';
  if (isSet(name)) return 'environment';
  return isSet(`${name}_FILE`) ? 'file' : 'default';
}
