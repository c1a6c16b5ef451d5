import { afterAll, beforeAll, expect, test } from 'vitest';
import { POST_COUNTERS } from '../../src/model/counters.ts';
import { readGrowth, readPostGrowth, readSearchGrowth } from '../../src/store/queries/growth.ts';
import { readAgesOfPost, readPostsAtAge, readTypicalAtAge } from '../../src/store/queries/counters-at-age.ts';
import { readRisingPosts } from '../../src/store/queries/rising.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { wirePost } from '../stub-service.ts';
import { makeWorld, type World } from '../world.ts';
import { rebuildTrends } from '../../src/monitor/derive/follower.ts';
import { at, newSearch, type Post, run } from './live.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
});
afterAll(() => world.close());

const HOUR = 60;
/** Only likes are known, unless said otherwise. */
const post = (id: string, like_count: number | null, over: Record<string, unknown> = {}): Post => ({
  id,
  created_at: at(0).toISOString(),
  like_count,
  retweet_count: null,
  reply_count: null,
  quote_count: null,
  bookmark_count: null,
  ...over,
});

async function idOf(external: string): Promise<bigint> {
  const { rows } = await world.db.pool.query<{ id: bigint }>(
    'SELECT id FROM strandline.posts WHERE external_id = $1',
    [external],
  );
  if (rows[0] === undefined) throw new Error(`no post ${external}`);
  return rows[0].id;
}
const growthOf = async (external: string) => readPostGrowth(world.db, await idOf(external));
const agesOf = async (external: string) =>
  (await readAgesOfPost(world.db, await idOf(external))).map(({ hours, like_count }) => ({
    hours,
    like_count,
  }));
const hoursOf = (search: Search) =>
  readSearchGrowth(world.db, {
    search: search.slug,
    per: 'hour',
    from: at(-HOUR),
    until: at(30 * HOUR),
    limit: 100,
  });

test('increases are gains, decreases are shown without reducing them, and unknown is not zero', async () => {
  const search = await newSearch(world, 'steps');
  for (const [hour, likes] of [10, 14, 12, 20].entries())
    await run(world, search, hour * HOUR, [post('100', likes)]);
  expect(await growthOf('100')).toMatchObject({
    first_like_count: 10,
    like_count: 20,
    gained_like_count: 12,
    lost_like_count: 2,
    likes_fell: true,
    view_count: null,
    first_view_count: null,
    gained_view_count: null,
    lost_view_count: null,
    views_fell: false,
    engagement: 20,
    gained_engagement: 12,
    likes_per_hour: 8,
    likes_per_hour_24h: 4,
    last_seen_at: at(3 * HOUR),
    last_seen_by: 'steps',
    not_seen_since: null,
    changed_at: at(3 * HOUR),
  });
  await run(world, search, 4 * HOUR, [post('100', 20)]);
  expect(await growthOf('100'), 'seen again, unchanged: the interval is longer').toMatchObject({
    likes_per_hour: 4,
    likes_per_hour_24h: 3,
    changed_at: at(3 * HOUR),
  });
  expect(await hoursOf(search)).toMatchObject([
    {
      bucket_at: at(0),
      looks: 1,
      followed: 0,
      gained_like_count: null,
      lost_like_count: null,
      gained_engagement: null,
    },
    {
      bucket_at: at(HOUR),
      looks: 1,
      followed: 1,
      gained_like_count: 4,
      lost_like_count: 0,
      gained_view_count: null,
    },
    { bucket_at: at(2 * HOUR), gained_like_count: 0, lost_like_count: 2, gained_engagement: 0 },
    { bucket_at: at(3 * HOUR), gained_like_count: 8, lost_like_count: 0, changes: 1 },
    { bucket_at: at(4 * HOUR), followed: 1, changes: 0, gained_like_count: 0, gained_view_count: null },
  ]);
  const [day] = await readSearchGrowth(world.db, {
    search: 'steps',
    per: 'day',
    from: at(-12 * HOUR),
    until: at(12 * HOUR),
    limit: 10,
  });
  expect(day).toMatchObject({
    looks: 5,
    followed: 4,
    changes: 3,
    gained_like_count: 12,
    lost_like_count: 2,
    gained_view_count: null,
  });
});

test('a counter that is known once is unknown growth, one that stayed as it was is a known zero', async () => {
  const search = await newSearch(world, 'known-zero');
  // Views: unknown, then known and constant. Quotes: known with the last response for the first time.
  await run(world, search, 0, [post('8190', 5), post('8191', null)]);
  await run(world, search, HOUR, [post('8190', 6, { view_count: 40 }), post('8191', null)]);
  await run(world, search, 2 * HOUR, [post('8190', 6, { view_count: 40 }), post('8191', 3)]);
  expect(await growthOf('8190')).toMatchObject({
    gained_view_count: 0,
    lost_view_count: 0,
    gained_like_count: 1,
  });
  expect(await growthOf('8191')).toMatchObject({
    like_count: 3,
    gained_like_count: null,
    lost_like_count: null,
    gained_engagement: null,
    likes_per_hour: null,
  });
  await run(world, search, 3 * HOUR, [post('8190', 6, { view_count: 40, quote_count: 1 }), post('8191', 3)]);
  expect(await growthOf('8190')).toMatchObject({ gained_view_count: 0, gained_quote_count: null });
  expect(await growthOf('8191')).toMatchObject({
    gained_like_count: 0,
    lost_like_count: 0,
    likes_per_hour: 0,
  });
});

test('a counter that a changed response leaves out is unknown growth; one that is left out where nothing changed counts as unchanged', async () => {
  const search = await newSearch(world, 'absent');
  await run(world, search, 0, [post('8290', 5, { quote_count: 2 }), post('8291', 5)]);
  await run(world, search, HOUR, [post('8290', null, { view_count: 40 }), post('8291', null)]);
  await run(world, search, 2 * HOUR, [post('8290', null, { view_count: 50 }), post('8291', null)]);
  const unknown = {
    like_count: 5,
    gained_like_count: null,
    lost_like_count: null,
    gained_engagement: null,
    likes_per_hour: null,
    likes_per_hour_24h: null,
    engagement_per_hour: null,
  };
  expect(await growthOf('8290')).toMatchObject({
    ...unknown,
    gained_view_count: 10,
    gained_quote_count: null,
  });
  // Which members an unchanged response knew is stored nowhere.
  expect(await growthOf('8291')).toMatchObject({ like_count: 5, gained_like_count: 0, likes_per_hour: 0 });
  await run(world, search, 3 * HOUR, [post('8290', 5, { view_count: 50 }), post('8291', 5)]);
  for (const id of ['8290', '8291'])
    expect(await growthOf(id)).toMatchObject({ gained_like_count: 0, gained_engagement: 0 });
});

test('a post that is only nested in others grows when it changes; no result says that it did not', async () => {
  const search = await newSearch(world, 'nested');
  const quoting = (id: string, quoted: Post) =>
    post(id, 1, {
      is_quote_tweet: true,
      quoted_status_id: quoted.id,
      quote: wirePost(quoted.id, { ...quoted }),
    });
  for (const [n, likes] of [4, 4, 9].entries()) {
    await run(world, search, n * HOUR, [
      quoting('8300', post('8301', likes)),
      quoting('8302', post('8303', 7)),
    ]);
    expect((await growthOf('8301'))?.gained_like_count, `response ${n}`).toBe([null, null, 5][n]);
    expect((await growthOf('8303'))?.gained_like_count, `response ${n}`).toBe(null);
  }
  // Twice in one response is once.
  await run(world, search, 3 * HOUR, [quoting('8304', post('8306', 3)), quoting('8305', post('8306', 3))]);
  expect(await growthOf('8306')).toMatchObject({ like_count: 3, gained_like_count: null });
});

test('a post that was seen once has gained nothing that is known; one that was seen again unchanged has gained zero', async () => {
  const search = await newSearch(world, 'once');
  await run(world, search, 0, [post('110', 5), post('111', 5)]);
  await run(world, search, 15, [post('111', 5)]);
  expect(await growthOf('110')).toMatchObject({
    gained_like_count: null,
    likes_per_hour: null,
    likes_per_hour_24h: null,
  });
  expect(await growthOf('111')).toMatchObject({
    gained_like_count: 0,
    lost_like_count: 0,
    likes_per_hour: 0,
    likes_fell: false,
  });
});

test('a counter that is unknown for a while neither drops nor gains', async () => {
  const search = await newSearch(world, 'unknown');
  for (const [n, likes] of [7, null, 9].entries())
    await run(world, search, n * 15, [post('120', likes, { view_count: 100 * n })]);
  expect(await growthOf('120')).toMatchObject({
    gained_like_count: 2,
    lost_like_count: 0,
    gained_view_count: 200,
  });
});

test('the value of a counter when it becomes known is not a gain', async () => {
  const search = await newSearch(world, 'becomes-known');
  await run(world, search, 0, [post('125', 7)]);
  await run(world, search, HOUR, [post('125', 8, { view_count: 100 })]);
  expect(await growthOf('125')).toMatchObject({
    gained_like_count: 1,
    first_view_count: 100,
    gained_view_count: null,
  });
  await run(world, search, 2 * HOUR, [post('125', 8, { view_count: 130 })]);
  expect(await growthOf('125')).toMatchObject({
    gained_like_count: 1,
    first_view_count: 100,
    gained_view_count: 30,
  });
  expect((await hoursOf(search)).map((row) => row.gained_view_count)).toEqual([null, null, 30]);
});

test('an observation of one search counts for every search with the post, and once for the post', async () => {
  const [one, two] = [await newSearch(world, 'shared-one'), await newSearch(world, 'shared-two')];
  await run(world, one, 0, [post('130', 10)]);
  await run(world, two, 30, [post('130', 15)]);
  await run(world, one, 60, [post('130', 18)]);
  expect(await growthOf('130')).toMatchObject({ gained_like_count: 8, last_seen_by: 'shared-one' });
  expect(await hoursOf(one)).toMatchObject([
    { bucket_at: at(0), gained_like_count: 5 },
    { bucket_at: at(HOUR), gained_like_count: 3 },
  ]);
  expect(await hoursOf(two)).toMatchObject([
    { bucket_at: at(0), looks: 1, gained_like_count: null },
    { bucket_at: at(HOUR), looks: 0, gained_like_count: 3 },
  ]);
});

test('a late response counts when it arrived, and drops no posts', async () => {
  const search = await newSearch(world, 'late');
  await run(world, search, 0, [post('140', 1)]);
  await run(world, search, 30, [post('140', 9)]);
  await run(world, search, 15, [post('141', 4)]);
  expect(await growthOf('140')).toMatchObject({ gained_like_count: 8, not_seen_since: null });
  expect(await hoursOf(search)).toMatchObject([{ looks: 3, gained_like_count: 8 }]);
});

test('a post that no run returns any more is dropped since its last response, until one returns it', async () => {
  const [one, two] = [await newSearch(world, 'sight-one'), await newSearch(world, 'sight-two')];
  await run(world, one, 0, [post('150', 1), post('151', 1)]);
  await run(world, two, 5, [post('151', 1)]);
  await run(world, one, 15, [post('152', 1)]);
  await run(world, one, 30, [post('152', 1)]);
  expect(await growthOf('150')).toMatchObject({
    last_seen_at: at(0),
    last_seen_by: 'sight-one',
    not_seen_since: at(0),
  });
  expect(await growthOf('151'), 'the other search still has it').toMatchObject({
    last_seen_at: at(5),
    last_seen_by: 'sight-two',
    not_seen_since: null,
  });
  const { rows: unseen } = await world.db.pool.query(
    `SELECT not_seen_since FROM strandline_analytics.unseen_posts WHERE search = 'sight-one' AND NOT seen_elsewhere`,
  );
  expect(unseen).toEqual([{ not_seen_since: at(0) }]);
  await run(world, one, 45, [post('150', 1)]);
  expect(await growthOf('150')).toMatchObject({ last_seen_at: at(45), not_seen_since: null });
});

test('a value at an age is interpolated between the observations around it, including unchanged ones', async () => {
  const search = await newSearch(world, 'ages');
  // Seen unchanged at 59 minutes: the line begins there, not at the last change.
  for (const [minute, likes] of [
    [40, 10],
    [59, 10],
    [61, 12],
    [100, 30],
    [170, 30],
    [190, 20],
  ] as const)
    await run(world, search, minute, [post('160', likes, { view_count: minute < 60 ? null : 100 })]);
  expect(await agesOf('160')).toEqual([
    { hours: 1, like_count: 11 },
    { hours: 3, like_count: 25 },
  ]);
  const [one, three] = await readAgesOfPost(world.db, await idOf('160'));
  expect(one).toMatchObject({
    view_count: null,
    observed_before_at: at(59),
    observed_after_at: at(61),
    reached_at: at(60),
  });
  expect(three, 'a counter that fell in between').toMatchObject({ view_count: 100, engagement: 25 });
});

test('an age without a nearby observation has no row: the nearest value is not used', async () => {
  const search = await newSearch(world, 'gaps');
  // 1 h: the look before is 40 minutes away. 3 h: that after is. 8 h and 24 h: both are within half of the age.
  for (const [minute, likes] of [
    [20, 4],
    [70, 10],
    [5 * HOUR, 20],
    [10 * HOUR, 40],
    [30 * HOUR, 60],
    [200 * HOUR, 90],
  ] as const)
    await run(world, search, minute, [post('170', likes)]);
  const ages = await agesOf('170');
  expect(ages.map(({ hours }) => hours)).toEqual([8]);
  expect(ages[0]?.like_count).toBeCloseTo(32, 9);
});

test('a post that was dropped at an age is interpolated between the observations that had it', async () => {
  const search = await newSearch(world, 'returns');
  await run(world, search, 50, [post('180', 10)]);
  await run(world, search, 58, [post('181', 1)]);
  await run(world, search, 66, [post('181', 1)]);
  await run(world, search, 70, [post('180', 20)]);
  expect(await agesOf('180')).toEqual([{ hours: 1, like_count: 15 }]);
});

test('posts are compared at equal age with the median of their search and of their author, never with zero', async () => {
  const search = await newSearch(world, 'typical');
  const user = { id: '77', username: 'often', name: 'Often' };
  const likes = [2, 4, 6, 8, 100];
  const seen = (factor: number, from: number) =>
    likes.map((n, i) =>
      post(String(190 + i), n * factor, { created_at: at(from + i).toISOString(), view_count: 0, user }),
    );
  await run(world, search, 59, seen(1, 0));
  // Five minutes later each has twice as many: at its own hour each lies somewhere between.
  await run(world, search, 69, seen(1, 0));
  const rows = await readPostsAtAge(world.db, { search: 'typical', hours: 1, limit: 10 });
  expect(
    rows.map((row) => [row.like_count, row.like_ratio, row.view_ratio, row.author_engagement_ratio]),
  ).toEqual([
    [100, 100 / 6, null, 100 / 6],
    [8, 8 / 6, null, 8 / 6],
    [6, 1, null, 1],
    [4, 4 / 6, null, 4 / 6],
    [2, 2 / 6, null, 2 / 6],
  ]);
  expect(rows[0]).toMatchObject({
    compared_with: 5,
    typical_like_count: 6,
    typical_view_count: 0,
    typical_engagement: 6,
    author_compared_with: 5,
    author_typical_engagement: 6,
  });
  expect(await readTypicalAtAge(world.db, { search: 'typical', limit: 10 })).toMatchObject([
    { hours: 1, posts: 5, like_count: 6, repost_count: null, engagement: 6 },
  ]);
});

test('fewer than five posts give no typical value', async () => {
  const search = await newSearch(world, 'few');
  const four = [1, 2, 3, 4].map((n) => post(`20${n}`, n));
  await run(world, search, 55, four);
  await run(world, search, 65, four);
  const rows = await readPostsAtAge(world.db, { search: 'few', hours: 1, limit: 10 });
  expect(rows).toHaveLength(4);
  expect(rows[0]).toMatchObject({
    like_count: 4,
    compared_with: 4,
    typical_like_count: null,
    like_ratio: null,
  });
});

test('rising posts gain more per hour than the median post of the search at their age', async () => {
  const search = await newSearch(world, 'rising');
  // What is typical: five posts of the day before with 4 likes at 1 h and 8 at 3 h, so 2 an hour in between.
  const before = (likes: number) =>
    [0, 1, 2, 3, 4].map((n) => post(`21${n}`, likes, { created_at: at(-24 * HOUR).toISOString() }));
  for (const [minute, likes] of [
    [50, 4],
    [70, 4],
    [170, 8],
    [190, 8],
  ] as const)
    await run(world, search, minute - 24 * HOUR, before(likes));
  const now = (hot: number, usual: number, old: number) => [
    post('220', hot),
    post('221', usual),
    post('222', old, { created_at: at(-200 * HOUR).toISOString() }),
  ];
  await run(world, search, -7 * HOUR, [post('222', 100, { created_at: at(-200 * HOUR).toISOString() })]);
  await run(world, search, 60, now(10, 1, 90));
  await run(world, search, 120, now(30, 4, 94));
  const rows = await readRisingPosts(world.db, { search: 'rising', limit: 10 });
  expect(
    rows.map((row) => [row.post_id, row.gained_engagement, row.per_hour, row.typical_per_hour, row.ratio]),
  ).toEqual([[await idOf('220'), 30, 15, 2, 7.5]]);
  expect(rows[0]).toMatchObject({
    as_of: at(120),
    age_hours: 2,
    observed_hours: 2,
    ahead_per_hour: 13,
    compared_with: 5,
  });
});

test('a gain is divided by the time in which it arose, even with rare observations; gaps do not count', async () => {
  const old = { created_at: at(-300 * HOUR).toISOString() };
  const daily = await newSearch(world, 'daily', { every: '1d' });
  await run(world, daily, 0, [post('260', 10, old)]);
  await run(world, daily, 24 * HOUR, [post('260', 250, old)]);
  expect(await readRisingPosts(world.db, { search: 'daily', limit: 10 })).toMatchObject([
    // What is typical at this age is unknown, which is not zero.
    {
      gained_engagement: 240,
      observed_hours: 24,
      per_hour: 10,
      typical_per_hour: null,
      ahead_per_hour: null,
    },
  ]);
  const down = await newSearch(world, 'down-for-a-week', { every: '1h' });
  await run(world, down, 0, [post('261', 10, old)]);
  await run(world, down, 170 * HOUR, [post('261', 900, old)]);
  expect(await readRisingPosts(world.db, { search: 'down-for-a-week', limit: 10 })).toEqual([]);
  await run(world, down, 171 * HOUR, [post('261', 920, old)]);
  expect(await readRisingPosts(world.db, { search: 'down-for-a-week', limit: 10 })).toMatchObject([
    { gained_engagement: 20, observed_hours: 1 },
  ]);
});

test('a post that is seconds old has no rate yet', async () => {
  const search = await newSearch(world, 'seconds-old');
  const published = { created_at: new Date(at(60).getTime() - 1_000).toISOString() };
  const risingAt = async (minute: number, likes: number) => {
    await run(world, search, minute, [post('265', likes, published)]);
    const rows = await readRisingPosts(world.db, { search: 'seconds-old', limit: 10 });
    return rows.map(({ per_hour }) => Math.round(per_hour));
  };
  expect(await risingAt(60, 6)).toEqual([]);
  expect(await risingAt(90, 20)).toEqual([40]);
});

test('eight searches of one topic that save the same posts concurrently count every gain once', async () => {
  const searches = await Promise.all(
    Array.from({ length: 8 }, (_, i) => newSearch(world, `crowd-${i}`, { topic: 'crowd' })),
  );
  const ids = ['300', '301', '302', '303'];
  for (let round = 0; round < 6; round += 1)
    await Promise.all(
      searches.map((search, i) =>
        run(
          world,
          search,
          round * 15 + i / 60,
          ids.map((id, n) => post(id, 100 + ((round * 37 + i * 11 + n * 5) % 23))),
        ),
      ),
    );
  for (const id of ids) {
    const row = await growthOf(id);
    if (row === undefined) throw new Error('no growth');
    const { rows } = await world.db.pool.query(
      `SELECT sum(greatest(step, 0))::int AS up, -sum(least(step, 0))::int AS down FROM (
         SELECT like_count - lag(like_count) OVER (ORDER BY observed_at) AS step FROM strandline.post_snapshots WHERE post_id = $1) s`,
      [row.post_id],
    );
    expect([row.gained_like_count, row.lost_like_count]).toEqual([rows[0].up, rows[0].down]);
    expect(row.like_count).toBe((row.first_like_count ?? 0) + rows[0].up - rows[0].down);
  }
  const { rows } = await world.db.pool.query(
    `SELECT sum(topic_posts)::int AS posts FROM strandline_analytics.top_languages WHERE topic = 'crowd'`,
  );
  expect(rows).toEqual([{ posts: 4 }]);
});

test('gains from before the table existed are derived from snapshots, and equal the live ones', async () => {
  const search = await newSearch(world, 'older');
  const looks: (number | null)[][] = [
    [5, 5, null, 3, null, 9],
    [7, 5, 4, 3, null, null],
    [6, 5, null, 3, 2, 12],
    [9, 5, 8, 3, 2, null],
  ];
  for (const [n, likes] of looks.entries())
    await run(
      world,
      search,
      n * 15,
      likes.map((like, i) => post(`27${i}`, like, { reply_count: i === 1 ? n : null, view_count: i })),
    );
  const kept = async () =>
    (
      await world.db.pool.query(
        `SELECT k.* FROM strandline.post_counters k JOIN strandline.post_sightings s USING (post_id) WHERE search_id = $1 ORDER BY 1`,
        [search.id],
      )
    ).rows;
  const before = await kept();
  expect(before.filter(({ changed_before_at }) => changed_before_at !== null)).toHaveLength(5);
  const kinds = ['first', 'gained', 'lost', 'was'];
  const lost = POST_COUNTERS.flatMap((counter) => kinds.map((kind) => `${kind}_${counter} = NULL`));
  await world.db.pool.query(
    `UPDATE strandline.post_counters k SET changed_before_at = NULL, ${lost.join(', ')}
     FROM strandline.post_sightings s WHERE s.post_id = k.post_id AND search_id = $1`,
    [search.id],
  );
  expect(await kept()).not.toEqual(before);
  await rebuildTrends(world.ctx, search.id);
  expect(await kept()).toEqual(before);
});

test('changed posts are listed by gain', async () => {
  const search = await newSearch(world, 'listed');
  await run(world, search, 0, [post('400', 1), post('401', 1), post('402', 1)]);
  await run(world, search, 15, [post('400', 5), post('401', 1), post('402', 1)]);
  await run(world, search, 30, [post('400', 5), post('401', 1), post('402', 90)]);
  const likesSince = async (since: Date) =>
    (await readGrowth(world.db, { search: 'listed', order: 'likes', since, limit: 10 })).map(
      (row) => row.gained_like_count,
    );
  expect(await likesSince(at(0))).toEqual([89, 4]);
  expect(await likesSince(at(30))).toEqual([89]);
});
