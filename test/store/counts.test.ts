import { afterAll, beforeAll, expect, test } from 'vitest';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { replayRun } from '../../src/monitor/runs/late-and-replay.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import {
  addCounts,
  foldCounts,
  LATENESS_BOUNDS,
  readCounts,
  SAVE_BOUNDS,
} from '../../src/store/derive/counts.ts';
import { json, type StubService, startStub, wirePost } from '../stub-service.ts';
import { insertRun } from '../../src/store/runs/run-states.ts';
import { makeWorld, type World } from '../world.ts';

let stub: StubService;
let world: World;
beforeAll(async () => {
  stub = await startStub();
  world = await makeWorld({ hosted: stub.url });
});
afterAll(async () => {
  await world.close();
  await stub.close();
});

/** `runs hosted succeeded ` → how often. */
async function counted(): Promise<Map<string, number>> {
  const counts = await readCounts(world.db);
  return new Map(counts.map(({ name, labels, n }) => [[name, ...labels].join(' '), n]));
}

test('events are counted once, in their transaction; neither compaction nor another read changes the counts', async () => {
  stub.answers(json({ miner_tweets: [wirePost('1790000000000000001'), { text: 'no id' }] }));
  const { firstRunId } = await createSearch(world.ctx, {
    slug: 'counted',
    operation: 'microblog',
    prompt: 'ferry',
    every: '15m',
  });
  expect(await counted()).toEqual(new Map());
  await executeRun(world.ctx, firstRunId);
  await world.derive();
  const after = await counted();
  expect(Object.fromEntries(after)).toMatchObject({
    'runs hosted succeeded ': 1,
    'calls hosted run received ': 1,
    'discoveries post true hosted': 1,
    'rejects no_id hosted': 1,
    'run_tools Microblog Search responded hosted': 1,
    'items_seen hosted': 2,
  });
  expect(after.get('save_sum hosted')).toBeGreaterThan(0);
  await foldCounts(world.db);
  expect(await counted()).toEqual(after);
  const { rows } = await world.db.pool.query('SELECT FROM strandline.count_increments');
  expect(rows).toEqual([]);

  await replayRun(world.ctx, firstRunId);
  await world.derive();
  expect(await counted()).toEqual(after);

  // Read again before anything was derived from it.
  const { runId } = await insertManualRun(world.ctx, 'counted');
  await executeRun(world.ctx, runId);
  await replayRun(world.ctx, runId);
  await world.derive();
  expect(Object.fromEntries(await counted())).toMatchObject({
    'runs hosted succeeded ': 2,
    'calls hosted run received ': 2,
    'discoveries post true hosted': 1,
    'rejects no_id hosted': 2,
    'items_seen hosted': 4,
  });

  stub.answers(json({}, 401));
  await executeRun(world.ctx, (await insertManualRun(world.ctx, 'counted')).runId);
  expect((await counted()).get('runs hosted failed auth')).toBe(1);
  expect((await counted()).get('run_tools Microblog Search silent hosted')).toBe(1);
});

test('a slot counts by its delay, and skipped slots by their number', async () => {
  stub.answers(json({ miner_tweets: [] }));
  const { firstRunId } = await createSearch(world.ctx, {
    slug: 'late',
    operation: 'microblog',
    prompt: 'ferry',
    every: '15m',
  });
  await executeRun(world.ctx, firstRunId);
  world.clock.advance(3 * 3_600_000);
  await world.scan();
  const before = await counted();
  expect(before.get('runs hosted skipped missed')).toBeGreaterThanOrEqual(10);
  const due = world.enqueued.at(-1);
  if (due === undefined) throw new Error('nothing is due');
  await executeRun(world.ctx, due.runId);
  await world.derive();
  const late = [...(await counted())].filter(([name]) => name.startsWith('run_lateness hosted'));
  expect(late).toHaveLength(1);
});

test('a slot that started and failed counts by its delay, and one that never started does not', async () => {
  stub.answers(json({}, 401));
  const { search, firstRunId } = await createSearch(world.ctx, {
    slug: 'fails',
    operation: 'microblog',
    prompt: 'ferry',
    every: '15m',
  });
  await world.db.pool.query('DELETE FROM strandline.runs WHERE id = $1', [firstRunId]);
  const sum = async () => (await counted()).get('run_lateness_sum hosted') ?? 0;
  const before = await sum();
  const fails = async (began: boolean, secondsLate: number) => {
    const now = world.clock.now();
    const runId = await insertRun(world.db.pool, { searchId: search.id, trigger: 'manual', now });
    await world.db.pool.query(
      `UPDATE strandline.runs SET status = 'failed', code = 'internal', ended_at = created_at,
         slot_at = created_at - $2 * interval '1 second', started_at = CASE WHEN $3 THEN created_at END
       WHERE id = $1`,
      [runId, secondsLate, began],
    );
  };
  await fails(false, 20);
  expect(await sum()).toBe(before);
  await fails(true, 40);
  expect(await sum()).toBe(before + 40);
});

test('counted buckets are among the exported bounds', async () => {
  const counts = await readCounts(world.db);
  const told: Record<string, readonly string[]> = {
    run_lateness: [...LATENESS_BOUNDS.map(String), '+Inf'],
    save: [...SAVE_BOUNDS.map(String), '+Inf'],
  };
  for (const [name, bounds] of Object.entries(told)) {
    const seen = counts.filter((one) => one.name === name).map(({ labels }) => labels.at(-1));
    expect(seen.length).toBeGreaterThan(0);
    expect(bounds).toEqual(expect.arrayContaining(seen));
  }
});

test('concurrent compaction, writes and reads neither lose nor double a count', async () => {
  const repair = { name: 'repairs' as const, labels: ['expired'], n: 1 };
  const seen: number[] = [];
  await Promise.all(
    Array.from({ length: 60 }, async (_, i) => {
      if (i % 3 === 0) return addCounts(world.db, [repair]);
      if (i % 3 === 1) return foldCounts(world.db);
      return seen.push((await counted()).get('repairs expired') ?? 0);
    }),
  );
  expect((await counted()).get('repairs expired')).toBe(20);
  expect(Math.max(...seen)).toBeLessThanOrEqual(20);
});
