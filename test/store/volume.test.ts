import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import { derivePending, rebuildTrends } from '../../src/monitor/derive/follower.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { changeSearch } from '../../src/monitor/topics/search-state.ts';
import type { Id } from '../../src/store/db/database.ts';
import { findAuthor, forgetAuthor } from '../../src/store/erase/forget-author.ts';
import { readPostPage } from '../../src/store/queries/post-pages.ts';
import { leaseRun } from '../../src/store/runs/run-leases.ts';
import { insertRun } from '../../src/store/runs/run-states.ts';
import { saveFindings } from '../../src/store/save/save.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { wirePost } from '../stub-service.ts';
import { makeWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
});
afterAll(() => world.close());

const NOON = Date.UTC(2026, 10, 21, 12);
const at = (minutes: number) => new Date(NOON + minutes * MINUTE);
const rows = async (sql: string, values: unknown[] = []) => (await world.db.pool.query(sql, values)).rows;
let lastId = 1_000;

async function newSearch(slug: string, when: object = { every: '15m' }): Promise<Search> {
  world.clock.set(at(-60));
  const { search } = await createSearch(world.ctx, {
    slug,
    operation: 'microblog',
    prompt: slug,
    ...when,
  });
  await world.db.pool.query('DELETE FROM strandline.runs WHERE search_id = $1', [search.id]);
  return search;
}

type Post = { id: string; created_at: string };
const post = (minutes: number): Post => ({
  id: String((lastId += 1)),
  created_at: at(minutes).toISOString(),
});

/** One run whose answer came at a time and held these posts. */
async function run(search: Search, minutes: number, posts: readonly Post[]): Promise<Id> {
  const runId = await save(search, minutes, posts);
  await world.derive();
  return runId;
}

async function save(search: Search, minutes: number, posts: readonly Post[]): Promise<Id> {
  const runId = await insertRun(world.db.pool, { searchId: search.id, trigger: 'manual', now: at(minutes) });
  const leased = await leaseRun(world.db, { runId, worker: 'test', leaseMs: 30_000, now: at(minutes) });
  if (leased === null) throw new Error('not leased');
  const saved = await saveFindings(world.db, {
    runId,
    fence: leased.fence,
    searchId: search.id,
    serviceId: search.service_id,
    findings: parseResponse({
      operation: 'microblog',
      body: JSON.stringify({ miner_tweets: posts.map(({ id, created_at }) => wirePost(id, { created_at })) }),
      contentType: 'application/json',
      dialect: loadDialect('named'),
    }),
    observedAt: at(minutes),
    endedAt: at(minutes),
  });
  if (saved === null) throw new Error('not saved');
  return runId;
}

const volumeOf = (search: Search) =>
  rows(
    `SELECT (extract(epoch FROM bucket_at - $2::timestamptz) / 60)::int AS minute, posts, exposed_posts AS exposed, exposure_ms / 1000 AS seconds, observed::text, cut
     FROM strandline.volume WHERE search_id = $1 ORDER BY bucket_at`,
    [search.id, at(0)],
  );
const hourOf = (search: Search, minutes: number) =>
  rows(
    `SELECT posts::int, coverage, lower_bound FROM strandline_analytics.volume_hourly WHERE search_id = $1 AND bucket_at = $2`,
    [search.id, at(minutes)],
  );

test('a post counts once, in the quarter hour of its publication, however often and late it is seen', async () => {
  const search = await newSearch('once');
  const [early, late] = [post(2), post(16)];
  await run(search, 5, [early]);
  await run(search, 20, [early, late]);
  await run(search, 35, [early, late, post(-300)]);
  expect((await volumeOf(search)).filter(({ posts }) => posts > 0)).toMatchObject([
    { minute: -300, posts: 1, seconds: 0, exposed: 0 },
    { minute: 0, posts: 1 },
    { minute: 15, posts: 1 },
  ]);
});

test('a post with a time after its sighting counts at its sighting', async () => {
  const search = await newSearch('ahead');
  await run(search, 5, [post(3 * 24 * 60)]);
  expect((await volumeOf(search)).filter(({ posts }) => posts > 0)).toMatchObject([{ minute: 0, posts: 1 }]);
});

test.each([
  ['ahead', { created_at: at(3 * 24 * 60).toISOString() }],
  ['of 1970', { created_at: '1970-01-01T00:00:00.000Z' }],
  ['of 1980', { created_at: '1980-01-01T00:00:00Z' }],
  ['before networks', { created_at: '1999-12-31T23:59:59+00:00' }],
  ['of seconds', { created_at: String(315_532_800) }],
])('lists and volume count a post at its sighting if its time is %s', async (name, time) => {
  const search = await newSearch(`untrue-${name.replaceAll(' ', '-')}`);
  const [early, untrue, late] = [post(1), { ...post(0), ...time }, post(9)];
  await run(search, 5, [early, untrue]);
  await run(search, 10, [late]);
  expect((await volumeOf(search)).filter(({ posts }) => posts > 0)).toMatchObject([{ minute: 0, posts: 3 }]);
  const newest = [late, untrue, early].map(({ id }) => id);
  const which = { data: 'real', search: search.slug, order: 'newest', limit: 10 } as const;
  const placed = await readPostPage(world.db, which);
  expect(placed.map((each) => each.post.external_id)).toEqual(newest);
  const since = await readPostPage(world.db, { ...which, since: at(4) });
  expect(since.map((each) => each.post.external_id)).toEqual(newest.slice(0, 2));
  // The other way round, page by page.
  const [first, second] = await readPostPage(world.db, { ...which, order: 'oldest', limit: 2 });
  const rest = await readPostPage(world.db, { ...which, order: 'oldest', after: second?.place });
  expect([first, second, ...rest].map((each) => each?.post.external_id)).toEqual(newest.toReversed());
});

test('a post with a time after its sighting does not count in the quarter hour of that time as well', async () => {
  const search = await newSearch('ahead-twice');
  await run(search, -22, [post(-12), post(-40), post(-50)]);
  await run(search, -10, [post(-5)]);
  await run(search, 0, []);
  expect((await volumeOf(search)).filter(({ minute }) => minute >= -30)).toMatchObject([
    { minute: -30, posts: 1, exposed: 1, seconds: 900 },
    { minute: -15, posts: 1, exposed: 1, seconds: 900 },
  ]);
});

test('a failed run leaves a gap, not zero: the hour shows how much of it was observed', async () => {
  const search = await newSearch('gap');
  // Every quarter, and between 12:45 and 14:15 nothing: the run after it sees back half an hour.
  for (const minute of [0, 15, 30, 45, 135, 150]) await run(search, minute, []);
  expect(await hourOf(search, 0)).toEqual([{ posts: 0, coverage: 0.75, lower_bound: false }]);
  expect(await hourOf(search, 60)).toEqual([{ posts: 0, coverage: 0.25, lower_bound: false }]);
  expect(await hourOf(search, 180)).toEqual([]);
});

test('a full response makes the time it did not reach a lower bound, until another run observes it', async () => {
  const search = await newSearch('full');
  await run(search, -30, [post(-31), post(-32)]);
  await run(search, 0, [post(-1)]);
  await run(search, 15, [post(14), post(13), post(12), post(11)]);
  expect(await hourOf(search, 0)).toMatchObject([{ posts: 4, lower_bound: true }]);
  expect((await volumeOf(search)).find(({ minute }) => minute === 0)).toEqual({
    minute: 0,
    posts: 4,
    exposed: 3,
    seconds: 239,
    observed: '{[660001,900000)}',
    cut: true,
  });
});

test.each<[string, { extra?: string; before: number; count: number; full: boolean }]>([
  ['as many posts as any before', { before: 2, count: 2, full: true }],
  ['fewer posts than one before', { before: 3, count: 2, full: false }],
  ['as many posts as requested', { extra: '{"count": 2}', before: 3, count: 2, full: true }],
  ['fewer posts than requested and before', { extra: '{"count": 3}', before: 3, count: 2, full: false }],
  ['the first posts of its request', { before: 0, count: 2, full: true }],
  ['no posts', { before: 0, count: 0, full: false }],
])(
  'a response may be truncated by its number of posts: %s',
  async (words, { extra, before, count, full }) => {
    const search = await newSearch(words.replaceAll(' ', '-'), { every: '15m', extra });
    const posts = (n: number, minutes: number) => Array.from({ length: n }, (_, i) => post(minutes - i));
    await run(search, 0, posts(before, -1));
    await run(search, 15, posts(count, 14));
    const quarter = (await volumeOf(search)).find(({ minute }) => minute === 0);
    expect(quarter).toMatchObject(full ? { cut: true, seconds: 119 } : { cut: false, seconds: 900 });
  },
);

test('a full response that overlaps with the newest posts of the previous run misses nothing', async () => {
  const search = await newSearch('repeating');
  const first = [post(-6), post(-5), post(-4), post(-3), post(-2), post(-1)];
  await run(search, 0, first);
  await run(search, 15, [...Array.from({ length: 6 }, (_, i) => post(i + 3)), ...first.slice(1)]);
  expect(await hourOf(search, 0)).toMatchObject([{ posts: 6, coverage: 0.25, lower_bound: false }]);
  // One of the newest five is missing: nobody knows whether it was deleted, or stood too far down.
  const next = [...Array.from({ length: 7 }, (_, i) => post(i + 18)), ...first.slice(2)];
  await run(search, 30, next);
  expect(await hourOf(search, 0)).toMatchObject([{ posts: 13, lower_bound: true }]);
});

test('time in which a search was paused is unobserved', async () => {
  const search = await newSearch('paused');
  await run(search, 0, []);
  world.clock.set(at(2));
  await changeSearch(world.ctx, search.slug, 'pause');
  world.clock.set(at(10));
  await changeSearch(world.ctx, search.slug, 'resume');
  await run(search, 15, []);
  const quarter = (await volumeOf(search)).find(({ minute }) => minute === 0);
  expect(quarter).toMatchObject({ observed: '{[600000,900000)}' });
});

test('a rebuild gives the same rows', async () => {
  const search = await newSearch('rebuilt');
  const seen: Post[] = [];
  for (let minute = 0; minute <= 240; minute += 15) {
    seen.push(...Array.from({ length: (minute / 15) % 5 }, (_, i) => post(minute - 3 * i - 1)));
    if (minute % 75 !== 30) await run(search, minute, seen.slice(-6));
  }
  const before = [
    await volumeOf(search),
    await rows('SELECT * FROM strandline.coverage WHERE search_id = $1 ORDER BY 1', [search.id]),
  ];
  expect(before[0]?.some(({ cut }) => cut)).toBe(true);
  await world.db.pool.query('UPDATE strandline.volume SET posts = posts + 1 WHERE search_id = $1', [
    search.id,
  ]);
  await rebuildTrends(world.ctx, search.id);
  expect([
    await volumeOf(search),
    await rows('SELECT * FROM strandline.coverage WHERE search_id = $1 ORDER BY 1', [search.id]),
  ]).toEqual(before);
});

const coverageOf = (search: Search) =>
  rows('SELECT * FROM strandline.coverage WHERE search_id = $1 ORDER BY run_id', [search.id]);

test('a rebuild uses the interval at a time whose slots got their rows later', async () => {
  const search = await newSearch('late-slots', { cron: '*/30 * * * *' });
  for (const minute of [0, 90]) await run(search, minute, []);
  const before = [await volumeOf(search), await coverageOf(search)];
  await world.db.pool.query(
    `INSERT INTO strandline.runs (search_id, version, request_version, slot_at, trigger, status, reason, created_at, ended_at)
     SELECT $1, 1, 1, t, 'schedule', 'skipped', 'missed', $2, $2 FROM generate_series($3::timestamptz, $2, '30 minutes') t`,
    [search.id, at(90), at(-30)],
  );
  await rebuildTrends(world.ctx, search.id);
  expect([await volumeOf(search), await coverageOf(search)]).toEqual(before);
});

test('a rebuild detects a truncated response even if posts of a forgotten author are missing', async () => {
  const search = await newSearch('left-out');
  const posts = Array.from({ length: 6 }, (_, i) => post(-1 - i));
  await run(search, 0, posts);
  const [forgotten] = posts;
  const author = await findAuthor(world.db, 'hosted', `@user_${forgotten?.id}`);
  if (author === undefined) throw new Error('no author');
  await forgetAuthor(world.ctx, author);
  const full = [...Array.from({ length: 5 }, (_, i) => post(14 - i)), ...posts.slice(0, 1)];
  await run(search, 15, full);
  const before = await coverageOf(search);
  expect(before).toMatchObject([{ posts: 6 }, { posts: 6, most_posts: 6 }]);
  await rebuildTrends(world.ctx, search.id);
  expect(await coverageOf(search)).toMatchObject([{ posts: 6 }, { posts: 6, most_posts: 6 }]);
  expect(await hourOf(search, 0)).toMatchObject([{ lower_bound: true }]);
});

/** Two weeks of two posts a quarter, as runs would have left them. */
async function usualVolume(search: Search, sensitivity = 'normal'): Promise<void> {
  await world.db.pool.query(
    `INSERT INTO strandline.volume (search_id, bucket_at, posts, cut, observed, exposure_ms, exposed_posts)
     SELECT $1, t, 2, false, '{[0,900000)}', 900000, 2 FROM generate_series($2::timestamptz, $3::timestamptz - interval '1 second', '15 minutes') t`,
    [search.id, new Date(NOON - 14 * DAY), at(0)],
  );
  await world.db.pool.query('UPDATE strandline.searches SET sensitivity = $2 WHERE id = $1', [
    search.id,
    sensitivity,
  ]);
  await run(search, -1, [post(-3_000)]);
}

const many = (minutes: number) => Array.from({ length: 12 }, (_, i) => post(minutes - 1 - i / 2));

const spikesOf = async (search: Search): Promise<Id[]> =>
  (await rows('SELECT id FROM strandline.spikes WHERE search_id = $1 ORDER BY id', [search.id])).map(
    ({ id }) => id,
  );

async function liveABurst(search: Search): Promise<Id[]> {
  for (let minute = 15; minute <= 90; minute += 15) await run(search, minute, many(minute));
  return spikesOf(search);
}

test('a burst is reported once, in the feed too, with its data and its sentence', async () => {
  const search = await newSearch('burst');
  await usualVolume(search);
  const found = await liveABurst(search);
  expect(found).toHaveLength(1);
  const spikes = await rows('SELECT * FROM strandline_analytics.spikes WHERE search_id = $1', [search.id]);
  expect(spikes).toMatchObject([
    {
      search: 'burst',
      measure: 'posts',
      usual: expect.closeTo(8, 2),
      days: 14,
      provisional: false,
      sensitivity: 'normal',
      tz: 'UTC',
    },
  ]);
  expect(spikes[0].score).toBeGreaterThanOrEqual(4.5);
  expect(spikes[0].sentence).toMatch(
    /^(At least )?\d+ posts on 21 Nov 2026 between \d\d:\d\d and \d\d:\d\d.* the usual 8\. Usual: around this time, last 14 days\.$/,
  );
  expect(
    await rows(
      `SELECT kind, baseline, text, spike_id FROM strandline_analytics.discoveries WHERE search_id = $1 AND kind = 'spike'`,
      [search.id],
    ),
  ).toEqual([{ kind: 'spike', baseline: false, text: spikes[0].sentence, spike_id: spikes[0].id }]);
});

test('a search with alerts off reports none', async () => {
  const search = await newSearch('off');
  await usualVolume(search, 'off');
  expect(await liveABurst(search)).toEqual([]);
});

test('a burst derived concurrently is reported once', async () => {
  const search = await newSearch('twice');
  await usualVolume(search);
  await save(search, 15, [...many(15), ...many(14), ...many(13)]);
  await Promise.all(Array.from({ length: 4 }, () => derivePending(world.ctx, { settleMs: null })));
  expect(await spikesOf(search)).toHaveLength(1);
});

test('data from another request is not compared', async () => {
  const search = await newSearch('edited');
  await usualVolume(search);
  await world.db.pool.query(
    `INSERT INTO strandline.search_versions SELECT search_id, 2, 2, prompt || ' or ferry', tools, model, date_filter, streaming, extra,
       cron, every_seconds, tz, $2 FROM strandline.search_versions WHERE search_id = $1`,
    [search.id, new Date(NOON - 6 * HOUR)],
  );
  await world.db.pool.query('UPDATE strandline.searches SET version = 2 WHERE id = $1', [search.id]);
  expect(await liveABurst(search)).toEqual([]);
});
