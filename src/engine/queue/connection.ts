import { type BackendFactory, createPostgresBackend, type QueueOptions } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { SECOND } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { checkRedis, judgeRedis } from './redis-check.ts';
import { withoutArguments } from './without-arguments.ts';

/** Where BullMQ keeps its jobs: a Redis, or the schema `bullmq` of our own Postgres. */
export type QueueHome = { kind: 'redis'; url: string } | { kind: 'postgres'; url: string };

export type QueueBackend = {
  kind: QueueHome['kind'];
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

function sqlStateOf(error: unknown): unknown {
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
        if (sqlStateOf(error) !== RESULT_CHANGED) throw error;
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
export function openBackend(home: QueueHome, instance: string, log: Logger): QueueBackend {
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
