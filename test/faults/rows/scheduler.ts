/** Slots that come while no worker is there, too many are there, or something delays them. */
import assert from 'node:assert/strict';
import { HOUR, MINUTE, SECOND } from '../../../src/lib/time.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { editSearch } from '../../../src/monitor/topics/save-search.ts';
import { changeSearch } from '../../../src/monitor/topics/search-state.ts';
import { repeats } from '../repeats.ts';
import type { Row } from '../row.ts';
import { gated, late, ownPosts } from '../scripts.ts';
import type { Stage } from '../stage.ts';

/** Saves searches with these prompts, due once a minute, and waits for their first runs. */
export async function everyMinute(stage: Stage, prompts: readonly number[]): Promise<void> {
  for (const prompt of prompts) await stage.add(prompt, { every: '60s' });
  await stage.settled();
}

/** The slots of each search and their outcome, oldest first. */
export async function slots(stage: Stage): Promise<Map<string, string[]>> {
  const rows = await stage.rows(
    `SELECT s.slug, array_agg(concat_ws(' ', r.status, r.reason) ORDER BY r.slot_at) AS ends FROM strandline.runs r
     JOIN strandline.searches s ON s.id = r.search_id WHERE r.slot_at IS NOT NULL GROUP BY 1 ORDER BY 1`,
  );
  return new Map(rows.map(({ slug, ends }) => [slug, ends]));
}

export const SCHEDULER: readonly Row[] = [
  {
    id: 'F01',
    title:
      'all workers are down for five slots: each search runs once for the latest, the others are missed, without a burst of calls',
    core: true,
    movesTime: true,
    env: { WORKER_CONCURRENCY: '2' },
    play: async (stage) => {
      let atOnce = 0;
      let most = 0;
      stage.service.answers(async (asked, response) => {
        atOnce += 1;
        most = Math.max(most, atOnce);
        await late(100, ownPosts)(asked, response);
        atOnce -= 1;
      });
      const worker = await stage.start();
      await everyMinute(stage, [1, 2, 3, 4, 5]);
      await worker.stop();
      const down = await stage.rows('SELECT id, next_due_at FROM strandline.searches');
      await stage.moveTime(5 * MINUTE);
      await stage.start();
      await stage.settled();
      const rows = await stage.rows(
        `SELECT search_id, slot_at, status, reason FROM strandline.runs WHERE slot_at IS NOT NULL ORDER BY 1, 2`,
      );
      for (const { id, next_due_at: first } of down) {
        // One whose slot came while the searches were saved has a row from before.
        const mine = rows.filter(({ search_id, slot_at }) => search_id === id && slot_at >= first);
        assert.deepEqual(
          mine.slice(0, 5).map(({ slot_at }) => (slot_at.getTime() - first.getTime()) / MINUTE),
          [0, 1, 2, 3, 4],
        );
        const ends = mine.slice(0, 5).map(({ status, reason }) => reason ?? status);
        assert.deepEqual(ends, ['missed', 'missed', 'missed', 'missed', 'succeeded']);
      }
      assert.ok(most <= 2, `${most} calls at once`);
    },
  },
  {
    id: 'F99',
    title:
      'all workers are down and the queue is emptied while adaptive searches come due: each runs once, for the due time that was set, and is due again',
    core: true,
    movesTime: true,
    play: async (stage) => {
      stage.service.answers(ownPosts);
      const worker = await stage.start();
      for (const prompt of [1, 2, 3, 4]) await stage.add(prompt, { every: 'auto 2m-1h' });
      await stage.settled();
      await worker.stop();
      const down = await stage.rows('SELECT search_id, due_at FROM strandline.search_pace ORDER BY 1');
      assert.equal(down.length, 4);
      await stage.emptyQueue();
      await stage.moveTime(3 * HOUR);
      await Promise.all([stage.start(), stage.start()]);
      await stage.settled();
      for (const { search_id, due_at } of down) {
        const [first, ...others] = await stage.rows(
          `SELECT slot_at, status, reason FROM strandline.runs WHERE search_id = ${search_id} AND slot_at >= '${due_at.toISOString()}' ORDER BY 1`,
        );
        assert.deepEqual(first, { slot_at: due_at, status: 'succeeded', reason: null });
        assert.deepEqual(others, []);
      }
      const overdue = await stage.rows(
        'SELECT search_id FROM strandline.search_pace WHERE due_at IS NULL OR due_at <= clock_timestamp()',
      );
      assert.deepEqual(overdue, []);
    },
  },
  {
    id: 'F02',
    title:
      'the queue is emptied while runs are queued and one is running: all complete, and that one is not called twice',
    core: true,
    main: true,
    everyCommit: true,
    env: { WORKER_CONCURRENCY: '1', RUN_LEASE_SECONDS: '10' },
    play: async (stage) => {
      const gate = gated(ownPosts);
      stage.service.answers(gate.script);
      await stage.start();
      const runs = [];
      for (const prompt of [1, 2, 3, 4]) runs.push((await stage.add(prompt)).runId);
      await stage.called();
      await stage.emptyQueue();
      gate.open();
      for (const runId of runs) assert.equal((await stage.ended(runId)).status, 'succeeded');
      assert.equal(stage.service.asked.length, runs.length);
      await repeats(stage);
    },
  },
  {
    id: 'F03',
    title:
      'six workers start together, three times, on an empty queue with due slots: none is duplicated or lost',
    core: true,
    movesTime: true,
    seconds: 150,
    play: async (stage) => {
      stage.service.answers(ownPosts);
      const prompts = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
      const first = await stage.start();
      await everyMinute(stage, prompts);
      await first.stop();
      for (const round of [1, 2, 3]) {
        await stage.emptyQueue();
        await stage.moveTime(round * 61 * SECOND);
        const workers = await Promise.all(
          prompts.slice(0, 6).map(() => stage.start({ WORKER_CONCURRENCY: '1' })),
        );
        await stage.settled();
        await Promise.all(workers.map((worker) => worker.stop()));
      }
      for (const [slug, ends] of await slots(stage)) {
        // A slot that comes up while the run of the one before it waits is skipped for that.
        assert.ok(
          ends.every((end) => /^(succeeded|skipped (missed|overlap))$/.test(end)),
          `${slug}: ${ends.join()}`,
        );
        assert.ok(ends.filter((end) => end === 'succeeded').length >= 3, `${slug}: ${ends.join()}`);
      }
      const [{ n }] = await stage.rows('SELECT count(DISTINCT worker)::int AS n FROM strandline.runs');
      assert.ok(n > 1, `${n} workers took runs`);
    },
  },
  {
    id: 'F04',
    title:
      'a run takes longer than its interval: slots meanwhile are skipped, and no two runs of a search overlap',
    core: true,
    movesTime: true,
    // The database's clock is moved while the call is under way.
    env: { RUN_LEASE_SECONDS: '3600' },
    play: async (stage) => {
      stage.service.answers(ownPosts);
      await stage.start();
      await everyMinute(stage, [1]);
      const gate = gated(ownPosts);
      stage.service.answers([gate.script, ownPosts]);
      const slotRuns = async (n: number) =>
        stage.until(
          `slot ${n} has its row`,
          async () => ((await slots(stage)).get('search-1') ?? []).length >= n,
        );
      await stage.moveTime(61 * SECOND);
      await stage.until('the slow call is under way', () =>
        Promise.resolve(stage.service.asked.length === 2),
      );
      await stage.moveTime(122 * SECOND);
      await slotRuns(2);
      gate.open();
      await stage.settled();
      await stage.moveTime(183 * SECOND);
      await slotRuns(3);
      await stage.settled();
      assert.deepEqual((await slots(stage)).get('search-1')?.slice(0, 3), [
        'succeeded',
        'skipped overlap',
        'succeeded',
      ]);
      const overlapping = await stage.rows(
        `SELECT a.id, b.id AS other FROM strandline.runs a JOIN strandline.runs b ON a.search_id = b.search_id AND a.id < b.id
         WHERE tstzrange(a.started_at, a.ended_at) && tstzrange(b.started_at, b.ended_at)
           AND a.started_at IS NOT NULL AND b.started_at IS NOT NULL`,
      );
      assert.deepEqual(overlapping, []);
    },
  },
  {
    id: 'F05',
    title:
      'searches are removed, paused and edited while their runs are queued or running: running ones complete, queued ones are cancelled, and no new ones start',
    core: false,
    movesTime: true,
    env: { WORKER_CONCURRENCY: '3' },
    play: async (stage) => {
      const gate = gated(ownPosts);
      stage.service.answers(gate.script);
      await stage.start();
      const runs: bigint[] = [];
      for (const prompt of [1, 2, 3]) runs.push((await stage.add(prompt)).runId);
      await stage.until('three calls are under way', () => Promise.resolve(stage.service.asked.length === 3));
      for (const prompt of [4, 5, 6]) runs.push((await stage.add(prompt)).runId);
      for (const [removed, paused, edited] of [
        [1, 2, 3],
        [4, 5, 6],
      ]) {
        await changeSearch(stage.ctx, `search-${removed}`, 'remove');
        await changeSearch(stage.ctx, `search-${paused}`, 'pause');
        await editSearch(stage.ctx, `search-${edited}`, { every: '2h' });
      }
      gate.open();
      const ends = [];
      for (const runId of runs) ends.push((await stage.ended(runId)).status);
      assert.deepEqual(ends, ['succeeded', 'succeeded', 'succeeded', 'cancelled', 'cancelled', 'succeeded']);

      const due = await stage.rows(
        `SELECT slug, extract(epoch FROM next_due_at - $1)::float8 AS seconds FROM strandline.searches
         WHERE next_due_at IS NOT NULL ORDER BY slug`,
        [stage.ctx.clock.now()],
      );
      assert.deepEqual(
        due.map(({ slug }) => slug),
        ['search-3', 'search-6'],
      );
      const furthest = Math.max(...due.map(({ seconds }) => seconds));
      await stage.moveTime(furthest * SECOND + MINUTE);
      await stage.settled();
      assert.deepEqual([...(await slots(stage)).keys()], ['search-3', 'search-6']);
      assert.deepEqual(
        await stage.rows(
          `SELECT r.id FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id WHERE r.created_at > s.archived_at`,
        ),
        [],
      );
    },
  },
  {
    id: 'F06',
    title:
      'a year of clock changes in four zones: daily searches run once per date, hourly ones at each real hour',
    core: true,
    movesTime: true,
    seconds: 240,
    play: async (stage) => {
      const moveTo = (instant: string) => stage.moveTime(Date.parse(instant) - systemClock.now().getTime());
      await moveTo('2026-03-06T12:00:00Z');
      stage.service.answers(ownPosts);
      await stage.start();
      for (const [i, [cron, tz]] of DAILY.entries()) await stage.add(i + 1, { cron, tz });
      await stage.add(99, { cron: '0 * * * *', tz: 'America/New_York' });
      await stage.settled();
      for (const transition of TRANSITIONS)
        for (const hours of [-3, 3]) {
          await moveTo(new Date(Date.parse(transition) + hours * HOUR).toISOString());
          await stage.settled();
        }
      assert.deepEqual(await stage.rows(NOT_ONCE_A_DATE), []);
      assert.deepEqual(await stage.rows(NOT_EACH_HOUR), []);
      const found = await stage.rows(
        `SELECT s.slug, r.slot_at FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id
         WHERE r.slot_at IS NOT NULL`,
      );
      for (const [i, [cron, tz, at]] of DAILY.entries())
        assert.ok(
          found.some(
            ({ slug, slot_at }) => slug === `search-${i + 1}` && slot_at.toISOString() === `${at}:00.000Z`,
          ),
          `${cron} in ${tz} runs at ${at}Z`,
        );
    },
  },
];

/** Once a day at a time that does not exist, or exists twice, on the day on which the clock is changed; and when it runs then. */
const DAILY = [
  ['30 2 * * *', 'America/New_York', '2026-03-08T07:00'],
  ['30 1 * * *', 'America/New_York', '2026-11-01T05:30'],
  ['30 2 * * *', 'Europe/Berlin', '2026-03-29T01:00'],
  ['30 2 * * *', 'Europe/Berlin', '2026-10-25T00:30'],
  ['0 0 * * *', 'America/Santiago', '2026-09-06T04:00'],
  ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T15:30'],
  ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T14:45'],
] as const;

/** When clocks are put forward or back in these zones, in 2026; and the day after the last. */
const TRANSITIONS = [
  '2026-03-08T07:00:00Z',
  '2026-03-29T01:00:00Z',
  '2026-04-04T15:00:00Z',
  '2026-04-05T03:00:00Z',
  '2026-09-06T04:00:00Z',
  '2026-10-03T15:30:00Z',
  '2026-10-25T01:00:00Z',
  '2026-11-01T06:00:00Z',
  '2026-11-02T12:00:00Z',
];

/** Dates, by the clock of its zone, on which a daily search did not have exactly one slot. */
const NOT_ONCE_A_DATE = `
WITH mine AS (
  SELECT s.slug, (r.slot_at AT TIME ZONE v.tz)::date AS date FROM strandline.runs r
  JOIN strandline.searches s ON s.id = r.search_id
  JOIN strandline.search_versions v ON v.search_id = s.id AND v.version = s.version
  WHERE r.slot_at IS NOT NULL AND s.slug <> 'search-99'
), days AS (
  SELECT slug, generate_series(min(date), max(date), '1 day')::date AS date FROM mine GROUP BY 1
)
SELECT d.slug, d.date::text, count(m.date)::int AS slots FROM days d LEFT JOIN mine m USING (slug, date)
GROUP BY 1, 2 HAVING count(m.date) <> 1`;

/** Real hours that the hourly search has no slot at. Where it missed more than a thousand, many stand in one row. */
const NOT_EACH_HOUR = `
WITH mine AS (
  SELECT r.slot_at, r.span_until, r.span_slots FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id
  WHERE r.slot_at IS NOT NULL AND s.slug = 'search-99'
), hours AS (
  SELECT generate_series(min(slot_at), max(slot_at), '1 hour') AS slot_at FROM mine
)
SELECT h.slot_at, NULL AS slots FROM hours h
WHERE NOT EXISTS (SELECT FROM mine m WHERE h.slot_at BETWEEN m.slot_at AND coalesce(m.span_until, m.slot_at))
UNION ALL SELECT NULL, sum(coalesce(span_slots, 1)) FROM mine
HAVING sum(coalesce(span_slots, 1)) <> (SELECT count(*) FROM hours)`;
