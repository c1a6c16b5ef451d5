/** What is still on its way when a search is paused, removed or broken. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { executeRun } from '../../src/monitor/run/execute.ts';
import { createSearch, type NewSearch } from '../../src/monitor/topic/create.ts';
import { insertManualRun } from '../../src/monitor/topic/run-now.ts';
import { type Change, changeSearch } from '../../src/monitor/topic/state.ts';
import { json, type StubAnswer, type StubService, startStub } from '../stub-service.ts';
import { makeWorld, START, type World } from '../world.ts';

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
afterEach(() => {
  world.clock.set(START);
  stub.requests.length = 0;
  stub.answers(json({ miner_tweets: [] }));
});

const MINUTE = 60_000;
const rows = async (sql: string, values: unknown[] = []) => (await world.db.pool.query(sql, values)).rows;
const add = (slug: string, over: Partial<NewSearch> = {}) =>
  createSearch(world.ctx, { slug, operation: 'microblog', prompt: slug, cron: '*/15 * * * *', ...over });
const runOf = async (runId: bigint) =>
  (await rows('SELECT status, reason, not_before, ended_at FROM strandline.runs WHERE id = $1', [runId]))[0];

/** A service that fails, while a person changes the search that asked. */
function failsDuring(slug: string, change: Change): StubAnswer {
  return async (request, response) => {
    await changeSearch(world.ctx, slug, change);
    await json({ detail: 'not now' }, 500)(request, response);
  };
}

test.each([
  ['remove', 'removed'],
  ['pause', 'paused'],
] as const)(
  'after "%s" a failed run of the search is not tried again: it is cancelled, and says why',
  async (change, reason) => {
    const slug = `${change}-retry`;
    const { firstRunId } = await add(slug);
    stub.answers(failsDuring(slug, change));
    expect((await executeRun(world.ctx, firstRunId))?.status).not.toBe('retry');
    expect(await runOf(firstRunId)).toEqual({
      status: 'cancelled',
      reason,
      not_before: null,
      ended_at: new Date(START),
    });
    world.clock.advance(60 * MINUTE);
    expect(await executeRun(world.ctx, firstRunId)).toBeNull();
    expect(stub.requests).toHaveLength(1);
  },
);

test('a run that a person asked for is tried again although its search is paused', async () => {
  const { firstRunId } = await add('asked-for');
  await executeRun(world.ctx, firstRunId);
  await changeSearch(world.ctx, 'asked-for', 'pause');
  const { runId } = await insertManualRun(world.ctx, 'asked-for');
  stub.answers(json({ detail: 'not now' }, 500));
  expect(await executeRun(world.ctx, runId)).toMatchObject({ status: 'retry' });
  expect(await runOf(runId)).toMatchObject({ status: 'queued', ended_at: null });
});

test('a run that a stopping worker gives back is cancelled where its search was removed meanwhile', async () => {
  const { firstRunId } = await add('given-back');
  const stopping = new AbortController();
  stub.answers(async () => {
    await changeSearch(world.ctx, 'given-back', 'remove');
    stopping.abort();
  });
  expect(await executeRun(world.ctx, firstRunId, stopping.signal)).toMatchObject({ status: 'released' });
  expect(await runOf(firstRunId)).toMatchObject({ status: 'cancelled', reason: 'removed' });
});
