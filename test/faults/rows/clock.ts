/** Clocks that disagree, jump, or show a time that few programs were tried at. */
import assert from 'node:assert/strict';
import { DAY, MINUTE } from '../../../src/engine/clock.ts';
import type { Row } from '../row.ts';
import { gated, ownPosts } from '../scripts.ts';
import type { Stage } from '../stage.ts';

/** It looked at its clock, and at the queue, once more since this was asked. */
async function looks(stage: Stage): Promise<void> {
  const seen = async () =>
    (await stage.rows('SELECT max(seen_at) AS at FROM strandline.workers'))[0].at as Date;
  const before = await seen();
  await stage.until('it looked at its clock', async () => (await seen()) > before);
}

/** A worker with a wrong clock takes nothing, and works once it is right. */
function alone(id: string, offMs: number, words: string, everyCommit = false): Row {
  return {
    id,
    title: `a worker whose clock is ${words} takes no work and says so; it does once its clock is right`,
    core: true,
    everyCommit,
    play: async (stage) => {
      stage.service.answers(ownPosts);
      const worker = await stage.start({}, { clockMs: offMs });
      const { runId } = await stage.add(1);
      await looks(stage);
      await looks(stage);
      const [{ skew_ms: skew }] = await stage.rows('SELECT skew_ms FROM strandline.workers');
      assert.ok(Math.abs(skew - offMs) < 2_000, `${skew} ms`);
      assert.ok(worker.log.some((line) => line.includes('no work is taken until they agree')));
      assert.equal(stage.service.asked.length, 0);
      worker.moveClock(0);
      const run = await stage.ended(runId);
      assert.deepEqual([run.status, run.fence], ['succeeded', 1]);
      assert.deepEqual(await stage.calls(runId), ['received']);
    },
  };
}

export const CLOCK: readonly Row[] = [
  alone('F95', MINUTE, 'a minute ahead', true),
  alone('F95 behind', -MINUTE, 'a minute behind'),
  alone('F95 day', DAY, 'a day ahead'),
  {
    id: 'F95 jump',
    title:
      'a clock that jumps a minute ahead between two looks has live work handed out again, and the lease turns everybody away',
    core: true,
    guard:
      'On Postgres BullMQ measures the locks of its jobs by the clock of the worker that looks at them (bullmq 6.7.0), ' +
      'so one with a wrong clock has live jobs handed out again: leases are measured by the clock of the database, see store/runs.ts.',
    backends: ['postgres'],
    env: { NOVA_SECONDS: '60' },
    play: async (stage) => {
      const gate = gated(ownPosts);
      stage.service.answers(gate.script);
      await stage.start();
      const { runId } = await stage.add(1);
      await stage.until('a call is under way', () => Promise.resolve(stage.service.asked.length > 0));
      const jumping = await stage.start({ RECONCILE_SECONDS: '60' });
      jumping.moveClock(MINUTE);
      await stage.until('its job was handed out again, and put away as one with nothing to do', async () =>
        Object.values(await stage.ctx.queue.depth()).every((jobs) => jobs === 0),
      );
      assert.equal((await stage.rows('SELECT status FROM strandline.runs'))[0].status, 'running');
      gate.open();
      const run = await stage.ended(runId);
      assert.deepEqual([run.status, run.fence], ['succeeded', 1]);
      assert.deepEqual(await stage.calls(runId), ['received']);
      assert.equal(stage.service.asked.length, 1);
    },
  },
];
