/**
 * The variables of the program, one row each: parsing, `config show`, the table of README.md and docs/configuration.md
 * derive from here. Those of a source of the search service stand with the source (`service/sources/providers/`).
 */

import {
  address,
  anyText,
  bareAddress,
  list,
  pattern,
  port,
  seconds,
  type Table,
  variable,
  wholeNumber,
  wordOf,
  yesOrNo,
} from './variable.ts';
import path from 'node:path';
import { z } from 'zod';

const server = bareAddress('https://host');
const postgres = address(['postgres:', 'postgresql:'], 'postgres://user:password@host:5432/name');
const days = wholeNumber(1, 36_500);

/** It is sent in a header, which holds no other characters; `Bearer` before it would be read as the scheme. */
const keysOfService = list
  .refine(
    (keys) => keys.every((key) => /^(?!bearer\s)[\x20-\x7e]+$/i.test(key)),
    'keys of ASCII letters, digits and signs, without Bearer: a header can hold no others',
  )
  .describe('keys of ASCII letters, digits and signs, separated by commas');

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
  .describe('pairs such as hacker-news=https://mirror.host, separated by commas');

const folder = z
  .string()
  .transform((text) => path.resolve(text))
  .describe('a folder');

/** A bound on what a mistake can cost. */
export const HOSTED_CALLS_PER_DAY = 2_000;

/** The file of variables is found by these two, before it is read. */
// biome-ignore format: one row for each
export const CONFIG_FILE = variable('STRANDLINE_CONFIG', anyText, 'a file of variables; only in the environment', { unset: 'strandline.config.json beside the data directory, where it exists' });
// biome-ignore format: one row for each
export const DATA_DIR = variable('STRANDLINE_DATA_DIR', folder, 'where everything embedded is kept; for each worker the spool', { default: '.strandline', see: 'homes.md#the-spool' });

// biome-ignore format: one row for each
export const VARIABLES = {
  databaseUrl: variable('DATABASE_URL', postgres, 'your own Postgres, 15 or newer', { secret: 'password', unset: 'an embedded Postgres in the data folder' }),
  databaseReaderUrl: variable('DATABASE_READER_URL', postgres, 'login of the role that `sql` reads with', { secret: 'password', unset: 'created for the embedded Postgres' }),
  databaseAppRole: variable('DATABASE_APP_ROLE', anyText, 'for `migrate`: the role that the other processes connect as, which is granted the tables', { unset: 'one role does everything', see: 'homes.md#three-roles' }),
  redisUrl: variable('REDIS_URL', address(['redis:', 'rediss:'], 'redis://host:6379'), 'a Redis for BullMQ (`maxmemory-policy noeviction`; it needs no persistence)', { secret: 'password', unset: 'the queue is in Postgres' }),
  configFile: CONFIG_FILE,
  /** Absolute path. */
  dataDir: DATA_DIR,
  hosted: {
    url: variable('SEARCH_API_URL', bareAddress('https://api.host', 'the key stands in SEARCH_API_KEY'), 'the hosted service', { needed: true, unset: 'no hosted service' }),
    prefix: variable('SEARCH_API_PREFIX', pattern(/^[\w.~/-]*$/, 'a path such as search or v1/search'), 'its path prefix', { unset: 'that of its dialect' }),
    key: variable('SEARCH_API_KEY', anyText, 'its key', { secret: 'whole' }),
    names: variable('SEARCH_API_NAMES', anyText, 'its names on the wire: `named`, `neutral` or a JSON file', { default: 'named', see: 'specification-choices.md' }),
  },
  service: {
    port: variable('SERVICE_PORT', port, 'where the search service listens; the next free port where this is the default and taken', { default: '7811', see: 'service.md' }),
    keys: variable('SERVICE_API_KEYS', keysOfService, 'its keys, beside those of `strandline service key create`', { default: '', secret: 'whole' }),
    callsPerMinute: variable('SERVICE_CALLS_PER_MINUTE', wholeNumber(1, 10_000_000), 'the rate limit of one key: the default is what two cores answer', { default: '60000', unit: 'calls of one key' }),
    /** Whether the web's results have a group of their own, which the specification does not show. */
    webGroup: variable('SERVICE_WEB_GROUP', yesOrNo, 'whether web results get a group of their own in responses', { default: 'false' }),
    sources: {
      /** Names of sources, and the words `auto` (all that can be asked as things are), `sandbox` (the simulation alone) and `archive`. */
      wanted: variable('SERVICE_SOURCES', list, 'the public sources that are asked: `auto`, `sandbox`, `archive` or names of sources, separated by commas', { default: 'auto', see: 'sources.md' }),
      /** Some operators ask for it, and block who gives none. */
      contact: variable('SERVICE_CONTACT', pattern(/^[\x21-\x7e]{1,200}$/, 'an address or a mailbox, without spaces'), 'how the operator of a source can reach you', { unset: 'none is sent' }),
      addresses: variable('SERVICE_SOURCE_URLS', addressesByName, 'other addresses of sources by name: a mirror, a proxy that caches', { default: '' }),
    },
    /** The language model that writes completions; undefined: sentences are quoted. */
    model: {
      baseUrl: variable('LLM_BASE_URL', server, 'the language model that writes completions', { needed: true, unset: 'sentences are quoted', see: 'completions.md' }),
      apiKey: variable('LLM_API_KEY', anyText, 'its key', { secret: 'whole' }),
      model: variable('LLM_MODEL', anyText, 'its name', { needed: true }),
    },
  },
  http: {
    host: variable('HOST', anyText, 'where the dashboard and the API listen, and the search service; any other address needs a token', { default: '127.0.0.1', see: 'access.md' }),
    port: variable('PORT', port, 'where the dashboard and the API listen; the next free port where this is the default and taken', { default: '7810' }),
    baseUrl: variable('BASE_URL', address(['http:', 'https:'], 'https://strandline.host'), 'the address under which others reach them, where it differs', { see: 'access.md' }),
  },
  /** Most requests of one token, or of one address without a token, to the dashboard and the API. */
  requestsPerMinute: variable('REQUESTS_PER_MINUTE', wholeNumber(1, 1_000_000), 'most requests of one token, or of one address without a token, to the dashboard and the API', { default: '6000', unit: 'requests per visitor', see: 'access.md#limits' }),
  /** Where a process without a server of its own serves metrics and health; port undefined: it does not. */
  metrics: {
    host: variable('METRICS_HOST', anyText, 'where `worker` and `service` serve metrics and health; any other address needs a token', { default: '127.0.0.1', see: 'metrics.md' }),
    port: variable('METRICS_PORT', wholeNumber(1, 65_535), 'the port of it; the other processes serve them at `PORT`', { unset: 'not served' }),
  },
  /** What secrets in the database are sealed with; undefined: with a key in a file of the data directory. */
  masterKey: variable('MASTER_KEY', z.string().min(32, 'at least 32 characters, such as openssl rand -base64 32 prints').describe('at least 32 characters'), 'seals the secrets of channels in the database; the same on every machine', { secret: 'whole', unset: 'master.key in the data folder' }),
  webhook: {
    /** Hosts, addresses and networks that webhooks may lead to though they are not public, parted by commas. */
    allow: variable('WEBHOOK_ALLOW', anyText, 'private hosts, addresses and networks that webhooks may reach, separated by commas', { unset: 'public hosts only', see: 'alerts.md' }),
    /** For one attempt, from the look-up of the name to the last byte of the answer. */
    timeoutMs: variable('WEBHOOK_SECONDS', seconds(1, 60), 'how long a receiver may take', { default: '15', unit: 's' }),
  },
  /** Undefined where nobody asked: servers then say what they do (info), commands only what is wrong (warn). */
  logLevel: variable('LOG_LEVEL', wordOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'), 'JSON lines on stderr', { typical: 'warn', unset: 'warn for commands, info for servers' }),
  workerConcurrency: variable('WORKER_CONCURRENCY', wholeNumber(1, 256), 'runs at a time in one process', { default: '16', unit: 'runs at once' }),
  /** Paid calls allowed in any 60 s and service, over all processes; undefined: no limit. */
  callsPerMinute: variable('CALLS_PER_MINUTE', wholeNumber(1, 1_000_000), 'most paid calls in any 60 seconds, counted in Postgres over all workers and commands; runs wait for room', { unset: 'no limit', unit: 'calls per service' }),
  /** Paid calls allowed per UTC day and service, where that is set; ask `readCallsPerDay`. */
  callsPerDay: variable('CALLS_PER_DAY', wholeNumber(0, 100_000_000), 'most paid calls per UTC day, over all workers and commands', { typical: String(HOSTED_CALLS_PER_DAY), unset: `${HOSTED_CALLS_PER_DAY.toLocaleString('en-US')} for the hosted service, no limit for others`, unit: 'calls per service' }),
  maxCallsPerRun: variable('MAX_CALLS_PER_RUN', wholeNumber(1, 10), 'most paid calls per run', { default: '2', unit: 'calls' }),
  leaseMs: variable('RUN_LEASE_SECONDS', seconds(1, 3_600), 'how long a worker that stopped responding keeps its run', { default: '30', unit: 's' }),
  heartbeatMs: variable('RECONCILE_SECONDS', seconds(1, 3_600), 'how often a worker sends a heartbeat, checks its queue and stores spooled responses; keep it below 90', { default: '30', unit: 's' }),
  /** Time limit of one whole call by model. */
  callTimeoutMs: {
    NOVA: variable('NOVA_SECONDS', seconds(1, 3_600), 'time limit of a call with the model NOVA', { default: '10', unit: 's' }),
    ORBIT: variable('ORBIT_SECONDS', seconds(1, 3_600), 'with the model ORBIT', { default: '30', unit: 's' }),
    HORIZON: variable('HORIZON_SECONDS', seconds(1, 3_600), 'with the model HORIZON', { default: '120', unit: 's' }),
  },
  graceMs: variable('GRACE_SECONDS', seconds(0, 600), 'what is added to the time limit of a call', { default: '5', unit: 's, added to each of these three' }),
  /** Most decoded bytes of an answer. */
  maxAnswerBytes: variable('MAX_ANSWER_BYTES', wholeNumber(1_000, 500_000_000), 'the largest response, decoded', { default: '20000000', unit: 'bytes' }),
  answerDays: variable('ANSWER_DAYS', days, 'how long raw responses are kept', { default: '30', unit: 'days', see: 'storage.md' }),
  rejectDays: variable('REJECT_DAYS', days, 'how long items that could not be parsed are kept', { default: '30', unit: 'days' }),
  messageDays: variable('MESSAGE_DAYS', days, 'how long the text of messages that were sent or given up is kept, and what their receivers answered', { default: '30', unit: 'days' }),
  auditDays: variable('AUDIT_DAYS', days, 'how long the audit log is kept', { default: '730', unit: 'days' }),
  /** In whole months; undefined: for ever. */
  snapshotDays: variable('SNAPSHOT_DAYS', days, 'how long counters over time are kept, in whole months', { unset: 'for ever', unit: 'days' }),
} satisfies Table;
