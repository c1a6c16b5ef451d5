import { rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readQueue } from '../../src/monitor/status/status-facts.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { connect } from '../../src/platform/postgres/connect.ts';
import { openBackend, type QueueBackend } from '../../src/platform/queue/connection.ts';
import { openQueue, type QueuedRun, type WorkQueue } from '../../src/platform/queue/queue.ts';
import { startWorkers } from '../../src/platform/queue/queue-workers.ts';
import { onEachBackend, onRedis } from '../backends.ts';
import { freshDatabase, type TestDatabase } from '../database.ts';
import { startRedis } from '../redis.ts';
import { makeDirectory } from '../temporary.ts';

const log = createLogger('silent');
const run = (runId: bigint, over: Partial<QueuedRun> = {}): QueuedRun => ({
  runId,
  fence: 0,
  trigger: 'schedule',
  ...over,
});

const nothing = () => Promise.resolve();
/** A worker that takes one job at a time; the test decides what it does with its own jobs. */
const idle = { concurrency: 1, onScan: nothing, onRun: nothing, onChannel: nothing, onWork: nothing, log };

test('an unreachable Redis is an error and does not hang', async () => {
  const backend = openBackend({ kind: 'redis', url: 'redis://127.0.0.1:1' }, 'nowhere', log);
  const queue = openQueue(backend, log);
  await expect(queue.enqueueRuns([run(1n)])).rejects.toThrow();
  await queue.close();
  await backend.close();
});

test('workers whose Redis went away close as soon as their jobs have ended', async ({ skip }) => {
  const directory = await makeDirectory();
  const redis = await startRedis(directory);
  if (redis === undefined) return skip();
  const backend = openBackend({ kind: 'redis', url: redis.url }, 'away', log);
  const queue = openQueue(backend, log);
  let endJob = () => {};
  const taken = vi.fn(() => new Promise<void>((resolve) => (endJob = resolve)));
  const workers = startWorkers(backend, { ...idle, onRun: taken });
  await queue.enqueueRuns([run(1n)]);
  await vi.waitFor(() => expect(taken).toHaveBeenCalled(), { timeout: 20_000 });
  await redis.stop('SIGKILL');
  let isClosed = false;
  const closed = workers.close().then(() => (isClosed = true));
  await wait(7_000);
  expect(isClosed, 'a job is in progress').toBe(false);
  endJob();
  await vi.waitFor(() => expect(isClosed).toBe(true), { timeout: 10_000 });
  await closed;
  await queue.close();
  await backend.close();
  await rm(directory, { recursive: true });
}, 60_000);

test('status waits for a slow queue as long as the queue itself does', async () => {
  vi.useFakeTimers();
  try {
    const depth = () =>
      new Promise<Record<string, number>>((resolve) => setTimeout(resolve, 4_000, { active: 1 }));
    const read = readQueue({ depth });
    await vi.advanceTimersByTimeAsync(4_000);
    expect(await read).toEqual({ depth: { active: 1 }, cause: null });
  } finally {
    vi.useRealTimers();
  }
});

test('retries Postgres when no connection is free at first, and keeps running', async () => {
  const refusals: Socket[] = [];
  const full = createServer((socket) => {
    refusals.push(socket);
    socket.on('error', () => {});
    socket.once('data', () => socket.end(refusal('53300', 'sorry, too many clients already')));
  });
  await new Promise<void>((resolve) => full.listen(0, '127.0.0.1', resolve));
  const { port } = full.address() as AddressInfo; // a TCP server's address is never a string
  const backend = openBackend({ kind: 'postgres', url: `postgres://u:p@127.0.0.1:${port}/x` }, 'full', log);
  const workers = startWorkers(backend, idle);
  // Timers run: BullMQ's own retry would let nothing else happen in this process.
  await vi.waitFor(() => expect(refusals.length).toBeGreaterThan(3), { timeout: 60_000, interval: 20 });
  const queue = openQueue(backend, log);
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
    queue = openQueue(backend, log);
  });
  afterAll(async () => {
    await queue.close();
    await backend.close();
    await database.drop();
  });

  test('enqueues one lease of a run as one job, and another lease as another', async () => {
    await queue.enqueueRuns([run(7n)]);
    await queue.enqueueRuns([run(7n), run(7n, { fence: 1 })]);
    expect(await queue.depth()).toMatchObject({ prioritized: 2 });
  });

  test('runs manual runs before slots, and slots before first runs and late responses', async () => {
    const taken: bigint[] = [];
    const first = Array.from({ length: 200 }, (_, n) => run(BigInt(1_000 + n), { trigger: 'first' }));
    const late = run(400n, { trigger: 'late' });
    await queue.enqueueRuns([...first.slice(0, 100), late, ...first.slice(100), run(200n)]);
    await queue.enqueueRuns([run(300n, { trigger: 'manual' })]);
    const workers = startWorkers(backend, {
      ...idle,
      onRun: async (runId) => {
        taken.push(runId);
        // A slot that becomes due, and a manual run, while first runs are executed.
        if (runId === 1_010n) await queue.enqueueRuns([run(201n), run(301n, { trigger: 'manual' })]);
      },
    });
    await vi.waitFor(() => expect(taken).toHaveLength(207), { timeout: 60_000, interval: 20 });
    const ids = first.map(({ runId }) => runId);
    expect(taken).toEqual([
      300n,
      7n,
      7n,
      200n,
      ...ids.slice(0, 11),
      301n,
      201n,
      ...ids.slice(11, 100),
      400n,
      ...ids.slice(100),
    ]);
    await workers.close();
  });

  test('creates a new job when a marked run is enqueued again while its job is active', async () => {
    await queue.enqueueRuns([run(8n)]);
    let taken = false;
    const stuck = startWorkers(backend, {
      ...idle,
      onRun: () => {
        taken = true;
        return new Promise<void>((resolve) => (release = resolve));
      },
    });
    let release = () => {};
    await vi.waitFor(() => expect(taken).toBe(true), { timeout: 60_000, interval: 20 });
    await queue.enqueueRuns([run(8n)]);
    expect(await queue.depth(), 'enqueued twice, it is one job').toMatchObject({ prioritized: 0, active: 1 });
    stuck.pause();
    await queue.enqueueRuns([run(8n)], 'start-1');
    await queue.enqueueRuns([run(8n)], 'start-1');
    expect(await queue.depth()).toMatchObject({ prioritized: 1, active: 1 });
    release();
    await stuck.close();
  });

  test('triggers the scan repeatedly', async () => {
    let scans = 0;
    const workers = startWorkers(backend, {
      ...idle,
      onScan: async () => {
        scans += 1;
        await Promise.resolve();
      },
    });
    await queue.restartScan();
    await vi.waitFor(() => expect(scans).toBeGreaterThan(2), { timeout: 60_000, interval: 20 });
    await queue.restartScan();
    const before = scans;
    await vi.waitFor(() => expect(scans).toBeGreaterThan(before + 1), {
      timeout: 60_000,
      interval: 20,
    });
    await workers.close();
  });
});

test('creates no temporary tables in Postgres for a few runs, as it does for many', async () => {
  const database = await freshDatabase();
  const backend = openBackend({ kind: 'postgres', url: database.url }, 'alone', log);
  const queue = openQueue(backend, log);
  const client = await connect(database.url, 'test');
  const schemas = async () =>
    (await client.query(`SELECT FROM pg_namespace WHERE nspname LIKE 'pg\\_temp\\_%'`)).rowCount;
  await queue.enqueueRuns(Array.from({ length: 8 }, (_, n) => run(BigInt(n))));
  expect(await schemas()).toBe(0);
  await queue.enqueueRuns(Array.from({ length: 9 }, (_, n) => run(BigInt(10 + n))));
  expect(await schemas(), 'where this is none, adding one by one has lost its reason').toBe(1);
  expect(await queue.depth()).toMatchObject({ prioritized: 17 });
  await client.end();
  await queue.close();
  await backend.close();
  await database.drop();
});

test('on Postgres, all workers listen on one connection, and on another when it breaks', async () => {
  const database = await freshDatabase();
  const backend = openBackend({ kind: 'postgres', url: database.url }, 'listening', log);
  const queue = openQueue(backend, log);
  const client = await connect(database.url, 'test');
  const done: string[] = [];
  const workers = startWorkers(backend, {
    ...idle,
    onRun: async () => void done.push('run'),
    onChannel: async () => void done.push('channel'),
    onWork: async () => void done.push('work'),
  });
  // Its last statement subscribed, or compared the version of the tables as a queue or worker was opened.
  const listening = async () => {
    const { rows } = await client.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query ~ 'LISTEN bullmq_jobs|"bullmq".migration' AND pid <> pg_backend_pid()`,
    );
    return rows.map(({ pid }) => pid);
  };
  const expectAll = async (n: bigint) => {
    done.length = 0;
    await queue.enqueueRuns([run(n)]);
    await queue.enqueueChannels([n]);
    await queue.enqueueWork([`work ${n}`]);
    await vi.waitFor(() => expect(done.toSorted()).toEqual(['channel', 'run', 'work']), {
      timeout: 60_000,
      interval: 20,
    });
  };
  await expectAll(1n);
  const expectOne = async () => {
    await vi.waitFor(async () => expect(await listening()).toHaveLength(1), {
      timeout: 60_000,
      interval: 20,
    });
    return listening();
  };
  const first = await expectOne();
  await client.query('SELECT pg_terminate_backend($1)', [first[0]]);
  await expectAll(2n);
  expect(await expectOne()).not.toEqual(first);
  await expectAll(3n);
  await workers.close();
  await queue.close();
  await backend.close();
  await client.end();
  await database.drop();
});

test('on Postgres, uses at most seven connections per process, and continues when a newer release adds a column', async () => {
  const database = await freshDatabase();
  const backend = openBackend({ kind: 'postgres', url: database.url }, 'columns', log);
  const queue = openQueue(backend, log);
  const client = await connect(database.url, 'test');
  let executed = 0;
  const workers = startWorkers(backend, {
    ...idle,
    concurrency: 8,
    onRun: async () => {
      executed += 1;
      await Promise.resolve();
    },
  });
  let n = 0;
  const execute = async (runs: number) => {
    await queue.enqueueRuns(Array.from({ length: runs }, () => run(BigInt((n += 1)))));
    await vi.waitFor(() => expect(executed).toBe(n), { timeout: 60_000, interval: 20 });
  };
  await execute(40);
  const { rowCount } = await client.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name <> 'test'
       AND backend_type = 'client backend'`,
  );
  expect(rowCount).toBeLessThanOrEqual(7);
  await client.query('ALTER TABLE bullmq.job ADD COLUMN from_a_newer_release int');
  await execute(40);
  await workers.close();
  await queue.close();
  await backend.close();
  await client.end();
  await database.drop();
});

onRedis('a Redis with another password', (redisUrl) => {
  test('is reported without the configured password, whoever logs it', async () => {
    const told: string[] = [];
    const loud = createLogger('trace', [], { write: (line) => void told.push(line) });
    const url = redisUrl.replace('//', '//somebody:canary-wrong@');
    const backend = openBackend({ kind: 'redis', url }, 'wrong', loud);
    const queue = openQueue(backend, loud);
    const failed: unknown = await queue.ping().catch((error: unknown) => error);
    loud.error({ err: failed }, 'not reached');
    await queue.close();
    await backend.close();
    expect(told.join('')).toMatch(/WRONGPASS/);
    expect(told.join('')).not.toMatch(/canary/);
  });
});
