import { Redis } from 'ioredis';
import { describe, inject } from 'vitest';

/** Where the queue of a suite lives: in Postgres (no address), or in a Redis database of the file's own. */
export type TestBackend = Readonly<{ name: 'postgres' | 'redis'; redisUrl: string | null }>;

const redis = await redisOfThisFile();

/**
 * Tells the same tests of both back ends. Without a redis-server those on Redis are left out, and the
 * runner counts them as skipped. To empty the queue store of one file use FLUSHDB: FLUSHALL would empty
 * those of others.
 */
export function onEachBackend(title: string, tell: (backend: TestBackend) => void): void {
  describe(`${title} on postgres`, () => tell({ name: 'postgres', redisUrl: null }));
  onRedis(`${title} on redis`, (redisUrl) => tell({ name: 'redis', redisUrl }));
}

/** Tells tests that need a Redis; left out, and counted as skipped, where there is no redis-server. */
export function onRedis(title: string, tell: (redisUrl: string) => void): void {
  describe.skipIf(redis === null)(title, () => tell(redis ?? 'redis://left.out.invalid'));
}

/** Redis counts for us: every file that asks gets the next database number. */
async function redisOfThisFile(): Promise<string | null> {
  const server = inject('redisUrl');
  if (server === null) return null;
  const client = new Redis(server);
  const number = await client.incr('databases given out');
  await client.quit();
  return `${server}/${number}`;
}
