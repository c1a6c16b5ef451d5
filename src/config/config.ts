/**
 * What may stand in the environment. Every variable has a default; a secret can also come from a file named
 * by the same variable with `_FILE` behind it, so that no shell and no process list sees it.
 */

import { InvalidInput, type Problem } from '../domain/errors.ts';
import { readSmallFile } from '../platform/small-file.ts';
import { environment } from './environment.ts';
import {
  address,
  bareAddress,
  port,
  readServiceConfig,
  SERVICE_SECRETS,
  serviceVariables,
  wholeNumber,
} from './service-variables.ts';
import path from 'node:path';
import { z } from 'zod';

const SECRETS = [
  'DATABASE_URL',
  'DATABASE_READER_URL',
  'REDIS_URL',
  'SEARCH_API_KEY',
  'MASTER_KEY',
  ...SERVICE_SECRETS,
] as const;

/** What may stand in the environment, and what holds where it does not. */
const variables = z.object({
  DATABASE_URL: address(['postgres:', 'postgresql:'], 'postgres://user:password@host:5432/name').optional(),
  DATABASE_READER_URL: address(
    ['postgres:', 'postgresql:'],
    'postgres://reader:password@host:5432/name',
  ).optional(),
  // No secret: the role that this process migrates for.
  DATABASE_APP_ROLE: z.string().min(1).optional(),
  REDIS_URL: address(['redis:', 'rediss:'], 'redis://host:6379').optional(),
  STRANDLINE_DATA_DIR: z.string().min(1).default('.strandline'),
  SEARCH_API_URL: bareAddress('https://api.host', 'the key stands in SEARCH_API_KEY').optional(),
  SEARCH_API_PREFIX: z
    .string()
    .regex(/^[\w.~/-]*$/, 'a path such as search or v1/search')
    .optional(),
  SEARCH_API_KEY: z.string().min(1).optional(),
  SEARCH_API_NAMES: z.string().min(1).default('named'),
  ...serviceVariables.shape,
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: port(7810),
  BASE_URL: address(['http:', 'https:'], 'https://strandline.host').optional(),
  REQUESTS_PER_MINUTE: wholeNumber(1, 1_000_000).default(6_000),
  METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  METRICS_PORT: wholeNumber(1, 65_535).optional(),
  // What secrets in the database are sealed with, and where webhooks may lead beside public hosts.
  MASTER_KEY: z.string().min(32, 'at least 32 characters, such as openssl rand -base64 32 prints').optional(),
  WEBHOOK_ALLOW: z.string().optional(),
  WEBHOOK_SECONDS: wholeNumber(1, 60).default(15),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).optional(),
  WORKER_CONCURRENCY: wholeNumber(1, 256).default(16),
  CALLS_PER_MINUTE: wholeNumber(1, 1_000_000).optional(),
  CALLS_PER_DAY: wholeNumber(0, 100_000_000).optional(),
  MAX_CALLS_PER_RUN: wholeNumber(1, 10).default(2),
  RUN_LEASE_SECONDS: wholeNumber(1, 3_600).default(30),
  RECONCILE_SECONDS: wholeNumber(1, 3_600).default(30),
  // Time limits of a call by model, in seconds, with the grace that is added to them.
  NOVA_SECONDS: wholeNumber(1, 3_600).default(10),
  ORBIT_SECONDS: wholeNumber(1, 3_600).default(30),
  HORIZON_SECONDS: wholeNumber(1, 3_600).default(120),
  GRACE_SECONDS: wholeNumber(0, 600).default(5),
  MAX_ANSWER_BYTES: wholeNumber(1_000, 500_000_000).default(20_000_000),
  // How long each kind of data is kept; snapshots of counters for ever where nothing is set.
  ANSWER_DAYS: wholeNumber(1, 36_500).default(30),
  REJECT_DAYS: wholeNumber(1, 36_500).default(30),
  MESSAGE_DAYS: wholeNumber(1, 36_500).default(30),
  SNAPSHOT_DAYS: wholeNumber(1, 36_500).optional(),
  AUDIT_DAYS: wholeNumber(1, 36_500).default(730),
});

export type Config = Readonly<{
  databaseUrl: string | undefined;
  databaseReaderUrl: string | undefined;
  /** Who is granted the tables by whoever migrates; undefined: nobody, one role does everything. */
  databaseAppRole: string | undefined;
  redisUrl: string | undefined;
  /** Absolute path of the folder where everything embedded lives. */
  dataDir: string;
  hosted: { url: string; prefix: string | undefined; key: string | undefined; names: string } | undefined;
  service: ReturnType<typeof readServiceConfig>;
  http: { host: string; port: number; portAsked: boolean; baseUrl: string | undefined };
  /** Most requests of one token, or of one address without a token, to the dashboard and the API. */
  requestsPerMinute: number;
  /** Where a process without a server of its own serves metrics and health; port undefined: it does not. */
  metrics: { host: string; port: number | undefined };
  /** What secrets in the database are sealed with; undefined: with a key in a file of the data directory. */
  masterKey: string | undefined;
  webhook: {
    /** Hosts, addresses and networks that webhooks may lead to though they are not public, parted by commas. */
    allow: string | undefined;
    /** For one attempt, from the look-up of the name to the last byte of the answer. */
    timeoutMs: number;
    /** Where they must not lead: to this program itself. */
    doors: { ports: readonly number[]; baseUrl: string | undefined };
  };
  /** Undefined where nobody asked: servers then say what they do (info), commands only what is wrong (warn). */
  logLevel: z.infer<typeof variables>['LOG_LEVEL'];
  workerConcurrency: number;
  /** Paid calls allowed in any 60 s and service, over all processes; undefined: no limit. */
  callsPerMinute: number | undefined;
  /** Paid calls allowed per UTC day and service, where that is set; ask {@link readCallsPerDay}. */
  callsPerDay: number | undefined;
  maxCallsPerRun: number;
  leaseMs: number;
  heartbeatMs: number;
  /** Time limit of one whole call by model, grace included. */
  callTimeoutMs: Readonly<Record<'NOVA' | 'ORBIT' | 'HORIZON', number>>;
  /** Most decoded bytes of an answer. */
  maxAnswerBytes: number;
  /** How long raw answers are kept. */
  answerDays: number;
  /** How long items that could not be read are kept. */
  rejectDays: number;
  /** How long it is kept what messages said that were sent or given up, and what their receivers answered. */
  messageDays: number;
  /** How long counters over time are kept, in whole months; undefined: for ever. */
  snapshotDays: number | undefined;
  /** How long it is kept who changed what. */
  auditDays: number;
  /** Every key and password that was given by itself; what stands in addresses is not among them. */
  secrets: readonly string[];
}>;

/** Where `CALLS_PER_DAY` is not set: a bound on what a mistake can cost; one's own service has none. */
const DEFAULT_CALLS_PER_DAY = { hosted: 2_000, own: null, sandbox: null } as const;

/** Most paid calls of a UTC day to a service of this kind; null: no limit. */
export function readCallsPerDay(
  config: Pick<Config, 'callsPerDay'>,
  kind: keyof typeof DEFAULT_CALLS_PER_DAY,
): number | null {
  return config.callsPerDay ?? DEFAULT_CALLS_PER_DAY[kind];
}

/** How a process of ours that connects to Postgres for others trusts the server, and where a password file is: no secrets. */
const CONNECTION_VARIABLES = [
  'HOME',
  'NODE_EXTRA_CA_CERTS',
  'NODE_USE_SYSTEM_CA',
  'PGPASSFILE',
  'PGSSLMODE',
  'PGSSLNEGOTIATION',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
];

/** What such a process has as its environment. */
export function connectionEnvironment(): Record<string, string> {
  const env = environment();
  return Object.fromEntries(
    CONNECTION_VARIABLES.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/**
 * Reads the configuration from an environment.
 * @throws InvalidInput naming each variable that is wrong; the value of a secret is never shown.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>> = environment()): Config {
  const values = { ...dropEmpty(env), ...readSecretFiles(SECRETS, env) };
  const parsed = variables.safeParse(values);
  if (!parsed.success) {
    throw new InvalidInput(parsed.error.issues.map((issue) => describeProblem(issue, values)));
  }
  const e = parsed.data;
  const seconds = (s: number) => (s + e.GRACE_SECONDS) * 1_000;
  return {
    databaseUrl: e.DATABASE_URL,
    databaseReaderUrl: e.DATABASE_READER_URL,
    databaseAppRole: e.DATABASE_APP_ROLE,
    redisUrl: e.REDIS_URL,
    dataDir: path.resolve(e.STRANDLINE_DATA_DIR),
    hosted:
      e.SEARCH_API_URL === undefined
        ? undefined
        : {
            url: e.SEARCH_API_URL,
            prefix: e.SEARCH_API_PREFIX,
            key: e.SEARCH_API_KEY,
            names: e.SEARCH_API_NAMES,
          },
    service: readServiceConfig(e),
    http: { host: e.HOST, port: e.PORT.port, portAsked: e.PORT.asked, baseUrl: e.BASE_URL },
    requestsPerMinute: e.REQUESTS_PER_MINUTE,
    metrics: { host: e.METRICS_HOST, port: e.METRICS_PORT },
    masterKey: e.MASTER_KEY,
    webhook: {
      allow: e.WEBHOOK_ALLOW,
      timeoutMs: e.WEBHOOK_SECONDS * 1_000,
      doors: {
        ports: [e.PORT.port, e.SERVICE_PORT.port, ...(e.METRICS_PORT === undefined ? [] : [e.METRICS_PORT])],
        baseUrl: e.BASE_URL,
      },
    },
    logLevel: e.LOG_LEVEL,
    workerConcurrency: e.WORKER_CONCURRENCY,
    callsPerMinute: e.CALLS_PER_MINUTE,
    callsPerDay: e.CALLS_PER_DAY,
    maxCallsPerRun: e.MAX_CALLS_PER_RUN,
    leaseMs: e.RUN_LEASE_SECONDS * 1_000,
    heartbeatMs: e.RECONCILE_SECONDS * 1_000,
    callTimeoutMs: {
      NOVA: seconds(e.NOVA_SECONDS),
      ORBIT: seconds(e.ORBIT_SECONDS),
      HORIZON: seconds(e.HORIZON_SECONDS),
    },
    maxAnswerBytes: e.MAX_ANSWER_BYTES,
    answerDays: e.ANSWER_DAYS,
    rejectDays: e.REJECT_DAYS,
    messageDays: e.MESSAGE_DAYS,
    snapshotDays: e.SNAPSHOT_DAYS,
    auditDays: e.AUDIT_DAYS,
    secrets: SECRETS.filter((name) => !name.endsWith('_URL')).flatMap(
      (name) => values[name]?.split(',') ?? [],
    ),
  };
}

/** A variable that is set to nothing counts as not set, as compose files and CI systems leave them. */
function dropEmpty(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && value.trim() !== '') kept[name] = value.trim();
  return kept;
}

function describeProblem(issue: z.core.$ZodIssue, values: Record<string, string>): Problem {
  const name = String(issue.path[0]);
  // An address may hold a password by mistake.
  const secret =
    SECRETS.some((secretName) => secretName === name) ||
    (name.endsWith('_URL') && values[name]?.includes('@') === true);
  const value = values[name];
  const expected = issue.code === 'invalid_value' ? `one of ${issue.values.join(', ')}` : issue.message;
  return { path: name, given: secret && value !== undefined ? '(hidden)' : value, expected };
}

/**
 * The secrets that stand in files: of each of these variables where one with `_FILE` behind its name is set.
 * @throws InvalidInput where both are set, or the file cannot be read
 */
function readSecretFiles(
  secrets: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const read: Record<string, string> = {};
  for (const name of secrets) {
    const file = env[`${name}_FILE`];
    if (file === undefined || file.trim() === '') continue;
    const refused = (expected: string) => new InvalidInput([{ path: `${name}_FILE`, given: file, expected }]);
    if (env[name] !== undefined && env[name].trim() !== '')
      throw refused(`set either ${name} or ${name}_FILE, not both`);
    try {
      read[name] = readSmallFile(file.trim()).trim();
    } catch (error) {
      const why = error instanceof Error && 'code' in error ? String(error.code) : 'it could not be read';
      throw refused(`a file that can be read (${why})`);
    }
  }
  return read;
}
