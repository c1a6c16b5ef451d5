import { expect, test } from 'vitest';
import { executeRun } from '../../src/monitor/run/execute.ts';
import { reconcile } from '../../src/monitor/schedule/reconcile.ts';
import { tickSearch } from '../../src/monitor/schedule/tick.ts';
import { createSearch, type NewSearch } from '../../src/monitor/topic/create.ts';
import { editSearch } from '../../src/monitor/topic/edit.ts';
import { changeSearch } from '../../src/monitor/topic/state.ts';
import { whileAlone } from '../../src/store/repairs.ts';
import { stubbedWorld } from '../stubbed-world.ts';

const { stub, world, rows } = await stubbedWorld();

const MINUTE = 60_000;
const runsOf = (searchId: bigint) =>
  rows(
    `SELECT to_char(slot_at AT TIME ZONE 'UTC', 'HH24:MI') AS slot, status, reason, span_slots FROM strandline.runs
     WHERE search_id = $1 AND slot_at IS NOT NULL ORDER BY slot_at`,
    [searchId],
  );

/** A search whose first look is over, due at each quarter of the hour. */
async function quarterly(slug: string, over: Partial<NewSearch> = {}) {
  const { search, firstRunId } = await createSearch(world.ctx, {
    slug,
    operation: 'microblog',
    prompt: slug,
    cron: '*/15 * * * *',
    ...over,
  });
  await executeRun(world.ctx, firstRunId);
  return search;
}

test('a due slot becomes one run row and one job, however often it is ticked', async () => {
  const search = await quarterly('once');
  world.clock.advance(15 * MINUTE);
  const [first] = await Promise.all([
    tickSearch(world.ctx, search.id),
    tickSearch(world.ctx, search.id),
    tickSearch(world.ctx, search.id),
  ]);
  expect(await runsOf(search.id)).toEqual([
    { slot: '12:15', status: 'queued', reason: null, span_slots: null },
  ]);
  expect(first.nextDueAt?.toISOString()).toBe('2026-11-21T12:30:00.000Z');
  const [{ id }] = await rows(`SELECT id FROM strandline.runs WHERE search_id = $1 AND status = 'queued'`, [
    search.id,
  ]);
  expect(world.enqueued.filter((job) => job.runId === id)).toEqual([{ runId: id, fence: 0 }]);
});

test('the nominal time counts where the clock is a little behind, and not where it is far off', async () => {
  const search = await quarterly('nominal');
  world.clock.advance(15 * MINUTE - 1_500);
  expect((await tickSearch(world.ctx, search.id)).queued).toEqual([]);
  expect((await tickSearch(world.ctx, search.id, new Date('2026-11-21T12:30:00Z'))).queued).toEqual([]);
  expect((await tickSearch(world.ctx, search.id, new Date('2026-11-21T12:15:00Z'))).queued).toHaveLength(1);
});

test('a search that was made by a clock far ahead runs at the slots of whoever looks after it', async () => {
  const now = world.clock.now();
  world.clock.advance(30 * 24 * 60 * MINUTE);
  const { search, firstRunId } = await createSearch(world.ctx, {
    slug: 'made-ahead',
    operation: 'microblog',
    prompt: 'made ahead',
    cron: '0 6 * * *',
  });
  await executeRun(world.ctx, firstRunId);
  world.clock.set(now);
  expect(await reconcile(world.ctx, true)).toMatchObject({ calledBack: 1 });
  world.clock.advance(24 * 60 * MINUTE);
  expect((await tickSearch(world.ctx, search.id)).queued).toHaveLength(1);
  world.clock.set(now);
});

test('after downtime the latest slot runs, and each one before it has its row: skipped, missed', async () => {
  const search = await quarterly('downtime');
  world.clock.advance(76 * MINUTE);
  await tickSearch(world.ctx, search.id);
  expect(await runsOf(search.id)).toEqual([
    ...['12:15', '12:30', '12:45', '13:00'].map((slot) => ({
      slot,
      status: 'skipped',
      reason: 'missed',
      span_slots: null,
    })),
    { slot: '13:15', status: 'queued', reason: null, span_slots: null },
  ]);
});

test('beyond a thousand missed slots the older ones share one row that counts them', async () => {
  const search = await quarterly('long-downtime');
  world.clock.advance(30 * 24 * 60 * MINUTE);
  await tickSearch(world.ctx, search.id);
  const [span, ...single] = await runsOf(search.id);
  expect(span).toMatchObject({
    slot: '12:15',
    status: 'skipped',
    reason: 'missed',
    span_slots: 30 * 96 - 1_000,
  });
  expect(single).toHaveLength(1_000);
  expect(single.at(-1)).toMatchObject({ slot: '12:00', status: 'queued' });
});

test('a slot that comes due while a run waits or is under way is skipped, and says why', async () => {
  const search = await quarterly('overlap');
  world.clock.advance(15 * MINUTE);
  await tickSearch(world.ctx, search.id);
  world.clock.advance(15 * MINUTE);
  await tickSearch(world.ctx, search.id);
  expect(await runsOf(search.id)).toMatchObject([
    { slot: '12:15', status: 'queued' },
    { slot: '12:30', status: 'skipped', reason: 'overlap' },
  ]);
});

test('a pause cancels what is queued and makes no rows; resuming goes on at the next slot; the paused time is kept', async () => {
  const search = await quarterly('paused');
  world.clock.advance(15 * MINUTE);
  await tickSearch(world.ctx, search.id);
  await changeSearch(world.ctx, 'paused', 'pause');
  world.clock.advance(40 * MINUTE);
  expect((await tickSearch(world.ctx, search.id)).queued).toEqual([]);
  const resumed = await changeSearch(world.ctx, 'paused', 'resume');
  expect(resumed.next_due_at?.toISOString()).toBe('2026-11-21T13:00:00.000Z');
  expect(await runsOf(search.id)).toEqual([
    { slot: '12:15', status: 'cancelled', reason: 'paused', span_slots: null },
  ]);
  expect(
    await rows(
      `SELECT state, extract(epoch FROM ended_at - began_at)::int AS seconds FROM strandline.search_states WHERE search_id = $1 ORDER BY began_at`,
      [search.id],
    ),
  ).toEqual([
    { state: 'active', seconds: 15 * 60 },
    { state: 'paused', seconds: 40 * 60 },
    { state: 'active', seconds: null },
  ]);
});

test('an edit is a version: due slots of the old schedule first, queued runs keep theirs, a new request has a new baseline', async () => {
  const search = await quarterly('edited');
  world.clock.advance(16 * MINUTE);
  const edited = await editSearch(world.ctx, 'edited', { prompt: 'something else', cron: '0 * * * *' });
  expect(edited).toMatchObject({ changesRequest: true, search: { version: 2, request_version: 2 } });
  expect(edited.search.next_due_at?.toISOString()).toBe('2026-11-21T13:00:00.000Z');
  const [due] = await rows(
    `SELECT id, version, status FROM strandline.runs WHERE search_id = $1 AND slot_at IS NOT NULL`,
    [search.id],
  );
  expect(due).toMatchObject({ version: 1, status: 'queued' });
  await executeRun(world.ctx, due.id);
  expect(stub.requests.at(-1)?.body).toMatchObject({ prompt: 'edited' });
  world.clock.set('2026-11-21T13:00:00Z');
  const { queued } = await tickSearch(world.ctx, search.id);
  const report = await executeRun(world.ctx, queued[0] ?? 0n);
  expect(report).toMatchObject({ status: 'succeeded', diff: { baseline: true } });
  expect(stub.requests.at(-1)?.body).toMatchObject({ prompt: 'something else' });
});

test('an edit of the labels alone keeps the request version and its baseline', async () => {
  await quarterly('labelled');
  const { search, changesRequest } = await editSearch(world.ctx, 'labelled', { labels: ['a', 'b'] });
  expect({ changesRequest, version: search.version, request: search.request_version }).toEqual({
    changesRequest: false,
    version: 2,
    request: 1,
  });
  expect(
    (await editSearch(world.ctx, 'labelled', { labels: ['a', 'b'] })).changed,
    'nothing changed, no version',
  ).toBe(false);
});

test('a schedule that cannot be read marks its search broken and leaves the others alone', async () => {
  const search = await quarterly('from-an-older-release');
  await rows(`UPDATE strandline.search_versions SET cron = 'every now and then' WHERE search_id = $1`, [
    search.id,
  ]);
  world.clock.advance(15 * MINUTE);
  expect((await tickSearch(world.ctx, search.id)).queued).toEqual([]);
  expect(await rows('SELECT state, next_due_at FROM strandline.searches WHERE id = $1', [search.id])).toEqual(
    [{ state: 'broken', next_due_at: null }],
  );
});

test('the reconciler ticks what nobody ticked, wakes what nobody took, takes up expired leases, and heals schedules', async () => {
  const overdue = await quarterly('overdue');
  const stale = await quarterly('stale');
  const expired = await quarterly('expired');
  world.clock.advance(15 * MINUTE);
  await tickSearch(world.ctx, stale.id);
  const { queued } = await tickSearch(world.ctx, expired.id);
  await rows(
    `UPDATE strandline.runs SET status = 'running', fence = 1, claims = 1, lease_until = clock_timestamp() - interval '1 s', started_at = created_at WHERE id = $1`,
    [queued[0]],
  );
  world.clock.advance(MINUTE);
  world.enqueued.length = 0;
  world.schedules.clear();
  const repairs = await reconcile(world.ctx, true);
  expect(repairs?.ticked).toBeGreaterThanOrEqual(1);
  expect(repairs?.takenUp).toBe(1);
  expect(await runsOf(overdue.id)).toMatchObject([{ slot: '12:15', status: 'queued' }]);
  const woken = new Set(world.enqueued.map((job) => `${job.runId}/${job.fence}`));
  const [{ id: staleRun }] = await rows(
    `SELECT id FROM strandline.runs WHERE search_id = $1 AND status = 'queued'`,
    [stale.id],
  );
  expect([woken.has(`${staleRun}/0`), woken.has(`${queued[0]}/1`)]).toEqual([true, true]);
  expect([overdue.id, stale.id, expired.id].every((id) => world.schedules.has(id))).toBe(true);
  expect(await reconcile(world.ctx, true), 'a second pass finds schedules as they should be').toMatchObject({
    ticked: 0,
    scheduled: 0,
  });
});

test('a search whose row somebody holds keeps the reconciler from nothing but itself', async () => {
  const held = await quarterly('held');
  const free = await quarterly('free');
  world.clock.advance(16 * MINUTE);
  const holder = await world.db.pool.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM strandline.searches WHERE id = $1 FOR UPDATE', [held.id]);
  await reconcile(world.ctx, false);
  expect(await runsOf(free.id)).toMatchObject([{ slot: '12:15' }]);
  await holder.query('ROLLBACK');
  holder.release();
  await reconcile(world.ctx, false);
  expect(await runsOf(held.id)).toMatchObject([{ slot: '12:15' }]);
});

test('only one reconciler works at a time', async () => {
  const second = await whileAlone(world.db, 'strandline.reconcile', () => reconcile(world.ctx, false));
  expect(second).toBeNull();
});
