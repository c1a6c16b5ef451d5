/**
 * The program's variables, one row each. Parsing, `config show` and docs/reference/configuration.md derive from
 * here. Variables of a source are next to it (`service/sources/providers/`).
 */

import { CONFIG_VARIABLE, DATA_DIR_DEFAULT, DATA_DIR_VARIABLE } from './set-variables.ts';
import {
  address,
  anyText,
  bareAddress,
  list,
  networks,
  pattern,
  port,
  seconds,
  type Table,
  variable,
  wholeNumber,
  wordOf,
  yesOrNo,
} from './variable.ts';
import { linkRules } from './link-rules.ts';
import { parseUrl } from '../model/links/link.ts';
import type { ModelPurpose } from '../model/model-use.ts';
import { parseMailbox } from '../lib/mail-address.ts';
import path from 'node:path';
import { z } from 'zod';

const server = bareAddress('https://host');
const postgres = address(['postgres:', 'postgresql:'], 'postgres://user:password@host:5432/name');
const days = wholeNumber(1, 36_500);

/** Keys are sent in a header, which allows no other characters; a leading `Bearer` would be read as the scheme. */
const keysOfService = list
  .refine(
    (keys) => keys.every((key) => /^(?!bearer\s)[\x20-\x7e]+$/i.test(key)),
    'keys of printable ASCII characters, without Bearer',
  )
  .describe('keys of printable ASCII characters, comma-separated');

const submission = address(['smtp:', 'smtps:'], 'smtps://user:password@mail.host');
const mailServer = submission
  .refine((text) => {
    const url = parseUrl(text); // undefined was refused already
    if (url === undefined) return true;
    const isBare = url.hostname !== '' && url.pathname.replace('/', '') + url.search === '';
    return isBare && (url.username === '') === (url.password === '');
  }, 'a URL with a host, no path and no query, and with both user and password or neither')
  .describe(`${submission.description}, or smtp://user:password@mail.host:587 for STARTTLS`);

const sender = z
  .string()
  .transform((text, ctx) => {
    const mailbox = parseMailbox(text);
    if (mailbox === null) ctx.addIssue({ code: 'custom' });
    return mailbox ?? { name: '', address: '' };
  })
  .describe('a mail address, or a name and an address: Alerts <alerts@example.com>');

const addressesByName = list
  .transform((pairs, ctx) => {
    const addresses: Record<string, string> = {};
    for (const pair of pairs) {
      const [, name, url = ''] = /^([a-z-]{1,40})=(.+)$/.exec(pair) ?? [];
      if (name !== undefined && server.safeParse(url).success) addresses[name] = url;
      else ctx.addIssue({ code: 'custom' });
    }
    return addresses;
  })
  .describe('a comma-separated list of pairs such as hacker-news=https://mirror.host');

/** Limits the cost of a mistake, for each purpose. */
const MODEL_CALLS_PER_DAY = 5_000;

const purposes: readonly ModelPurpose[] = ['plan', 'write', 'check', 'judge', 'brief', 'translate'];

/** A number for every purpose, and pairs for some: `2000, plan=500`. */
const callsByPurpose = list
  .transform((entries, ctx) => {
    const limits: Partial<Record<ModelPurpose, number>> = {};
    let others = MODEL_CALLS_PER_DAY;
    for (const entry of entries) {
      const [, name, digits] = /^(?:([a-z]+)=)?(\d{1,9})$/.exec(entry) ?? [];
      const purpose = purposes.find((known) => known === name);
      if (Number(digits ?? 0) < 1 || (name !== undefined && purpose === undefined))
        ctx.addIssue({ code: 'custom' });
      else if (purpose === undefined) others = Number(digits);
      else limits[purpose] = Number(digits);
    }
    const each = {
      plan: others,
      write: others,
      check: others,
      judge: others,
      brief: others,
      translate: others,
    };
    return { ...each, ...limits } satisfies Record<ModelPurpose, number>;
  })
  .describe(
    'a whole number, or pairs of plan, write, check, judge, brief and translate: plan=500,write=2000,check=500',
  );

const folder = z
  .string()
  .transform((text) => path.resolve(text))
  .describe('a folder');

/** Limits the cost of a mistake. */
export const HOSTED_CALLS_PER_DAY = 2_000;

/** These two locate the configuration file, so they are read first. */
export const CONFIG_FILE = variable(
  CONFIG_VARIABLE,
  anyText,
  'configuration file; can only be set in the environment',
  {
    unset: 'strandline.config.json next to the data directory, if it exists',
  },
);
export const DATA_DIR = variable(
  DATA_DIR_VARIABLE,
  folder,
  'data directory: embedded Postgres, keys and spool',
  {
    default: DATA_DIR_DEFAULT,
    see: 'databases.md#the-spool',
  },
);

// biome-ignore format: one row for each
export const VARIABLES = {
  databaseUrl: variable('DATABASE_URL', postgres, 'your own Postgres, 15 or later', { secret: 'password', unset: 'an embedded Postgres in the data directory' }),
  databaseReaderUrl: variable('DATABASE_READER_URL', postgres, 'URL of the reader role, used by `sql`', { secret: 'password', unset: 'created for the embedded Postgres' }),
  databaseAppRole: variable('DATABASE_APP_ROLE', anyText, 'for `migrate`: role of the other processes, which is granted access to the tables', { unset: 'one role for everything', see: 'databases.md#three-roles' }),
  sandboxDatabaseUrl: variable('SANDBOX_DATABASE_URL', postgres, 'a database of its own for the sandbox, next to that of `DATABASE_URL`', { secret: 'password', unset: 'in the embedded Postgres; with `DATABASE_URL`, there is no sandbox', see: 'databases.md#the-sandbox' }),
  sandboxReaderUrl: variable('SANDBOX_DATABASE_READER_URL', postgres, 'URL of the reader role of the sandbox, used by `sql --sandbox`', { secret: 'password', unset: 'created for the embedded Postgres' }),
  redisUrl: variable('REDIS_URL', address(['redis:', 'rediss:'], 'redis://host:6379'), 'Redis for the queue (`maxmemory-policy noeviction`; persistence is not required)', { secret: 'password', unset: 'the queue is in Postgres' }),
  configFile: CONFIG_FILE,
  /** Absolute path. */
  dataDir: DATA_DIR,
  /** Read by commands without these schemas: `config/server-place.ts`. */
  client: {
    url: variable('STRANDLINE_URL', anyText, 'server to which commands are sent', { unset: 'that of the data directory', see: 'commands.md#where-a-command-runs' }),
    token: variable('STRANDLINE_TOKEN', anyText, 'token for it', { secret: 'whole' }),
  },
  hosted: {
    url: variable('SEARCH_API_URL', bareAddress('https://api.host', 'set the key in SEARCH_API_KEY'), 'URL of the hosted service', { needed: true, unset: 'no hosted service' }),
    prefix: variable('SEARCH_API_PREFIX', pattern(/^[\w.~/-]*$/, 'a path such as search or v1/search'), 'path prefix of the hosted service', { unset: 'from its dialect' }),
    key: variable('SEARCH_API_KEY', anyText, 'key of the hosted service', { secret: 'whole' }),
    names: variable('SEARCH_API_NAMES', anyText, 'dialect of the hosted service: `named`, `named-2026`, `neutral` or a JSON file', { default: 'named', see: 'protocol.md#names-on-the-wire' }),
  },
  service: {
    port: variable('SERVICE_PORT', port, 'port of the search service; the default moves to the next free port if in use', { default: '7811', see: 'protocol.md' }),
    keys: variable('SERVICE_API_KEYS', keysOfService, 'keys of the search service, in addition to those of `strandline service key create`', { default: '', secret: 'whole' }),
    callsPerMinute: variable('SERVICE_CALLS_PER_MINUTE', wholeNumber(1, 10_000_000), 'rate limit of the search service per key; two cores can serve the default', { default: '60000', unit: 'calls of one key' }),
    /** Whether web results have their own group, which the specification does not define. */
    webGroup: variable('SERVICE_WEB_GROUP', yesOrNo, 'whether responses have web results as a group, and publication times', { default: 'false' }),
    sources: {
      /** Names of sources, or `auto` (all that are configured), `sandbox` (simulation only) or `archive`. */
      wanted: variable('SERVICE_SOURCES', list, 'public sources to use: `auto`, `sandbox`, `archive` or names of sources, comma-separated', { default: 'auto', see: 'sources.md' }),
      /** Some operators require it and block clients without one. */
      contact: variable('SERVICE_CONTACT', pattern(/^[\x21-\x7e]{1,200}$/, 'a URL or an email address, without spaces'), 'contact for operators of sources, sent with requests', { unset: 'not sent' }),
      /** Whether found pages are opened. */
      openPages: variable('SERVICE_OPEN_PAGES', yesOrNo, 'whether the models ORBIT and HORIZON open found pages for the completion', { default: 'true', see: 'sources.md#what-to-expect-of-each' }),
      addresses: variable('SERVICE_SOURCE_URLS', addressesByName, 'other base URLs by source, such as a mirror or caching proxy', { default: '' }),
    },
    /** The language model that plans searches and writes completions; undefined: completions quote sources. */
    model: {
      baseUrl: variable('LLM_BASE_URL', server, 'URL of the language model that plans searches and writes completions', { needed: true, unset: 'completions quote sources', see: '../internals/service.md#completions' }),
      apiKey: variable('LLM_API_KEY', anyText, 'key of the language model', { secret: 'whole' }),
      model: variable('LLM_MODEL', anyText, 'name of the language model', { needed: true }),
      callsPerDay: variable('LLM_CALLS_PER_DAY', callsByPurpose, 'maximum requests to the language model per UTC day and purpose; beyond it, everything is as without one', { default: String(MODEL_CALLS_PER_DAY) }),
    },
  },
  http: {
    host: variable('HOST', anyText, 'bind address of the dashboard, the API and the search service; non-loopback addresses require a token', { default: '127.0.0.1', see: 'access.md' }),
    port: variable('PORT', port, 'port of the dashboard and the API; the default moves to the next free port if in use', { default: '7810' }),
    baseUrl: variable('BASE_URL', address(['http:', 'https:'], 'https://strandline.host'), 'public URL of the dashboard and the API, if different', { see: 'access.md' }),
  },
  /** Undefined: none, and `X-Forwarded-For` is ignored. */
  trustedProxies: variable('TRUSTED_PROXIES', networks, 'addresses and networks of your reverse proxies, comma-separated, whose `X-Forwarded-For` names the client', { unset: 'the header is ignored', see: 'access.md#behind-a-proxy' }),
  /** Rate limit of the dashboard and the API, per token, or per address without a token. */
  requestsPerMinute: variable('REQUESTS_PER_MINUTE', wholeNumber(1, 1_000_000), 'rate limit of the dashboard and the API, per token, or per address without a token', { default: '6000', unit: 'requests per client', see: 'access.md#limits' }),
  /** Where processes without a server serve metrics and health; port undefined: not served. */
  metrics: {
    host: variable('METRICS_HOST', anyText, 'bind address for metrics and health of `worker` and `service`; non-loopback addresses require a token', { default: '127.0.0.1', see: 'metrics.md' }),
    port: variable('METRICS_PORT', wholeNumber(1, 65_535), 'port for metrics and health of `worker` and `service`; other processes serve them on `PORT`', { unset: 'not served' }),
  },
  /** Encrypts secrets in the database; undefined: a key file in the data directory. */
  masterKey: variable('MASTER_KEY', z.string().min(32, 'at least 32 characters, such as from openssl rand -base64 32').describe('at least 32 characters'), 'encrypts channel secrets in the database; must be the same on every machine', { secret: 'whole', unset: 'master.key in the data directory' }),
  webhook: {
    /** Non-public hosts, addresses and networks that channels may reach, comma-separated; with those of `allow`. */
    channelsAllow: variable('CHANNELS_ALLOW', anyText, 'non-public hosts, addresses and networks that channels may reach, comma-separated', { unset: 'public hosts only', see: 'alerts.md' }),
    allow: variable('WEBHOOK_ALLOW', anyText, 'former name of CHANNELS_ALLOW; both lists apply', { see: 'alerts.md' }),
    /** Per attempt, from DNS lookup to the last byte of the response. */
    timeoutMs: variable('WEBHOOK_SECONDS', seconds(1, 60), 'time limit of an attempt to deliver a message', { default: '15', unit: 's' }),
  },
  /** The mail server of channels of the kind `email`; undefined: there is none. */
  mail: {
    url: variable('SMTP_URL', mailServer, 'mail server for email channels; TLS is required, except on loopback', { needed: true, secret: 'password', unset: 'no email channels', see: '../how-to/mail.md' }),
    from: variable('MAIL_FROM', sender, 'sender of mail', { needed: true }),
  },
  /** Undefined: servers log at info, commands at warn. */
  logLevel: variable('LOG_LEVEL', wordOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'), 'log level (JSON lines on stderr)', { typical: 'warn', unset: 'warn for commands, info for servers' }),
  workerConcurrency: variable('WORKER_CONCURRENCY', wholeNumber(1, 256), 'concurrent runs per process', { default: '16', unit: 'runs at once' }),
  /** Paid calls per service in any 60 s, across all processes; undefined: no limit. */
  callsPerMinute: variable('CALLS_PER_MINUTE', wholeNumber(1, 1_000_000), 'maximum paid calls in any 60 seconds, across all workers and commands; further runs wait', { unset: 'no limit', unit: 'calls per service' }),
  /** Paid calls per service and UTC day, if set; use `readCallsPerDay`. */
  callsPerDay: variable('CALLS_PER_DAY', wholeNumber(0, 100_000_000), 'maximum paid calls per UTC day, across all workers and commands', { typical: String(HOSTED_CALLS_PER_DAY), unset: `${HOSTED_CALLS_PER_DAY.toLocaleString('en-US')} for the hosted service, no limit for others`, unit: 'calls per service' }),
  maxCallsPerRun: variable('MAX_CALLS_PER_RUN', wholeNumber(1, 10), 'maximum paid calls per run', { default: '2', unit: 'calls' }),
  leaseMs: variable('RUN_LEASE_SECONDS', seconds(1, 3_600), 'how long an unresponsive worker keeps its run', { default: '30', unit: 's' }),
  heartbeatMs: variable('RECONCILE_SECONDS', seconds(1, 3_600), 'how often a worker sends a heartbeat, checks its queue and stores spooled responses; keep it below 90', { default: '30', unit: 's' }),
  /** Time limit of one whole call by model. */
  callTimeoutMs: {
    NOVA: variable('NOVA_SECONDS', seconds(1, 3_600), 'time limit of a call with the model NOVA', { default: '10', unit: 's' }),
    ORBIT: variable('ORBIT_SECONDS', seconds(1, 3_600), 'time limit of a call with the model ORBIT', { default: '30', unit: 's' }),
    HORIZON: variable('HORIZON_SECONDS', seconds(1, 3_600), 'time limit of a call with the model HORIZON', { default: '120', unit: 's' }),
  },
  graceMs: variable('GRACE_SECONDS', seconds(0, 600), 'added to the time limit of each call', { default: '5', unit: 's, added to each of these three' }),
  /** Maximum size of a decoded response. */
  maxAnswerBytes: variable('MAX_ANSWER_BYTES', wholeNumber(1_000, 500_000_000), 'maximum size of a decoded response', { default: '20000000', unit: 'bytes' }),
  linkRules: variable('LINK_RULES', linkRules, 'rules of your own for which addresses are one link: JSON, or the path of a file with it; they apply to what comes', { default: '', see: 'links.md#rules-of-your-own' }),
  answerDays: variable('ANSWER_DAYS', days, 'retention of raw responses', { default: '30', unit: 'days', see: 'storage.md' }),
  rejectDays: variable('REJECT_DAYS', days, 'retention of items that could not be parsed', { default: '30', unit: 'days' }),
  messageDays: variable('MESSAGE_DAYS', days, 'retention of ended alert messages and replies to them', { default: '30', unit: 'days' }),
  auditDays: variable('AUDIT_DAYS', days, 'retention of the audit log', { default: '730', unit: 'days' }),
  /** In whole months; undefined: indefinitely. */
  snapshotDays: variable('SNAPSHOT_DAYS', days, 'retention of counters over time, in whole months', { unset: 'indefinitely', unit: 'days' }),
} satisfies Table;
