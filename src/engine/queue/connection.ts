import { type BackendFactory, createPostgresBackend, type QueueOptions } from 'bullmq';
import { Redis } from 'ioredis';
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
 * Opens a back end. Its connections are its own: a queue that waits must never hold one that a save needs.
 * @param instance name of our database, so that two of them can share one Redis
 */
export function openBackend(home: QueueHome, instance: string, log: Logger): QueueBackend {
  const prefix = `strandline-${instance}`;
  if (home.kind === 'postgres') {
    const connection = {
      connectionString: home.url,
      max: 4,
      keepAlive: true,
      // A connection that died silently would otherwise be waited for until the system gives it up, a quarter of an hour.
      connectionTimeoutMillis: 10 * SECOND,
      query_timeout: 30 * SECOND,
      application_name: 'strandline queue',
    };
    // The types of QueueOptions know only Redis; with the Postgres factory the connection is a pool's settings.
    const options = { connection: connection as unknown as QueueOptions['connection'], prefix };
    return {
      kind: 'postgres',
      queue: options,
      worker: options,
      factory: createPostgresBackend as unknown as BackendFactory, // same reason
      check: () => Promise.resolve([]),
      close: () => Promise.resolve(),
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
