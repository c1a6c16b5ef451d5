import { expect, test } from 'vitest';
import { parseFutureTime } from '../../src/lib/future-time.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { scan } from '../../src/monitor/schedule/scan.ts';
import { createSearch, editSearch, type NewSearch } from '../../src/monitor/topics/save-search.ts';
import { changeSearch } from '../../src/monitor/topics/search-state.ts';
import { openDatabase } from '../../src/store/db/database.ts';
import { ensureRecurringWork } from '../../src/store/runs/scanner.ts';
import { stubbedWorld } from '../stubbed-world.ts';

const { stub, world, rows } = await stubbedWorld();

const MINUTE = 60_000;
const runsOf = (searchId: bigint) =>
  rows(
    `SELECT to_char(slot_at AT TIME ZONE 'UTC', 'HH24:MI') AS slot, status, reason, span_slots FROM strandline.runs
     WHERE search_id = $1 AND slot_at IS NOT NULL ORDER BY slot_at`,
    [searchId],
  );

/** The run of a search that waits; undefined where none does. */
async function queuedRun(searchId: bigint): Promise<bigint | undefined> {
  const [run] = await rows(`SELECT id FROM strandline.runs WHERE search_id = $1 AND status = 'queued'`, [
    searchId,
  ]);
  return run?.id;
}

/** A search whose first run is over, due at each quarter of the hour. */
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

test('a due slot becomes one run and one job, however many scans run at once', async () => {
  const search = await quarterly('once');
  world.clock.advance(15 * MINUTE);
  const scans = await Promise.all([scan(world.ctx), scan(world.ctx), scan(world.ctx)]);
  expect(await runsOf(search.id)).toEqual([
    { slot: '12:15', status: 'queued', reason: null, span_slots: null },
  ]);
  // Any of the three takes the search; a scan that finds it locked still sees the slot before.
  const nextDueAt = Math.max(...scans.map((one) => one?.nextDueAt?.getTime() ?? 0));
  expect(new Date(nextDueAt).toISOString()).toBe('2026-11-21T12:30:00.000Z');
  const id = await queuedRun(search.id);
  expect(world.enqueued.filter((job) => job.runId === id)).toEqual([
    { runId: id, fence: 0, trigger: 'schedule' },
  ]);
});

test('after downtime the latest slot runs, and each earlier one gets a row: skipped, missed', async () => {
  const search = await quarterly('downtime');
  world.clock.advance(76 * MINUTE);
  await scan(world.ctx);
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
  await scan(world.ctx);
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

test('a slot that is due while a run is queued or running is skipped, with the reason', async () => {
  const search = await quarterly('overlap');
  world.clock.advance(15 * MINUTE);
  await scan(world.ctx);
  world.clock.advance(15 * MINUTE);
  await scan(world.ctx);
  expect(await runsOf(search.id)).toMatchObject([
    { slot: '12:15', status: 'queued' },
    { slot: '12:30', status: 'skipped', reason: 'overlap' },
  ]);
});

test('a pause cancels queued runs and creates no rows; resuming continues at the next slot; the paused time is stored', async () => {
  const search = await quarterly('paused');
  world.clock.advance(15 * MINUTE);
  await scan(world.ctx);
  await changeSearch(world.ctx, 'paused', 'pause');
  world.clock.advance(40 * MINUTE);
  await scan(world.ctx);
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

test('a slot at the very end of a pause gets its row, as those after it', async () => {
  const search = await quarterly('pause-ends');
  await changeSearch(world.ctx, 'pause-ends', 'pause', parseFutureTime('2026-11-21T12:30:00Z', 'UTC'));
  world.clock.advance(46 * MINUTE);
  await scan(world.ctx);
  expect(await runsOf(search.id)).toMatchObject([
    { slot: '12:30', status: 'skipped', reason: 'missed' },
    { slot: '12:45', status: 'queued' },
  ]);
});

test('slots from before a search was made are never due, also if somebody sets its due time by hand', async () => {
  const search = await quarterly('by-hand');
  await rows(`UPDATE strandline.searches SET next_due_at = '2020-01-01' WHERE id = $1`, [search.id]);
  world.clock.advance(16 * MINUTE);
  await scan(world.ctx);
  expect(await runsOf(search.id)).toMatchObject([
    { slot: '12:00', status: 'skipped', reason: 'missed' },
    { slot: '12:15', status: 'queued' },
  ]);
});

test('an edit creates a version: due slots use the old schedule, queued runs stay as they are, a new request gets a new baseline', async () => {
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
  await scan(world.ctx);
  const report = await executeRun(world.ctx, (await queuedRun(search.id)) ?? 0n);
  expect(report).toMatchObject({ status: 'succeeded', diff: { baseline: true } });
  expect(stub.requests.at(-1)?.body).toMatchObject({ prompt: 'something else' });
});

test('a renamed search with an interval runs when it says that it is due, and slots before the rename have their rows', async () => {
  const search = await quarterly('hourly-tides', { cron: undefined, every: '1h' });
  world.clock.advance(60 * MINUTE);
  const { search: renamed } = await editSearch(world.ctx, 'hourly-tides', { slug: 'tides-each-hour' });
  expect(renamed.version, 'a name is of no version').toBe(1);
  await executeRun(world.ctx, (await queuedRun(search.id)) ?? 0n);
  world.clock.set(renamed.next_due_at ?? '');
  await scan(world.ctx);
  const slots = await rows(
    `SELECT slot_at, status FROM strandline.runs WHERE search_id = $1 AND slot_at IS NOT NULL ORDER BY slot_at`,
    [search.id],
  );
  expect(slots).toEqual([
    { slot_at: search.next_due_at, status: 'succeeded' },
    { slot_at: renamed.next_due_at, status: 'queued' },
  ]);
});

test('an edit of labels alone keeps the request version and its baseline', async () => {
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

test('a schedule that cannot be parsed marks its search broken and does not affect others', async () => {
  const search = await quarterly('from-an-older-release');
  await rows(`UPDATE strandline.search_versions SET cron = 'every now and then' WHERE search_id = $1`, [
    search.id,
  ]);
  world.clock.advance(15 * MINUTE);
  await scan(world.ctx);
  expect(await rows('SELECT state, next_due_at FROM strandline.searches WHERE id = $1', [search.id])).toEqual(
    [{ state: 'broken', next_due_at: null }],
  );
});

test('unleased runs are enqueued again after half a minute, and abandoned ones immediately', async () => {
  const waiting = await quarterly('waiting');
  const abandoned = await quarterly('abandoned');
  world.clock.advance(15 * MINUTE);
  await scan(world.ctx);
  const [waits, lost] = [await queuedRun(waiting.id), await queuedRun(abandoned.id)];
  await rows(
    `UPDATE strandline.runs SET status = 'running', fence = 1, leases = 1, lease_until = clock_timestamp() - interval '1 s',
       started_at = created_at, offer_at = NULL WHERE id = $1`,
    [lost],
  );
  await world.scanned();
  expect(await world.scan()).toEqual([lost]);
  expect(world.enqueued.at(-1), 'a new job for a new lease').toMatchObject({ fence: 1 });
  expect(await world.scan(), 'neither was offered half a minute ago').toEqual([]);
  world.clock.advance(31_000);
  await world.scanned();
  expect(await world.scan()).toEqual(expect.arrayContaining([waits, lost]));
});

test('runs that the queue rejects wait in the database and are enqueued again', async () => {
  const search = await quarterly('refused-by-the-queue');
  world.clock.advance(15 * MINUTE);
  const down = { ...world.ctx.queue, enqueueRuns: () => Promise.reject(new Error('queue down')) };
  await scan({ ...world.ctx, queue: down });
  const run = await queuedRun(search.id);
  expect(run).toBeDefined();
  world.clock.advance(2_500);
  expect(await world.scan()).toContain(run);
});

test('waiting runs are enqueued in execution order, one batch at a time', async () => {
  const search = await quarterly('in-order');
  const [{ id: slot }] = await rows(
    `INSERT INTO strandline.runs (search_id, version, request_version, trigger, status, slot_at, created_at, offer_at)
     SELECT $1, 1, 1, 'schedule', 'queued', $2, $2, $2 RETURNING id`,
    [search.id, world.clock.now()],
  );
  const first = await rows(
    `INSERT INTO strandline.runs (search_id, version, request_version, trigger, status, created_at, offer_at)
     SELECT $1, 1, 1, 'first', 'queued', $2, $2::timestamptz - interval '1 minute' FROM generate_series(1, 600) RETURNING id`,
    [search.id, world.clock.now()],
  );
  const [{ id: manual }] = await rows(
    `INSERT INTO strandline.runs (search_id, version, request_version, trigger, status, created_at, offer_at)
     SELECT $1, 1, 1, 'manual', 'queued', $2, $2 RETURNING id`,
    [search.id, world.clock.now()],
  );
  expect(await world.scan()).toEqual([manual, slot, ...first.map(({ id }) => id)]);
  await rows(
    `UPDATE strandline.runs SET status = 'cancelled', ended_at = $2, offer_at = NULL WHERE search_id = $1 AND status = 'queued'`,
    [search.id, world.clock.now()],
  );
});

test('a search whose row is locked is left to the next scan, and delays no other', async () => {
  const held = await quarterly('held');
  const free = await quarterly('free');
  world.clock.advance(16 * MINUTE);
  const holder = await world.db.pool.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM strandline.searches WHERE id = $1 FOR UPDATE', [held.id]);
  await scan(world.ctx);
  expect(await runsOf(free.id)).toMatchObject([{ slot: '12:15' }]);
  expect(await runsOf(held.id)).toEqual([]);
  await holder.query('ROLLBACK');
  holder.release();
  await scan(world.ctx);
  expect(await runsOf(held.id)).toMatchObject([{ slot: '12:15' }]);
});

test('a search is scanned even while its results are being saved', async () => {
  const search = await quarterly('being-saved');
  world.clock.advance(15 * MINUTE);
  const saving = await world.db.pool.connect();
  await saving.query('BEGIN');
  // As foreign keys of a save do.
  await saving.query('SELECT FROM strandline.searches WHERE id = $1 FOR KEY SHARE', [search.id]);
  await scan(world.ctx);
  expect(await runsOf(search.id)).toMatchObject([{ slot: '12:15' }]);
  await saving.query('ROLLBACK');
  saving.release();
});

test('one scan enqueues more searches than fit into one transaction', async () => {
  const search = await quarterly('one-of-many');
  const copied = await rows(
    `WITH copied AS (
       INSERT INTO strandline.searches (topic_id, service_id, slug, operation, version, labels, state, state_since, next_due_at, created_at)
       SELECT topic_id, service_id, 'many-' || n, operation, 1, labels, 'active', state_since, next_due_at, created_at
       FROM strandline.searches, generate_series(1, 1100) n WHERE id = $1 RETURNING id
     )
     INSERT INTO strandline.search_versions SELECT copied.id, 1, 1, prompt, tools, model, date_filter, streaming, extra, cron, every_seconds, tz, created_at
     FROM strandline.search_versions, copied WHERE search_id = $1 RETURNING search_id`,
    [search.id],
  );
  world.clock.advance(15 * MINUTE);
  const queued = await world.scan();
  expect(queued.length).toBeGreaterThanOrEqual(copied.length);
  expect(new Set(queued).size, 'each is offered once').toBe(queued.length);
  await rows(
    `UPDATE strandline.searches SET archived_at = now(), next_due_at = NULL WHERE slug LIKE 'many-%'`,
  );
});

test('recurring work is enqueued when due, and again if it was not completed', async () => {
  await ensureRecurringWork(world.db.pool, ['sweep']);
  await rows(`UPDATE strandline.recurring_work SET next_due_at = $1 WHERE name = 'sweep'`, [
    world.clock.now(),
  ]);
  await scan(world.ctx);
  expect(world.work).toEqual(['sweep']);
  await scan(world.ctx);
  expect(world.work).toEqual(['sweep']);
  world.clock.advance(6 * MINUTE);
  await scan(world.ctx);
  expect(world.work).toEqual(['sweep', 'sweep']);
});

test('a search whose slots the database rejects stops alone', async () => {
  const refused = await quarterly('refused-rows');
  const beside = await quarterly('beside-refused-rows');
  // Stands for whatever the database may refuse one day.
  await rows(
    `ALTER TABLE strandline.runs ADD CONSTRAINT planted CHECK (search_id <> ${refused.id} OR trigger <> 'schedule') NOT VALID`,
  );
  world.clock.advance(15 * MINUTE);
  await scan(world.ctx);
  expect(await runsOf(beside.id)).toMatchObject([{ slot: '12:15', status: 'queued' }]);
  expect(
    await rows('SELECT state, state_reason FROM strandline.searches WHERE id = $1', [refused.id]),
  ).toEqual([{ state: 'broken', state_reason: 'due slots could not be recorded; see the log' }]);
  await rows('ALTER TABLE strandline.runs DROP CONSTRAINT planted');
});

test('a run for which the minute has no room is enqueued five seconds later', async () => {
  const search = await quarterly('full-minute');
  world.clock.advance(15 * MINUTE);
  await scan({ ...world.ctx, config: { ...world.ctx.config, callsPerMinute: 0 } });
  const id = await queuedRun(search.id);
  const isEnqueued = () => world.enqueued.some(({ runId }) => runId === id);
  expect(isEnqueued()).toBe(false);
  world.clock.advance(4_000);
  await scan(world.ctx);
  expect(isEnqueued()).toBe(false);
  world.clock.advance(1_000);
  await scan(world.ctx);
  expect(isEnqueued()).toBe(true);
});

test('a scan makes no sequential scan of a table, even with cached plans', async () => {
  const search = await quarterly('one-of-thousands');
  await rows(
    `INSERT INTO strandline.searches (topic_id, service_id, slug, operation, version, labels, state, state_since, next_due_at, created_at)
     SELECT topic_id, service_id, 'thousands-' || n, operation, 1, labels, 'active', state_since, 'infinity', created_at
     FROM strandline.searches, generate_series(1, 5000) n WHERE id = $1`,
    [search.id],
  );
  await rows('ANALYZE strandline.searches');
  // One connection: its statistics are complete once it has written them.
  const db = openDatabase(world.database.url, { log: world.ctx.log, max: 1 });
  const scans = async () => {
    // What the other connections did before is counted when they say so.
    for (const { pool } of [world.db, db])
      await Promise.all(
        Array.from({ length: pool.totalCount }, () => pool.query('SELECT pg_stat_force_next_flush()')),
      );
    const [{ n }] = await rows(
      `SELECT seq_scan::int AS n FROM pg_stat_user_tables WHERE schemaname = 'strandline' AND relname = 'searches'`,
    );
    return n;
  };
  const before = await scans();
  for (let n = 0; n < 8; n += 1) {
    world.clock.advance(15 * MINUTE);
    await scan({ ...world.ctx, db });
  }
  expect((await scans()) - before).toBe(0);
  await db.close();
});
