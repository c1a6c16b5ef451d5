import { Redis } from 'ioredis';
import { inject } from 'vitest';

/** Where the queue of a suite lives: in Postgres (no address), or in a Redis database of the file's own. */
export type TestBackend = Readonly<{ name: 'postgres' | 'redis'; redisUrl: string | null }>;

/**
 * For `describe.each(backends)('... on $name', ({ redisUrl }) => ...)`. Redis is not in it where there is
 * no redis-server. To empty the queue store of one file use FLUSHDB: FLUSHALL would empty those of others.
 */
export const backends: readonly TestBackend[] = [
  { name: 'postgres', redisUrl: null },
  ...(await redisOfThisFile()),
];

/** Redis counts for us: every file that asks gets the next database number. */
async function redisOfThisFile(): Promise<TestBackend[]> {
  const server = inject('redisUrl');
  if (server === null) return [];
  const client = new Redis(server);
  const number = await client.incr('databases given out');
  await client.quit();
  return [{ name: 'redis', redisUrl: `${server}/${number}` }];
}
