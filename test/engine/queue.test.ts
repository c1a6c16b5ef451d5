import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLogger } from '../../src/engine/logger.ts';
import { openBackend, type QueueBackend } from '../../src/engine/queue/connection.ts';
import { openQueue, type WorkQueue } from '../../src/engine/queue/queue.ts';
import { repeatStrategy } from '../../src/monitor/schedule/repeat.ts';
import { onEachBackend } from '../backends.ts';
import { freshDatabase, type TestDatabase } from '../database.ts';

const log = createLogger('silent');

test('a Redis that cannot be reached is an error within seconds, and no reason to hang', async () => {
  const backend = openBackend({ kind: 'redis', url: 'redis://127.0.0.1:1' }, 'nowhere', log);
  const queue = openQueue(backend, repeatStrategy, log);
  await expect(queue.enqueue([{ runId: 1n, fence: 0 }])).rejects.toThrow('did not answer');
  await queue.close();
  await backend.close();
});

onEachBackend('the queue', ({ redisUrl }) => {
  let database: TestDatabase;
  let backend: QueueBackend;
  let queue: WorkQueue;
  beforeAll(async () => {
    database = await freshDatabase();
    const { url } = database;
    backend = openBackend(
      redisUrl === null ? { kind: 'postgres', url } : { kind: 'redis', url: redisUrl },
      'test',
      log,
    );
    queue = openQueue(backend, repeatStrategy, log);
  });
  afterAll(async () => {
    await queue.close();
    await backend.close();
    await database.drop();
  });

  test('takes the same run twice as one job, and another claim of it as another', async () => {
    await queue.enqueue([{ runId: 7n, fence: 0 }]);
    await queue.enqueue([
      { runId: 7n, fence: 0 },
      { runId: 7n, fence: 1 },
    ]);
    expect(await queue.depth()).toMatchObject({ waiting: 2 });
    await queue.enqueue([{ runId: 8n, fence: 0, delayMs: 60_000 }]);
    expect(await queue.depth()).toMatchObject({ waiting: 2, delayed: 1 });
  });

  test('knows the schedule of each search by its pattern, and forgets it when told', async () => {
    const pattern = JSON.stringify({ kind: 'every', seconds: 3600, phase: 1 });
    await queue.schedule(1n, pattern);
    await queue.schedule(2n, 'unreadable');
    expect(await queue.schedules()).toEqual(
      new Map([
        [1n, pattern],
        [2n, 'unreadable'],
      ]),
    );
    await queue.unschedule(1n);
    expect(await queue.countSchedules()).toBe(1);
  });
});
