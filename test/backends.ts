import { Redis } from 'ioredis';
import { describe, inject } from 'vitest';

/** Where the queue of a suite is: in Postgres (no address), or in a Redis database of its own. */
export type TestBackend = Readonly<{ name: 'postgres' | 'redis'; redisUrl: string | null }>;

/** The most suites of one process on Redis: numbers are reserved for all of them at once. */
const SUITES = 200;
const numbers = await redisNumbers();

/**
 * Defines the same tests for both back ends. Without a redis-server those on Redis are skipped, and the
 * runner counts them as skipped. To empty the queue store of one suite use FLUSHDB: FLUSHALL would empty
 * those of others.
 */
export function onEachBackend(title: string, tell: (backend: TestBackend) => void): void {
  describe(`${title} on postgres`, () => tell({ name: 'postgres', redisUrl: null }));
  onRedis(`${title} on redis`, (redisUrl) => tell({ name: 'redis', redisUrl }));
}

/** Defines tests that need a Redis; skipped, and counted as skipped, if there is no redis-server. */
export function onRedis(title: string, tell: (redisUrl: string) => void): void {
  const { done, value: number } = numbers.next();
  if (done === true && inject('redisUrl') !== null)
    throw new Error(`more than ${SUITES} suites on Redis in one process`);
  describe.skipIf(number === undefined)(title, () =>
    tell(number === undefined ? 'redis://left.out.invalid' : `${inject('redisUrl')}/${number}`),
  );
}

/** Redis keeps the count: every process gets the next database numbers. None without a Redis. */
async function redisNumbers(): Promise<Iterator<number, undefined>> {
  const server = inject('redisUrl');
  if (server === null) return [].values();
  const client = new Redis(server);
  const last = await client.incrby('databases given out', SUITES);
  await client.quit();
  return Array.from({ length: SUITES }, (_, i) => last - i).values();
}
