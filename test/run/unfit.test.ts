/** A worker that may not judge time, or whose queue loses jobs, takes nothing, says why, and goes on when that is mended. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { MINUTE, systemClock } from '../../src/engine/clock.ts';
import { openBackend, type QueueBackend } from '../../src/engine/queue/connection.ts';
import { Refused } from '../../src/errors.ts';
import { type RunningWorker, startWorker } from '../../src/doors/worker.ts';
import type { Context } from '../../src/monitor/context.ts';
import { instanceName } from '../../src/store/facts.ts';
import { type Fleet, openFleet } from '../fleet.ts';
import { until } from '../processes.ts';

let fleet: Fleet;
let backend: QueueBackend;
let ctx: Context;
beforeAll(async () => {
  fleet = await openFleet(null);
  const url = fleet.ctx.config.databaseUrl ?? '';
  backend = openBackend(
    { kind: 'postgres', url },
    await instanceName(fleet.ctx.db, '', systemClock.now()),
    fleet.ctx.log,
  );
  const config = { ...fleet.ctx.config, reconcileMs: readConfig({ RECONCILE_SECONDS: '1' }).reconcileMs };
  ctx = { ...fleet.ctx, config, worker: 'here:1:unfit' };
});
afterAll(() => fleet.close());

/** It waits while it is unfit, and takes the run that waited once it is not. */
async function expectWaiting(
  worker: RunningWorker,
  idle: string,
  slug: string,
  mend: () => void,
): Promise<void> {
  expect(worker.idle()).toBe(idle);
  const runId = await fleet.add(slug);
  const seen = async () =>
    (await fleet.rows('SELECT max(seen_at) AS at FROM strandline.workers WHERE name = $1', [ctx.worker]))[0]
      .at;
  const before = await seen();
  await until('it looked once more', async () => (await seen()) > before);
  expect(await fleet.rows('SELECT status FROM strandline.runs WHERE id = $1', [runId])).toEqual([
    { status: 'queued' },
  ]);
  mend();
  expect(await fleet.ended(runId)).toMatchObject({ status: 'succeeded', fence: 1 });
  expect(worker.idle()).toBeNull();
  await worker.drain();
  expect(worker.idle()).toBe('draining');
}

test('a clock that is off; rows F95 of the fault table tell of more', async () => {
  let off = MINUTE;
  const clock = { now: () => new Date(systemClock.now().getTime() + off) };
  const worker = await startWorker({ ...ctx, clock }, backend, 'test');
  const [{ skew_ms: skew }] = await fleet.rows('SELECT skew_ms FROM strandline.workers');
  expect(Math.abs(skew - MINUTE)).toBeLessThan(5_000);
  await expectWaiting(worker, 'clock', 'off', () => {
    off = 0;
  });
});

test('a queue that is kept where jobs are thrown away', async () => {
  let refused = true;
  const check = () =>
    refused ? Promise.reject(new Refused('unavailable', 'it throws jobs away')) : Promise.resolve([]);
  const worker = await startWorker(ctx, { ...backend, check }, 'test');
  await expectWaiting(worker, 'queue', 'thrown-away', () => {
    refused = false;
  });
});
