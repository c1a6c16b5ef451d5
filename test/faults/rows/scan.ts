/** The scan and the repeatable job that triggers it: lost, misled, interrupted, overlapping, behind a backlog. */
import assert from 'node:assert/strict';
import { DAY, MINUTE, SECOND } from '../../../src/lib/time.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { SCANS } from '../../../src/platform/queue/queue.ts';
import { computePhase } from '../../../src/monitor/schedule/schedule.ts';
import { scan } from '../../../src/monitor/schedule/scan.ts';
import { takeRecurringWork } from '../../../src/store/runs/scanner.ts';
import type { Point } from '../../journey-points.ts';
import { repeats } from '../repeats.ts';
import type { Row } from '../row.ts';
import { gated, ownPosts } from '../scripts.ts';
import type { Stage } from '../stage.ts';
import { everyMinute, slots } from './scheduler.ts';

/** Each of so many searches had a slot and a run of it that succeeded. More slots may have come while the row went on. */
async function assertSlotsRan(stage: Stage, searches: number): Promise<void> {
  const all = await slots(stage);
  assert.equal(all.size, searches);
  for (const [slug, ends] of all) {
    assert.ok(ends.includes('succeeded'), `${slug}: ${ends.join()}`);
    assert.ok(
      ends.every((end) => /^(succeeded|skipped (missed|overlap))$/.test(end)),
      `${slug}: ${ends.join()}`,
    );
  }
}

/** Searches that are due once a minute become due, and run. */
export async function nextSlotsRun(stage: Stage, searches: number, ms = 61 * SECOND): Promise<void> {
  await stage.moveTime(ms);
  await stage.settled();
  await assertSlotsRan(stage, searches);
}

/** Whatever happened to the repeatable job: the timer of a worker scans, and adds the job again. */
function withoutJob(id: string, what: string, harm: (stage: Stage) => Promise<unknown>): Row {
  return {
    id,
    title: `the repeatable job ${what}: a worker takes over the scan, slots run, and the job triggers the scan again`,
    core: true,
    movesTime: true,
    play: async (stage) => {
      stage.service.answers(ownPosts);
      await stage.start();
      await everyMinute(stage, [1, 2, 3]);
      await repeats(stage);
      await harm(stage);
      await nextSlotsRun(stage, 3);
      await repeats(stage);
    },
  };
}

/** A worker dies in its first scan, which finds due slots; the next one continues where it stopped. */
function diesIn(id: string, title: string, dieAt: Point, left: number): Row {
  return {
    id,
    title,
    core: true,
    movesTime: true,
    seconds: 90,
    play: async (stage) => {
      stage.service.answers(ownPosts);
      const first = await stage.start();
      await everyMinute(stage, [1, 2, 3]);
      await first.stop();
      await stage.emptyQueue();
      await stage.moveTime(61 * SECOND);
      const dying = await stage.start({}, { dieAt });
      await dying.ended;
      assert.equal((await slots(stage)).size, left);
      await stage.start();
      await stage.settled();
      await assertSlotsRan(stage, 3);
    },
  };
}

/** The row of the scanner has an impossible value. */
function wrongRow(id: string, ms: number, what: string): Row {
  return {
    id,
    title: `the last scan is recorded a day in the ${what}: a worker scans immediately, and no slot is lost or invented`,
    core: true,
    movesTime: true,
    play: async (stage) => {
      stage.service.answers(ownPosts);
      await Promise.all([stage.start(), stage.start()]);
      await everyMinute(stage, [1, 2, 3]);
      await stage.rows(
        `UPDATE strandline.scanner SET scanned_at = clock_timestamp() + $1 * interval '1 ms'`,
        [ms],
      );
      await stage.until('a scan is noted', async () => {
        const [{ seconds }] = await stage.rows(
          'SELECT extract(epoch FROM clock_timestamp() - scanned_at)::float8 AS seconds FROM strandline.scanner',
        );
        return Math.abs(seconds) < 60;
      });
      await nextSlotsRun(stage, 3);
    },
  };
}

/** First runs that wait while a slot becomes due. */
const BACKLOG = 1_000;

export const SCAN: readonly Row[] = [
  {
    id: 'F00',
    title: 'the repeatable job triggers the scan repeatedly, and a search runs at its slot',
    core: false,
    everyCommit: true,
    env: { RECONCILE_SECONDS: '3600' },
    play: async (stage) => {
      stage.service.answers(ownPosts);
      await stage.start();
      await repeats(stage);
      const { searchId } = await stage.add(dueSoon(), { every: '60s' });
      await stage.until('a run of its schedule succeeds', async () => {
        const [run] = await stage.rows(
          `SELECT status FROM strandline.runs WHERE search_id = $1 AND trigger = 'schedule'`,
          [searchId],
        );
        return run?.status === 'succeeded';
      });
    },
  },
  withoutJob('F07', 'is removed', (stage) => stage.scans.removeJobScheduler(SCANS)),
  withoutJob('F07 far', 'is due in years', (stage) =>
    stage.scans.upsertJobScheduler(SCANS, { pattern: '0 0 29 2 *' }, { name: SCANS }),
  ),
  withoutJob('F07 paused', 'is paused', (stage) => stage.scans.pause()),
  {
    id: 'F08',
    title: 'ten concurrent scans, by workers and other processes: each slot has one run',
    core: true,
    everyCommit: true,
    movesTime: true,
    play: async (stage) => {
      stage.service.answers(ownPosts);
      await Promise.all([stage.start(), stage.start()]);
      await everyMinute(stage, [1, 2, 3, 4]);
      await stage.moveTime(61 * SECOND);
      await Promise.all(Array.from({ length: 8 }, () => scan(stage.ctx)));
      await stage.settled();
      await assertSlotsRan(stage, 4);
    },
  },
  diesIn(
    'F08 inside',
    'a worker that dies mid-scan leaves no changes; the next scan finds the same slots',
    'inside the scan',
    0,
  ),
  diesIn(
    'F08 after',
    'a worker that dies between a scan and the queue leaves runs without jobs; the next scans enqueue them',
    'after the scan',
    3,
  ),
  wrongRow('F09 past', -DAY, 'past'),
  wrongRow('F09 future', DAY, 'future'),
  {
    id: 'F09 backlog',
    title: `a slot becomes due behind ${BACKLOG} queued first runs: its run is executed before them`,
    core: true,
    movesTime: true,
    env: { WORKER_CONCURRENCY: '2', RUN_LEASE_SECONDS: '3600' },
    play: async (stage) => {
      stage.service.answers(ownPosts);
      await stage.start();
      await everyMinute(stage, [1, 2]);
      const gate = gated(ownPosts);
      stage.service.answers(gate.script);
      stage.service.answers(ownPosts, '1');
      stage.service.answers(ownPosts, '2');
      const prompts = Array.from({ length: BACKLOG }, (_, i) => i + 3).values();
      const adding = async () => {
        for (const prompt of prompts) await stage.add(prompt);
      };
      await Promise.all([adding(), adding(), adding(), adding()]);
      await stage.moveTime(61 * SECOND);
      await stage.until('two slots are due', async () => (await slots(stage)).size === 2);
      // The calls under way end, and each makes room for the run that comes next.
      stage.service.answers(ownPosts);
      gate.open();
      await stage.until('both slots ended', async () =>
        [...(await slots(stage)).values()].every(([end]) => end === 'succeeded'),
      );
      const [{ before }] = await stage.rows(
        `SELECT count(*)::int AS before FROM strandline.runs r
         WHERE trigger = 'first' AND started_at > (SELECT min(created_at) FROM strandline.runs WHERE slot_at IS NOT NULL)
           AND started_at < (SELECT max(started_at) FROM strandline.runs WHERE slot_at IS NOT NULL)`,
      );
      // The queue gets the two runs a moment after they were created.
      assert.ok(before <= 50, `${before} first runs started before the slots`);
      await stage.rows(
        `UPDATE strandline.runs SET status = 'cancelled', reason = 'end of the row', ended_at = clock_timestamp(), offer_at = NULL
         WHERE status = 'queued'`,
      );
    },
  },
  {
    id: 'F09 work',
    title: 'recurring work of a dead worker is found again, and all of it completes',
    core: true,
    movesTime: true,
    play: async (stage) => {
      const worker = await stage.start();
      const undone = async () =>
        (await stage.rows('SELECT name FROM strandline.recurring_work WHERE last_ended_at IS NULL')).length;
      const known = async () => (await stage.rows('SELECT name FROM strandline.recurring_work')).length;
      await stage.until('all work was done', async () => (await known()) > 0 && (await undone()) === 0);
      await worker.stop();
      await stage.rows(
        'UPDATE strandline.recurring_work SET next_due_at = clock_timestamp(), last_ended_at = NULL',
      );
      const taken = await takeRecurringWork(stage.ctx.db.pool, {
        now: new Date(stage.ctx.clock.now().getTime() + SECOND),
        againMs: 5 * MINUTE,
      });
      assert.equal(taken.length, await known());
      await stage.moveTime(6 * MINUTE);
      await stage.start();
      await stage.until('all work was done again', async () => (await undone()) === 0);
    },
  },
];

/** A prompt whose search, created now and due once a minute, is due in about three seconds. */
function dueSoon(): number {
  const wanted = (Math.floor(systemClock.now().getTime() / SECOND) + 3) % 60;
  for (let prompt = 1; ; prompt += 1)
    if (Math.floor(computePhase(`search-${prompt}`, 60)) === wanted) return prompt;
}
