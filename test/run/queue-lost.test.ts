/** The queue is lost or damaged while runs wait: the next process, or `doctor --reset-queue`, creates it again, and they run. */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../../src/cli/command-line.ts';
import { connect } from '../../src/platform/postgres/connect.ts';
import { queueState, recreateQueue } from '../../src/platform/queue/queue-schema.ts';
import { onEachBackend } from '../backends.ts';
import { collector } from '../cli/stand.ts';
import { freshDatabase, type TestDatabase } from '../database.ts';
import { gated, json, wirePost } from '../stub-service.ts';
import { type Fleet, openFleet } from '../fleet.ts';
import { until } from '../processes.ts';

const truncate = (tables: string) => `DO $$ DECLARE t text; BEGIN
  FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'bullmq' ${tables} LOOP EXECUTE format('TRUNCATE bullmq.%I CASCADE', t); END LOOP;
END $$`;

/** What somebody does to the tables or keys of the queue. */
const DAMAGES = {
  postgres: {
    'nothing was damaged': 'SELECT 1',
    'its schema was dropped': 'DROP SCHEMA bullmq CASCADE',
    'a table was dropped': 'DROP TABLE bullmq.job CASCADE',
    'a column was dropped': 'ALTER TABLE bullmq.job DROP COLUMN priority CASCADE',
    'its functions were dropped': `DO $$ DECLARE f regprocedure; BEGIN
      FOR f IN SELECT oid FROM pg_proc WHERE pronamespace = 'bullmq'::regnamespace LOOP EXECUTE 'DROP FUNCTION ' || f || ' CASCADE'; END LOOP;
    END $$`,
    'a newer BullMQ created it': 'UPDATE bullmq.migration SET min_client_version = 1000',
  },
  redis: {
    'nothing was damaged': async () => {},
    'a list is of another type': async (redis: Redis, keys: readonly string[]) => {
      for (const key of keys.filter((each) => /:runs:(prioritized|wait|marker)$/.test(each)))
        await redis.multi().del(key).set(key, 'wrong').exec();
    },
  },
};

onEachBackend('doctor --reset-queue', ({ name, redisUrl }) => {
  let fleet: Fleet;
  let database: TestDatabase;
  beforeAll(async () => {
    database = await freshDatabase();
    fleet = await openFleet(redisUrl, database);
  });
  afterAll(() => fleet.close());

  async function damage(what: string): Promise<void> {
    if (redisUrl === null)
      return void (await fleet.rows(DAMAGES.postgres[what as keyof typeof DAMAGES.postgres]));
    const redis = new Redis(redisUrl);
    await DAMAGES.redis[what as keyof typeof DAMAGES.redis](redis, await redis.keys('strandline-fleet:*'));
    await redis.quit();
  }

  async function reset() {
    const stdout = collector();
    const env = {
      DATABASE_URL: database.url,
      REDIS_URL: redisUrl ?? undefined,
      SERVICE_SOURCES: 'sandbox',
      SEARCH_API_URL: fleet.stub.url,
      SEARCH_API_KEY: 'key',
    };
    await runCli(['doctor', '--reset-queue', '--json'], {
      stdout: stdout.stream,
      stderr: collector().stream,
      isTTY: false,
      env,
    });
    return JSON.parse(stdout.text()) as { check: string; ok: boolean | null; found: string }[]; // what doctor prints
  }

  test.each(Object.keys(DAMAGES[name]))('%s: runs that were queued are executed once', async (what) => {
    const gate = gated(json({ miner_tweets: [wirePost('1')] }));
    fleet.stub.answers(gate.answer);
    const slug = what.replaceAll(' ', '-').toLowerCase();
    const worker = await fleet.start({
      WORKER_CONCURRENCY: '1',
      RUN_LEASE_SECONDS: '60',
      NOVA_SECONDS: '600',
    });
    const runs = [await fleet.add(`${slug}-running`, 'harbour')];
    await until('it is called', () => Promise.resolve(fleet.stub.requests.length === 1));
    for (const n of [1, 2]) runs.push(await fleet.add(`${slug}-queued-${n}`, 'harbour'));
    await damage(what);
    const checks = await reset();
    expect(checks).toContainEqual(expect.objectContaining({ check: 'queue reset', ok: true }));
    expect(checks).toContainEqual(expect.objectContaining({ check: 'queue', ok: true }));
    gate.open();
    for (const run of runs) expect(await fleet.ended(run)).toMatchObject({ status: 'succeeded', fence: 1 });
    expect(fleet.stub.requests).toHaveLength(3);
    // And the repeatable job triggers scans again.
    const next = await fleet.add(`${slug}-next`, 'harbour');
    expect(await fleet.ended(next)).toMatchObject({ status: 'succeeded' });
    expect(worker.lives()).toBe(true);
    await fleet.clear();
  });

  if (redisUrl !== null)
    test('keys of another database stay', async () => {
      const redis = new Redis(redisUrl);
      await redis.set('strandline-fleet:runs:own', 'of this database');
      await redis.set('strandline-other:runs:meta', 'of another database');
      await reset();
      expect(await redis.get('strandline-fleet:runs:own')).toBeNull();
      expect(await redis.get('strandline-other:runs:meta')).toBe('of another database');
      await redis.quit();
    });
});

let fleet: Fleet;
beforeAll(async () => {
  fleet = await openFleet(null);
  fleet.stub.answers(json({ miner_tweets: [wirePost('1')] }));
});
afterAll(() => fleet.close());

test.each([
  ['its schema was dropped', 'DROP SCHEMA bullmq CASCADE'],
  ['all tables were truncated', truncate('')],
  ['all tables but the list of migrations were truncated', truncate(`AND tablename <> 'migration'`)],
])('%s: a worker that starts executes waiting runs', async (what, statement) => {
  const slug = what.replaceAll(' ', '-');
  const run = await fleet.add(slug, 'harbour');
  expect(await fleet.rows(`SELECT status FROM strandline.runs WHERE id = $1`, [run])).toEqual([
    { status: 'queued' },
  ]);
  await fleet.rows(statement);
  await fleet.start();
  expect(await fleet.ended(run)).toMatchObject({ status: 'succeeded', fence: 1 });
  // And its repeatable job calls scans again.
  const next = await fleet.add(`${slug}-next`, 'harbour');
  expect(await fleet.ended(next)).toMatchObject({ status: 'succeeded' });
  await fleet.clear();
});

test('a reset that waits for a worker, which waits for the reset, is repeated', async () => {
  const database = await freshDatabase();
  const [resetting, working] = [
    await connect(database.url, 'strandline test'),
    await connect(database.url, 'strandline test'),
  ];
  await working.query('BEGIN; LOCK TABLE bullmq.job IN ACCESS SHARE MODE');
  const reset = recreateQueue(resetting);
  const readLocks = async (isGranted: boolean) => {
    const { rows } = await working.query<{ name: string }>(
      `SELECT c.oid::regclass::text AS name FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
       WHERE l.granted = $1 AND l.mode = 'AccessExclusiveLock' AND c.relnamespace = 'bullmq'::regnamespace AND c.relkind = 'r'`,
      [isGranted],
    );
    return rows.map(({ name }) => name);
  };
  await until('the reset waits', async () => (await readLocks(false)).length > 0);
  const [dropped] = await readLocks(true);
  expect(dropped, 'a table that the reset has locked').toBeDefined();
  // Postgres ends one of the two: the reset, unless a second has passed since it began to wait.
  await working.query(`LOCK TABLE ${dropped} IN ACCESS SHARE MODE`).catch(() => {});
  await working.query('ROLLBACK');
  await reset;
  expect(await queueState(resetting)).toBe('current');
  await Promise.all([resetting.end(), working.end()]);
  await database.drop();
});
