import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createSearch } from '../../src/monitor/topic/create.ts';
import { openBackend, type QueueBackend } from '../../src/engine/queue/connection.ts';
import { openQueue } from '../../src/engine/queue/queue.ts';
import type { Context } from '../../src/monitor/context.ts';
import { phaseOf } from '../../src/monitor/schedule/interval.ts';
import { repeatStrategy } from '../../src/monitor/schedule/repeat.ts';
import { instanceName } from '../../src/store/workers.ts';
import { backends } from '../backends.ts';
import { startProcess, until, type WorkerProcess } from '../processes.ts';
import { gated, json, type StubService, startStub, wirePost } from '../stub-service.ts';
import { systemClock } from '../../src/engine/clock.ts';
import { makeWorld, type World } from '../world.ts';

const POSTS = json({ miner_tweets: [wirePost('1'), wirePost('2'), wirePost('3')] });

describe.each(backends)('a worker on $name', ({ redisUrl }) => {
  let stub: StubService;
  let world: World;
  let backend: QueueBackend;
  let ctx: Context;
  const workers: WorkerProcess[] = [];

  beforeAll(async () => {
    stub = await startStub();
    world = await makeWorld({ hosted: stub.url, clock: systemClock });
    const instance = await instanceName(world.db, 'killed', systemClock.now());
    const home =
      redisUrl === null
        ? ({ kind: 'postgres', url: world.database.url } as const)
        : ({ kind: 'redis', url: redisUrl } as const);
    backend = openBackend(home, instance, world.ctx.log);
    ctx = { ...world.ctx, queue: openQueue(backend, repeatStrategy, world.ctx.log) };
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    await rows(`UPDATE strandline.searches SET archived_at = now(), next_due_at = NULL`);
    stub.requests.length = 0;
  });
  afterAll(async () => {
    await ctx.queue.close();
    await backend.close();
    await world.close();
    await stub.close();
  });

  const rows = async (sql: string, values: unknown[] = []) => (await world.db.pool.query(sql, values)).rows;

  async function start(env: Record<string, string> = {}): Promise<WorkerProcess> {
    const worker = await startProcess({
      DATABASE_URL: world.database.url,
      REDIS_URL: redisUrl ?? undefined,
      SEARCH_API_URL: stub.url,
      SEARCH_API_KEY: 'key',
      LOG_LEVEL: 'silent',
      RUN_LEASE_SECONDS: '1',
      RECONCILE_SECONDS: '1',
      ...env,
    });
    workers.push(worker);
    return worker;
  }

  const add = async (slug: string) =>
    (await createSearch(ctx, { slug, operation: 'microblog', prompt: slug, every: '1h' })).firstRunId;

  const ended = (runId: bigint) =>
    until(`run ${runId} ends`, async () => {
      const [run] = await rows('SELECT status, code, fence FROM strandline.runs WHERE id = $1', [runId]);
      return run.status === 'queued' || run.status === 'running' ? false : run;
    });

  async function expectOnce(runId: bigint): Promise<void> {
    const [{ search_id }] = await rows('SELECT search_id FROM strandline.runs WHERE id = $1', [runId]);
    const counts = await rows(
      `SELECT (SELECT count(*)::int FROM strandline.post_sightings WHERE search_id = $1) AS sightings,
        (SELECT count(*)::int FROM strandline.discoveries WHERE search_id = $1) AS discoveries,
        (SELECT count(*)::int FROM strandline.run_results WHERE run_id = $2) AS results`,
      [search_id, runId],
    );
    expect(counts).toEqual([{ sightings: 3, discoveries: 3, results: 1 }]);
  }

  test.each([
    { point: 'after the ledger row', calls: ['unknown', 'received'], requests: 1 },
    { point: 'after the answer is kept', calls: ['received'], requests: 1 },
    { point: 'before the commit', calls: ['received'], requests: 1 },
    { point: 'after the commit', calls: ['received'], requests: 1 },
  ])(
    'that dies $point costs no call more than allowed, and everything is found once',
    async ({ point, calls, requests }) => {
      stub.answers(POSTS);
      const dying = await start({ DIE_AT: point });
      const runId = await add(`dies-${point.replaceAll(' ', '-')}`);
      await dying.ended;
      await start();
      expect(await ended(runId)).toMatchObject({ status: 'succeeded' });
      expect(
        (await rows('SELECT state FROM strandline.calls WHERE run_id = $1 ORDER BY n', [runId])).map(
          (call) => call.state,
        ),
      ).toEqual(calls);
      expect(stub.requests).toHaveLength(requests);
      await expectOnce(runId);
    },
  );

  test('goes on when the queue is emptied while runs wait and one is under way; that one is not called twice', async () => {
    const gate = gated(POSTS);
    stub.answers(gate.answer);
    await start({ WORKER_CONCURRENCY: '1', RUN_LEASE_SECONDS: '10' });
    const runs = [
      await add('emptied-0'),
      await add('emptied-1'),
      await add('emptied-2'),
      await add('emptied-3'),
    ];
    await until('a call is under way', async () => stub.requests.length > 0);
    await emptyQueue();
    gate.open();
    for (const runId of runs) expect(await ended(runId)).toMatchObject({ status: 'succeeded' });
    expect(stub.requests).toHaveLength(runs.length);
    for (const runId of runs) await expectOnce(runId);
  });

  test('that sleeps beyond its lease and wakes up changes nothing: another had finished', async () => {
    const gate = gated(POSTS);
    stub.answers(gate.answer);
    const sleeper = await start();
    const runId = await add('sleeper');
    await until('a call is under way', async () => stub.requests.length > 0);
    sleeper.child.kill('SIGSTOP');
    stub.answers(POSTS);
    await start();
    expect(await ended(runId)).toMatchObject({ status: 'succeeded', fence: 2 });
    gate.open();
    sleeper.child.kill('SIGCONT');
    await sleeper.stop();
    expect(await rows('SELECT status, fence FROM strandline.runs WHERE id = $1', [runId])).toEqual([
      { status: 'succeeded', fence: 2 },
    ]);
    expect(stub.requests).toHaveLength(2);
    await expectOnce(runId);
  });

  test('runs a search at each of its slots, by the queue alone', async () => {
    stub.answers(POSTS);
    await start({ RECONCILE_SECONDS: '3600' });
    const slug = slugDueIn(3);
    await createSearch(ctx, { slug, operation: 'microblog', prompt: slug, every: '60s' });
    const found = await until('a scheduled run succeeds', async () => {
      const runs = await rows(
        `SELECT r.status, extract(epoch FROM r.started_at - r.slot_at)::float8 AS late FROM strandline.runs r
         JOIN strandline.searches s ON s.id = r.search_id WHERE s.slug = $1 AND r.trigger = 'schedule' AND r.status = 'succeeded'`,
        [slug],
      );
      return runs.length > 0 && runs;
    });
    expect(found).toHaveLength(1);
  });

  test('and its kin are killed at random moments during 200 runs: each ends, none calls more than it may, all is found once', async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const random = seeded(seed);
    stub.answers(async (request, response) => {
      await new Promise((resolve) => {
        setTimeout(resolve, random() * 400);
      });
      const id = String(request.body['prompt']);
      await json({ miner_tweets: [wirePost(`${id}1`), wirePost(`${id}2`)] })(request, response);
    });
    const runs: bigint[] = [];
    for (let i = 0; i < 200; i += 1) {
      const { firstRunId } = await createSearch(ctx, {
        slug: `storm-${i}`,
        operation: 'microblog',
        prompt: `7${i}0`,
        every: '1h',
      });
      runs.push(firstRunId);
    }
    const env = { WORKER_CONCURRENCY: '4', MAX_CALLS_PER_RUN: '2' };
    const alive = await Promise.all([start(env), start(env)]);
    const open = async () =>
      (
        await rows(
          `SELECT count(*)::int AS n FROM strandline.runs WHERE id = ANY ($1) AND status IN ('queued', 'running')`,
          [runs],
        )
      )[0].n;
    let kills = 0;
    for (let left = await open(); left > 0; left = await open()) {
      if (kills < 8) {
        const victim = Math.floor(random() * alive.length);
        alive[victim]?.child.kill('SIGKILL');
        kills += 1;
        alive[victim] = await start(env);
      } else {
        await until('all runs end', async () => (await open()) === 0, 60_000);
      }
    }
    const message = `seed ${seed}, ${kills} kills`;
    const calls = await rows(
      'SELECT run_id, count(*)::int AS n FROM strandline.calls WHERE run_id = ANY ($1) GROUP BY 1 HAVING count(*) > 2',
      [runs],
    );
    expect(calls, message).toEqual([]);
    const asked = new Map<string, number>();
    for (const { headers } of stub.requests)
      asked.set(String(headers['x-run-id']), (asked.get(String(headers['x-run-id'])) ?? 0) + 1);
    expect(
      [...asked.values()].every((requests) => requests <= 2),
      message,
    ).toBe(true);
    const ends = await rows(
      `SELECT r.status, coalesce(r.code, '') AS code, count(*)::int AS runs, sum(g.n)::int AS sightings, sum(d.n)::int AS discoveries
       FROM strandline.runs r,
         LATERAL (SELECT count(*) AS n FROM strandline.post_sightings WHERE search_id = r.search_id) g,
         LATERAL (SELECT count(*) AS n FROM strandline.discoveries WHERE search_id = r.search_id) d
       WHERE r.id = ANY ($1) GROUP BY 1, 2`,
      [runs],
    );
    for (const end of ends) {
      const each = end.status === 'succeeded' ? 2 : 0;
      expect(end, message).toMatchObject({ sightings: each * end.runs, discoveries: each * end.runs });
      // Two calls that nobody heard the answer of, or three claims without a word: the only other ends there may be.
      if (end.status !== 'succeeded') expect(['budget_exceeded', 'internal'], message).toContain(end.code);
    }
    expect(ends.find((end) => end.status === 'succeeded')?.runs, message).toBeGreaterThan(180);
  }, 120_000);

  async function emptyQueue(): Promise<void> {
    if (redisUrl === null) {
      await rows('TRUNCATE bullmq.job, bullmq.scheduler CASCADE');
      return;
    }
    const redis = new Redis(redisUrl);
    await redis.flushdb();
    await redis.quit();
  }
});

/** An interval is spread by its slug: one whose next slot is about so many seconds away. */
function slugDueIn(seconds: number): string {
  const wanted = (Math.floor(systemClock.now().getTime() / 1_000) + seconds) % 60;
  for (let i = 0; ; i += 1) if (phaseOf(`scheduled-${i}`, 60) === wanted) return `scheduled-${i}`;
}

/** Random numbers from 0 to below 1 that a seed repeats (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
