/** Where the queue is kept: Postgres or Redis, the connections to it, and whether a Redis is fit for it. */

import { Refused } from '../../domain/errors.ts';
import { SECOND } from '../../domain/time.ts';
import type { Logger } from '../logger.ts';
import { type BackendFactory, createPostgresBackend, type QueueOptions } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';

/** Where BullMQ keeps its jobs: a Redis, or the schema `bullmq` of our own Postgres. */
export type QueueStore = { kind: 'redis'; url: string } | { kind: 'postgres'; url: string };

export type QueueBackend = {
  kind: QueueStore['kind'];
  /** Options of a queue or worker, and the factory that goes with them (none: BullMQ's own, on Redis). */
  queue: Pick<QueueOptions, 'connection' | 'prefix'>;
  worker: Pick<QueueOptions, 'connection' | 'prefix'>;
  factory: BackendFactory | undefined;
  /**
   * Checks the store of the queue. In Postgres that was done by whoever migrated it.
   * @returns sentences for a person, about what is not as it should be
   * @throws Refused where a queue must not be kept there, another error where it cannot be reached
   */
  check(): Promise<string[]>;
  close(): Promise<void>;
};

/**
 * Connections to Postgres of all queues and workers of a process together. Each of its four workers listens on one of them;
 * the others are used for a statement at a time.
 */
const MAX_CONNECTIONS = 10;

/** A newer release changed a table of the queue under a worker that prepared statements over it. Nothing was executed. */
const RESULT_CHANGED = '0A000';

function readSqlState(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/**
 * The pool as BullMQ needs it, but each statement is prepared once a connection. BullMQ sends them without a name (6.7.0),
 * and Postgres then parses and plans several of them for each job.
 */
function withKeptPlans(pool: Pool) {
  const names = new Map<string, string>();
  return {
    options: pool.options,
    connect: () => pool.connect(),
    query: (text: string, values: unknown[]) => {
      const name = names.get(text) ?? `bullmq_${names.size}`;
      names.set(text, name);
      return pool.query({ name, text, values }).catch((error: unknown) => {
        if (readSqlState(error) !== RESULT_CHANGED) throw error;
        return pool.query(text, values);
      });
    },
    end: () => pool.end(),
    // Each queue and worker that is created would add a listener, and no one removes it; the pool's errors are logged here.
    on: () => undefined,
  };
}

/**
 * Opens a back end. Its connections are its own: a queue that waits must never hold one that a save needs.
 * @param instance name of our database, so that two of them can share one Redis
 */
export function openBackend(home: QueueStore, instance: string, log: Logger): QueueBackend {
  const prefix = `strandline-${instance}`;
  if (home.kind === 'postgres') {
    const pool = new Pool({
      connectionString: home.url,
      max: MAX_CONNECTIONS,
      // A connection that died silently would otherwise be waited for until the system gives it up, a quarter of an hour, and
      // one that only listens for two hours.
      keepAlive: true,
      keepAliveInitialDelayMillis: 10 * SECOND,
      connectionTimeoutMillis: 10 * SECOND,
      query_timeout: 30 * SECOND,
      application_name: 'strandline queue',
      options: '-c search_path=bullmq',
    });
    pool.on('error', (error) => log.debug({ err: error }, 'queue connection'));
    // The types of QueueOptions know only Redis; with the Postgres factory the connection may be a pool.
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
  // A producer must fail fast while Redis is away (the scan offers its runs again); a worker must wait.
  const producer = new Redis(home.url, {
    maxRetriesPerRequest: 2,
    enableOfflineQueue: true,
    connectTimeout: 5_000,
    lazyConnect: true,
  });
  const consumer = new Redis(home.url, {
    maxRetriesPerRequest: null,
    connectTimeout: 5_000,
    lazyConnect: true,
  });
  for (const redis of [producer, consumer])
    redis.on('error', (error) => log.debug({ err: withoutArguments(error) }, 'redis connection'));
  return {
    kind: 'redis',
    queue: { connection: producer, prefix },
    worker: { connection: consumer, prefix },
    factory: undefined,
    check: async () => judgeRedis(await checkRedis(home.url)),
    close: async () => {
      producer.disconnect();
      consumer.disconnect();
      await Promise.resolve();
    },
  };
}

/** What a Redis says of itself, as far as a queue depends on it. */
export type RedisFacts = {
  /** Of Redis, or of what says it is as good; null where the server does not tell. */
  version: string | null;
  /** `noeviction`, or a policy that throws jobs away; null where the server does not tell. */
  maxmemoryPolicy: string | null;
  /** Whether it keeps its data over a restart, by log or by snapshots; null where it does not tell. */
  persistent: boolean | null;
};

const REDIS_CHECK_TIMEOUT_MS = 5_000;
/** BullMQ does not work with anything older than the first, and asks for the second. */
const MIN_VERSION = [5, 0] as const;
const ADVISED_VERSION = [6, 2] as const;

/** Asks a Redis about itself, on a connection of its own that is closed again. @throws where it cannot be reached */
export async function checkRedis(url: string): Promise<RedisFacts> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: REDIS_CHECK_TIMEOUT_MS,
    commandTimeout: REDIS_CHECK_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    // It would ask INFO by itself, and complain to the console where that is forbidden.
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
    const info = await orUnknown(redis.info());
    const policy = readMember(info, 'maxmemory_policy') ?? (await readSetting(redis, 'maxmemory-policy'));
    return {
      version: readMember(info, 'redis_version') ?? null,
      maxmemoryPolicy: policy ?? null,
      persistent: await isPersistent(redis, info),
    };
  } catch (error) {
    // "Connection is closed" says nothing; what the socket said does.
    throw withoutArguments(lost ?? error);
  } finally {
    redis.disconnect();
  }
}

/**
 * Whether a queue may be kept there. A policy that evicts keys takes single jobs out of the middle of a queue, which
 * goes on to list them: that is worse than losing it whole, which the scan repairs in seconds.
 * @returns sentences for a person, about what is not as it should be or could not be looked at
 * @throws Refused where jobs would be lost or BullMQ does not work
 */
export function judgeRedis({ version, maxmemoryPolicy, persistent }: RedisFacts): string[] {
  const notes: string[] = [];
  if (version === null)
    throw new Refused('unavailable', 'Redis forbids INFO to this user; the queue cannot work without it.');
  if (isOlder(version, MIN_VERSION))
    throw new Refused('unavailable', `Redis is version ${version}; the queue needs 6.2 or newer.`);
  else if (isOlder(version, ADVISED_VERSION))
    notes.push(`Redis is version ${version}; 6.2 or newer is advised`);

  if (maxmemoryPolicy === null)
    notes.push('Redis does not tell its maxmemory-policy, so it could not be checked; it must be noeviction');
  else if (maxmemoryPolicy.startsWith('allkeys-'))
    throw new Refused(
      'unavailable',
      `Redis has the maxmemory-policy ${maxmemoryPolicy}: it would throw jobs away. ` +
        'Set it to noeviction (redis-cli CONFIG SET maxmemory-policy noeviction, and in its configuration).',
    );
  else if (maxmemoryPolicy !== 'noeviction')
    notes.push(
      `Redis has the maxmemory-policy ${maxmemoryPolicy}: it can throw away locks of jobs; set noeviction`,
    );

  if (persistent === null) notes.push('Redis does not tell whether it keeps its data over a restart');
  else if (!persistent)
    notes.push(
      'Redis keeps nothing over a restart: the scan then offers all waiting runs again within seconds',
    );
  return notes;
}

/** A hosted server, or a user of ours, may be forbidden CONFIG and INFO. */
async function orUnknown(info: Promise<string>): Promise<string> {
  try {
    return await info;
  } catch (error) {
    if (error instanceof Error && error.name === 'ReplyError') return '';
    throw error;
  }
}

async function readSetting(redis: Redis, name: string): Promise<string | undefined> {
  const found: unknown = await redis.config('GET', name).catch(() => null);
  const value: unknown = Array.isArray(found) ? found[1] : undefined;
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
 * The same error without the command that failed: ioredis puts it beside the message, with its arguments, and those of
 * AUTH and HELLO hold the password. Every error of a Redis passes here before anybody may log it.
 */
export function withoutArguments<E>(error: E): E {
  if (error instanceof Error && 'command' in error) delete error.command;
  return error;
}
