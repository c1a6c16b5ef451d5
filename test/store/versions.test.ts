import { afterAll, beforeAll, expect, test } from 'vitest';
import { wirePost } from '../stub-service.ts';
import { makeWorld, type World } from '../world.ts';
import { at, newSearch, run } from './live.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
});
afterAll(() => world.close());
const rows = async (sql: string, values: unknown[] = []) => (await world.db.pool.query(sql, values)).rows;

const user = (username: string, description: string) => ({
  id: '9100',
  username,
  name: 'A name',
  description,
});
const tags = (...names: string[]) => ({ hashtags: names.map((text) => ({ text })) });

test('what a post and its author said before is kept with its time and its search; a text that only a late response had is none', async () => {
  const [one, two] = [await newSearch(world, 'versions-one'), await newSearch(world, 'versions-two')];
  const post = (text: string, name: string) => ({
    id: '100',
    text,
    user: user(name, 'bio'),
    entities: tags('a'),
  });
  await run(world, one, 0, [post('first', 'before'), { id: '101' }]);
  await run(world, two, 30, [post('third', 'after'), { id: '101' }]);
  await run(world, two, 45, [
    { ...post('third', 'after'), text: '', entities: null, media: null, user: null },
  ]);
  await run(world, one, 15, [post('second', 'before')]);
  const post100 = `(SELECT id FROM strandline.posts WHERE external_id = '100')`;
  expect(
    await rows(
      `SELECT valid_from, valid_until, search, text, hashtags FROM strandline_analytics.post_versions WHERE post_id = ${post100} ORDER BY 1`,
    ),
  ).toEqual([
    { valid_from: at(0), valid_until: at(30), search: 'versions-one', text: 'first', hashtags: ['a'] },
    { valid_from: at(30), valid_until: null, search: 'versions-two', text: 'third', hashtags: ['a'] },
  ]);
  expect(
    await rows(
      `SELECT valid_from, valid_until, search, username, description FROM strandline_analytics.author_versions v
       WHERE author_id = (SELECT id FROM strandline.authors WHERE external_id = '9100') ORDER BY 1`,
    ),
  ).toEqual([
    {
      valid_from: at(0),
      valid_until: at(30),
      search: 'versions-one',
      username: 'before',
      description: 'bio',
    },
    { valid_from: at(30), valid_until: null, search: 'versions-two', username: 'after', description: 'bio' },
  ]);
  expect(
    await rows(`SELECT count(*)::int AS n FROM strandline.post_versions WHERE post_id <> ${post100}`),
  ).toEqual([{ n: 0 }]);
  expect(await rows(`SELECT count(*)::int AS n FROM strandline_analytics.post_versions`)).toEqual([{ n: 3 }]);
});

test('a nested copy of a post fills what is unknown, replaces nothing that a full one said, and is no result of its run', async () => {
  const search = await newSearch(world, 'versions-nested');
  const whole = {
    id: '200',
    text: 'all of its words',
    lang: null,
    entities: tags('b'),
    user: user('nested', ''),
  };
  const nested = { ...whole, text: 'all of…', lang: 'en', entities: tags('c') };
  await run(world, search, 0, [whole]);
  await run(world, search, 15, [{ id: '201', is_quote_tweet: true, quoted_status_id: '200', quote: nested }]);
  const filled = { text: 'all of its words', lang: 'en', hashtags: ['b'] };
  const stored = () => rows(`SELECT text, lang, hashtags FROM strandline.posts WHERE external_id = '200'`);
  expect(await stored()).toEqual([filled]);
  expect(
    await rows(
      `SELECT cardinality(post_ids) AS posts FROM strandline.run_results JOIN strandline.runs r ON r.id = run_id
       WHERE r.search_id = $1`,
      [search.id],
    ),
  ).toEqual([{ posts: 1 }, { posts: 1 }]);
  const edited = { ...nested, text: 'all of it…', lang: 'de' };
  await run(world, search, 30, [{ id: '202', is_quote_tweet: true, quoted_status_id: '200', quote: edited }]);
  expect(await stored(), 'it is whole also after a nested copy filled its language').toEqual([filled]);
});

test('a post that was nested first is whole from its first full copy on, even if both say the same', async () => {
  const search = await newSearch(world, 'versions-whole');
  const post = { id: '210', ...wirePost('210', { text: 'all of its words' }) };
  const quote = (id: string, quoted: object) => ({
    id,
    is_quote_tweet: true,
    quoted_status_id: '210',
    quote: quoted,
  });
  await run(world, search, 0, [quote('211', post)]);
  await run(world, search, 15, [post]);
  await run(world, search, 30, [quote('212', { ...post, text: 'all of…' })]);
  expect(await rows(`SELECT text FROM strandline.posts WHERE external_id = '210'`)).toEqual([
    { text: 'all of its words' },
  ]);
});

test('addresses of media that are signed anew are no new version; other media are', async () => {
  const search = await newSearch(world, 'versions-signed');
  const post = (picture: string, text = 'as it was') => ({
    id: '400',
    text,
    media: [{ url: picture }],
    entities: { media: [{ media_url: picture }] },
    user: { ...user('signed', ''), id: '9400', profile_image_url: picture },
  });
  const say = (minutes: number, picture: string, text?: string) =>
    run(world, search, minutes, [post(picture, text)]);
  const kept = () =>
    rows(
      `SELECT v.observed_at, v.media #>> '{0,url}' AS media FROM strandline.post_versions v JOIN strandline.posts p ON p.id = v.post_id
       WHERE p.external_id = '400' ORDER BY 1`,
    );
  for (const minutes of [0, 10, 20]) await say(minutes, `https://m.example/a?sig=${minutes}`);
  expect(await kept()).toEqual([]);
  await say(40, 'https://m.example/a?sig=40', 'edited');
  await say(60, 'https://m.example/b?sig=60', 'edited');
  await say(30, 'https://m.example/a?sig=30');
  const [first, second] = ['https://m.example/a', 'https://m.example/b'];
  expect(await kept()).toEqual([
    { observed_at: at(0), media: first },
    { observed_at: at(40), media: first },
    { observed_at: at(60), media: second },
  ]);
  expect(
    await rows(`SELECT v.profile_image_url FROM strandline.author_versions v JOIN strandline.authors a ON a.id = v.author_id
      WHERE a.external_id = '9400' ORDER BY v.observed_at`),
  ).toEqual([{ profile_image_url: first }, { profile_image_url: second }]);
});

test('after an edit, posts, volume and tops agree', async () => {
  const search = await newSearch(world, 'versions-edit');
  const post = (over: object) => ({
    id: '300',
    created_at: at(-60).toISOString(),
    entities: tags('old'),
    lang: 'en',
    ...over,
  });
  await run(world, search, 0, [post({}), { id: '301', created_at: at(-60).toISOString() }]);
  await run(world, search, 15, [post({ entities: tags('new'), lang: 'de' }), { id: '301' }]);
  await run(world, search, 30, [post({ created_at: at(-25 * 60).toISOString() })]);
  const tops = await rows(
    `SELECT day_at, kind, name, posts FROM strandline.search_tops WHERE search_id = $1 AND kind IN ('hashtag', 'language') ORDER BY 1, 2, 3`,
    [search.id],
  );
  const [before, day] = [new Date('2026-11-20T00:00:00Z'), new Date('2026-11-21T00:00:00Z')];
  expect(tops).toEqual([
    { day_at: before, kind: 'hashtag', name: 'old', posts: 1 },
    { day_at: before, kind: 'language', name: 'en', posts: 1 },
    { day_at: day, kind: 'language', name: 'en', posts: 1 },
  ]);
  expect(
    await rows(
      `SELECT date_trunc('day', bucket_at) AS day_at, sum(posts)::int AS posts FROM strandline.volume WHERE search_id = $1 AND posts > 0 GROUP BY 1 ORDER BY 1`,
      [search.id],
    ),
  ).toEqual([
    { day_at: before, posts: 1 },
    { day_at: day, posts: 1 },
  ]);
});

test('reading the versions of a post takes time in proportion to their number', async () => {
  const { pool } = world.db;
  const { rows: inserted } = await pool.query(
    `INSERT INTO strandline.posts (service_id, external_id, first_seen_at, observed_at, text)
     SELECT id, 'often', now(), now(), 'x' FROM strandline.services LIMIT 1 RETURNING id`,
  );
  const versions = 400;
  await pool.query(
    `INSERT INTO strandline.post_versions (post_id, observed_at, is_partial, text, lang)
     SELECT $1, now() + n * interval '1 min', n % 7 = 0, CASE WHEN n % 3 > 0 THEN n::text END, CASE WHEN n = 1 THEN 'en' END
     FROM generate_series(1, ${versions}) n`,
    [inserted[0].id],
  );
  const { rows: explained } = await pool.query(
    `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) SELECT * FROM strandline_analytics.post_versions WHERE post_id = ${inserted[0].id}`,
  );
  type Plan = Record<string, number> & { Plans?: Plan[] };
  const countRows = (plan: Plan): number =>
    (plan['Actual Loops'] ?? 0) * ((plan['Actual Rows'] ?? 0) + (plan['Rows Removed by Filter'] ?? 0)) +
    (plan.Plans ?? []).reduce((sum, inner) => sum + countRows(inner), 0);
  const plan = explained[0]['QUERY PLAN'][0].Plan as Plan; // EXPLAIN's own format
  expect(plan['Actual Rows']).toBeGreaterThan(versions / 3);
  expect(countRows(plan)).toBeLessThan(50 * versions);
});
