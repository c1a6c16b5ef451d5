/** The queue's back end, Postgres or Redis: its connections, and checks of a Redis server. */

import { readErrorCode, Refused } from '../../model/errors.ts';
import { SECOND } from '../../lib/time.ts';
import type { Logger } from '../logger.ts';
import { findNetworkCode } from '../network.ts';
import { prepareEach } from '../postgres/session.ts';
import { QUEUE_SCHEMA } from './queue-schema.ts';
import { shareListener } from './shared-listener.ts';
import { type BackendFactory, createPostgresBackend, type QueueOptions } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';

/** Where BullMQ stores jobs: a Redis, or the schema `bullmq` of our Postgres. */
export type QueueStore = { kind: 'redis' | 'postgres'; url: string };

export type QueueBackend = {
  kind: QueueStore['kind'];
  /** Options of a queue or worker, and the matching factory (undefined: BullMQ's default, on Redis). */
  queue: Pick<QueueOptions, 'connection' | 'prefix'>;
  worker: Pick<QueueOptions, 'connection' | 'prefix'>;
  factory: BackendFactory | undefined;
  /**
   * Checks the store of the queue. For Postgres, `migrate` has done that.
   * @returns warnings for a person
   * @throws Refused if the server is unsuitable, another error if it cannot be reached
   */
  check(): Promise<string[]>;
  close(): Promise<void>;
};

/** Postgres connections: that on which all workers of a process listen, and the most that run single statements. */
const LISTENING = 1;
const MOST_RUNNING = 6;

/** A newer release changed a queue table for which this worker has prepared statements. The statement was not executed. */
const RESULT_CHANGED = '0A000';

/**
 * A pool for BullMQ that prepares each statement once per connection. BullMQ (6.7.0) sends unnamed statements, so that
 * Postgres would parse and plan several of them for each job.
 */
function withKeptPlans(pool: Pool) {
  const names = new Map<string, string>();
  return {
    options: pool.options,
    connect: shareListener(pool),
    query: (text: string, values: unknown[]) => {
      const name = names.get(text) ?? `bullmq_${names.size}`;
      names.set(text, name);
      return pool.query({ name, text, values }).catch((error: unknown) => {
        if (readErrorCode(error) !== RESULT_CHANGED) throw error;
        return pool.query(text, values);
      });
    },
    end: () => pool.end(),
    // Every queue and worker would add a listener that is never removed; the pool's errors are logged below.
    on: () => undefined,
  };
}

/**
 * Opens a back end with its own connections: a waiting queue must never hold one that a save needs.
 * @param instance name of our database, so that two of them can share one Redis
 * @param running connections to Postgres for statements at the same time
 */
export function openBackend(
  home: QueueStore,
  instance: string,
  log: Logger,
  running = MOST_RUNNING,
): QueueBackend {
  const prefix = nameKeys(instance);
  if (home.kind === 'postgres') {
    const pool = new Pool({
      connectionString: home.url,
      max: LISTENING + Math.min(running, MOST_RUNNING),
      // Without it, a silently dead connection would block for 15 minutes, and a listening one for two hours.
      keepAlive: true,
      keepAliveInitialDelayMillis: 10 * SECOND,
      connectionTimeoutMillis: 10 * SECOND,
      query_timeout: 30 * SECOND,
      application_name: 'strandline queue',
      // BullMQ's statements name no schema.
      ...prepareEach({ search_path: `${QUEUE_SCHEMA}, pg_temp` }),
    });
    pool.on('error', (error) => log.debug({ err: error }, 'queue connection error'));
    // QueueOptions is typed for Redis only; with the Postgres factory, the connection may be a pool.
    const options = { connection: withKeptPlans(pool) as unknown as QueueOptions['connection'], prefix };
    return {
      kind: 'postgres',
      queue: options,
      worker: options,
      factory: createPostgresBackend as unknown as BackendFactory, // same reason
      check: () => Promise.resolve([]),
      close: () => pool.end(),
    };
  }
  const open = (maxRetriesPerRequest: number | null) => {
    const redis = new Redis(home.url, { maxRetriesPerRequest, connectTimeout: 5_000, lazyConnect: true });
    return redis.on('error', (error) =>
      log.debug({ err: withoutArguments(error) }, 'redis connection error'),
    );
  };
  // A producer must fail fast while Redis is unavailable (the scan enqueues its runs again); a worker must wait.
  const [producer, consumer] = [open(2), open(null)];
  return {
    kind: 'redis',
    queue: { connection: producer, prefix },
    worker: { connection: consumer, prefix },
    factory: undefined,
    check: async () => judgeRedis(await checkRedis(home.url)),
    close: () => {
      producer.disconnect();
      consumer.disconnect();
      return Promise.resolve();
    },
  };
}

/** The prefix of all keys of one database in Redis, and the name of its queues in Postgres. */
function nameKeys(instance: string): string {
  return `strandline-${instance}`;
}

/** Keys that are removed at once. */
const REMOVED_KEYS = 1_000;

/** Removes all keys of a database's queue. @returns their number @throws if Redis cannot be reached */
export async function emptyRedis(url: string, instance: string): Promise<number> {
  return withRedis(url, async (redis) => {
    let removed = 0;
    const prefix = nameKeys(instance).replaceAll(/[\\*?[\]^-]/g, String.raw`\$&`);
    const scanned = redis.scanStream({ match: `${prefix}:*`, count: REMOVED_KEYS }) as AsyncIterable<
      string[]
    >; // as ioredis says
    for await (const keys of scanned) if (keys.length > 0) removed += await redis.unlink(...keys);
    return removed;
  });
}

/** Properties of a Redis server that the queue depends on. */
export type RedisFacts = {
  /** Version of Redis or a compatible server; null if not reported. */
  version: string | null;
  /** `noeviction`, or a policy that evicts jobs; null if not reported. */
  maxmemoryPolicy: string | null;
  /** Whether data survives a restart, by AOF or snapshots; null if not reported. */
  persistent: boolean | null;
};

const REDIS_CHECK_TIMEOUT_MS = 5_000;
/** BullMQ requires the first and recommends the second. */
const MIN_VERSION = [5, 0] as const;
const ADVISED_VERSION = [6, 2] as const;

/** Queries the properties of a Redis server on a separate connection. @throws if it cannot be reached */
export async function checkRedis(url: string): Promise<RedisFacts> {
  return withRedis(url, async (redis) => {
    const info = await orUnknown(redis.info());
    const policy = readMember(info, 'maxmemory_policy') ?? (await readSetting(redis, 'maxmemory-policy'));
    return {
      version: readMember(info, 'redis_version') ?? null,
      maxmemoryPolicy: policy ?? null,
      persistent: await isPersistent(redis, info),
    };
  });
}

/** @throws if Redis cannot be reached, or a command takes too long */
async function withRedis<T>(url: string, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: REDIS_CHECK_TIMEOUT_MS,
    commandTimeout: REDIS_CHECK_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    // The ready check sends INFO, and prints to the console if that is forbidden.
    enableReadyCheck: false,
    retryStrategy: () => null,
  });
  let lost: Error | undefined;
  redis.on('error', (error) => {
    lost = error;
  });
  try {
    await redis.connect();
    await redis.ping();
    return await work(redis);
  } catch (error) {
    // The socket error is more specific than "Connection is closed".
    throw withoutArguments(lost ?? error);
  } finally {
    redis.disconnect();
  }
}

/**
 * Whether Redis is suitable for a queue. An eviction policy would remove single jobs that the queue still lists, which is
 * worse than losing the whole queue: the scan repairs that within seconds.
 * @returns warnings for a person, including checks that were not possible
 * @throws Refused if jobs would be lost or BullMQ does not work
 */
export function judgeRedis({ version, maxmemoryPolicy, persistent }: RedisFacts): string[] {
  const notes: string[] = [];
  if (version === null)
    throw new Refused('unavailable', 'This Redis user may not run INFO, which the queue requires.');
  if (isOlder(version, MIN_VERSION))
    throw new Refused('unavailable', `Redis is version ${version}; the queue requires 6.2 or later.`);
  else if (isOlder(version, ADVISED_VERSION))
    notes.push(`Redis is version ${version}; 6.2 or later is recommended`);

  if (maxmemoryPolicy === null)
    notes.push('Redis does not report its maxmemory-policy. It must be noeviction');
  else if (maxmemoryPolicy.startsWith('allkeys-'))
    throw new Refused(
      'unavailable',
      `Redis has the maxmemory-policy ${maxmemoryPolicy}, which would evict jobs. ` +
        'Set it to noeviction (redis-cli CONFIG SET maxmemory-policy noeviction, and in its configuration).',
    );
  else if (maxmemoryPolicy !== 'noeviction')
    notes.push(
      `Redis has the maxmemory-policy ${maxmemoryPolicy}, which can evict job locks; set noeviction`,
    );

  if (persistent === null) notes.push('Redis does not report whether its data survives a restart');
  else if (!persistent)
    notes.push(
      'Redis is not persistent: after a restart, the scan enqueues all waiting runs again within seconds',
    );
  return notes;
}

/** Hosted servers and restricted users may not run CONFIG and INFO. */
async function orUnknown(info: Promise<string>): Promise<string> {
  try {
    return await info;
  } catch (error) {
    if (error instanceof Error && error.name === 'ReplyError') return '';
    throw error;
  }
}

async function readSetting(redis: Redis, name: string): Promise<string | undefined> {
  const reply: unknown = await redis.config('GET', name).catch(() => null);
  const value: unknown = Array.isArray(reply) ? reply[1] : undefined;
  return typeof value === 'string' ? value : undefined;
}

async function isPersistent(redis: Redis, info: string): Promise<boolean | null> {
  if (readMember(info, 'aof_enabled') === '1') return true;
  const save = await readSetting(redis, 'save');
  return save === undefined ? null : save !== '';
}

function isOlder(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ours = 0, oursMinor = 0] = version.split('.').map((part) => Number.parseInt(part, 10) || 0);
  return ours < major || (ours === major && oursMinor < minor);
}

function readMember(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}

/**
 * Removes the failed command from an error: ioredis attaches it with its arguments, which for AUTH and HELLO include the
 * password. Every Redis error must pass through here before it is logged.
 */
export function withoutArguments<E>(error: E): E {
  if (error instanceof Error && 'command' in error) delete error.command;
  return error;
}

/** The words of ioredis for a server that is away, which have no code. */
const CONNECTION_LOST = /^Connection is closed|max retries per request/;

/**
 * Why the server of the queue is away: an expected state, which is logged once, in words and without a stack.
 * @returns undefined for any other error
 */
export function explainOutage(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const isAway = findNetworkCode(error) !== undefined || CONNECTION_LOST.test(error.message);
  return isAway ? error.message : undefined;
}
