import { Redis } from 'ioredis';
import { describe, inject } from 'vitest';

/** Where the queue of a suite lives: in Postgres (no address), or in a Redis database of the suite's own. */
export type TestBackend = Readonly<{ name: 'postgres' | 'redis'; redisUrl: string | null }>;

/** Suites that one process tells on Redis, at most: numbers are had for all of them at once. */
const SUITES = 200;
const numbers = await redisNumbers();

/**
 * Tells the same tests of both back ends. Without a redis-server those on Redis are left out, and the
 * runner counts them as skipped. To empty the queue store of one suite use FLUSHDB: FLUSHALL would empty
 * those of others.
 */
export function onEachBackend(title: string, tell: (backend: TestBackend) => void): void {
  describe(`${title} on postgres`, () => tell({ name: 'postgres', redisUrl: null }));
  onRedis(`${title} on redis`, (redisUrl) => tell({ name: 'redis', redisUrl }));
}

/** Tells tests that need a Redis; left out, and counted as skipped, where there is no redis-server. */
export function onRedis(title: string, tell: (redisUrl: string) => void): void {
  const { done, value: number } = numbers.next();
  if (done === true && inject('redisUrl') !== null)
    throw new Error(`more than ${SUITES} suites on Redis in one process`);
  describe.skipIf(number === undefined)(title, () =>
    tell(number === undefined ? 'redis://left.out.invalid' : `${inject('redisUrl')}/${number}`),
  );
}

/** Redis counts for us: every process that asks gets the next numbers of databases. None without a Redis. */
async function redisNumbers(): Promise<Iterator<number, undefined>> {
  const server = inject('redisUrl');
  if (server === null) return [].values();
  const client = new Redis(server);
  const last = await client.incrby('databases given out', SUITES);
  await client.quit();
  return Array.from({ length: SUITES }, (_, i) => last - i).values();
}
