/** A story that a person marks as not relevant: hidden from lists with all that belongs to it, whatever becomes of the story. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dismissStory, restoreStory } from '../../src/monitor/alerts/dismissals.ts';
import { finishPurge, requestPurge } from '../../src/monitor/topics/purge-topic.ts';
import { DAY } from '../../src/lib/time.ts';
import { EVERYTHING } from '../../src/model/search-query.ts';
import { fillArchive } from '../../src/store/archive/index-archive.ts';
import { findText } from '../../src/store/archive/find-text.ts';
import { countDismissals, listDismissals } from '../../src/store/alerts/dismissals.ts';
import { findAuthor, forgetAuthor } from '../../src/store/erase/forget-author.ts';
import { readNewestDiscoveries } from '../../src/store/queries/discoveries.ts';
import { countItems } from '../../src/store/queries/item-counts.ts';
import { countNewByTopic, readNewStories } from '../../src/store/queries/overview-activity.ts';
import { readPostPage, selectPosts } from '../../src/store/queries/post-pages.ts';
import { readBiggestStories, readStories } from '../../src/store/queries/stories.ts';
import { followStories } from '../../src/store/stories/follow-stories.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { makeWorld, type World } from '../world.ts';
import { saveFound } from './finds.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
});
afterAll(() => world.close());

const follow = () => followStories(world.db, { batches: 100 });
const rows = async (sql: string, values: unknown[] = []) => (await world.db.pool.query(sql, values)).rows;
let named = 0;
const newTopic = () => `hidden-${(named += 1)}`;
async function newSearch(topic: string): Promise<Search> {
  const slug = `in-${topic}-${(named += 1)}`;
  const { search } = await createSearch(world.ctx, {
    slug,
    topic,
    operation: 'microblog',
    prompt: slug,
    every: '1h',
  });
  await rows('DELETE FROM strandline.runs WHERE search_id = $1', [search.id]);
  return search;
}
const TEXT = 'City council votes to close the Harbour Street bridge for two years from January';
const OTHER = 'The lighthouse keeper of the northern island retires after forty quiet winters at sea';

async function storyOf(text: string, topic: string): Promise<bigint> {
  const [row] = await rows(
    `SELECT i.story_id FROM strandline_analytics.story_items i WHERE i.topic = $1 AND i.text LIKE '%' || $2 || '%' LIMIT 1`,
    [topic, text],
  );
  return row.story_id;
}

/** Texts in each place that lists posts, links, discoveries or stories of a topic. */
async function shownIn(topic: string) {
  const { db, clock } = world;
  const [{ id: topicId }] = await rows('SELECT id FROM strandline.topics WHERE slug = $1', [topic]);
  const range = { from: new Date(0), until: null };
  const texts = (found: readonly { text: string | null }[]) =>
    found.map(({ text }) => text ?? '').toSorted((a, b) => a.localeCompare(b));
  while (!(await fillArchive(db, { batches: 50 })));
  const found = await findText(db, { topic, query: EVERYTHING, now: clock.now(), limit: 50 });
  const posts = await readPostPage(db, { topic, order: 'newest', limit: 50 });
  const best = await readPostPage(db, { topic, order: 'likes', limit: 50 });
  const stories = await readNewStories(db, range, { limit: 50 });
  return {
    discoveries: texts(await readNewestDiscoveries(db, { topic, view: 'search', limit: 50 })),
    things: texts(await readNewestDiscoveries(db, { topic, view: 'topic', limit: 50 })),
    posts: texts(posts.map(({ post }) => post)),
    best: texts(best.map(({ post }) => post)),
    counted: await countItems(db, await selectPosts(db, { topic })),
    found: texts(found.hits.map(({ post }) => ({ text: post?.text ?? null }))),
    total: found.total,
    stories: texts(await readStories(db, { topic, limit: 50 })),
    biggest: texts(
      await readBiggestStories(db, { topicId, since: range.from, until: clock.now(), limit: 50 }),
    ),
    overview: texts(stories.stories.filter((story) => story.topic === topic)),
    counts:
      (await countNewByTopic(db, { ...range, after: null })).find((row) => row.topic_id === topicId)?.found ??
      0,
  };
}

const NOTHING = {
  discoveries: [],
  things: [],
  posts: [],
  best: [],
  counted: 0,
  found: [],
  total: 0,
  stories: [],
  biggest: [],
  overview: [],
  counts: 0,
};

test('a hidden story is in no list of its topic, nor what joins it later; undone, all is listed as before', async () => {
  const { ctx, db, clock } = world;
  const topic = newTopic();
  const [one, two] = [await newSearch(topic), await newSearch(topic)];
  await saveFound(world, one, [
    { id: 1, text: TEXT },
    { id: 2, text: `RT @x: ${TEXT}` },
  ]);
  await follow();
  clock.advance(1_000);
  const before = await shownIn(topic);
  expect(before).toMatchObject({
    discoveries: [TEXT, `RT @x: ${TEXT}`].sort(),
    counted: 2,
    total: 2,
    stories: [TEXT],
  });
  const id = await storyOf(TEXT, topic);
  expect(await dismissStory(ctx, id)).toBe(true);
  expect(await dismissStory(ctx, id)).toBe(false);
  expect(await shownIn(topic)).toEqual(NOTHING);
  expect(await countDismissals(db, topic)).toBe(1);

  // A new member, and one that another search finds again.
  await saveFound(world, one, [{ id: 3, text: `Unbelievable: ${TEXT}` }]);
  await saveFound(
    world,
    two,
    [
      { id: 1, text: TEXT },
      { id: 4, text: OTHER },
    ],
    [],
    { by: one },
  );
  await follow();
  clock.advance(1_000);
  expect(await shownIn(topic)).toMatchObject({
    discoveries: [OTHER],
    posts: [OTHER],
    found: [OTHER],
    counted: 1,
    stories: [],
  });

  // SQL keeps all, with who and when.
  const kept = await rows(
    'SELECT id, members, hidden_at, hidden_by FROM strandline_analytics.stories WHERE topic = $1',
    [topic],
  );
  expect(kept).toEqual([{ id, members: 3, hidden_at: expect.any(Date), hidden_by: 'test' }]);
  expect(
    await rows(
      'SELECT count(*)::int AS n FROM strandline_analytics.discoveries WHERE topic = $1 AND hidden',
      [topic],
    ),
  ).toEqual([{ n: 4 }]);
  expect(await readStories(db, { topic, isHidden: true, limit: 5 })).toMatchObject([{ id }]);
  expect(await listDismissals(db, { topic, limit: 5 })).toMatchObject([{ story_id: id, by: 'test' }]);

  expect(await restoreStory(ctx, id)).toBe(true);
  expect(await restoreStory(ctx, id)).toBe(false);
  expect(await shownIn(topic)).toMatchObject({ counted: 4, total: 4, stories: [TEXT] });
  expect(await countDismissals(db, topic)).toBe(0);
});

test.for(['first', 'second'] as const)(
  'when two stories merge and the %s is hidden, the merged story is hidden, until it is undone',
  async (which) => {
    const { ctx } = world;
    const topic = newTopic();
    const search = await newSearch(topic);
    const [a, b] = [`https://a.example/1/${topic}`, `https://b.example/2/${topic}`];
    await saveFound(world, search, [
      { id: 1, urls: [a] },
      { id: 2, urls: [a] },
      { id: 3, urls: [b] },
      { id: 4, urls: [b] },
    ]);
    await follow();
    const [first, second] = await rows(
      'SELECT id FROM strandline_analytics.stories WHERE topic = $1 ORDER BY id',
      [topic],
    );
    await dismissStory(ctx, which === 'first' ? first.id : second.id);
    expect((await shownIn(topic)).counted).toBe(2);
    await saveFound(world, search, [{ id: 5, urls: [a, b] }]);
    await follow();
    expect(
      await rows('SELECT id, members, hidden_by FROM strandline_analytics.stories WHERE topic = $1', [topic]),
    ).toEqual([{ id: first.id, members: 5, hidden_by: 'test' }]);
    expect(await shownIn(topic)).toEqual(NOTHING);
    await restoreStory(ctx, first.id);
    expect((await shownIn(topic)).counted).toBe(5);
  },
);

test('deciding all stories again keeps what is hidden; a deleted member passes the mark on', async () => {
  const { ctx, db } = world;
  const topic = newTopic();
  const search = await newSearch(topic);
  await saveFound(world, search, [
    { id: 1, text: TEXT, author: `gone-${topic}` },
    { id: 2, text: `RT @x: ${TEXT}` },
    { id: 3, text: `Unbelievable: ${TEXT}` },
  ]);
  await follow();
  await dismissStory(ctx, await storyOf(TEXT, topic));
  const again = () =>
    rows(
      `INSERT INTO strandline.story_changes (kind, thing)
      SELECT d.kind, d.thing FROM strandline_analytics.story_items i JOIN strandline.discoveries d ON d.id = i.discovery_id WHERE i.topic = $1`,
      [topic],
    );
  await again();
  await follow();
  expect(await shownIn(topic)).toEqual(NOTHING);
  const author = await findAuthor(db, 'hosted', `gone-${topic}`);
  if (author === undefined) throw new Error('it wrote a post');
  await forgetAuthor(ctx, author);
  await follow();
  expect(
    await rows('SELECT members, hidden_by FROM strandline_analytics.stories WHERE topic = $1', [topic]),
  ).toEqual([{ members: 2, hidden_by: 'test' }]);
  await again();
  await follow();
  expect(await shownIn(topic)).toEqual(NOTHING);
});

test('a story that is hidden in one topic is shown in another, and a purge of the topic removes the mark', async () => {
  const { ctx, db } = world;
  const [topic, elsewhere] = [newTopic(), newTopic()];
  const [here, there] = [await newSearch(topic), await newSearch(elsewhere)];
  const posts = [
    { id: 1, text: OTHER },
    { id: 2, text: `RT @y: ${OTHER}` },
  ];
  await saveFound(world, here, posts, [], { by: here });
  await saveFound(world, there, posts, [], { by: here });
  await follow();
  await dismissStory(ctx, await storyOf(OTHER, topic));
  expect(await shownIn(topic)).toEqual(NOTHING);
  expect((await shownIn(elsewhere)).counted).toBe(2);
  const all = await readPostPage(db, { order: 'newest', limit: 100 });
  expect(all.map(({ post }) => post.text)).toContain(OTHER);
  world.clock.advance(DAY);
  await finishPurge(db, await requestPurge(ctx, { kind: 'topic', slug: topic }));
  expect(
    await rows(
      'SELECT count(*)::int AS n FROM strandline.topic_items WHERE dismissed_at IS NOT NULL AND topic_id NOT IN (SELECT id FROM strandline.topics)',
    ),
  ).toEqual([{ n: 0 }]);
  expect((await shownIn(elsewhere)).counted).toBe(2);
});
