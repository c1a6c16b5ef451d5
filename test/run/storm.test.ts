import { afterAll, beforeAll, expect, test } from 'vitest';
import { onEachBackend } from '../backends.ts';
import { type Fleet, openFleet } from '../fleet.ts';
import { until } from '../processes.ts';
import { json, wirePost } from '../stub-service.ts';

onEachBackend('workers', ({ redisUrl }) => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openFleet(redisUrl);
  });
  afterAll(() => fleet.close());

  test('that are killed at random moments during 200 runs: each ends, none calls more than it may, all is found once', async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const random = seeded(seed);
    fleet.stub.answers(async (request, response) => {
      await new Promise((resolve) => {
        setTimeout(resolve, random() * 400);
      });
      const id = String(request.body['prompt']);
      await json({ miner_tweets: [wirePost(`${id}1`), wirePost(`${id}2`)] })(request, response);
    });
    const runs: bigint[] = [];
    for (let i = 0; i < 200; i += 1) {
      runs.push(await fleet.add(`storm-${i}`, `7${i}0`));
    }
    const env = { WORKER_CONCURRENCY: '4', MAX_CALLS_PER_RUN: '2' };
    const alive = await Promise.all([fleet.start(env), fleet.start(env)]);
    const open = async () =>
      (
        await fleet.rows(
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
        alive[victim] = await fleet.start(env);
      } else {
        await until('all runs end', async () => (await open()) === 0, 60_000);
      }
    }
    const message = `seed ${seed}, ${kills} kills`;
    const calls = await fleet.rows(
      'SELECT run_id, count(*)::int AS n FROM strandline.calls WHERE run_id = ANY ($1) GROUP BY 1 HAVING count(*) > 2',
      [runs],
    );
    expect(calls, message).toEqual([]);
    const asked = new Map<string, number>();
    for (const { headers } of fleet.stub.requests)
      asked.set(String(headers['x-run-id']), (asked.get(String(headers['x-run-id'])) ?? 0) + 1);
    expect(
      [...asked.values()].every((requests) => requests <= 2),
      message,
    ).toBe(true);
    const ends = await fleet.rows(
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
});

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
