/** Requirements for the Redis of a queue: checked before any work is leased. */
import { rm } from 'node:fs/promises';
import { inspect } from 'node:util';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { checkQueueServer } from '../../src/cli/system-checks.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { checkRedis, judgeRedis, type RedisFacts } from '../../src/platform/queue/connection.ts';
import { openProgram } from '../../src/app/program.ts';
import { freshDatabase } from '../database.ts';
import { startRedis } from '../redis.ts';
import { makeDirectory } from '../temporary.ts';

const GOOD: RedisFacts = { version: '7.4.1', maxmemoryPolicy: 'noeviction', persistent: true };

test.each<[Partial<RedisFacts>, RegExp | null]>([
  [{}, null],
  [{ version: '6.2.0' }, null],
  [{ version: '10.0.0' }, null],
  [{ version: '5.0.14' }, /5\.0\.14; 6\.2 or later is recommended/],
  [{ persistent: false }, /is not persistent/],
  [{ persistent: null }, /does not report whether its data survives/],
  [{ maxmemoryPolicy: null }, /does not report its maxmemory-policy. It must be noeviction/],
  [{ maxmemoryPolicy: 'volatile-lru' }, /volatile-lru, which can evict job locks/],
])('%j is accepted, with the note: %s', (over, note) => {
  const notes = judgeRedis({ ...GOOD, ...over });
  expect(notes).toHaveLength(note === null ? 0 : 1);
  expect(notes.join('')).toMatch(note ?? /^$/);
});

test.each<[Partial<RedisFacts>, RegExp]>([
  [{ version: '4.0.14' }, /Redis is version 4\.0\.14; the queue requires 6\.2 or later/],
  [{ version: null }, /may not run INFO/],
  [{ maxmemoryPolicy: 'allkeys-lru' }, /allkeys-lru.*evict jobs.*CONFIG SET maxmemory-policy noeviction/],
  [{ maxmemoryPolicy: 'allkeys-random' }, /allkeys-random/],
])('%j is refused: %s', (over, words) => {
  expect(() => judgeRedis({ ...GOOD, ...over })).toThrow(words);
});

describe.skipIf(inject('redisUrl') === null)('a Redis', () => {
  let directory: string;
  let server: { url: string; stop(): Promise<void> };
  let admin: Redis;
  beforeAll(async () => {
    directory = await makeDirectory();
    const started = await startRedis(directory);
    if (started === undefined) throw new Error('there is no redis-server');
    server = started;
    admin = new Redis(server.url);
  });
  beforeEach(async () => {
    await admin.config('SET', 'maxmemory-policy', 'noeviction');
    await admin.config('SET', 'save', '');
  });
  afterAll(async () => {
    await admin.quit();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const as = (user: string) => server.url.replace('//', `//${user}:canary-password@`);

  test('reports its version, eviction policy and persistence', async () => {
    expect(await checkRedis(server.url)).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      maxmemoryPolicy: 'noeviction',
      persistent: false,
    });
    await admin.config('SET', 'save', '60 1');
    expect(await checkRedis(server.url)).toMatchObject({ persistent: true });
  });

  test('that forbids CONFIG is accepted, with a note about what was not checked', async () => {
    await admin.call('ACL', 'SETUSER', 'hosted', 'on', '>canary-password', '~*', '&*', '+@all', '-config');
    const facts = await checkRedis(as('hosted'));
    expect(facts).toMatchObject({ maxmemoryPolicy: 'noeviction', persistent: null });
    expect(judgeRedis(facts)).toEqual([expect.stringContaining('does not report whether its data')]);
  });

  test('that forbids INFO is refused with a message without its password', async () => {
    await admin.call('ACL', 'SETUSER', 'blind', 'on', '>canary-password', '~*', '&*', '+@all', '-info');
    const facts = await checkRedis(as('blind'));
    expect(() => judgeRedis(facts)).toThrow(/may not run INFO/);
    expect(await checkQueueServer(readConfig({ REDIS_URL: as('blind') }))).toMatchObject([
      { name: 'redis', state: 'failed', facts: expect.stringContaining('may not run INFO') as unknown },
    ]);
    const wrong = server.url.replace('//', '//blind:canary-wrong@');
    const refusal: unknown = await checkRedis(wrong).catch((error: unknown) => error);
    expect(inspect(refusal, { depth: null })).toMatch(/WRONGPASS/);
    expect(inspect(refusal, { depth: null })).not.toMatch(/canary/);
  });

  test('that evicts jobs prevents workers from starting, but not commands that only enqueue', async () => {
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const database = await freshDatabase();
    const config = readConfig({ DATABASE_URL: database.url, REDIS_URL: server.url });
    const log = createLogger('silent');
    await expect(openProgram({ config, log, role: 'owner' })).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('allkeys-lru'),
    });
    expect(await checkQueueServer(config)).toMatchObject([
      { name: 'redis', state: 'failed', facts: expect.stringContaining('allkeys-lru') as unknown },
    ]);
    const guest = await openProgram({ config, log, role: 'guest' });
    await guest.close();
    await admin.config('SET', 'maxmemory-policy', 'noeviction');
    const owner = await openProgram({ config, log, role: 'owner' });
    expect(owner.notes).toContainEqual(expect.stringContaining('is not persistent'));
    await owner.close();
    await database.drop();
  });

  test('that is unavailable does not prevent a start', async () => {
    const database = await freshDatabase();
    const config = readConfig({ DATABASE_URL: database.url, REDIS_URL: 'redis://127.0.0.1:1' });
    const home = await openProgram({ config, log: createLogger('silent'), role: 'owner' });
    expect(home.notes).toContainEqual(expect.stringContaining('the queue is unavailable'));
    await home.close();
    await database.drop();
  });
});
