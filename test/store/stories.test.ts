/** Stories as they are stored: decided after saves, in any batches, and again when members change or are deleted. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { finishPurge, requestPurge } from '../../src/monitor/topics/purge-topic.ts';
import { sketchText } from '../../src/model/story-sketch.ts';
import { DAY } from '../../src/lib/time.ts';
import { findAuthor, forgetAuthor } from '../../src/store/erase/forget-author.ts';
import { followStories } from '../../src/store/stories/follow-stories.ts';
import { readStoryHours } from '../../src/store/queries/stories.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { makeWorld, type World } from '../world.ts';
import { findDangling } from './dangling.ts';
import { type Link, other, type Post, saveFound } from './finds.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
});
afterAll(() => world.close());
const rows = async (sql: string, values: unknown[] = []) => (await world.db.pool.query(sql, values)).rows;
const follow = () => followStories(world.db, { batches: 100 });

let topics = 0;
let slugs = 0;
const newTopic = () => `t${(topics += 1)}`;

async function newSearch(topic: string, operation: 'ai' | 'microblog' = 'microblog'): Promise<Search> {
  const slug = `s${(slugs += 1)}`;
  const { search } = await createSearch(world.ctx, { slug, topic, operation, prompt: slug, every: '1h' });
  await rows('DELETE FROM strandline.runs WHERE search_id = $1', [search.id]);
  return search;
}

const TEXT = 'City council votes to close the Harbour Street bridge for two years from January';
const NEAR = [TEXT, `${TEXT} – Courier`, `Unbelievable: ${TEXT}`, `RT @x: ${TEXT}`];
const finds = (search: Search, posts: readonly Post[], links: readonly Link[] = []) =>
  saveFound(world, search, posts, links);

type Story = { id: bigint; members: number; authors: number; sources: number; names: string[] };
const listStories = (topic: string): Promise<Story[]> =>
  rows(
    `SELECT k.id, k.members, k.authors, k.sources, ARRAY(
       SELECT coalesce(substring(p.external_id FROM '[0-9]+$'), l.url) FROM strandline_analytics.story_items i
       LEFT JOIN strandline.posts p ON i.kind = 'post' AND p.id = i.item_id
       LEFT JOIN strandline.links l ON i.kind = 'link' AND l.id = i.item_id
       WHERE i.story_id = k.id ORDER BY i.discovery_id) AS names
     FROM strandline_analytics.stories k WHERE k.topic = $1 ORDER BY k.id`,
    [topic],
  );
const named = async (topic: string) => (await listStories(topic)).map(({ names }) => names);

describe('stories', () => {
  test('copies, links to one thing and posts about it are one; what stands alone is none', async () => {
    const topic = newTopic();
    const [micro, ai] = [await newSearch(topic), await newSearch(topic, 'ai')];
    const page = 'https://courier.example/2026/bridge-closes';
    await finds(micro, [...NEAR.map((text, id) => ({ id, text, author: `a${id % 3}` })), { id: 50 }]);
    await follow();
    await finds(
      ai,
      [],
      [
        { link: page, title: TEXT },
        { link: 'https://other.example/1', title: 'x' },
      ],
    );
    await finds(micro, [
      { id: 60, text: 'So that is how they do it, without asking any of us.', urls: [page] },
    ]);
    await follow();
    const [story, ...more] = await listStories(topic);
    expect(more).toEqual([]);
    expect(story).toMatchObject({
      members: 6,
      authors: 4,
      sources: 2,
      names: ['0', '1', '2', '3', page, '60'],
    });
    const [row] = await rows('SELECT * FROM strandline_analytics.stories WHERE topic = $1', [topic]);
    expect(row).toMatchObject({ first_kind: 'post', text: TEXT, author_username: 'a0', members: 6 });
  });

  test('an item that another search of the topic finds again is one member, and other topics have their own stories', async () => {
    const [topic, elsewhere] = [newTopic(), newTopic()];
    const [one, two, far] = [await newSearch(topic), await newSearch(topic), await newSearch(elsewhere)];
    await finds(one, [{ id: 1, text: TEXT }]);
    await finds(two, [{ id: 2, text: TEXT }]);
    await finds(far, [{ id: 3, text: TEXT }]);
    await follow();
    expect(await named(topic)).toEqual([['1', '2']]);
    expect(await named(elsewhere)).toEqual([]);
  });

  test('two stories that a third item joins keep the id of the first', async () => {
    const topic = newTopic();
    const search = await newSearch(topic);
    const [a, b] = ['https://a.example/1/one', 'https://b.example/2/two'];
    await finds(search, [
      { id: 1, urls: [a] },
      { id: 2, urls: [a] },
      { id: 3, urls: [b] },
      { id: 4, urls: [b] },
    ]);
    await follow();
    const before = await listStories(topic);
    expect(before.map(({ names }) => names)).toEqual([
      ['1', '2'],
      ['3', '4'],
    ]);
    await finds(search, [{ id: 5, urls: [a, b] }]);
    await follow();
    expect(await listStories(topic)).toMatchObject([{ id: before[0]?.id, members: 5 }]);
  });

  test('deleting the item that joined two stories parts them, and deleting the first member renames one', async () => {
    const topic = newTopic();
    const search = await newSearch(topic);
    const [a, b] = ['https://a.example/1/three', 'https://b.example/2/four'];
    await finds(search, [
      { id: 1, urls: [a], author: 'gone' },
      { id: 2, urls: [a] },
      { id: 6, urls: [a] },
    ]);
    await finds(search, [
      { id: 5, urls: [a, b], author: 'gone' },
      { id: 3, urls: [b] },
      { id: 4, urls: [b] },
    ]);
    await follow();
    expect(await named(topic)).toEqual([['1', '2', '6', '5', '3', '4']]);
    const author = await findAuthor(world.db, 'hosted', 'gone');
    if (author !== undefined) await forgetAuthor(world.ctx, author);
    await follow();
    expect(await named(topic)).toEqual([
      ['2', '6'],
      ['3', '4'],
    ]);
    expect(await findDangling(world.db)).toEqual([]);
  });

  test('purging a search takes what only it found from stories', async () => {
    const topic = newTopic();
    const [one, two] = [await newSearch(topic), await newSearch(topic)];
    await finds(one, [{ id: 1, text: TEXT }]);
    await finds(two, [
      { id: 2, text: TEXT },
      { id: 3, text: NEAR[1] ?? '' },
    ]);
    await follow();
    expect(await named(topic)).toEqual([['1', '2', '3']]);
    await finishPurge(world.db, await requestPurge(world.ctx, { kind: 'search', slug: one.slug }));
    await follow();
    expect(await named(topic)).toEqual([['2', '3']]);
    expect(await findDangling(world.db)).toEqual([]);
  });

  test('an edited text leaves its story, and joins another', async () => {
    const topic = newTopic();
    const search = await newSearch(topic);
    await finds(search, [
      { id: 1, text: TEXT },
      { id: 2, text: TEXT },
      { id: 3, text: other(9) },
    ]);
    await follow();
    expect(await named(topic)).toEqual([['1', '2']]);
    world.clock.advance(60_000);
    await finds(search, [{ id: 2, text: other(9) }]);
    await follow();
    expect(await named(topic)).toEqual([['2', '3']]);
  });

  test('its growth is counted by the hour in which the topic found its members', async () => {
    const topic = newTopic();
    const search = await newSearch(topic);
    await finds(search, [
      { id: 1, text: TEXT },
      { id: 2, text: TEXT },
    ]);
    world.clock.advance(5 * 3_600_000);
    await finds(search, [{ id: 3, text: NEAR[1] ?? '' }]);
    await follow();
    const [{ id }] = (await listStories(topic)) as [Story];
    const hours = await readStoryHours(world.db, { id, limit: 10 });
    expect(hours.map(({ members }) => members)).toEqual([2, 1]);
    const [first, last] = hours.map(({ hour }) => hour.getTime());
    expect((last ?? 0) - (first ?? 0)).toBe(5 * 3_600_000);
    expect(await readStoryHours(world.db, { id, after: hours[0]?.hour, limit: 10 })).toEqual(hours.slice(1));
  });

  test('items that were found more than 14 days apart are not joined, and are compared no longer', async () => {
    const topic = newTopic();
    const search = await newSearch(topic);
    await finds(search, [{ id: 1, text: TEXT }]);
    world.clock.advance(15 * DAY);
    await finds(search, [{ id: 2, text: TEXT }]);
    await follow();
    expect(await named(topic)).toEqual([]);
    await finds(search, [{ id: 3 }]);
    await follow();
    const [{ n }] = await rows(
      'SELECT count(*)::int AS n FROM strandline.story_candidates WHERE topic_id = $1',
      [search.topic_id],
    );
    expect(n).toBe(2);
  });
});

describe('cost', () => {
  const countStatements = async (work: () => Promise<unknown>): Promise<number> => {
    let n = 0;
    const { pool } = world.db;
    const connect = pool.connect.bind(pool);
    pool.connect = (async () => {
      const client = await connect();
      const query = client.query.bind(client);
      client.query = ((...args: Parameters<typeof query>) => (
        (n += 1), query(...args)
      )) as typeof client.query;
      return client;
    }) as typeof pool.connect;
    try {
      await work();
    } finally {
      pool.connect = connect;
    }
    return n;
  };

  test('a pass has as many statements for one run as for twenty', async () => {
    const topic = newTopic();
    const search = await newSearch(topic);
    await finds(
      search,
      NEAR.map((text, id) => ({ id, text })),
    );
    const few = await countStatements(follow);
    for (let run = 0; run < 20; run += 1)
      await finds(
        search,
        NEAR.map((text, i) => ({ id: 100 + run * 10 + i, text: `${text} ${run} ${run} ${run}` })),
      );
    expect(await countStatements(follow)).toBe(few);
    expect(few).toBeLessThan(20);
  });

  test('thousands of posts of one template and one address are found by a bounded number of them', async () => {
    const topic = newTopic();
    const search = await newSearch(topic);
    const urls = ['https://spam.example/win/now-or-never'];
    for (let run = 0; run < 4; run += 1)
      await finds(
        search,
        Array.from({ length: 500 }, (_, i) => ({
          id: run * 1000 + i,
          urls,
          text: `Win number ${run * 1000 + i} of the great prize of the harbour festival today and every day`,
        })),
      );
    await follow();
    expect(await listStories(topic)).toMatchObject([{ members: 2_000 }]);
    const [{ most }] = await rows(
      `SELECT max(n)::int AS most FROM (SELECT count(*) AS n FROM strandline.story_candidates, unnest(names) u WHERE topic_id = $1 GROUP BY u
         UNION ALL SELECT count(*) FROM strandline.story_candidates, unnest(bands) b WHERE topic_id = $1 GROUP BY b) c`,
      [search.topic_id],
    );
    expect(most).toBe(32);
  });

  test('near texts are looked up in one topic: what the other topics found of the same template is not read', async () => {
    const three = Array.from({ length: 3 }, () => newTopic());
    for (const topic of three)
      await finds(
        await newSearch(topic),
        NEAR.map((text, id) => ({ id, text })),
      );
    await follow();
    expect(await Promise.all(three.map(named))).toEqual(three.map(() => [NEAR.map((_, id) => String(id))]));
    const shared = await rows(
      `SELECT band FROM strandline.story_candidates, unnest(bands) band WHERE topic_id IN (SELECT id FROM strandline.topics WHERE slug = ANY ($1))
       GROUP BY band HAVING count(DISTINCT topic_id) > 1`,
      [three],
    );
    expect(shared).toEqual([]);
    // As the migration of candidates that were stored before writes them.
    const [{ bands }] = await rows(
      `SELECT ARRAY(SELECT band # topic_id::integer FROM unnest(bands) WITH ORDINALITY b(band, n) ORDER BY n) AS bands
       FROM strandline.story_candidates WHERE bands IS NOT NULL ORDER BY discovery_id DESC LIMIT 1`,
    );
    expect(bands).toEqual(sketchText(NEAR.at(-1) ?? '')?.bands);
  });
});
