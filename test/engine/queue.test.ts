import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createLogger } from '../../src/engine/logger.ts';
import { connect } from '../../src/engine/postgres/connect.ts';
import { openBackend, type QueueBackend } from '../../src/engine/queue/connection.ts';
import { openQueue, QueueSilent, forReconciling, type WorkQueue } from '../../src/engine/queue/queue.ts';
import { startWorkers } from '../../src/engine/queue/workers.ts';
import { repeatStrategy } from '../../src/monitor/schedule/repeat.ts';
import { onEachBackend, onRedis } from '../backends.ts';
import { freshDatabase, type TestDatabase } from '../database.ts';

const log = createLogger('silent');

test('a Redis that cannot be reached is an error within seconds, and no reason to hang', async () => {
  const backend = openBackend({ kind: 'redis', url: 'redis://127.0.0.1:1' }, 'nowhere', log);
  const queue = openQueue(backend, repeatStrategy, log);
  const began = performance.now();
  await expect(queue.enqueue([{ runId: 1n, fence: 0 }])).rejects.toThrow();
  expect(performance.now() - began).toBeLessThan(6_000);
  await queue.close();
  await backend.close();
});

test('a Postgres that has no connection left at first is asked again, and the process lives meanwhile', async () => {
  const refusals: Socket[] = [];
  const full = createServer((socket) => {
    refusals.push(socket);
    socket.on('error', () => {});
    socket.once('data', () => socket.end(refusal('53300', 'sorry, too many clients already')));
  });
  await new Promise<void>((resolve) => full.listen(0, '127.0.0.1', resolve));
  const { port } = full.address() as AddressInfo; // a TCP server's address is never a string
  const backend = openBackend({ kind: 'postgres', url: `postgres://u:p@127.0.0.1:${port}/x` }, 'full', log);
  const nothing = () => Promise.resolve();
  const workers = startWorkers(backend, {
    concurrency: 1,
    runsPerMinute: undefined,
    repeatStrategy,
    onTick: nothing,
    onRun: nothing,
    onChannel: nothing,
    log,
  });
  // Timers run: BullMQ's own retry would let nothing else happen in this process.
  await vi.waitFor(() => expect(refusals.length).toBeGreaterThan(3), { timeout: 10_000, interval: 20 });
  const queue = openQueue(backend, repeatStrategy, log);
  await expect(queue.ping()).rejects.toThrow('too many clients');
  await expect(queue.ping(), 'a second question is a new attempt').rejects.toThrow('too many clients');
  await workers.close();
  await queue.close();
  full.close();
});

/** What Postgres sends instead of a connection. */
function refusal(code: string, words: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${words}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

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

test('a run that is told to the queue alone makes no temporary tables in Postgres, as one of many does', async () => {
  const database = await freshDatabase();
  const backend = openBackend({ kind: 'postgres', url: database.url }, 'alone', log);
  const queue = openQueue(backend, repeatStrategy, log);
  const client = await connect(database.url, 'test');
  const schemas = async () =>
    (await client.query(`SELECT FROM pg_namespace WHERE nspname LIKE 'pg\\_temp\\_%'`)).rowCount;
  await queue.enqueue([{ runId: 1n, fence: 0 }]);
  await queue.enqueue([{ runId: 2n, fence: 0, delayMs: 1_000 }]);
  expect(await schemas()).toBe(0);
  await queue.enqueue([
    { runId: 3n, fence: 0 },
    { runId: 4n, fence: 0 },
  ]);
  expect(await schemas(), 'where this is none, adding one by one has lost its reason').toBe(1);
  expect(await queue.depth()).toMatchObject({ waiting: 3, delayed: 1 });
  await client.end();
  await queue.close();
  await backend.close();
  await database.drop();
});

test('work of many steps does not wait for a silent queue at each of them; any other failure silences nothing', async () => {
  const asked: string[] = [];
  const ask = (name: string, error?: Error) => () => {
    asked.push(name);
    return error === undefined ? Promise.resolve() : Promise.reject(error);
  };
  const queue: WorkQueue = {
    kind: 'redis',
    enqueue: ask('enqueue'),
    enqueueChannels: ask('enqueueChannels', new QueueSilent('the queue did not answer within 5000 ms')),
    schedule: ask('schedule', new Error('bad pattern')),
    unschedule: ask('unschedule'),
    schedules: () => Promise.resolve(new Map()),
    countSchedules: () => Promise.resolve(0),
    depth: () => Promise.resolve({}),
    ping: ask('ping'),
    close: ask('close'),
  };
  const bounded = forReconciling(queue);
  await expect(bounded.schedule(1n, 'x')).rejects.toThrow('bad pattern');
  await bounded.enqueue([]);
  await expect(bounded.enqueueChannels([], new Date(0))).rejects.toThrow(QueueSilent);
  asked.length = 0;
  await expect(bounded.enqueue([])).rejects.toThrow(QueueSilent);
  await expect(bounded.schedule(1n, 'x')).rejects.toThrow(QueueSilent);
  await expect(bounded.countSchedules()).rejects.toThrow(QueueSilent);
  expect(asked, 'nobody is asked any more').toEqual([]);
  const slow = { ...queue, countSchedules: () => new Promise<number>((answer) => setTimeout(answer, 30, 7)) };
  const hurried = forReconciling(slow, 20);
  expect(await hurried.countSchedules(), 'what was asked is answered').toBe(7);
  await expect(hurried.countSchedules(), 'and no more').rejects.toThrow(/slow/);
  await forReconciling(queue).enqueue([]);
  expect(asked, 'the next piece of work asks again').toEqual(['enqueue']);
});

onRedis('a Redis that lost some of its keys', (redisUrl) => {
  test('gets back what stands in no list any more, and keeps what does', async () => {
    const backend = openBackend({ kind: 'redis', url: redisUrl }, 'stranded', log);
    const queue = openQueue(backend, repeatStrategy, log);
    const redis = new Redis(redisUrl);
    const lost = [7n, 8n].map((runId) => ({ runId, fence: 0 }));
    await queue.enqueue(lost);
    await redis.del('strandline-stranded:runs:wait');
    const late = { runId: 9n, fence: 0, delayMs: 60_000 };
    await queue.enqueue([...lost, late]);
    expect(await queue.depth(), 'it believes that it has them').toMatchObject({ waiting: 0, delayed: 1 });
    await forReconciling(queue).enqueue([...lost, late]);
    expect(await queue.depth()).toMatchObject({ waiting: 2, delayed: 1 });
    await forReconciling(queue).enqueue([...lost, { runId: 10n, fence: 3 }]);
    expect(await queue.depth(), 'those that wait are not told of twice').toMatchObject({
      waiting: 3,
      delayed: 1,
    });
    await forReconciling(queue).enqueue([{ runId: 9n, fence: 0 }]);
    expect(await queue.depth(), 'what is due waits for no timer').toMatchObject({ waiting: 4, delayed: 0 });
    await redis.quit();
    await queue.close();
    await backend.close();
  });
});

onRedis('a Redis with another password', (redisUrl) => {
  test('is told of, and the one that we gave is not, whoever logs it', async () => {
    const told: string[] = [];
    const loud = createLogger('trace', [], { write: (line) => void told.push(line) });
    const url = redisUrl.replace('//', '//somebody:canary-wrong@');
    const backend = openBackend({ kind: 'redis', url }, 'wrong', loud);
    const queue = openQueue(backend, repeatStrategy, loud);
    const failed: unknown = await queue.ping().catch((error: unknown) => error);
    loud.error({ err: failed }, 'not reached');
    await queue.close();
    await backend.close();
    expect(told.join('')).toMatch(/WRONGPASS/);
    expect(told.join('')).not.toMatch(/canary/);
  });
});
