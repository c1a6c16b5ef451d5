/** Two faults at once, with several workers: one alone is survived, the second may find a gap. */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { HOUR, MINUTE, SECOND } from '../../../src/lib/time.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { SCANS } from '../../../src/platform/queue/queue.ts';
import { connect } from '../../../src/platform/postgres/connect.ts';
import type { Row } from '../row.ts';
import { repeats } from '../repeats.ts';
import { gated, ownPosts, posts } from '../scripts.ts';
import type { Stage } from '../stage.ts';
import { nextSlotsRun } from './scan.ts';
import { everyMinute } from './scheduler.ts';

/** The maximum time from one scan to the next; a test machine may be busy. */
const SCAN_GAP_MS = 3 * SECOND;
const BUSY_MS = 5 * SECOND;

/** Measures the longest time without a new scan, by the machine's clock, until it is asked for. */
function watchScans(stage: Stage): () => Promise<number> {
  const over = new AbortController();
  let longest = 0;
  const watched = (async () => {
    let last = '';
    let since = performance.now();
    while (!over.signal.aborted) {
      const [{ at }] = await stage.rows('SELECT scanned_at::text AS at FROM strandline.scanner');
      if (at !== last) since = performance.now();
      last = at;
      longest = Math.max(longest, performance.now() - since);
      await wait(20);
    }
  })();
  return async () => {
    over.abort();
    await watched;
    stage.note(`longest time without a scan: ${Math.round(longest)} ms`);
    return longest;
  };
}

/** No row has a slot in the future of the database clock, and each search has its next slot within a minute. */
async function assertNothingAhead(stage: Stage): Promise<void> {
  assert.deepEqual(
    await stage.rows(
      'SELECT id, slot_at FROM strandline.runs WHERE coalesce(span_until, slot_at) > clock_timestamp()',
    ),
    [],
  );
  assert.deepEqual(
    await stage.rows(
      `SELECT slug, next_due_at, clock_timestamp() AS now FROM strandline.searches
       WHERE next_due_at IS NULL OR next_due_at > clock_timestamp() + interval '1 minute'`,
    ),
    [],
  );
}

const SEARCHES = [1, 2, 3, 4];

/** Only one of three workers scans, while its clock is wrong. */
function wrongWhileScanning(id: string, ms: number, words: string, everyCommit = false): Row {
  return {
    id,
    title: `the clock of one of three workers is ${words} for two seconds while only that worker scans: scans continue, no future slot has a row, and no search falls silent`,
    core: true,
    everyCommit,
    movesTime: true,
    seconds: 90,
    play: async (stage) => {
      stage.service.answers(ownPosts);
      const [scanning, ...others] = await Promise.all([stage.start(), stage.start(), stage.start()]);
      await everyMinute(stage, SEARCHES);
      await repeats(stage);
      const longest = watchScans(stage);
      for (const { child } of others) child.kill('SIGSTOP');
      scanning?.moveClock(ms);
      await wait(2 * SECOND);
      scanning?.moveClock(0);
      for (const { child } of others) child.kill('SIGCONT');
      await repeats(stage);
      const gap = await longest();
      assert.ok(gap < SCAN_GAP_MS + BUSY_MS, `${gap} ms without a scan`);
      const next = (await stage.scans.getJobScheduler(SCANS))?.next ?? 0;
      assert.ok(
        Math.abs(next - systemClock.now().getTime()) < MINUTE,
        `the repeatable job is due at ${next}`,
      );
      await assertNothingAhead(stage);
      await nextSlotsRun(stage, SEARCHES.length);
      await assertNothingAhead(stage);
    },
  };
}

/** Calls of three workers are under way, three of each, when `away` begins; their responses come while it lasts. */
async function threeWorkersInHand(
  stage: Stage,
  { away, back }: { away: () => Promise<void>; back: () => Promise<void> },
): Promise<void> {
  const gate = gated(ownPosts);
  stage.service.answers(gate.script);
  await Promise.all([stage.start(), stage.start(), stage.start()]);
  const runs: bigint[] = [];
  for (const prompt of [1, 2, 3, 4, 5, 6, 7, 8, 9]) runs.push((await stage.add(prompt)).runId);
  await stage.until('nine calls are under way', () => Promise.resolve(stage.service.asked.length === 9));
  await away();
  gate.open();
  await stage.until('nine responses are in hand', () =>
    Promise.resolve(stage.service.asked.every(({ answered }) => answered)),
  );
  // Longer than leases last, for each worker: that is what the row is about.
  await wait(3 * LEASE_SECONDS * SECOND);
  await back();
  for (const runId of runs) {
    assert.equal((await stage.ended(runId)).status, 'succeeded');
    assert.deepEqual(await stage.calls(runId), ['received']);
  }
  assert.equal(stage.service.asked.length, 9);
}

const LEASE_SECONDS = 2;
const IN_HAND = { WORKER_CONCURRENCY: '3', RUN_LEASE_SECONDS: String(LEASE_SECONDS) };

/** Ids of the posts that were found, by any search. */
async function found(stage: Stage): Promise<string[]> {
  const rows = await stage.rows(
    'SELECT DISTINCT p.external_id AS id FROM strandline.post_sightings s JOIN strandline.posts p ON p.id = s.post_id ORDER BY 1',
  );
  return rows.map(({ id }) => id);
}

export const PAIRS: readonly Row[] = [
  wrongWhileScanning('F98 ahead', 2 * HOUR, 'two hours ahead', true),
  wrongWhileScanning('F98 behind', -2 * HOUR, 'two hours behind'),
  {
    id: 'F98 database',
    title:
      'the clock of the database goes back two hours and the queue is emptied: scans continue, no future slot has a row, and no search falls silent',
    core: true,
    everyCommit: true,
    movesTime: true,
    seconds: 90,
    play: async (stage) => {
      stage.service.answers(ownPosts);
      await Promise.all([stage.start(), stage.start(), stage.start()]);
      await everyMinute(stage, SEARCHES);
      await repeats(stage);
      const longest = watchScans(stage);
      await stage.moveDatabaseTime(-2 * HOUR);
      await stage.emptyQueue();
      await repeats(stage);
      const gap = await longest();
      assert.ok(gap < SCAN_GAP_MS + BUSY_MS, `${gap} ms without a scan`);
      await assertNothingAhead(stage);
      await stage.moveDatabaseTime(-2 * HOUR + 61 * SECOND);
      await nextSlotsRun(stage, SEARCHES.length, -2 * HOUR + 61 * SECOND);
      await assertNothingAhead(stage);
    },
  },
  {
    id: 'F98 outage',
    title:
      'Postgres is unavailable for longer than a lease while three workers have unstored responses: each is saved, without another call',
    core: true,
    postgres: {},
    env: IN_HAND,
    seconds: 90,
    play: (stage) =>
      threeWorkersInHand(stage, {
        away: () => stage.postgres.stop('immediate'),
        back: () => stage.postgres.start(),
      }),
  },
  {
    id: 'F98 read-only',
    title:
      'the database is read-only for longer than a lease while three workers have unstored responses: each is saved, without another call',
    core: true,
    postgres: {},
    env: IN_HAND,
    seconds: 90,
    play: async (stage) => {
      const set = async (statement: string) => {
        const client = await connect(stage.postgres.superuserUrl, 'faults');
        await client.query(statement);
        await client.query('SELECT pg_reload_conf()');
        await client.end();
      };
      await threeWorkersInHand(stage, {
        away: () => set('ALTER SYSTEM SET default_transaction_read_only = on'),
        back: () => set('ALTER SYSTEM RESET default_transaction_read_only'),
      });
    },
  },
  {
    id: 'F98 minute',
    title:
      'the queue is emptied repeatedly under CALLS_PER_MINUTE: three workers together never exceed the limit, and each run is executed once there is capacity',
    core: true,
    movesTime: true,
    env: { CALLS_PER_MINUTE: '10', WORKER_CONCURRENCY: '4' },
    seconds: 150,
    play: async (stage) => {
      stage.service.answers(ownPosts);
      await Promise.all([stage.start(), stage.start(), stage.start()]);
      for (let prompt = 1; prompt <= 30; prompt += 1) await stage.add(prompt);
      for (const minute of [1, 2, 3]) {
        await stage.until(`the calls of minute ${minute}`, () =>
          Promise.resolve(stage.service.asked.length >= minute * 10),
        );
        for (let time = 0; time < 3; time += 1) {
          await stage.emptyQueue();
          await repeats(stage);
        }
        // By the journal of the service, whatever the ledger says. All of these seconds are one minute.
        assert.equal(stage.service.asked.length, minute * 10);
        await stage.moveTime(minute * 70 * SECOND);
      }
      await stage.settled();
      assert.equal(stage.service.asked.length, 30);
    },
  },
  {
    id: 'F98 late',
    title:
      'a worker is suspended beyond its lease with an unstored response, stores it after another has finished the run, and is killed: the response is parsed anyway',
    core: true,
    everyCommit: true,
    play: async (stage) => {
      stage.service.answers([posts(['11', '12']), posts(['12', '13'])]);
      const sleeper = await stage.start({}, { pauseAt: 'before the answer is kept' });
      const { runId } = await stage.add(1);
      await sleeper.paused;
      sleeper.child.kill('SIGSTOP');
      await stage.start();
      const run = await stage.ended(runId);
      assert.deepEqual([run.status, run.fence], ['succeeded', 2]);
      sleeper.goOn();
      sleeper.child.kill('SIGCONT');
      await stage.until(
        'the late response is stored',
        async () => (await stage.calls(runId))[0] === 'received',
      );
      sleeper.child.kill('SIGKILL');
      await stage.until('all of it was found', async () => (await found(stage)).length === 3);
      assert.deepEqual(await stage.calls(runId), ['received', 'received']);
    },
  },
  {
    id: 'F98 killed',
    title:
      'a worker is suspended beyond its lease with an unstored response, and the worker that took over is killed during its call: the response is parsed, without a third call',
    core: true,
    env: { MAX_CALLS_PER_RUN: '3' },
    play: async (stage) => {
      const gate = gated(posts(['12', '13']));
      stage.service.answers([posts(['11', '12']), gate.script]);
      const sleeper = await stage.start({}, { pauseAt: 'before the answer is kept' });
      const { runId } = await stage.add(1);
      await sleeper.paused;
      sleeper.child.kill('SIGSTOP');
      const second = await stage.start();
      await stage.until('the second call is under way', () =>
        Promise.resolve(stage.service.asked.length === 2),
      );
      sleeper.goOn();
      sleeper.child.kill('SIGCONT');
      await stage.until(
        'the late response is stored',
        async () => (await stage.calls(runId))[0] === 'received',
      );
      second.child.kill('SIGKILL');
      gate.open();
      const run = await stage.ended(runId);
      assert.deepEqual([run.status, run.fence], ['succeeded', 3]);
      assert.deepEqual(await found(stage), ['11', '12']);
      assert.equal(stage.service.asked.length, 2);
    },
  },
];
