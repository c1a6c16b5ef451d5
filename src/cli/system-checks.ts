/** `doctor` checks of this machine and its dependencies: Node, database, queue, services. */

import type { Program } from '../app/program.ts';
import type { Config } from '../config/config.ts';
import { Refused } from '../model/errors.ts';
import { STATUS_TIMEOUT_MS } from '../platform/clock.ts';
import { checkRedis, judgeRedis } from '../platform/queue/connection.ts';
import {
  advisoryCheck,
  type Check,
  describeCause,
  failedCheck,
  passedCheck,
} from '../monitor/status/check.ts';
import { CLOCK_ADVICE, describeSkew, MAX_CLOCK_SKEW_MS } from '../monitor/status/status-checks.ts';
import type { Logger } from '../platform/logger.ts';
import { assertSchema, describeDatabase, findObstacle } from '../store/db/migrate.ts';
import { readServer } from '../store/queries/system.ts';
import { canReaderHinder } from '../store/reader/ask-reader.ts';
import { readerQuery } from '../store/reader/reader-query.ts';
import { SchemaMismatch } from '../store/db/schema-state.ts';
import { measureSkew } from '../store/runs/worker-registry.ts';
import { adviseOnConnection } from './error-messages.ts';
import { checkAddress } from './address-check.ts';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';

const MIN_NODE = [20, 19] as const;
const MIN_POSTGRES = 150_000;

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldest, oldestMinor] = MIN_NODE;
  const enough = major > oldest || (major === oldest && minor >= oldestMinor);
  if (enough) return passedCheck('node', version);
  return failedCheck('node', version, `install Node ${oldest}.${oldestMinor} or newer`);
}

/** Whether the directory, or its nearest existing parent, is writable. */
export async function checkDataDir(dataDir: string): Promise<Check> {
  try {
    await access(await findNearestFolder(dataDir), constants.W_OK | constants.X_OK);
    return passedCheck('data directory', dataDir);
  } catch (error) {
    return failedCheck(
      'data directory',
      `${dataDir}: ${describeCause(error)}`,
      'make it writable, or set STRANDLINE_DATA_DIR',
    );
  }
}

async function findNearestFolder(folder: string): Promise<string> {
  const isThere = await access(folder).then(
    () => true,
    () => false,
  );
  return isThere || path.dirname(folder) === folder ? folder : findNearestFolder(path.dirname(folder));
}

/** Checks the schema of an external database, which it does not migrate. */
export async function checkExternalDatabase(url: string, log: Logger): Promise<Check> {
  const name = describeDatabase(url);
  try {
    await assertSchema({ url, log });
    return passedCheck('database', `${name}; its schema is up to date`);
  } catch (error) {
    if (error instanceof SchemaMismatch) return failSchemaCheck(error);
    const reason = error instanceof Refused ? error.message : `${name}: ${describeCause(error)}`;
    return failedCheck('database', reason, adviseOnConnection(error) ?? 'see docs/reference/databases.md');
  }
}

export function failSchemaCheck({ where, problem, advice }: SchemaMismatch): Check {
  return failedCheck('database', `${where} ${problem}`, advice);
}

/** Connects to the hosted service and sends nothing. */
export async function checkHosted({ hosted }: Config): Promise<Check[]> {
  if (hosted === undefined) return [];
  const advice = 'check SEARCH_API_URL and the network';
  const judged = { timeoutMs: STATUS_TIMEOUT_MS, judge: failedCheck, advice };
  const address = await checkAddress('hosted service', hosted.url, judged);
  if (address.state !== 'ok' || hosted.key !== undefined) return [address];
  return [address, failedCheck('hosted service key', 'none', 'set SEARCH_API_KEY or SEARCH_API_KEY_FILE')];
}

/** Connects to the mail server and logs in, and sends nothing. */
export async function checkMailServer({ mail }: Config): Promise<Check[]> {
  if (mail === undefined) return [];
  const { describeDeliveryCode } = await import('../monitor/alerts/channels/channel-kinds.ts');
  const { probeMailServer } = await import('../monitor/alerts/channels/smtp-submission.ts');
  const { host, username } = new URL(mail.url);
  const limits = { timeoutMs: STATUS_TIMEOUT_MS, signal: new AbortController().signal };
  const failure = await probeMailServer(mail.url, limits);
  if (failure === null)
    return [passedCheck('mail server', `${host} ${username === '' ? 'responds' : 'accepts the login'}`)];
  const { code, detail } = failure;
  const facts = `${host}: ${describeDeliveryCode('email', code)}${detail === null ? '' : ` (${detail})`}`;
  return [failedCheck('mail server', facts, 'check SMTP_URL and the network; see docs/how-to/mail.md')];
}

/** What BullMQ requires of Redis, and what it recommends. */
export async function checkQueueServer({ redisUrl }: Config): Promise<Check[]> {
  if (redisUrl === undefined) return [];
  try {
    const facts = await checkRedis(redisUrl);
    judgeRedis(facts);
    const { version, maxmemoryPolicy, persistent } = facts;
    return [
      passedCheck('redis', `version ${version ?? 'not reported'}`),
      maxmemoryPolicy === null || maxmemoryPolicy === 'noeviction'
        ? passedCheck('redis memory', maxmemoryPolicy ?? 'maxmemory-policy not reported')
        : failedCheck(
            'redis memory',
            `maxmemory-policy is ${maxmemoryPolicy}: Redis can evict jobs`,
            'set maxmemory-policy noeviction',
          ),
      persistent === false
        ? advisoryCheck(
            'redis persistence',
            'off: a restart empties the queue',
            'no data is lost: the scan enqueues waiting runs again within seconds',
          )
        : passedCheck('redis persistence', persistent === null ? 'not reported' : 'on'),
    ];
  } catch (error) {
    if (error instanceof Refused)
      return [failedCheck('redis', error.message, 'until then, workers do not start')];
    return [
      failedCheck(
        'redis',
        `unreachable: ${describeCause(error)}`,
        'check REDIS_URL and that Redis is running',
      ),
    ];
  }
}

export async function checkPostgres({ ctx, embedded, databaseUrl }: Program): Promise<Check> {
  const { version, number } = await readServer(ctx.db);
  const server = `PostgreSQL ${version}${embedded === null ? '' : `, embedded in ${embedded.dataDirectory}`}`;
  if (number < MIN_POSTGRES)
    return failedCheck('postgres', server, 'strandline needs PostgreSQL 15 or newer');
  const obstacle = await findObstacle(databaseUrl);
  if (obstacle === undefined) return passedCheck('postgres', server);
  return failedCheck('postgres', `${server}; ${obstacle.problem}`, obstacle.advice);
}

export async function checkClock({ ctx }: Program): Promise<Check> {
  const ms = await measureSkew(ctx.db);
  const facts = describeSkew(ms);
  return Math.abs(ms) <= MAX_CLOCK_SKEW_MS
    ? passedCheck('clock', facts)
    : advisoryCheck('clock', facts, CLOCK_ADVICE);
}

export async function checkSqlReader(program: Program): Promise<Check> {
  const readerUrl = program.readerUrl();
  if (readerUrl === null)
    return advisoryCheck('sql reader', 'none', 'to use `strandline sql`, set DATABASE_READER_URL');
  try {
    await readerQuery({ url: readerUrl, sql: 'select count(*) from strandline_analytics.topics' });
    if (!(await canReaderHinder(readerUrl))) return passedCheck('sql reader', 'can read the views');
    return advisoryCheck(
      'sql reader',
      'can read the views; the role can also take advisory locks and create large objects',
      'to revoke both, run as superuser the statements in docs/reference/databases.md',
    );
  } catch (error) {
    return failedCheck(
      'sql reader',
      `cannot read the views: ${describeCause(error)}`,
      'check DATABASE_READER_URL and run: strandline migrate',
    );
  }
}

/** The sandbox runs in this process and needs to listen on loopback. */
export async function checkSandbox({ services }: Program): Promise<Check[]> {
  try {
    const { url } = await services.local();
    const { ok, status } = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(STATUS_TIMEOUT_MS) });
    return [
      ok
        ? passedCheck('sandbox', 'responds')
        : failedCheck('sandbox', `responds with ${status}`, 'this is a bug in strandline; please report it'),
    ];
  } catch (error) {
    return [
      failedCheck(
        'sandbox',
        `does not respond: ${describeCause(error)}`,
        'check that programs can listen on 127.0.0.1',
      ),
    ];
  }
}
