import { Redis } from 'ioredis';

/** What a Redis says of itself, as far as a queue depends on it. */
export type RedisFacts = {
  version: string;
  /** `noeviction`, or a policy that throws jobs away; null where the server does not tell. */
  maxmemoryPolicy: string | null;
  /** Whether it keeps its data over a restart, by log or by snapshots; null where it does not tell. */
  persistent: boolean | null;
};

const PATIENCE_MS = 5_000;

/** Asks a Redis about itself, on a connection of its own that is closed again. @throws where it cannot be reached */
export async function checkRedis(url: string): Promise<RedisFacts> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: PATIENCE_MS,
    commandTimeout: PATIENCE_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let lost: Error | undefined;
  redis.on('error', (error) => {
    lost = error;
  });
  try {
    await redis.connect();
    const info = await redis.info();
    return {
      version: memberOf(info, 'redis_version') ?? 'unknown',
      maxmemoryPolicy: memberOf(info, 'maxmemory_policy') ?? null,
      persistent: await isPersistent(redis, info),
    };
  } catch (error) {
    // "Connection is closed" says nothing; what the socket said does.
    throw lost ?? error;
  } finally {
    redis.disconnect();
  }
}

/** Hosted servers often forbid CONFIG. */
async function isPersistent(redis: Redis, info: string): Promise<boolean | null> {
  if (memberOf(info, 'aof_enabled') === '1') return true;
  const save = await redis.config('GET', 'save').catch(() => null);
  const setting: unknown = Array.isArray(save) ? save[1] : null;
  return typeof setting === 'string' ? setting !== '' : null;
}

function memberOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}
