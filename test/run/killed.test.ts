import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/engine/clock.ts';
import { phaseOf } from '../../src/monitor/schedule/interval.ts';
import { createSearch } from '../../src/monitor/topic/create.ts';
import { onEachBackend } from '../backends.ts';
import { type Fleet, openFleet } from '../fleet.ts';
import { until } from '../processes.ts';
import { gated, json, wirePost } from '../stub-service.ts';

const POSTS = json({ miner_tweets: [wirePost('1'), wirePost('2'), wirePost('3')] });

onEachBackend('a worker', ({ redisUrl }) => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openFleet(redisUrl);
  });
  afterEach(() => fleet.clear());
  afterAll(() => fleet.close());

  async function expectOnce(runId: bigint): Promise<void> {
    const [{ search_id }] = await fleet.rows('SELECT search_id FROM strandline.runs WHERE id = $1', [runId]);
    const counts = await fleet.rows(
      `SELECT (SELECT count(*)::int FROM strandline.post_sightings WHERE search_id = $1) AS sightings,
        (SELECT count(*)::int FROM strandline.discoveries WHERE search_id = $1) AS discoveries,
        (SELECT count(*)::int FROM strandline.run_results WHERE run_id = $2) AS results`,
      [search_id, runId],
    );
    expect(counts).toEqual([{ sightings: 3, discoveries: 3, results: 1 }]);
  }

  test.each([
    { point: 'after the answer is kept', calls: ['received'], requests: 1 },
    { point: 'before the commit', calls: ['received'], requests: 1 },
    { point: 'after the commit', calls: ['received'], requests: 1 },
  ] as const)(
    'that dies $point costs no call more than allowed, and everything is found once',
    async ({ point, calls, requests }) => {
      fleet.stub.answers(POSTS);
      const dying = await fleet.start({}, { dieAt: point });
      const runId = await fleet.add(`dies-${point.replaceAll(' ', '-')}`);
      await dying.ended;
      await fleet.start();
      expect(await fleet.ended(runId)).toMatchObject({ status: 'succeeded' });
      expect(
        (await fleet.rows('SELECT state FROM strandline.calls WHERE run_id = $1 ORDER BY n', [runId])).map(
          (call) => call.state,
        ),
      ).toEqual(calls);
      expect(fleet.stub.requests).toHaveLength(requests);
      await expectOnce(runId);
    },
  );

  test('goes on when the queue is emptied while runs wait and one is under way; that one is not called twice', async () => {
    const gate = gated(POSTS);
    fleet.stub.answers(gate.answer);
    await fleet.start({ WORKER_CONCURRENCY: '1', RUN_LEASE_SECONDS: '10' });
    const runs = [
      await fleet.add('emptied-0'),
      await fleet.add('emptied-1'),
      await fleet.add('emptied-2'),
      await fleet.add('emptied-3'),
    ];
    await until('a call is under way', async () => fleet.stub.requests.length > 0);
    await emptyQueue();
    gate.open();
    for (const runId of runs) expect(await fleet.ended(runId)).toMatchObject({ status: 'succeeded' });
    expect(fleet.stub.requests).toHaveLength(runs.length);
    for (const runId of runs) await expectOnce(runId);
  });

  test('that sleeps beyond its lease and wakes up changes nothing: another had finished', async () => {
    const gate = gated(POSTS);
    fleet.stub.answers(gate.answer);
    const sleeper = await fleet.start();
    const runId = await fleet.add('sleeper');
    await until('a call is under way', async () => fleet.stub.requests.length > 0);
    sleeper.child.kill('SIGSTOP');
    fleet.stub.answers(POSTS);
    await fleet.start();
    expect(await fleet.ended(runId)).toMatchObject({ status: 'succeeded', fence: 2 });
    gate.open();
    sleeper.child.kill('SIGCONT');
    await sleeper.stop();
    expect(await fleet.rows('SELECT status, fence FROM strandline.runs WHERE id = $1', [runId])).toEqual([
      { status: 'succeeded', fence: 2 },
    ]);
    expect(fleet.stub.requests).toHaveLength(2);
    await expectOnce(runId);
  });

  test('runs a search at each of its slots, by the queue alone', async () => {
    fleet.stub.answers(POSTS);
    await fleet.start({ RECONCILE_SECONDS: '3600' });
    const slug = slugDueIn(3);
    await createSearch(fleet.ctx, { slug, operation: 'microblog', prompt: slug, every: '60s' });
    const found = await until('a scheduled run succeeds', async () => {
      const runs = await fleet.rows(
        `SELECT r.status, extract(epoch FROM r.started_at - r.slot_at)::float8 AS late FROM strandline.runs r
         JOIN strandline.searches s ON s.id = r.search_id WHERE s.slug = $1 AND r.trigger = 'schedule' AND r.status = 'succeeded'`,
        [slug],
      );
      return runs.length > 0 && runs;
    });
    expect(found).toHaveLength(1);
  });

  async function emptyQueue(): Promise<void> {
    if (redisUrl === null) {
      await fleet.rows('TRUNCATE bullmq.job, bullmq.scheduler CASCADE');
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
