import { expect, onTestFinished, test, vi } from 'vitest';
import { derivePending } from '../../src/monitor/derive/follower.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { scan } from '../../src/monitor/schedule/scan.ts';
import {
  createSearch,
  editSearch,
  type NewSearch,
  type SearchEdit,
} from '../../src/monitor/topics/save-search.ts';
import { requireSearch } from '../../src/monitor/topics/find-by-slug.ts';
import { changeSearch } from '../../src/monitor/topics/search-state.ts';
import { judgeCompleteness } from '../../src/monitor/status/search-completeness.ts';
import { forecastSaved } from '../../src/monitor/topics/search-forecast.ts';
import { inTransaction } from '../../src/store/db/database.ts';
import { readPaces, savePaces } from '../../src/store/runs/pace.ts';
import { readIntervalChanges } from '../../src/store/queries/search-list.ts';
import { lockDueSearches } from '../../src/store/runs/slots.ts';
import { json, wirePost } from '../stub-service.ts';
import { stubbedWorld } from '../stubbed-world.ts';

const { stub, world, rows } = await stubbedWorld();
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** A response with this many posts, the newest now and one each `gapMs` before. */
function respondWith(count: number, gapMs: number): void {
  const now = world.clock.now().getTime();
  const posts = Array.from({ length: count }, (_, i) => {
    const at = now - i * gapMs;
    return wirePost(String(at), { created_at: new Date(at).toISOString() });
  });
  stub.answers(json({ miner_tweets: posts }));
}

async function createAdaptive(slug: string, over: Partial<NewSearch> = {}) {
  respondWith(20, 3 * MINUTE);
  const { search, firstRunId } = await createSearch(world.ctx, {
    slug,
    operation: 'microblog',
    prompt: slug,
    every: 'auto',
    ...over,
  });
  expect(search.next_due_at?.getTime()).toBe(world.clock.now().getTime() + 15 * MINUTE);
  await executeRun(world.ctx, firstRunId);
  await derivePending(world.ctx, { settleMs: null });
  return search;
}

const runsOf = (id: bigint) =>
  rows(
    `SELECT slot_at, status, reason, span_slots FROM strandline.runs WHERE search_id = $1 AND slot_at IS NOT NULL ORDER BY slot_at`,
    [id],
  );
const paceOf = async (id: bigint) => {
  const [row] = await readPaces(world.db, [id]);
  if (row === undefined) throw new Error('no such search');
  const [{ due_at }] = await rows('SELECT due_at FROM strandline.search_pace WHERE search_id = $1', [id]);
  return { ...row, due_at: due_at as Date | null }; // the column's type
};
const changesOf = (id: bigint) => readIntervalChanges(world.db, id, { limit: 50 });
async function runQueued(id: bigint): Promise<void> {
  const [run] = await rows(`SELECT id FROM strandline.runs WHERE search_id = $1 AND status = 'queued'`, [id]);
  expect(await executeRun(world.ctx, run.id)).toMatchObject({ status: 'succeeded' });
  await derivePending(world.ctx, { settleMs: null });
}

test('the first response shows a rate, and the due time that follows becomes one run', async () => {
  const search = await createAdaptive('learns', { every: 'auto 96/day' });
  const pace = await paceOf(search.id);
  expect(pace).toMatchObject({ learned_at: world.clock.now() });
  expect(await changesOf(search.id)).toMatchObject([
    { at: world.clock.now(), seconds_before: null, seconds: pace.interval_seconds, reason: 'rate' },
  ]);
  expect(pace.rate).toBeGreaterThan(15);
  expect(pace.rate).toBeLessThan(25);
  const due = pace.due_at ?? new Date(0);
  expect((due.getTime() - world.clock.now().getTime()) / MINUTE).toBeGreaterThan(5);
  expect(await rows('SELECT next_due_at FROM strandline.searches WHERE id = $1', [search.id])).toEqual([
    { next_due_at: null },
  ]);
  world.clock.set(new Date(due.getTime() - 1).toISOString());
  expect(await scan(world.ctx)).toMatchObject({ nextDueAt: expect.any(Date) });
  expect(await runsOf(search.id)).toEqual([]);
  world.clock.set(due.toISOString());
  await Promise.all([scan(world.ctx), scan(world.ctx), scan(world.ctx)]);
  expect(await runsOf(search.id)).toEqual([
    { slot_at: due, status: 'queued', reason: null, span_slots: null },
  ]);
  expect((await paceOf(search.id)).due_at?.getTime()).toBeGreaterThan(due.getTime());
});

test('a truncated response makes the interval shorter, an empty one longer, each with its reason', async () => {
  const search = await createAdaptive('changes', { every: 'auto 96/day' });
  const first = await paceOf(search.id);
  world.clock.set((first.due_at ?? new Date(0)).toISOString());
  await scan(world.ctx);
  respondWith(20, 5_000);
  await runQueued(search.id);
  const faster = await paceOf(search.id);
  const [toFaster] = await changesOf(search.id);
  expect(toFaster).toMatchObject({
    at: world.clock.now(),
    seconds_before: first.interval_seconds,
    seconds: faster.interval_seconds,
    new_items: 20,
    waited_seconds: Math.round((first.interval_seconds ?? 0) * 1_000) / 1_000,
    calls_per_day: 96,
  });
  expect(toFaster?.per_hour).toBeGreaterThan(25);
  expect(faster.interval_seconds).toBeLessThan((first.interval_seconds ?? 0) / 2);
  expect(faster.missed).toBeGreaterThan(10);
  world.clock.set((faster.due_at ?? new Date(0)).toISOString());
  await scan(world.ctx);
  stub.answers(json({ miner_tweets: [] }));
  await runQueued(search.id);
  const slower = await paceOf(search.id);
  expect(slower.interval_seconds).toBeGreaterThanOrEqual(faster.interval_seconds ?? 0);
  expect(slower.rate).toBeLessThan(faster.rate ?? 0);
  const changes = await changesOf(search.id);
  expect(changes.map(({ seconds }) => seconds)).toEqual(
    [slower, faster, first].map(({ interval_seconds }) => interval_seconds),
  );
  const missing = (await judgeCompleteness(world.ctx)).find(({ slug }) => slug === 'changes');
  expect(missing).toMatchObject({ adaptive: true });
});

test('after downtime the due time that was set becomes one run, and nothing was missed', async () => {
  const search = await createAdaptive('downtime-auto');
  const { due_at } = await paceOf(search.id);
  world.clock.advance(3 * 24 * 60 * MINUTE);
  await scan(world.ctx);
  await scan(world.ctx);
  expect(await runsOf(search.id)).toEqual([
    { slot_at: due_at, status: 'queued', reason: null, span_slots: null },
  ]);
  expect((await paceOf(search.id)).due_at?.getTime()).toBeGreaterThan(world.clock.now().getTime());
});

test('a due time while a run waits is skipped, and a run without a response leaves a due time', async () => {
  const search = await createAdaptive('waits-auto', { every: 'auto 96/day' });
  const spent: unknown[] = [];
  for (let slot = 0; slot < 2; slot += 1) {
    world.clock.set(((await paceOf(search.id)).due_at ?? new Date(0)).toISOString());
    await scan(world.ctx);
    spent.push((await paceOf(search.id)).spent_until);
  }
  expect(spent[0]).not.toBeNull();
  expect(spent[1], 'a skipped slot is no call').toEqual(spent[0]);
  expect(await runsOf(search.id)).toMatchObject([
    { status: 'queued' },
    { status: 'skipped', reason: 'overlap' },
  ]);
  expect((await paceOf(search.id)).due_at?.getTime()).toBeGreaterThan(world.clock.now().getTime());
});

test('a paused search is never due; it is due again when resumed, and after an edit to and from a fixed interval', async () => {
  const search = await createAdaptive('paused-auto');
  await changeSearch(world.ctx, 'paused-auto', 'pause');
  expect((await paceOf(search.id)).due_at).toBeNull();
  world.clock.advance(24 * 60 * MINUTE);
  await scan(world.ctx);
  expect(await runsOf(search.id)).toEqual([]);
  const resumed = await changeSearch(world.ctx, 'paused-auto', 'resume');
  expect(resumed.next_due_at?.getTime()).toBe(world.clock.now().getTime() + 15 * MINUTE);
  const fixed = await editSearch(world.ctx, 'paused-auto', { every: '1h' });
  expect(fixed.search).toMatchObject({ every_seconds: 3_600, auto: null, next_due_at: expect.any(Date) });
  expect((await paceOf(search.id)).due_at).toBeNull();
  const again = await editSearch(world.ctx, 'paused-auto', { every: 'auto 10m-1h' });
  expect(again.search).toMatchObject({ every_seconds: null, auto: 'auto 10m-1h' });
  expect((await paceOf(search.id)).due_at?.getTime()).toBe(world.clock.now().getTime() + 15 * MINUTE);
  expect(await rows('SELECT next_due_at FROM strandline.searches WHERE id = $1', [search.id])).toEqual([
    { next_due_at: null },
  ]);
  await changeSearch(world.ctx, 'paused-auto', 'remove');
  expect((await paceOf(search.id)).due_at).toBeNull();
});

test('a capped search that is resumed continues with the interval that it has learned', async () => {
  const search = await createAdaptive('capped-auto', { every: 'auto 96/day' });
  const capped = { ...world.ctx, config: { ...world.ctx.config, callsPerDay: 0 } };
  world.clock.set(((await paceOf(search.id)).due_at ?? new Date(0)).toISOString());
  await scan(capped);
  const [run] = await rows(`SELECT id FROM strandline.runs WHERE search_id = $1 AND status = 'queued'`, [
    search.id,
  ]);
  await executeRun(capped, run.id);
  expect(await requireSearch(world.db.pool, search.slug)).toMatchObject({ state: 'capped' });
  // Before its next due time, and after one that was skipped.
  for (const scanned of [false, true]) {
    const { due_at, interval_seconds } = await paceOf(search.id);
    const next = scanned ? world.clock.now().getTime() + (interval_seconds ?? 0) * 1_000 : due_at?.getTime();
    expect(next).toBeGreaterThan(world.clock.now().getTime() + 16 * MINUTE);
    const resumed = await changeSearch(capped, search.slug, 'resume');
    expect(resumed).toMatchObject({ state: 'active' });
    expect(resumed.next_due_at?.getTime()).toBe(next === undefined ? undefined : Math.round(next));
    await rows(`UPDATE strandline.searches SET state = 'capped' WHERE id = $1`, [search.id]);
    world.clock.set((resumed.next_due_at ?? new Date(0)).toISOString());
  }
  await changeSearch(world.ctx, search.slug, 'remove');
});

test('an edit moves the due time only if it changes the request or the schedule', async () => {
  await createAdaptive('edited-auto', { every: 'auto 96/day' });
  const due = async (edit: SearchEdit) =>
    (await editSearch(world.ctx, 'edited-auto', edit)).search.next_due_at?.getTime();
  const learned = await due({});
  expect(learned).toBeGreaterThan(world.clock.now().getTime() + 16 * MINUTE);
  expect(await due({ labels: ['x'] })).toBe(learned);
  expect(await due({ sensitivity: 'high' })).toBe(learned);
  expect(await due({ prompt: 'other words' })).toBe(world.clock.now().getTime() + 15 * MINUTE);
  expect(await due({ every: 'auto 20m-1h' })).toBe(world.clock.now().getTime() + 20 * MINUTE);
});

test('a search makes no more calls in a day than its schedule allows', async () => {
  const search = await createAdaptive('budget-auto', { every: 'auto 1m-6h 8/day' });
  const from = world.clock.now().getTime();
  let slots = 0;
  for (;;) {
    const due = (await paceOf(search.id)).due_at ?? new Date(0);
    if (due.getTime() >= from + 24 * 60 * MINUTE) break;
    world.clock.set(due.toISOString());
    await scan(world.ctx);
    respondWith(20, 1_000);
    await runQueued(search.id);
    slots += 1;
  }
  expect(slots).toBeLessThanOrEqual(8);
  expect(slots).toBeGreaterThan(5);
  const changes = await changesOf(search.id);
  expect(changes[0]).toMatchObject({ reason: 'budget', calls_per_day: 8 });
  // A row for each change by a tenth or more, and none for less; each begins where the one before ended.
  for (const [i, { seconds, seconds_before }] of changes.entries()) {
    expect(seconds_before).toBe(changes[i + 1]?.seconds ?? null);
    if (seconds_before !== null) expect(Math.abs(seconds / seconds_before - 1)).toBeGreaterThanOrEqual(0.1);
  }
  expect(changes.length).toBeLessThan(slots);
}, 60_000);

test('searches of a service share its calls of a day: most are made, none is too many, and the busiest gets more than half', async () => {
  const ctx = { ...world.ctx, config: { ...world.ctx.config, callsPerDay: 30 } };
  const respond = {
    'share-busy': () => respondWith(40, 10_000),
    'share-slow': () => respondWith(40, 30 * MINUTE),
    'share-empty': () => respondWith(0, 0),
  } as const;
  // Those of other tests have the same service.
  for (const { slug } of await rows(`SELECT slug FROM strandline.searches WHERE archived_at IS NULL`))
    await changeSearch(world.ctx, slug, 'pause');
  // The day of a service begins at midnight UTC.
  const midnight = (Math.floor(world.clock.now().getTime() / DAY) + 1) * DAY;
  world.clock.set(new Date(midnight).toISOString());
  const ids: bigint[] = [];
  for (const [slug, answer] of Object.entries(respond)) {
    const { search, firstRunId } = await createSearch(ctx, {
      slug,
      operation: 'microblog',
      prompt: slug,
      every: 'auto 1m-6h',
    });
    answer();
    await executeRun(ctx, firstRunId);
    await derivePending(ctx, { settleMs: null });
    ids.push(search.id);
  }
  for (;;) {
    const [next] = await rows(
      'SELECT min(due_at) AS at FROM strandline.search_pace WHERE search_id = ANY ($1)',
      [ids],
    );
    if (next.at.getTime() >= midnight + DAY) break;
    world.clock.set(next.at.toISOString());
    await scan(ctx);
    const queued = await rows(
      `SELECT r.id, s.slug FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id
       WHERE r.status = 'queued' AND s.id = ANY ($1)`,
      [ids],
    );
    for (const run of queued) {
      respond[run.slug as keyof typeof respond](); // slugs are those of above
      await executeRun(ctx, run.id);
      await derivePending(ctx, { settleMs: null });
    }
  }
  const calls = await rows(
    `SELECT s.slug, count(*)::int AS n FROM strandline.calls c JOIN strandline.runs r ON r.id = c.run_id
     JOIN strandline.searches s ON s.id = r.search_id WHERE s.id = ANY ($1) GROUP BY 1 ORDER BY 2 DESC`,
    [ids],
  );
  const sum = calls.reduce((all, { n }) => all + Number(n), 0);
  expect(sum).toBeLessThanOrEqual(30);
  expect(sum).toBeGreaterThan(20);
  expect(calls[0]).toMatchObject({ slug: 'share-busy' });
  expect(Number(calls[0].n)).toBeGreaterThan(sum / 2);
}, 60_000);

test('neither edits nor pauses make more calls in a day than the schedule allows', async () => {
  const search = await createAdaptive('budget-edited', { every: 'auto 1m-6h 8/day' });
  const from = world.clock.now().getTime();
  let runs = 0;
  for (let n = 0; ; n += 1) {
    if (n % 2 === 0) await editSearch(world.ctx, search.slug, { prompt: `other words ${n}` });
    else
      for (const change of ['pause', 'resume'] as const) await changeSearch(world.ctx, search.slug, change);
    const { next_due_at } = await requireSearch(world.db.pool, search.slug);
    world.clock.set((next_due_at ?? new Date(0)).toISOString());
    if (world.clock.now().getTime() >= from + DAY) break;
    await scan(world.ctx);
    respondWith(20, 1_000);
    await runQueued(search.id);
    runs += 1;
  }
  expect(runs).toBeLessThanOrEqual(8);
  expect(runs).toBeGreaterThan(5);
}, 60_000);

test('a due time that has come is not moved before the scan has recorded it', async () => {
  const search = await createAdaptive('due-while-learning');
  const due = (await paceOf(search.id)).due_at ?? new Date(0);
  const [first] = await rows('SELECT max(id) AS id FROM strandline.runs WHERE search_id = $1', [search.id]);
  expect(first.id).not.toBeNull();
  await rows(
    `INSERT INTO strandline.runs (search_id, version, request_version, trigger, status, created_at, offer_at)
    SELECT search_id, version, request_version, 'manual', 'queued', $2, $2 FROM strandline.runs WHERE id = $1`,
    [first.id, world.clock.now()],
  );
  world.clock.set(new Date(due.getTime() + 1).toISOString());
  respondWith(20, 1_000);
  await runQueued(search.id);
  expect((await paceOf(search.id)).due_at).toEqual(due);
  await scan(world.ctx);
  expect(await runsOf(search.id)).toMatchObject([{ slot_at: due }]);
});

test('a pace that was learned for a fixed interval does not move the due time of an adaptive one', async () => {
  const { id } = await createAdaptive('adaptive-meanwhile');
  const due = async () => rows('SELECT due_at, rate FROM strandline.search_pace WHERE search_id = $1', [id]);
  const [before] = await due();
  const { learned_at, interval_seconds, request_version, room, seen, missed } = await paceOf(id);
  const learned = {
    search_id: id,
    learned_before: learned_at,
    learned_at: world.clock.now(),
    interval_seconds,
    request_version,
    rate: 1,
    room,
    seen,
    missed,
    hour_posts: [],
    hour_spans: [],
    due_at: null,
    change: null,
  };
  await savePaces(world.db, [learned], world.clock.now());
  expect(await due()).toEqual([{ due_at: before.due_at, rate: 1 }]);
});

test('the scan finds adaptive searches by their own index', async () => {
  await rows(`INSERT INTO strandline.search_pace (search_id, due_at)
    SELECT id, next_due_at FROM strandline.searches WHERE next_due_at IS NOT NULL ON CONFLICT DO NOTHING`);
  const plan = await inTransaction(world.db, async (tx) => {
    await tx.query('SET LOCAL enable_seqscan = off');
    const due = await lockDueSearches(tx, { now: new Date(0), limit: 5 });
    expect(due).toEqual([]);
    // The statement that was just prepared, with a time or a limit for each of its values.
    const { rows: prepared } = await tx.query<{ types: string[] }>(
      `SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'lock_due_searches'`,
    );
    const values = prepared.flatMap(({ types }) =>
      types.map((type) => (type.startsWith('timestamp') ? `'1970-01-01'` : '5')),
    );
    const { rows: lines } = await tx.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN EXECUTE lock_due_searches(${values.join(', ')})`,
    );
    return lines.map((line) => line['QUERY PLAN']).join('\n');
  });
  expect(plan).toContain('search_pace_due');
  expect(plan).toContain('searches_pkey');
});

test('a request says since when posts are wanted, once a response has shown the newest', async () => {
  const extra = JSON.stringify({ start_date: '{{since}}', count: 40 });
  const search = await createAdaptive('since-newest', { extra });
  expect(stub.requests.at(-1)?.body).toEqual({ prompt: 'since-newest', model: 'NOVA', count: 40 });
  const newest = world.clock.now().toISOString();
  for (const posts of [0, 0]) {
    world.clock.set(((await paceOf(search.id)).due_at ?? new Date(0)).toISOString());
    await scan(world.ctx);
    respondWith(posts, MINUTE);
    await runQueued(search.id);
    expect(stub.requests.at(-1)?.body).toMatchObject({ start_date: newest });
  }
  await expect(
    createSearch(world.ctx, {
      slug: 'x',
      operation: 'microblog',
      prompt: 'x',
      every: '1h',
      extra: '{"a": "{{until}}"}',
    }),
  ).rejects.toMatchObject({ problems: [{ path: 'extra', given: '{{until}}' }] });
});

test('a response that is derived after the next slot has run does not make the search due at once', async () => {
  respondWith(20, 3 * MINUTE);
  const { search, firstRunId } = await createSearch(world.ctx, {
    slug: 'derived-late',
    operation: 'microblog',
    prompt: 'derived-late',
    every: 'auto',
  });
  await executeRun(world.ctx, firstRunId);
  world.clock.advance(3 * 60 * MINUTE);
  await scan(world.ctx);
  const { due_at } = await paceOf(search.id);
  await derivePending(world.ctx, { settleMs: null });
  expect(await paceOf(search.id)).toMatchObject({ due_at, rate: expect.any(Number) });
});

test('a forecast of several searches reads the fill of their service once', async () => {
  const searches = [await createAdaptive('forecast-one'), await createAdaptive('forecast-two')];
  // What was read lately is known for a quarter of an hour.
  world.clock.advance(16 * MINUTE);
  const query = vi.spyOn(world.db.pool, 'query');
  onTestFinished(() => query.mockRestore());
  const forecast = await forecastSaved(world.ctx, searches);
  expect(forecast.searches.map(({ preview }) => preview?.expected)).toEqual([
    expect.anything(),
    expect.anything(),
  ]);
  const ofService = query.mock.calls.filter(
    ([text]) => typeof text === 'string' && text.includes('s.service_id = $'),
  );
  expect(ofService).toHaveLength(1);
});
