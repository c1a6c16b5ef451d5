import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { wirePost } from '../stub-service.ts';
import { makeWorld, type World } from '../world.ts';
import { at, newSearch, type Post, run } from './live.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
});
afterAll(() => world.close());

/** Only likes and replies are known. */
const post = (id: string, like_count: number | null, reply_count: number | null = 1): Post => ({
  id,
  created_at: at(0).toISOString(),
  like_count,
  reply_count,
  retweet_count: null,
  quote_count: null,
  bookmark_count: null,
});

type Row = {
  post: string;
  in_sight: boolean;
  engagement: number | null;
  now: number | null;
  same_day: boolean;
};

/** What both views say of the posts of a search, beside what the post has now. */
async function seenBy(search: string): Promise<Row[]> {
  const { rows } = await world.db.pool.query<Row>(
    `SELECT p.external_id AS post, v.in_sight, v.engagement::float8, g.engagement::float8 AS now,
       v.created_at IS NOT DISTINCT FROM p.created_at
         AND (v.bucket_at IS NULL OR v.bucket_at = date_trunc('day', p.created_at, 'UTC')) AS same_day
     FROM (
       SELECT post_id, true AS in_sight, engagement, created_at, NULL::timestamptz AS bucket_at FROM strandline_analytics.posts_in_sight WHERE search = $1
       UNION ALL
       SELECT post_id, false, engagement, created_at, bucket_at FROM strandline_analytics.unseen_posts WHERE search = $1
     ) v
     JOIN strandline.posts p ON p.id = v.post_id JOIN strandline_analytics.post_growth g ON g.post_id = v.post_id
     ORDER BY 1, 2`,
    [search],
  );
  return rows;
}

test('a dropped post keeps its values, and shows what another search observes of it', async () => {
  const [one, two] = [await newSearch(world, 'keeps-one'), await newSearch(world, 'keeps-two')];
  await run(world, one, 0, [post('300', 5), post('301', 2), post('302', null, null)]);
  await run(world, two, 5, [post('301', 4)]);
  await run(world, one, 15, [post('303', 1)]);
  expect((await seenBy('keeps-one')).map((row) => [row.post, row.in_sight, row.engagement])).toEqual([
    ['300', false, 6],
    ['301', false, 5],
    ['302', false, null],
    ['303', true, 2],
  ]);
  await run(world, two, 20, [post('301', 40)]);
  await run(world, one, 30, [post('300', 7)]);
  expect((await seenBy('keeps-one')).map((row) => [row.post, row.in_sight, row.engagement])).toEqual([
    ['300', true, 8],
    ['301', false, 41],
    ['302', false, null],
    ['303', false, 2],
  ]);
});

test('an item only in a late response is dropped since that response', async () => {
  const search = await newSearch(world, 'alone-late');
  await run(world, search, 0, [post('310', 1)]);
  await run(world, search, 30, [post('310', 9)]);
  await run(world, search, 15, [post('310', 4), post('311', 4)]);
  expect((await seenBy('alone-late')).map((row) => [row.post, row.in_sight, row.engagement])).toEqual([
    ['310', true, 10],
    ['311', false, 5],
  ]);
});

test('a dropped post has the values its own search saw last: in a late response, or quoted', async () => {
  const search = await newSearch(world, 'own-news');
  await run(world, search, 0, [post('320', 5), post('321', 1)]);
  await run(world, search, 30, [post('322', 1)]);
  await run(world, search, 15, [post('320', 9)]);
  const quoting = { ...post('323', 1), is_quote_tweet: true, quote: wirePost('321', post('321', 40)) };
  await run(world, search, 45, [quoting]);
  const rows = await seenBy('own-news');
  expect(rows.map((row) => [row.post, row.in_sight, row.engagement])).toEqual([
    ['320', false, 10],
    ['321', false, 41],
    ['322', false, 2],
    ['323', true, 2],
  ]);
});

test('after any responses, including late ones, each post of a search is either current or dropped, with its latest values', async () => {
  const answer = fc.record({
    by: fc.constantFrom(0, 1),
    late: fc.nat({ max: 4 }).map((n) => n === 0),
    held: fc.uniqueArray(
      fc.record({ id: fc.nat({ max: 5 }), likes: fc.option(fc.nat({ max: 50 }), { nil: null }) }),
      {
        selector: ({ id }) => id,
        maxLength: 4,
      },
    ),
  });
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(answer, { minLength: 2, maxLength: 7 }), async (answers) => {
      round += 1;
      const searches = [
        await newSearch(world, `any-${round}-one`),
        await newSearch(world, `any-${round}-two`),
      ];
      for (const [i, { by, late, held }] of answers.entries()) {
        const search = searches[by];
        if (search === undefined) throw new Error('no search');
        const posts = held.map(({ id, likes }) => post(`${4_000 + 10 * round + id}`, likes));
        await run(world, search, 10 * i - (late ? 15 : 0), posts);
      }
      for (const { slug } of searches) {
        const rows = await seenBy(slug);
        const { rows: sighted } = await world.db.pool.query<{ post: string }>(
          `SELECT p.external_id AS post FROM strandline_analytics.post_sightings o JOIN strandline.posts p ON p.id = o.post_id
           WHERE o.search = $1 ORDER BY 1`,
          [slug],
        );
        expect(rows.map((row) => row.post)).toEqual(sighted.map((row) => row.post));
        for (const row of rows) expect(row).toMatchObject({ engagement: row.now, same_day: true });
      }
    }),
    { numRuns: 12 },
  );
});
