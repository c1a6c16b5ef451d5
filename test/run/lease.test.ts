import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startLeaseRenewal } from '../../src/monitor/runs/lease.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { inTransaction } from '../../src/store/db/database.ts';
import { type LeasedRun, leaseRun, extendLeases, renewLease } from '../../src/store/runs/run-leases.ts';
import { intercepted } from '../intercepted.ts';
import { until } from '../processes.ts';
import { makeWorld, type World } from '../world.ts';

const LEASE_MS = 60_000;

let world: World;
let run: LeasedRun;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
  const { firstRunId } = await createSearch(world.ctx, {
    slug: 'a',
    operation: 'microblog',
    prompt: 'a',
    every: '1h',
  });
  const leased = await lease(firstRunId);
  if (leased === null) throw new Error('not leased');
  run = leased;
});
afterAll(() => world.close());

const lease = (runId: bigint, alone = false) =>
  leaseRun(world.db, { runId, worker: 'w', leaseMs: LEASE_MS, now: world.clock.now(), alone });
const rows = async (sql: string, values: unknown[] = []) => (await world.db.pool.query(sql, values)).rows;
const endLease = () =>
  rows(`UPDATE strandline.runs SET lease_until = clock_timestamp() - interval '1 second' WHERE id = $1`, [
    run.id,
  ]);
const isHeld = async () =>
  (
    await rows('SELECT lease_until > clock_timestamp() AS held FROM strandline.runs WHERE id = $1', [run.id])
  )[0].held;

test('a lease is renewed while its run is in progress, even after failed renewals', async () => {
  let refusals = 2;
  const renewals: Promise<unknown>[] = [];
  const db = intercepted(world.db, {
    ofPool: (query, given) => {
      const renewal = refusals-- > 0 ? Promise.reject(new Error('database away')) : query(...given);
      renewals.push(renewal);
      return renewal;
    },
  });
  const ctx = { ...world.ctx, db, config: { ...world.ctx.config, leaseMs: 90 } };
  await endLease();
  const release = startLeaseRenewal(ctx, run);
  await until('it is renewed', () => Promise.resolve(refusals < 0 && isHeld()));
  release();
  // One that is under way would renew the lease that the next tests let expire.
  await Promise.allSettled(renewals);
});

test('a failed renewal is retried within a second and logged once', async () => {
  let asked = 0;
  const warnings: string[] = [];
  const log = Object.assign(Object.create(world.ctx.log), {
    warn: (_: unknown, event: string) => void warnings.push(event),
  });
  const db = intercepted(world.db, {
    ofPool: () => Promise.reject(new Error(`database away ${(asked += 1)}`)),
  });
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  try {
    const release = startLeaseRenewal({ ...world.ctx, log, db }, run);
    await vi.advanceTimersByTimeAsync(world.ctx.config.leaseMs / 3);
    expect(asked).toBe(1);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(asked).toBe(4);
    expect(warnings).toEqual(['lease not renewed; retrying']);
    release();
  } finally {
    vi.useRealTimers();
  }
});

test('a lost lease is not renewed again', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  try {
    const release = startLeaseRenewal(world.ctx, { ...run, fence: run.fence - 1 });
    vi.advanceTimersByTime(world.ctx.config.leaseMs);
    await until('nothing renews it', () => Promise.resolve(vi.getTimerCount() === 0));
    release();
  } finally {
    vi.useRealTimers();
  }
});

test('an expired lease can be leased only while scans run', async () => {
  await endLease();
  for (const scanned of ["- interval '4 seconds'", "+ interval '1 hour'"]) {
    await rows(`UPDATE strandline.scanner SET scanned_at = clock_timestamp() ${scanned}`);
    expect(await lease(run.id), `last scan at now ${scanned}`).toBeNull();
  }
  await world.scanned();
  const taken = await lease(run.id);
  expect(taken).toMatchObject({ fence: run.fence + 1 });
});

const extend = () => inTransaction(world.db, (tx) => extendLeases(tx, LEASE_MS));

test('after an outage a lease gets one more lease, and no second one without a renewal', async () => {
  await endLease();
  expect([await extend(), await isHeld()]).toEqual([1, true]);
  await endLease();
  expect([await extend(), await isHeld()]).toEqual([0, false]);
  await world.scanned();
  expect(await lease(run.id, true)).toMatchObject({ leases: 3 });
  await endLease();
  expect([await extend(), await isHeld()]).toEqual([1, true]);
});

test('a lease that renewed its lease after an outage gets one more lease after the next outage', async () => {
  const [held] = await rows('SELECT id, fence FROM strandline.runs WHERE id = $1', [run.id]);
  expect(await extend(), 'after the first outage').toBe(0);
  expect(await renewLease(world.db, { runId: held.id, fence: held.fence, leaseMs: LEASE_MS })).toBe(true);
  await endLease();
  expect([await extend(), await isHeld()], 'after the second').toEqual([1, true]);
  await endLease();
  expect([await extend(), await isHeld()], 'without a renewal').toEqual([0, false]);
});

test('a renewal that waits for the save of its own run does not lose the lease', async () => {
  const warnings: string[] = [];
  const log = Object.assign(Object.create(world.ctx.log), {
    warn: (_: unknown, event: string) => void warnings.push(event),
  });
  let ended = false;
  const db = intercepted(world.db, {
    ofPool: async (query, given) => {
      const reply = await query(...given);
      ended ||= reply.command === 'SELECT';
      return reply;
    },
  });
  const ctx = { ...world.ctx, log, db, config: { ...world.ctx.config, leaseMs: 90 } };
  const [held] = await rows('SELECT id, fence FROM strandline.runs WHERE id = $1', [run.id]);
  await rows(
    `UPDATE strandline.runs SET status = 'succeeded', lease_until = NULL, ended_at = clock_timestamp() WHERE id = $1`,
    [run.id],
  );
  const release = startLeaseRenewal(ctx, { ...run, fence: held.fence });
  await until('it has looked at the run', () => Promise.resolve(ended));
  release();
  expect(warnings).toEqual([]);
});
