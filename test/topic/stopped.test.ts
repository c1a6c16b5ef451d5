/** What is still in progress when a search is paused, removed or broken. */
import { afterEach, expect, test } from 'vitest';
import { Refused } from '../../src/model/errors.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { stopSearch } from '../../src/monitor/schedule/due-slots.ts';
import { scan } from '../../src/monitor/schedule/scan.ts';
import { createSearch, type NewSearch } from '../../src/monitor/topics/save-search.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import { changeSearch } from '../../src/monitor/topics/search-state.ts';
import { inTransaction } from '../../src/store/db/database.ts';
import { leaseRun } from '../../src/store/runs/run-leases.ts';
import { insertRun, requeueRun } from '../../src/store/runs/run-states.ts';
import { lockSearch } from '../../src/store/topics/search-states.ts';
import type { StateChange } from '../../src/store/topics/topics.ts';
import { intercepted } from '../intercepted.ts';
import { until } from '../processes.ts';
import { json, type StubAnswer } from '../stub-service.ts';
import { START } from '../world.ts';
import { stubbedWorld } from '../stubbed-world.ts';

const { stub, world, rows } = await stubbedWorld();
afterEach(() => {
  stub.requests.length = 0;
  stub.answers(json({ miner_tweets: [] }));
});

const MINUTE = 60_000;
const add = (slug: string, over: Partial<NewSearch> = {}) =>
  createSearch(world.ctx, { slug, operation: 'microblog', prompt: slug, cron: '*/15 * * * *', ...over });
const runOf = async (runId: bigint) =>
  (await rows('SELECT status, reason, not_before, ended_at FROM strandline.runs WHERE id = $1', [runId]))[0];

/** A service that fails, while a person changes the search that asked. */
function failsDuring(slug: string, change: StateChange): StubAnswer {
  return async (request, response) => {
    await changeSearch(world.ctx, slug, change);
    await json({ detail: 'not now' }, 500)(request, response);
  };
}

test.each([
  ['remove', 'removed'],
  ['pause', 'paused'],
] as const)(
  'after "%s" a failed run of the search is not retried: it is cancelled with a reason',
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

test('a manual run is retried although its search is paused', async () => {
  const { firstRunId } = await add('asked-for');
  await executeRun(world.ctx, firstRunId);
  await changeSearch(world.ctx, 'asked-for', 'pause');
  const { runId } = await insertManualRun(world.ctx, 'asked-for');
  stub.answers(json({ detail: 'not now' }, 500));
  expect(await executeRun(world.ctx, runId)).toMatchObject({ status: 'retry' });
  expect(await runOf(runId)).toMatchObject({ status: 'queued', ended_at: null });
});

test('a run released by a stopping worker is cancelled if its search was removed meanwhile', async () => {
  const { firstRunId } = await add('given-back');
  const stopping = new AbortController();
  stub.answers(async () => {
    await changeSearch(world.ctx, 'given-back', 'remove');
    stopping.abort();
  });
  expect(await executeRun(world.ctx, firstRunId, stopping.signal)).toMatchObject({ status: 'released' });
  expect(await runOf(firstRunId)).toMatchObject({ status: 'cancelled', reason: 'removed' });
});

test('a run released during a pause of its search waits for the pause to commit, and is cancelled', async () => {
  const { search, firstRunId } = await add('at-once');
  const now = world.clock.now();
  const leased = await leaseRun(world.db, { runId: firstRunId, worker: 'w', leaseMs: 30_000, now });
  let back: Promise<string | null> = Promise.resolve(null);
  await inTransaction(world.db, async (tx) => {
    const locked = await lockSearch(tx, search.id);
    if (locked === null || leased === null) throw new Error('not there');
    await stopSearch(world.ctx, tx, locked, { to: 'paused', reason: 'paused by a user' });
    back = requeueRun(world.db, {
      runId: firstRunId,
      fence: leased.fence,
      notBefore: null,
      reason: null,
      now,
    });
    await until('it waits', async () => {
      const waiting = await rows(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    });
  });
  expect(await back).toBe('cancelled');
});

/** What became of each due slot, in order. */
const slotsOf = (searchId: bigint) =>
  rows(
    `SELECT to_char(slot_at AT TIME ZONE 'UTC', 'HH24:MI') AS slot, status, reason FROM strandline.runs
     WHERE search_id = $1 AND slot_at IS NOT NULL ORDER BY slot_at`,
    [searchId],
  );
const missed = (...slots: string[]) => slots.map((slot) => ({ slot, status: 'skipped', reason: 'missed' }));

test.each([
  ['pause', 'paused'],
  ['remove', 'removed'],
] as const)(
  '"%s" after downtime: each due slot has its row, and the latest is cancelled',
  async (change, reason) => {
    const slug = `${change}-after-downtime`;
    const { search, firstRunId } = await add(slug);
    await executeRun(world.ctx, firstRunId);
    world.clock.advance(46 * MINUTE);
    await changeSearch(world.ctx, slug, change);
    expect(await slotsOf(search.id)).toEqual([
      ...missed('12:15', '12:30'),
      { slot: '12:45', status: 'cancelled', reason },
    ]);
  },
);

/** A context whose connection breaks once, after the database has executed the statement with these words. */
function losesConfirmation(words: string) {
  let lost = 0;
  const db = intercepted(world.db, {
    ofPool: async (query, given) => {
      const answer = await query(...given);
      if (lost > 0 || !String(given[0]).includes(words)) return answer;
      lost += 1;
      throw Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
    },
  });
  return { ctx: { ...world.ctx, db }, countLost: () => lost };
}

test('a stopping process releases its run although the connection breaks', async () => {
  const { firstRunId } = await add('released');
  const stopping = new AbortController();
  stub.answers(() => stopping.abort());
  const { ctx, countLost } = losesConfirmation('requeued AS');
  expect(await executeRun(ctx, firstRunId, stopping.signal)).toMatchObject({ status: 'released' });
  expect(countLost()).toBe(1);
  expect(await runOf(firstRunId)).toMatchObject({ status: 'queued' });
});

test('a rejected key stops the searches although the confirmation of the failure is lost', async () => {
  const { firstRunId } = await add('unconfirmed');
  stub.answers(json({ detail: 'no such key' }, 401));
  const { ctx, countLost } = losesConfirmation("SET status = 'failed'");
  expect(await executeRun(ctx, firstRunId)).toMatchObject({ status: 'failed', code: 'auth' });
  expect(countLost()).toBe(1);
  expect(await rows(`SELECT state FROM strandline.searches WHERE slug = 'unconfirmed'`)).toEqual([
    { state: 'broken' },
  ]);
});

test.each([
  ['pause', { status: 'released', code: 'upstream_5xx' }],
  [null, { status: 'retry', code: 'upstream_5xx', notBefore: expect.any(Date) }],
] as const)(
  'a retry is reported as one although its confirmation is lost (%s during the call)',
  async (change, report) => {
    const slug = `unconfirmed-retry-${change}`;
    const { firstRunId } = await add(slug);
    stub.answers(change === null ? json({ detail: 'not now' }, 500) : failsDuring(slug, change));
    const { ctx, countLost } = losesConfirmation('requeued AS');
    expect(await executeRun(ctx, firstRunId)).toMatchObject(report);
    expect(countLost()).toBe(1);
  },
);

test('a search stopped by a rejected key has a row for each slot due until then', async () => {
  const { firstRunId: waiting } = await add('refused-key');
  const { search: other, firstRunId } = await add('beside-it');
  await executeRun(world.ctx, firstRunId);
  world.clock.advance(31 * MINUTE);
  stub.answers(json({ detail: 'no such key' }, 401));
  expect(await executeRun(world.ctx, waiting)).toMatchObject({ status: 'failed', code: 'auth' });
  expect(await rows('SELECT state, next_due_at FROM strandline.searches WHERE id = $1', [other.id])).toEqual([
    { state: 'broken', next_due_at: null },
  ]);
  expect(await slotsOf(other.id)).toEqual([
    ...missed('12:15'),
    { slot: '12:30', status: 'cancelled', reason: 'broken' },
  ]);
});

test('resuming a capped search early keeps a row for each due slot', async () => {
  const { search, firstRunId } = await add('capped');
  await executeRun(world.ctx, firstRunId);
  const capped = { ...world.ctx, config: { ...world.ctx.config, callsPerDay: 0 } };
  world.clock.advance(15 * MINUTE);
  await scan(capped);
  const [due] = await rows(`SELECT id FROM strandline.runs WHERE search_id = $1 AND status = 'queued'`, [
    search.id,
  ]);
  await executeRun(capped, due.id);
  expect(await rows('SELECT state FROM strandline.searches WHERE id = $1', [search.id])).toEqual([
    { state: 'capped' },
  ]);
  world.clock.advance(31 * MINUTE);
  const resumed = await changeSearch(capped, 'capped', 'resume');
  expect(resumed).toMatchObject({ state: 'active', next_due_at: new Date('2026-11-21T13:00:00Z') });
  expect((await slotsOf(search.id)).slice(1)).toEqual([
    ...missed('12:30'),
    { slot: '12:45', status: 'skipped', reason: 'capped' },
  ]);
});

test('a capped search skips its slots, and continues by itself the next day', async () => {
  const { search, firstRunId } = await add('next-day');
  await executeRun(world.ctx, firstRunId);
  const [{ calls }] = await rows(
    'SELECT calls FROM strandline.call_days WHERE service_id = $1 ORDER BY day DESC LIMIT 1',
    [search.service_id],
  );
  const limited = { ...world.ctx, config: { ...world.ctx.config, callsPerDay: Number(calls) } };
  const scanAfter = async (ms: number) => {
    world.clock.advance(ms);
    await scan(limited);
    const [{ state }] = await rows('SELECT state FROM strandline.searches WHERE id = $1', [search.id]);
    return { state, ...(await slotsOf(search.id)).at(-1) };
  };
  expect(await scanAfter(15 * MINUTE)).toMatchObject({ state: 'active', status: 'queued' });
  const [due] = await rows(`SELECT id FROM strandline.runs WHERE search_id = $1 AND status = 'queued'`, [
    search.id,
  ]);
  await executeRun(limited, due.id);
  expect(await scanAfter(15 * MINUTE)).toMatchObject({
    state: 'capped',
    status: 'skipped',
    reason: 'capped',
  });
  expect(await scanAfter(24 * 60 * MINUTE)).toMatchObject({ state: 'active', status: 'queued' });
});

test('a removed search gets no run, even if it is removed between read and write', async () => {
  const { search } = await add('gone');
  await changeSearch(world.ctx, 'gone', 'remove');
  await expect(insertManualRun(world.ctx, 'gone')).rejects.toBeInstanceOf(Refused);
  const manual = { searchId: search.id, trigger: 'manual', now: world.clock.now() } as const;
  await expect(insertRun(world.db.pool, manual)).rejects.toBeInstanceOf(Refused);
});
