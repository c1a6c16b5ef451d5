/** Clocks that disagree, jump, or show an unusual time. */
import assert from 'node:assert/strict';
import { DAY, HOUR, MINUTE } from '../../../src/lib/time.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import type { Id } from '../../../src/store/db/database.ts';
import type { Row } from '../row.ts';
import { says } from '../says.ts';
import { gated, ownPosts, status } from '../scripts.ts';
import type { Stage } from '../stage.ts';
import { nextSlotsRun } from './scan.ts';
import { everyMinute, slots } from './scheduler.ts';

/** Runs of slots in the future of the database clock. */
const OF_THE_FUTURE =
  'SELECT id, slot_at FROM strandline.runs WHERE coalesce(span_until, slot_at) > clock_timestamp()';

/** Makes a search due now. A slot that has come stays the one to record: a later time would leave it out. */
export async function makeDue(rows: Stage['rows'], searchId: Id): Promise<void> {
  await rows(
    'UPDATE strandline.searches SET next_due_at = least(next_due_at, clock_timestamp()) WHERE id = $1',
    [searchId],
  );
}

/** Waits until scans have recorded what is due. @returns seconds until the next slot, by the database's clock */
async function untilAhead(stage: Stage, searchId: Id): Promise<number> {
  return stage.until('its next slot is ahead', async () => {
    const [{ seconds }] = await stage.rows(
      `SELECT extract(epoch FROM next_due_at - clock_timestamp())::float8 AS seconds FROM strandline.searches WHERE id = $1`,
      [searchId],
    );
    return seconds > 0 && seconds;
  });
}

/** A worker whose clock is wrong all the time works like any other: what is shared goes by the database's clock. */
function wrongAllTheTime(id: string, offMs: number, words: string, everyCommit = false): Row {
  return {
    id,
    title: `a worker whose clock is ${words}: runs, retries and slots are on time, and the skew is reported`,
    core: true,
    everyCommit,
    play: async (stage) => {
      stage.service.answers([status(429, { 'retry-after': '1' }), ownPosts]);
      await stage.start({}, { clockMs: offMs });
      const { searchId, runId } = await stage.add(1, { every: '60s' });
      assert.equal((await stage.ended(runId)).status, 'succeeded');
      assert.deepEqual(await stage.calls(runId), ['failed', 'received']);
      const [{ skew_ms: skew, age }] = await stage.rows(
        'SELECT skew_ms, extract(epoch FROM clock_timestamp() - seen_at)::float8 AS age FROM strandline.workers',
      );
      assert.ok(age >= 0 && age < 90, `a heartbeat ${age} s ago`);
      assert.ok(Math.abs(skew - offMs) < 2_000, `${skew} ms`);
      assert.ok((await untilAhead(stage, searchId)) <= 60);
      // As if its slot had come: no row is written before the database's clock says so.
      await makeDue(stage.rows, searchId);
      assert.ok((await untilAhead(stage, searchId)) <= 60);
    },
  };
}

export const CLOCK: readonly Row[] = [
  wrongAllTheTime('F95', MINUTE, 'a minute ahead', true),
  wrongAllTheTime('F95 behind', -MINUTE, 'a minute behind'),
  wrongAllTheTime('F95 day', DAY, 'a day ahead'),
  {
    id: 'F95 jump',
    title:
      'the clock of a worker jumps a minute ahead during a call: BullMQ gives the job to a second worker, and the lease prevents a second execution',
    core: true,
    guard:
      'On Postgres BullMQ checks job locks against the clock of the worker (bullmq 6.7.0), ' +
      'so a worker with a wrong clock takes over the jobs of others: leases use the database clock, see src/store/runs/run-leases.ts.',
    backends: ['postgres'],
    env: { NOVA_SECONDS: '60' },
    play: async (stage) => {
      const gate = gated(ownPosts);
      stage.service.answers(gate.script);
      await stage.start();
      const { runId } = await stage.add(1);
      await stage.called();
      const jumping = await stage.start();
      jumping.moveClock(MINUTE);
      await stage.until('its job was handed out again and ended without work', async () =>
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
      'all clocks jump an hour ahead and back while a worker dies: missed slots in the future are removed, its run is executed again, each search continues within a minute, and the hour runs once',
    core: true,
    movesTime: true,
    env: { RUN_LEASE_SECONDS: '10' },
    play: async (stage) => {
      stage.service.answers(ownPosts);
      const first = await stage.start();
      await everyMinute(stage, [1, 2]);
      await stage.moveTime(HOUR);
      await stage.settled();
      const ahead = [...(await slots(stage)).values()].flat();
      assert.ok(ahead.filter((end) => end === 'succeeded').length >= 2, ahead.join());
      assert.ok(ahead.filter((end) => end === 'skipped missed').length >= 116, `${ahead.length} slots`);

      const gate = gated(ownPosts);
      stage.service.answers(gate.script);
      const beginCall = async (prompt: number) => {
        const { runId } = await stage.add(prompt);
        await stage.until(`call ${prompt} is under way`, async () =>
          (await stage.calls(runId)).includes('sent'),
        );
        return runId;
      };
      await first.stop();
      const dying = await stage.start();
      const lost = await beginCall(3);
      dying.child.kill('SIGKILL');
      const worker = await stage.start();
      const runId = await beginCall(4);
      await stage.moveTime(0);
      await says(worker, /database clock went back/);
      gate.open();
      stage.service.answers(ownPosts);
      assert.equal((await stage.ended(runId)).status, 'succeeded');
      assert.deepEqual(await stage.calls(runId), ['received']);
      assert.equal((await stage.ended(lost)).status, 'succeeded');
      assert.deepEqual(await stage.calls(lost), ['unknown', 'received']);
      assert.deepEqual(await stage.rows(OF_THE_FUTURE), []);
      await nextSlotsRun(stage, 2);
      await nextSlotsRun(stage, 2, HOUR + 2 * MINUTE);
      assert.deepEqual(await stage.rows(OF_THE_FUTURE), []);
    },
  },
  {
    id: 'F97',
    title:
      '29 February, the end of a year and 2^31 seconds, in a database and a process with unusual time zones: slots are correct',
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
      const slotTimes = async (id: bigint) =>
        (
          await stage.rows(
            `SELECT slot_at FROM strandline.runs WHERE search_id = $1 AND slot_at IS NOT NULL ORDER BY slot_at`,
            [id],
          )
        ).map(({ slot_at }) => slot_at.toISOString().slice(0, 16));
      assert.deepEqual(await slotTimes(searchId), [
        '2028-02-29T00:00',
        '2032-02-29T00:00',
        '2036-02-29T00:00',
      ]);
      const years = Array.from({ length: 10 }, (_, i) => 2028 + i);
      assert.deepEqual(
        await slotTimes(last.searchId),
        years.map((year) => `${year}-12-31T23:59`),
      );
      assert.deepEqual(
        await slotTimes(end.searchId),
        years.map((year) => `${year + 1}-01-19T03:14`),
      );
    },
  },
];
