import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureService } from '../../src/store/services/services.ts';
import { readRisingDomains, readRisingHashtags } from '../../src/store/queries/rising.ts';
import { averageVoices, readVoiceDays } from '../../src/store/queries/share-of-voice.ts';
import {
  readTopAuthors,
  readTopDomains,
  readTopHashtags,
  readTopLanguages,
} from '../../src/store/queries/tops.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { makeWorld, type World } from '../world.ts';
import { at, newSearch, type Post, run } from './live.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
});
afterAll(() => world.close());

const HOUR = 60;
const DAY = 24 * HOUR;
/** Midnight (UTC) of the days that are looked at, in minutes from noon. */
const MIDNIGHT = -12 * HOUR;
let last = 1_000;
const post = (minutes: number, over: Record<string, unknown> = {}): Post => ({
  id: String((last += 1)),
  created_at: at(minutes).toISOString(),
  ...over,
});
const posts = (n: number, minutes: number, over: Record<string, unknown> = {}) =>
  Array.from({ length: n }, () => post(minutes, over));

/** The first answer is taken to be cut at its limit: it holds more than any other will, the day before. */
async function begin(search: Search, day: number): Promise<void> {
  await run(world, search, MIDNIGHT + day - 1, posts(50, MIDNIGHT + day - 3 * DAY));
  await run(world, search, MIDNIGHT + day, []);
}

const day = (n: number) => at(MIDNIGHT + n);
const within = { from: day(0), until: day(DAY), limit: 100 };

test('topics are compared by extrapolating partly observed days; under half coverage there is no value', async () => {
  const [all, most, little] = [
    await newSearch(world, 'all', { every: '6h' }),
    await newSearch(world, 'most', { every: '6h' }),
    await newSearch(world, 'little', { every: '6h' }),
  ];
  for (const search of [all, most, little]) await begin(search, 0);
  // An answer reaches back to the one before it, at most two intervals: from midnight to 06:00 nobody saw the second
  // topic, and until 18:00 nobody the third.
  for (const hour of [6, 12, 18, 24])
    await run(world, all, MIDNIGHT + hour * HOUR, posts(5, MIDNIGHT + hour * HOUR - 30));
  await run(world, most, MIDNIGHT + 18 * HOUR, posts(7, MIDNIGHT + 17 * HOUR));
  await run(world, most, MIDNIGHT + 24 * HOUR, posts(2, MIDNIGHT + 23 * HOUR));
  await run(world, little, MIDNIGHT + 6 * HOUR, posts(40, MIDNIGHT + 5 * HOUR));

  const rows = await readVoiceDays(world.db, { ...within, topics: ['all', 'little', 'most'] });
  expect(rows).toMatchObject([
    { topic: 'all', posts: 20, coverage: 1, normalised_posts: 20, share: 20 / 32, topics: 2, searches: 1 },
    { topic: 'little', posts: 40, coverage: 0.25, normalised_posts: null, share: null, topics: 2 },
    { topic: 'most', posts: 9, coverage: 0.75, normalised_posts: 12, share: 12 / 32, topics: 2 },
  ]);
  const range = averageVoices(rows);
  expect(
    range.map(({ topic, posts: n, normalised_per_day, share }) => [topic, n, normalised_per_day, share]),
  ).toEqual([
    ['all', 20, 20, 20 / 32],
    ['most', 9, 12, 12 / 32],
    ['little', 40, null, null],
  ]);
  expect(
    await readVoiceDays(world.db, { from: day(DAY), until: day(2 * DAY), limit: 10 }),
    'nobody looked',
  ).toEqual([]);
});

test('a post found by several searches of a topic counts once; coverage is the mean of its searches', async () => {
  const [one, two] = [
    await newSearch(world, 'pair-one', { topic: 'pair', every: '6h' }),
    await newSearch(world, 'pair-two', { topic: 'pair', every: '6h' }),
  ];
  for (const search of [one, two]) await begin(search, 0);
  const [shared, repost] = [post(MIDNIGHT + 5 * HOUR), post(MIDNIGHT + 5 * HOUR, { is_retweet: true })];
  await run(world, one, MIDNIGHT + 6 * HOUR, [shared, repost]);
  await run(world, two, MIDNIGHT + 6 * HOUR, [shared, post(MIDNIGHT + 4 * HOUR)]);
  await run(world, one, MIDNIGHT + 12 * HOUR, []);
  // The first search saw twelve hours, the second six.
  expect(await readVoiceDays(world.db, { ...within, topics: ['pair'] })).toMatchObject([
    { posts: 3, reposts: 1, searches: 2, coverage: 0.375, normalised_posts: null },
  ]);
  await run(world, two, MIDNIGHT + 18 * HOUR, []);
  await run(world, one, MIDNIGHT + 18 * HOUR, []);
  const [row] = await readVoiceDays(world.db, { ...within, topics: ['pair'] });
  expect(row).toMatchObject({ posts: 3, coverage: 0.75, normalised_posts: 4 });
});

test('services of two kinds are never added up', async () => {
  const now = at(0);
  await ensureService(world.db, { name: 'own', kind: 'own', address: null, dialect: 'neutral', now });
  const withSources = {
    ...world,
    ctx: { ...world.ctx, ownSources: () => Promise.resolve('answering' as const) },
  };
  const [hosted, own] = [
    await newSearch(world, 'kind-hosted', { topic: 'kinds', every: '12h' }),
    await newSearch(withSources, 'kind-own', { topic: 'kinds-own', every: '12h', service: 'own' }),
  ];
  for (const search of [hosted, own]) await begin(search, 20 * DAY);
  const same = post(MIDNIGHT + 20 * DAY + HOUR, { entities: { hashtags: [{ text: 'Kind' }] } });
  for (const hour of [12, 24]) {
    await run(world, hosted, MIDNIGHT + 20 * DAY + hour * HOUR, [
      same,
      ...posts(2, MIDNIGHT + 20 * DAY + 9 * HOUR),
    ]);
    await run(world, own, MIDNIGHT + 20 * DAY + hour * HOUR, [same]);
  }
  const range = { from: day(20 * DAY), until: day(21 * DAY), limit: 10 };
  const voices = async () =>
    (await readVoiceDays(world.db, range)).map(({ service_kind, posts: n, share }) => [
      service_kind,
      n,
      share,
    ]);
  expect(await voices()).toEqual([
    ['hosted', 5, 1],
    ['own', 1, 1],
  ]);
  const hashtags = async () =>
    (await readTopHashtags(world.db, { ...range })).map((row) => [row.service_kind, row.hashtag, row.posts]);
  expect(await hashtags()).toEqual([
    ['hosted', 'kind', 1],
    ['own', 'kind', 1],
  ]);
});

test('authors, domains, hashtags and languages count once per post, per search and per topic', async () => {
  const [one, two] = [
    await newSearch(world, 'tops-one', { topic: 'tops' }),
    await newSearch(world, 'tops-two', { topic: 'tops' }),
  ];
  const user = { id: '4242', username: 'often', name: 'Often', followers_count: null };
  const first = post(0, {
    user,
    lang: 'de',
    entities: {
      hashtags: [{ text: 'Öl' }, { text: 'öl' }, { text: 'news' }],
      urls: [{ expanded_url: 'https://www.Example.org/a' }, { expanded_url: 'https://example.org/b' }],
    },
  });
  const second = post(1, { user, lang: null, entities: { hashtags: [{ text: 'NEWS' }] } });
  await run(world, one, 5, [first]);
  await run(world, one, 10, [first, second]);
  await run(world, two, 10, [first]);
  const range = { from: day(0), until: day(DAY), limit: 10 };
  const tops = async (which: { search?: string; topic?: string }) => ({
    authors: (await readTopAuthors(world.db, { ...range, ...which })).map((row) => [
      row.author_username,
      row.posts,
      row.followers_count,
    ]),
    hashtags: (await readTopHashtags(world.db, { ...range, ...which })).map((row) => [
      row.hashtag,
      row.posts,
    ]),
    domains: (await readTopDomains(world.db, { ...range, ...which })).map((row) => [
      row.domain,
      row.posts,
      row.links,
    ]),
    languages: (await readTopLanguages(world.db, { ...range, ...which })).map((row) => [row.lang, row.posts]),
  });
  const whole = {
    authors: [['often', 2, null]],
    hashtags: [
      ['news', 2],
      ['öl', 1],
    ],
    domains: [['example.org', 1, 0]],
    languages: [['de', 1]],
  };
  expect(await tops({ search: 'tops-one' })).toEqual(whole);
  expect(await tops({ topic: 'tops' }), 'each post once').toEqual(whole);
  expect(await tops({ search: 'tops-two' })).toEqual({
    ...whole,
    authors: [['often', 1, null]],
    hashtags: [
      ['news', 1],
      ['öl', 1],
    ],
  });
});

test('a search is active from its first observed day until it is removed, with or without results', async () => {
  const from = 60 * DAY;
  const [early, late, removed, blind] = [
    await newSearch(world, 'work-early', { topic: 'work', every: '12h' }),
    await newSearch(world, 'work-late', { topic: 'work', every: '12h' }),
    await newSearch(world, 'work-removed', { topic: 'work', every: '12h' }),
    await newSearch(world, 'work-blind', { topic: 'work', every: '12h' }),
  ];
  for (const search of [early, removed]) await begin(search, from);
  for (const n of [1, 2, 3, 4])
    await run(world, early, MIDNIGHT + from + n * DAY, posts(2, MIDNIGHT + from + n * DAY - HOUR));
  await run(world, removed, MIDNIGHT + from + DAY, []);
  await begin(late, from + 8 * DAY);
  // A day of posts and of no observed minute: there on that day, and not begun.
  await world.db.pool.query(
    'INSERT INTO strandline.search_days (search_id, day_at, posts, topic_posts, topic_reposts, cut) VALUES ($1, $2, 1, 1, 0, false)',
    [blind.id, day(from + DAY)],
  );
  await world.db.pool.query(
    'UPDATE strandline.searches SET archived_at = $2, next_due_at = NULL WHERE id = $1',
    [removed.id, day(from + 2 * DAY + HOUR)],
  );
  const rows = await readVoiceDays(world.db, {
    from: day(from - 5 * DAY),
    until: day(from + 10 * DAY),
    topics: ['work'],
    limit: 100,
  });
  // The rule, asked of each topic and day by itself.
  const { rows: one } = await world.db.pool.query<{ bucket_at: Date; searches: number }>(
    `SELECT n.day_at AS bucket_at, count(*)::int AS searches
     FROM (SELECT DISTINCT x.day_at FROM strandline.search_days x JOIN strandline.searches s ON s.id = x.search_id WHERE s.slug LIKE 'work-%') n
     JOIN strandline.searches s ON s.slug LIKE 'work-%' AND (
       EXISTS (SELECT FROM strandline.search_days x WHERE x.search_id = s.id AND x.day_at = n.day_at)
       OR (EXISTS (SELECT FROM strandline.search_days x WHERE x.search_id = s.id AND x.exposure_ms > 0 AND x.day_at < n.day_at)
         AND (s.archived_at IS NULL OR s.archived_at > n.day_at)))
     GROUP BY 1 ORDER BY 1`,
  );
  expect(rows.map(({ bucket_at, searches }) => ({ bucket_at, searches }))).toEqual(one);
  const first = rows.findIndex(({ bucket_at }) => bucket_at.getTime() === day(from).getTime());
  expect(rows.slice(first, first + 4).map(({ searches }) => searches)).toEqual([2, 3, 2, 1]);
});

test('hashtags and domains rise compared with the four weeks before, both per observed day, and never with zero', async () => {
  const search = await newSearch(world, 'weeks', { topic: 'months', every: '1d' });
  const tagged = (tag: string, n: number, minutes: number) =>
    posts(n, minutes, {
      entities: { hashtags: [{ text: tag }], urls: [{ expanded_url: `https://${tag}.example/` }] },
    });
  await begin(search, -34 * DAY);
  // A run a day; the second and third week nobody looked for ten days: the answer after them reaches back two days.
  for (let n = -32; n <= 1; n += 1) {
    if (n > -25 && n < -14) continue;
    const minutes = MIDNIGHT + n * DAY - HOUR;
    const week = n > -5;
    await run(world, search, MIDNIGHT + n * DAY, [
      ...tagged('steady', 2, minutes),
      ...tagged('up', week ? 3 : 1, minutes),
      ...(week ? tagged('fresh', 1, minutes) : []),
      ...(n === 0 ? tagged('rare', 4, minutes) : []),
    ]);
  }
  const rows = await readRisingHashtags(world.db, { topic: 'months', limit: 10 });
  // As of midnight after the last run: of its week six days were observed (the seventh begins); of the 28 before it,
  // 8 + 2 + 9, with 18 posts that carry `up`. `steady` is used 2 to 36/19 times a day, which is chance.
  const before = 18 / 19;
  expect(rows).toMatchObject([
    { hashtag: 'fresh', posts: 6, posts_before: 0, ratio: null, score: 6, search: null },
    { hashtag: 'up', posts: 18, posts_before: 18, observed_days: 6, observed_days_before: 19, per_day: 3 },
  ]);
  expect(rows[1]?.ratio).toBeCloseTo(3 / before, 9);
  expect(rows[1]?.score).toBeCloseTo((18 - 6 * before) / Math.sqrt(6 * before + 1), 9);
  expect(await readRisingHashtags(world.db, { search: 'weeks', limit: 10 })).toHaveLength(2);
  const domains = await readRisingDomains(world.db, { search: 'weeks', limit: 10 });
  expect(domains.map(({ domain }) => domain)).toEqual(['fresh.example', 'up.example']);
  expect(await readRisingHashtags(world.db, { search: 'weeks', since: at(3 * DAY), limit: 10 })).toEqual([]);
});

test('a search observed for less than a week has no rising values', async () => {
  const search = await newSearch(world, 'young', { every: '1d' });
  await begin(search, -10 * DAY);
  for (let n = -9; n <= 0; n += 1)
    await run(
      world,
      search,
      MIDNIGHT + n * DAY,
      posts(5, MIDNIGHT + n * DAY - HOUR, { entities: { hashtags: [{ text: 'new' }] } }),
    );
  expect(await readRisingHashtags(world.db, { search: 'young', limit: 10 })).toEqual([]);
});
