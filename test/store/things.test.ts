/** Each thing once in its topic: which of its discoveries is first, whatever the order of saves, and after members are gone. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashFoldedText } from '../../src/model/folded-text.ts';
import { separate } from '../../src/lib/disjoint-sets.ts';
import { HOUR } from '../../src/lib/time.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { finishPurge, requestPurge } from '../../src/monitor/topics/purge-topic.ts';
import { readCopies } from '../../src/store/stories/one-thing.ts';
import { followStories } from '../../src/store/stories/follow-stories.ts';
import { MAX_SUMMARIZED } from '../../src/store/stories/write-stories.ts';
import { findAuthor, forgetAuthor } from '../../src/store/erase/forget-author.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { LOCK_FEED } from '../../src/store/save/save-sql.ts';
import { until } from '../processes.ts';
import { saveBody } from './finds.ts';
import { wirePost } from '../stub-service.ts';
import { makeWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
});
afterAll(() => world.close());
const rows = async (sql: string, values: unknown[] = []) => (await world.db.pool.query(sql, values)).rows;

let topics = 0;
let slugs = 0;
const newTopic = () => `t${(topics += 1)}`;

async function newSearch(topic: string, operation: 'ai' | 'microblog' = 'microblog'): Promise<Search> {
  const slug = `s${(slugs += 1)}`;
  const { search } = await createSearch(world.ctx, { slug, topic, operation, prompt: slug, every: '1h' });
  await rows('DELETE FROM strandline.runs WHERE search_id = $1', [search.id]);
  return search;
}

/** A post by its ID, of an author and with a text by their numbers; or a link to it. */
type Post = { id: number; author?: number; text?: number | string };
const address = (topic: string, id: number) => `https://x.com/someone/status/${topics}${topic.length}${id}`;
const textOf = (n: number | string) =>
  typeof n === 'string' ? n : `Sentence ${n} says that the ferry of number ${n} is late`;

async function finds(
  search: Search,
  topic: string,
  posts: readonly Post[],
  links: readonly number[] = [],
): Promise<void> {
  const body =
    search.operation === 'ai'
      ? { hacker_news_search_results: { organic_results: links.map((id) => ({ link: address(topic, id) })) } }
      : {
          miner_tweets: posts.map(({ id, author = id, text = id }) =>
            wirePost(`${topic}-${id}`, {
              url: address(topic, id),
              text: textOf(text),
              user: {
                id: `${topic}-a${author}`,
                username: `${topic}_a${author}`,
                name: 'n',
                followers_count: 1,
              },
            }),
          ),
        };
  await saveBody(world, search, body);
}

const follow = () => followStories(world.db, { batches: 100, waits: true });

type Found = {
  id: bigint;
  key: string;
  text: string | null;
  name: string;
  first_in_topic: boolean;
  baseline: boolean;
};

/** All discoveries of posts and links of a topic. */
async function listFound(topic: string): Promise<Found[]> {
  return rows(
    `SELECT d.id, coalesce(p.key, l.canonical) AS key, p.text, d.first_in_topic, d.baseline,
       coalesce(p.external_id, 'link ' || substring(l.url FROM '[0-9]+$')) AS name
     FROM strandline.discoveries d JOIN strandline.searches s ON s.id = d.search_id JOIN strandline.topics t ON t.id = s.topic_id
     LEFT JOIN strandline.posts p ON d.kind = 'post' AND p.id = d.thing LEFT JOIN strandline.links l ON d.kind = 'link' AND l.id = d.thing
     WHERE t.slug = $1 AND d.kind IN ('post', 'link') ORDER BY d.id`,
    [topic],
  );
}

/** By definition: what a chain of pairs joins that share a link identity or a folded text. */
function groupThings(found: readonly Found[]): Found[][] {
  const sets = separate(found);
  const firstOf = new Map<string, number>();
  found.forEach(({ key, text }, i) => {
    const textKey = text === null ? null : hashFoldedText(text);
    for (const name of [key, ...(textKey === null ? [] : [`text ${textKey}`])]) {
      const known = firstOf.get(name);
      if (known === undefined) firstOf.set(name, i);
      else sets.join(known, i);
    }
  });
  return sets.list();
}

/** Each thing has one first discovery, and is counted. */
async function expectEachOnce(topic: string): Promise<void> {
  await follow();
  const found = await listFound(topic);
  const copies = await readCopies(
    world.db.pool,
    found.map(({ id }) => id),
  );
  for (const members of groupThings(found)) {
    const names = members
      .map(({ id, name, first_in_topic, baseline }) => `${id} ${name} ${first_in_topic} ${baseline}`)
      .join('\n');
    expect(members.filter((one) => one.first_in_topic).length, names).toBe(1);
    const counts = new Set(members.map(({ id }) => copies.get(id)?.copies));
    expect(counts, names).toEqual(new Set([new Set(members.map(({ key }) => key)).size]));
    expect(new Set(members.map(({ id }) => copies.get(id)?.story_id)).size, names).toBe(1);
  }
}

const firsts = async (topic: string) =>
  (await follow(), await listFound(topic)).filter((one) => one.first_in_topic).map(({ name }) => name);

describe('what a topic finds', () => {
  test('27 posts with one text by three authors are one thing, also when another search finds them', async () => {
    const topic = newTopic();
    const [one, other] = [await newSearch(topic), await newSearch(topic)];
    await finds(one, topic, [{ id: 100 }]);
    await finds(other, topic, [{ id: 100 }]);
    const posts = Array.from({ length: 27 }, (_, id): Post => ({ id: id + 1, author: id % 3, text: 0 }));
    await finds(one, topic, posts.slice(0, 20));
    await finds(other, topic, posts.toReversed());
    await finds(one, topic, posts);
    expect(await firsts(topic)).toEqual([`${topic}-100`, `${topic}-1`]);
    await expectEachOnce(topic);
    const found = await listFound(topic);
    const copies = await readCopies(
      world.db.pool,
      found.map(({ id }) => id),
    );
    const countOf = (name: string) => copies.get(found.find((each) => each.name === name)?.id ?? 0n);
    expect(countOf(`${topic}-100`)).toEqual({
      copies: 1,
      authors: 1,
      copies_at_least: false,
      story_id: null,
    });
    expect(countOf(`${topic}-9`)).toMatchObject({ copies: 27, authors: 3, copies_at_least: false });
  });

  test('a post that joins two things makes them one, with the first one\u2019s id', async () => {
    const topic = newTopic();
    const [micro, ai] = [await newSearch(topic), await newSearch(topic, 'ai')];
    await finds(micro, topic, [{ id: 100 }]);
    await finds(ai, topic, [], [200]);
    await finds(micro, topic, [{ id: 1, text: 7 }]);
    await finds(ai, topic, [], [2]);
    expect(await firsts(topic)).toEqual([
      `${topic}-100`,
      `link ${topics}${topic.length}200`,
      `${topic}-1`,
      `link ${topics}${topic.length}2`,
    ]);
    await finds(micro, topic, [{ id: 2, text: 7 }]);
    expect(await firsts(topic)).toEqual([`${topic}-100`, `link ${topics}${topic.length}200`, `${topic}-1`]);
    await expectEachOnce(topic);
  });

  test('posts join things whose keys another transaction inserts at the same moment', async () => {
    const topic = newTopic();
    const [micro, ai] = [await newSearch(topic), await newSearch(topic, 'ai')];
    await finds(micro, topic, [{ id: 100 }]);
    await finds(ai, topic, [], [200]);
    const waiting = (n: number) => async () =>
      (
        await rows(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
      ).length === n;
    const holder = await world.db.pool.connect();
    await holder.query('BEGIN');
    await holder.query(LOCK_FEED);
    const links = finds(ai, topic, [], [1, 2]);
    await until('the links wait for the feed', waiting(1));
    // Waits for the keys of the links' transaction, which waits for the feed.
    const posts = finds(micro, topic, [
      { id: 1, text: 8 },
      { id: 2, text: 8 },
    ]);
    await until('the posts wait, too', waiting(2));
    await holder.query('COMMIT');
    holder.release();
    await Promise.all([links, posts]);
    expect(await firsts(topic)).toEqual([
      `${topic}-100`,
      `link ${topics}${topic.length}200`,
      `link ${topics}${topic.length}1`,
    ]);
    await expectEachOnce(topic);
  });

  test('a story that only a baseline contained is reported by what finds it later, once', async () => {
    const topic = newTopic();
    const one = await newSearch(topic);
    await finds(one, topic, [{ id: 100 }]);
    const late = await newSearch(topic);
    await rows(
      `UPDATE strandline.search_versions SET created_at = (SELECT max(ended_at) + interval '1 second' FROM strandline.runs)
       WHERE search_id = $1`,
      [late.id],
    );
    world.clock.advance(HOUR);
    await finds(late, topic, [
      { id: 1, text: 940 },
      { id: 2, text: 940 },
    ]);
    expect(await firsts(topic)).toEqual([`${topic}-100`]);
    await finds(one, topic, [{ id: 2, text: 940 }]);
    expect(await firsts(topic)).toEqual([`${topic}-100`, `${topic}-2`]);
    await finds(one, topic, [
      { id: 1, text: 940 },
      { id: 3, text: 940 },
    ]);
    expect(await firsts(topic)).toEqual([`${topic}-100`, `${topic}-2`]);
  });

  test('texts that are too short, and texts of other topics, are no copies', async () => {
    const [topic, other] = [newTopic(), newTopic()];
    const [one, elsewhere] = [await newSearch(topic), await newSearch(other)];
    await finds(elsewhere, other, [{ id: 1, text: 5 }]);
    await finds(one, topic, [
      { id: 1, text: 5 },
      { id: 2, text: 'ok' },
      { id: 3, text: 'ok' },
      { id: 4, text: '' },
      { id: 5, text: '' },
    ]);
    expect((await firsts(topic)).length).toBe(5);
    await expectEachOnce(topic);
  });

  test('whatever is found in whatever order, at once or in turn, with authors forgotten', async () => {
    const post = fc.record({ id: fc.integer({ min: 1, max: 12 }), text: fc.integer({ min: 1, max: 5 }) });
    const run = fc.record({
      by: fc.nat(2),
      posts: fc.array(post, { maxLength: 8 }),
      links: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(run, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 3 }),
        async (rounds, forgotten) => {
          const topic = newTopic();
          const searches = [await newSearch(topic), await newSearch(topic), await newSearch(topic, 'ai')];
          for (const search of searches) await finds(search, topic, []);
          // The text of a post does not change.
          const texts = new Map<number, number>();
          for (const round of rounds) {
            const bySearch = new Map(round.map((one) => [one.by, one]));
            await Promise.all(
              [...bySearch.values()].map(async ({ by, posts, links }) => {
                if (round.length === 3) await follow();
                const search = searches[by];
                if (search === undefined) throw new Error('no such search');
                const fixed = posts.map(({ id, text }) => {
                  if (!texts.has(id)) texts.set(id, text);
                  return { id, text: texts.get(id) ?? text, author: id };
                });
                return finds(search, topic, [...new Map(fixed.map((one) => [one.id, one])).values()], links);
              }),
            );
            if (round.length === 2) await follow();
            world.clock.advance(HOUR);
          }
          await expectEachOnce(topic);
          for (const id of forgotten) {
            const author = await findAuthor(world.db, 'hosted', `${topic}-a${id}`).catch(() => undefined);
            if (author !== undefined) await forgetAuthor(world.ctx, author);
          }
          await expectEachOnce(topic);
        },
      ),
      { numRuns: 40, seed: 11 },
    );
  });

  test('a text that is edited joins its new copies, and leaves the former ones, in all topics', async () => {
    const [topic, other] = [newTopic(), newTopic()];
    const [one, two] = [await newSearch(topic), await newSearch(topic)];
    const elsewhere = await newSearch(other);
    for (const search of [one, two]) await finds(search, topic, []);
    await finds(elsewhere, topic, []);
    await finds(one, topic, [{ id: 1, text: 910 }]);
    await finds(two, topic, [
      { id: 2, text: 911 },
      { id: 3, text: 911 },
    ]);
    await finds(elsewhere, topic, [{ id: 1, text: 910 }]);
    expect(await firsts(topic)).toEqual([`${topic}-1`, `${topic}-2`]);

    world.clock.advance(HOUR);
    await finds(two, topic, [{ id: 2, text: 910 }]);
    expect(await firsts(topic), 'it joins an older one, and leaves one behind').toEqual([
      `${topic}-1`,
      `${topic}-3`,
    ]);
    await expectEachOnce(topic);
    world.clock.advance(HOUR);
    await finds(one, topic, [{ id: 1, text: 912 }]);
    expect(await firsts(topic), 'the first leaves its copy').toEqual([
      `${topic}-1`,
      `${topic}-2`,
      `${topic}-3`,
    ]);
    world.clock.advance(HOUR);
    await finds(elsewhere, topic, [{ id: 1, text: 911 }]);
    expect(await firsts(topic), 'another topic saw the edit').toEqual([`${topic}-1`, `${topic}-2`]);
    await expectEachOnce(topic);
    await expectEachOnce(other);
  });

  test('what is purged leaves the thing to the next member', async () => {
    const topic = newTopic();
    const [one, two] = [await newSearch(topic), await newSearch(topic)];
    for (const search of [one, two]) await finds(search, topic, []);
    await finds(one, topic, [{ id: 1, text: 920 }]);
    await finds(two, topic, [
      { id: 2, text: 920 },
      { id: 3, text: 920 },
    ]);
    expect(await firsts(topic)).toEqual([`${topic}-1`]);
    await finishPurge(world.db, await requestPurge(world.ctx, { kind: 'search', slug: one.slug }));
    expect(await firsts(topic)).toEqual([`${topic}-2`]);
    await expectEachOnce(topic);
  });

  test('a text that has hundreds of copies is counted up to a limit, and says so', async () => {
    const topic = newTopic();
    const one = await newSearch(topic);
    await finds(one, topic, []);
    const all = Array.from({ length: MAX_SUMMARIZED + 20 }, (_, id): Post => ({ id: id + 1, text: 2_000 }));
    for (let from = 0; from < all.length; from += 200) await finds(one, topic, all.slice(from, from + 200));
    const [item] = await listFound(topic);
    await follow();
    const copies = await readCopies(world.db.pool, item === undefined ? [] : [item.id]);
    expect([...copies.values()]).toMatchObject([{ copies: MAX_SUMMARIZED + 20, copies_at_least: true }]);
    expect((await firsts(topic)).length).toBe(1);
  });
});
