import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openBackend, type QueueBackend } from '../../src/platform/queue/connection.ts';
import { Refused } from '../../src/model/errors.ts';
import { startWorker } from '../../src/worker/worker.ts';
import type { Context } from '../../src/monitor/context.ts';
import { readInstanceName } from '../../src/store/db/facts.ts';
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
    await readInstanceName(fleet.ctx.db, '', systemClock.now()),
    fleet.ctx.log,
  );
  const config = { ...fleet.ctx.config, heartbeatMs: readConfig({ RECONCILE_SECONDS: '1' }).heartbeatMs };
  ctx = { ...fleet.ctx, config, worker: 'here:1:unfit' };
});
afterAll(async () => {
  await backend.close();
  await fleet.close();
});

test('a worker whose queue could lose jobs leases nothing, says why, and resumes when that is fixed', async () => {
  let refused = true;
  const check = () =>
    refused ? Promise.reject(new Refused('unavailable', 'it throws jobs away')) : Promise.resolve([]);
  const worker = await startWorker(ctx, { ...backend, check }, 'test');
  expect(worker.idle()).toBe('queue');
  const runId = await fleet.add('thrown-away');
  const beats = async () =>
    (await fleet.rows('SELECT max(seen_at) AS at FROM strandline.workers WHERE name = $1', [ctx.worker]))[0]
      .at;
  const before = await beats();
  await until('the next heartbeat', async () => (await beats()) > before);
  expect(await fleet.rows('SELECT status FROM strandline.runs WHERE id = $1', [runId])).toEqual([
    { status: 'queued' },
  ]);
  refused = false;
  expect(await fleet.ended(runId)).toMatchObject({ status: 'succeeded', fence: 1 });
  expect(worker.idle()).toBeNull();
  await worker.drain();
  expect(worker.idle()).toBe('draining');
});
