/** Redis, or the tables of BullMQ: emptied, full, disconnected, wrong. */
import assert from 'node:assert/strict';
import { Redis } from 'ioredis';
import { startCommand } from '../../worker-command.ts';
import { MINUTE } from '../../../src/lib/time.ts';
import { repeats } from '../repeats.ts';
import type { Row } from '../row.ts';
import { says } from '../says.ts';
import { gated, ownPosts } from '../scripts.ts';
import type { Stage } from '../stage.ts';

/** Queries the Redis of the row directly, not over a wire. */
async function withRedis<T>(stage: Stage, ask: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(stage.redis.url());
  try {
    return await ask(redis);
  } finally {
    await redis.quit();
  }
}

/** All jobs are gone: executed, or without anything to do. */
function noJobIsLeft(stage: Stage): Promise<unknown> {
  return stage.until('no job is left', async () =>
    Object.values(await stage.ctx.queue.depth()).every((jobs) => jobs === 0),
  );
}

/** Redis is killed while one run is running and three are queued; it comes back with its stored data. */
async function killedRedis(stage: Stage): Promise<void> {
  const gate = gated(ownPosts);
  stage.service.answers(ownPosts);
  stage.service.answers(gate.script, '1');
  await stage.start();
  const runs = [(await stage.add(1)).runId];
  await stage.called();
  for (const prompt of [2, 3, 4]) runs.push((await stage.add(prompt)).runId);
  await stage.redis.stop('SIGKILL');
  await stage.redis.start();
  gate.open();
  for (const runId of runs) {
    const run = await stage.ended(runId);
    assert.deepEqual([run.status, run.fence], ['succeeded', 1]);
    assert.deepEqual(await stage.calls(runId), ['received']);
  }
  assert.equal(stage.service.asked.length, 4);
  await repeats(stage);
}

const ONE_AT_A_TIME = { WORKER_CONCURRENCY: '1', RUN_LEASE_SECONDS: '30' };

export const QUEUE: readonly Row[] = [
  {
    id: 'F40',
    title:
      'a Redis without persistence is killed: queued runs are executed, the running one is not called twice, and the repeatable job is restored',
    core: true,
    backends: ['redis'],
    redis: [],
    env: ONE_AT_A_TIME,
    play: killedRedis,
  },
  {
    id: 'F40 kept',
    title: 'the same with a Redis that has an append-only file and restores most of it',
    core: true,
    backends: ['redis'],
    redis: ['--appendonly', 'yes', '--appendfsync', 'everysec'],
    env: ONE_AT_A_TIME,
    play: killedRedis,
  },
  {
    id: 'F41',
    title: 'Redis is full: a search is saved anyway, and its run waits in the database until there is space',
    core: false,
    backends: ['redis'],
    redis: [],
    play: async (stage) => {
      stage.service.answers(ownPosts);
      const worker = await stage.start();
      await stage.ended((await stage.add(1)).runId);
      await withRedis(stage, (redis) => redis.config('SET', 'maxmemory', '1'));
      const { runId } = await stage.add(2);
      await says(worker, /queue unavailable; runs wait in the database/);
      assert.equal(
        (await stage.rows('SELECT status FROM strandline.runs WHERE id = $1', [runId]))[0].status,
        'queued',
      );
      await withRedis(stage, (redis) => redis.config('SET', 'maxmemory', '0'));
      assert.equal((await stage.ended(runId)).status, 'succeeded');
      assert.deepEqual(await stage.calls(runId), ['received']);
      assert.ok(worker.lives());
    },
  },
  {
    id: 'F41 evicted',
    title:
      'Redis evicts the list of jobs and the repeatable job, but not the jobs: within ten minutes each run is executed once',
    core: false,
    backends: ['redis'],
    redis: [],
    movesTime: true,
    env: ONE_AT_A_TIME,
    play: async (stage) => {
      const gate = gated(ownPosts);
      stage.service.answers(ownPosts);
      stage.service.answers(gate.script, '1');
      await stage.start();
      const { runId } = await stage.add(1);
      await stage.called();
      for (const prompt of [2, 3]) await stage.add(prompt);
      await withRedis(stage, async (redis) => {
        const lists = await redis.keys('*:runs:prioritized');
        const repeatable = await redis.keys('*:scan:repeat');
        assert.ok(lists.length > 0 && repeatable.length > 0);
        await redis.del([...lists, ...repeatable]);
      });
      gate.open();
      await stage.ended(runId);
      // As long as BullMQ has a job of the same id it adds no other; ids change every five minutes.
      await stage.moveTime(10 * MINUTE);
      await stage.settled();
      await repeats(stage);
      assert.equal(stage.service.asked.length, 3);
      await noJobIsLeft(stage);
    },
  },
  {
    id: 'F42',
    title: 'Redis is disconnected during a call: the run is saved, and its redelivered job has nothing to do',
    core: false,
    backends: ['redis'],
    redis: [],
    play: async (stage) => {
      const gate = gated(ownPosts);
      stage.service.answers(gate.script);
      const worker = await stage.start();
      const { runId } = await stage.add(1);
      await stage.called();
      stage.wires.queue.drop();
      gate.open();
      const run = await stage.ended(runId);
      assert.deepEqual([run.status, run.fence], ['succeeded', 1]);
      await stage.until('its job belongs to nobody', () =>
        withRedis(stage, async (redis) => (await redis.keys('*:lock')).length === 0),
      );
      stage.wires.queue.pass();
      await noJobIsLeft(stage);
      assert.deepEqual(await stage.calls(runId), ['received']);
      assert.deepEqual(await stage.ended(runId), run);
      assert.ok(worker.lives());
    },
  },
  {
    id: 'F42 start',
    title:
      'a worker that starts while Redis is unavailable waits for it: a run created meanwhile is executed once Redis is back',
    core: true,
    backends: ['redis'],
    redis: [],
    play: async (stage) => {
      stage.service.answers(ownPosts);
      await stage.redis.stop('SIGKILL');
      const { runId } = await stage.add(1);
      const command = startCommand(stage.env);
      try {
        await command.says(/the queue is unavailable/);
        await stage.redis.start();
        const run = await stage.ended(runId);
        assert.deepEqual([run.status, run.fence], ['succeeded', 1]);
      } finally {
        command.kill('SIGTERM');
      }
      assert.deepEqual(await command.ended, { code: 0, signal: null });
    },
  },
  {
    id: 'F43',
    title: 'a run with five jobs is leased once and called once',
    core: false,
    everyCommit: true,
    play: async (stage) => {
      const gate = gated(ownPosts);
      stage.service.answers(gate.script);
      const { runId } = await stage.add(1);
      // The fence is part of a job's id: five fences are five jobs of one run.
      await stage.ctx.queue.enqueueRuns([1, 2, 3, 4, 5].map((fence) => ({ runId, fence, trigger: 'first' })));
      await stage.start();
      await stage.until('the call is under way', () => Promise.resolve(stage.service.asked.length > 0));
      await stage.until('no job is left but the one at work', async () => {
        const { waiting = 0, prioritized = 0, active = 0 } = await stage.ctx.queue.depth();
        return waiting === 0 && prioritized === 0 && active === 1;
      });
      gate.open();
      const run = await stage.ended(runId);
      assert.deepEqual([run.status, run.fence], ['succeeded', 1]);
      assert.deepEqual(await stage.calls(runId), ['received']);
    },
  },
  {
    id: 'F44',
    title:
      'the schema of the queue is dropped: the next worker to start creates it again, and queued runs are executed',
    core: false,
    backends: ['postgres'],
    play: async (stage) => {
      stage.service.answers(ownPosts);
      const first = await stage.start();
      await stage.ended((await stage.add(1)).runId);
      await stage.rows('DROP SCHEMA bullmq CASCADE');
      const { runId } = await stage.add(2);
      await says(first, /queue unavailable/);
      await stage.start();
      assert.equal((await stage.ended(runId)).status, 'succeeded');
      assert.deepEqual(await stage.calls(runId), ['received']);
      await repeats(stage);
      assert.ok(first.lives());
    },
  },
  {
    id: 'F44 truncated',
    title:
      'every table of the queue is truncated, including its list of migrations: the next worker starts, and queued runs are executed',
    core: true,
    backends: ['postgres'],
    play: async (stage) => {
      stage.service.answers(ownPosts);
      const first = await stage.start();
      await stage.ended((await stage.add(1)).runId);
      const tables = await stage.rows(`SELECT tablename FROM pg_tables WHERE schemaname = 'bullmq'`);
      await stage.rows(`TRUNCATE ${tables.map(({ tablename }) => `bullmq.${tablename}`).join()}`);
      const second = await stage.start();
      assert.ok(second.began);
      assert.equal((await stage.ended((await stage.add(2)).runId)).status, 'succeeded');
      await repeats(stage);
      assert.ok(first.lives());
    },
  },
  {
    id: 'F44 newer',
    title:
      'a queue created by a newer BullMQ: no worker starts on it, running ones continue, and nothing is lost',
    core: false,
    backends: ['postgres'],
    play: async (stage) => {
      stage.service.answers(ownPosts);
      const running = await stage.start();
      await stage.ended((await stage.add(1)).runId);
      const [{ min_client_version: ours }] = await stage.rows(
        'SELECT max(min_client_version) AS min_client_version FROM bullmq.migration',
      );
      await stage.rows('UPDATE bullmq.migration SET min_client_version = 1000');
      const refused = await stage.start();
      await refused.ended;
      assert.equal(refused.began, false);
      assert.ok(refused.log.some((line) => line.includes('created by a newer BullMQ')));
      assert.equal((await stage.ended((await stage.add(2)).runId)).status, 'succeeded');
      await running.stop();
      await stage.rows('UPDATE bullmq.migration SET min_client_version = $1', [ours]);
      await stage.start();
      assert.equal((await stage.ended((await stage.add(3)).runId)).status, 'succeeded');
    },
  },
];
