/** Clocks that disagree, jump, or show a time that few programs were tried at. */
import assert from 'node:assert/strict';
import { DAY, HOUR, MINUTE, systemClock } from '../../../src/engine/clock.ts';
import type { Row } from '../row.ts';
import { gated, ownPosts } from '../scripts.ts';
import type { Stage } from '../stage.ts';

/** It looked at its clock, and at the queue, once more since this was asked. */
async function looks(stage: Stage): Promise<void> {
  const seen = async () =>
    Number((await stage.rows('SELECT extract(epoch FROM max(seen_at)) AS at FROM strandline.workers'))[0].at);
  const before = await seen();
  await stage.until('it looked at its clock', async () => (await seen()) !== before);
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
      await stage.called();
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
  {
    id: 'F96',
    title:
      'all clocks jump an hour ahead and back again: one run catches up, the slots between are missed and not repeated, and the schedule goes on',
    core: false,
    movesTime: true,
    play: async (stage) => {
      stage.service.answers(ownPosts);
      await stage.start();
      for (const prompt of [1, 2]) await stage.add(prompt, { every: '60s' });
      await stage.settled();
      const slots = () =>
        stage.rows(
          `SELECT search_id, slot_at, status, reason FROM strandline.runs WHERE slot_at IS NOT NULL ORDER BY search_id, slot_at`,
        );
      await stage.moveTime(HOUR);
      await stage.settled();
      const ahead = await slots();
      assert.equal(ahead.filter(({ status }) => status === 'succeeded').length, 2);
      assert.ok(ahead.every(({ status, reason }) => status === 'succeeded' || reason === 'missed'));
      assert.ok(ahead.length >= 118, `${ahead.length} slots`);

      const gate = gated(ownPosts);
      stage.service.answers(gate.script);
      const runId = await stage.again(1);
      await stage.until('a call is under way', () => Promise.resolve(stage.service.asked.length === 5));
      await stage.moveTime(0);
      await looks(stage);
      await looks(stage);
      gate.open();
      assert.equal((await stage.ended(runId)).status, 'succeeded');
      await stage.settled();
      assert.deepEqual(await slots(), ahead);
      assert.deepEqual(await stage.calls(runId), ['received']);

      await stage.moveTime(HOUR + 2 * MINUTE);
      await stage.settled();
      const after = await slots();
      assert.deepEqual(
        after.filter((slot) => ahead.some(({ slot_at }) => slot_at.getTime() === slot.slot_at.getTime())),
        ahead,
      );
      assert.equal(after.filter(({ status }) => status === 'succeeded').length, 4);
    },
  },
  {
    id: 'F97',
    title:
      'the 29th of February, the end of a year and of 2^31 seconds, in a database and a process of odd time zones: slots are as they should be',
    core: false,
    movesTime: true,
    play: async (stage) => {
      const [{ name }] = await stage.rows('SELECT current_database() AS name');
      await stage.rows(`ALTER DATABASE ${name} SET timezone = 'Asia/Kathmandu'`);
      stage.service.answers(ownPosts);
      const moveTo = (instant: string) => stage.moveTime(Date.parse(instant) - systemClock.now().getTime());
      await moveTo('2028-02-27T12:00:00Z');
      await stage.start(
        {},
        { execArgv: ['--import', 'data:text/javascript,process.env.TZ="Pacific/Kiritimati"'] },
      );
      const { searchId } = await stage.add(1, { cron: '0 0 29 2 *', tz: 'UTC' });
      const last = await stage.add(2, { cron: '59 23 31 12 *', tz: 'UTC' });
      const end = await stage.add(3, { cron: '14 3 19 1 *', tz: 'UTC' });
      await stage.settled();
      for (const instant of ['2028-02-29T00:00:01Z', '2028-12-31T23:59:59.900Z', '2038-01-19T03:14:08Z']) {
        await moveTo(instant);
        await stage.settled();
      }
      const slots = async (id: bigint) =>
        (
          await stage.rows(
            `SELECT slot_at FROM strandline.runs WHERE search_id = $1 AND slot_at IS NOT NULL ORDER BY slot_at`,
            [id],
          )
        ).map(({ slot_at }) => slot_at.toISOString().slice(0, 16));
      assert.deepEqual(await slots(searchId), ['2028-02-29T00:00', '2032-02-29T00:00', '2036-02-29T00:00']);
      const years = Array.from({ length: 10 }, (_, i) => 2028 + i);
      assert.deepEqual(
        await slots(last.searchId),
        years.map((year) => `${year}-12-31T23:59`),
      );
      assert.deepEqual(
        await slots(end.searchId),
        years.map((year) => `${year + 1}-01-19T03:14`),
      );
    },
  },
];
