import { EventEmitter } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { holdLease } from '../../src/monitor/run/lease.ts';
import { createSearch } from '../../src/monitor/topic/create.ts';
import { type ClaimedRun, claimRun } from '../../src/store/runs.ts';
import { makeWorld, type World } from '../world.ts';

let world: World;
let run: ClaimedRun;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
  const { firstRunId } = await createSearch(world.ctx, {
    slug: 'a',
    operation: 'microblog',
    prompt: 'a',
    every: '1h',
  });
  const claimed = await claimRun(world.db, {
    runId: firstRunId,
    worker: 'w',
    leaseMs: 60_000,
    now: world.clock.now(),
  });
  if (claimed === null) throw new Error('not claimed');
  run = claimed;
});
afterAll(() => world.close());

const aborted = (signal: AbortSignal) =>
  new Promise<unknown>((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));

test('a lease whose renewal is never answered is lost when it has run out', async () => {
  const silent = new Proxy(world.db.pool, {
    get: (pool, name) => (name === 'query' ? () => new Promise(() => {}) : Reflect.get(pool, name)),
  });
  const ctx = {
    ...world.ctx,
    db: { ...world.db, pool: silent },
    config: { ...world.ctx.config, leaseMs: 150 },
  };
  const lease = holdLease(ctx, run, undefined);
  expect(await aborted(lease.signal)).toMatchObject({ code: 'lease_lost' });
  lease.release();
});

test('a lease that another claim took over is lost at the next renewal', async () => {
  const ctx = { ...world.ctx, config: { ...world.ctx.config, leaseMs: 150 } };
  const lease = holdLease(ctx, { ...run, fence: run.fence - 1 }, undefined);
  expect(await aborted(lease.signal)).toMatchObject({ code: 'lease_lost' });
  lease.release();
});

test('a process that stops gives the call up, and leaves nobody listening afterwards', async () => {
  const stopping = new AbortController();
  const lease = holdLease(world.ctx, run, stopping.signal);
  const other = holdLease(world.ctx, run, stopping.signal);
  other.release();
  const ended = aborted(lease.signal);
  stopping.abort();
  await ended;
  lease.release();
  expect(other.signal.aborted).toBe(false);
  expect(EventEmitter.getEventListeners(stopping.signal, 'abort')).toEqual([]);
});
