/** Each thing once in its topic: which of its discoveries is first, whatever the order of saves, and after members are gone. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { groupCopies, hashFoldedText } from '../../src/model/copies.ts';
import { HOUR } from '../../src/lib/time.ts';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { finishPurge, requestPurge } from '../../src/monitor/topics/purge-topic.ts';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { MAX_COPIES, readThings } from '../../src/store/topics/copies.ts';
import type { TopicItem } from '../../src/store/save/topic-items.ts';
import { fillTextKeys } from '../../src/store/maintenance/fill-text-keys.ts';
import { findAuthor, forgetAuthor } from '../../src/store/erase/forget-author.ts';
import { leaseRun } from '../../src/store/runs/run-leases.ts';
import { insertRun } from '../../src/store/runs/run-states.ts';
import { saveFindings } from '../../src/store/save/save.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { LOCK_FEED } from '../../src/store/save/save-sql.ts';
import { until } from '../processes.ts';
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
  const { db, clock } = world;
  const now = clock.now();
  const runId = await insertRun(db.pool, { searchId: search.id, trigger: 'manual', now });
  const leased = await leaseRun(db, { runId, worker: 'test', leaseMs: 30_000, now });
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
  await saveFindings(db, {
    runId,
    fence: leased?.fence ?? 0,
    searchId: search.id,
    serviceId: search.service_id,
    findings: parseResponse({
      operation: search.operation,
      body: JSON.stringify(body),
      contentType: 'application/json',
      dialect: loadDialect('named'),
    }),
    observedAt: now,
    endedAt: now,
  });
}

type Found = TopicItem & { id: bigint; name: string; first_in_topic: boolean; baseline: boolean };

/** All discoveries of posts and links of a topic. */
async function listFound(topic: string): Promise<Found[]> {
  return rows(
    `SELECT t.id AS "topicId", d.id, coalesce(p.key, l.canonical) AS key, p.text_key AS "textKey", d.first_in_topic, d.baseline,
       coalesce(p.external_id, 'link ' || substring(l.url FROM '[0-9]+$')) AS name
     FROM strandline.discoveries d JOIN strandline.searches s ON s.id = d.search_id JOIN strandline.topics t ON t.id = s.topic_id
     LEFT JOIN strandline.posts p ON d.kind = 'post' AND p.id = d.thing LEFT JOIN strandline.links l ON d.kind = 'link' AND l.id = d.thing
     WHERE t.slug = $1 AND d.kind IN ('post', 'link') ORDER BY d.id`,
    [topic],
  );
}

/** Each thing has one first discovery, and the read says the same of it as the pure function does. */
async function expectEachOnce(topic: string): Promise<void> {
  const found = await listFound(topic);
  const expected = groupCopies(found);
  for (const members of expected) {
    const names = members
      .map(({ id, name, first_in_topic, baseline }) => `${id} ${name} ${first_in_topic} ${baseline}`)
      .join('\n');
    expect(members.filter((one) => one.first_in_topic).length, names).toBe(1);
  }
  const things = await readThings(world.db.pool, found);
  for (const members of expected)
    for (const { topicId, key } of members) {
      const thing = things.get(`${topicId} ${key}`);
      expect(thing?.members.map(({ id }) => id)).toEqual(members.map(({ id }) => id));
      expect(thing?.copies).toBe(new Set(members.map((one) => one.key)).size);
      expect(thing?.id).toBe(members.find((one) => one.first_in_topic)?.id);
    }
}

const firsts = async (topic: string) =>
  (await listFound(topic)).filter((one) => one.first_in_topic).map(({ name }) => name);

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
    const [, item] = await listFound(topic);
    const thing = item === undefined ? undefined : [...(await readThings(world.db.pool, [item])).values()][0];
    expect(thing).toMatchObject({ copies: 1 });
    const copy = (await listFound(topic)).find(({ name }) => name === `${topic}-9`);
    const things = await readThings(world.db.pool, copy === undefined ? [] : [copy]);
    expect([...things.values()][0]).toMatchObject({ copies: 27, authors: 3, copies_at_least: false });
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
              [...bySearch.values()].map(({ by, posts, links }) => {
                const search = searches[by];
                if (search === undefined) throw new Error('no such search');
                const fixed = posts.map(({ id, text }) => {
                  if (!texts.has(id)) texts.set(id, text);
                  return { id, text: texts.get(id) ?? text, author: id };
                });
                return finds(search, topic, [...new Map(fixed.map((one) => [one.id, one])).values()], links);
              }),
            );
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

  test('posts from before there were keys of texts are filled, and then each thing is first once', async () => {
    const topic = newTopic();
    const one = await newSearch(topic);
    await finds(one, topic, []);
    const posts = Array.from({ length: 6 }, (_, id): Post => ({ id: id + 1, text: 1_000 + (id % 2) }));
    await finds(one, topic, posts);
    await rows(`UPDATE strandline.posts SET text_key = NULL WHERE external_id LIKE $1`, [`${topic}-%`]);
    await rows(`UPDATE strandline.discoveries SET first_in_topic = true WHERE search_id = $1`, [one.id]);
    await rows(`INSERT INTO strandline.facts (name, value, at) VALUES ('text_keys', '0', now())`);
    expect(await fillTextKeys(world.db, 1)).toBe(false);
    expect(await fillTextKeys(world.db, 10)).toBe(true);
    expect(await firsts(topic)).toEqual([`${topic}-1`, `${topic}-2`]);
    expect(
      await rows('SELECT text_key FROM strandline.posts WHERE external_id = $1', [`${topic}-1`]),
    ).toEqual([{ text_key: hashFoldedText(textOf(1_000)) }]);
    await expectEachOnce(topic);
  });

  test('a text that has hundreds of copies is counted up to a limit, and says so', async () => {
    const topic = newTopic();
    const one = await newSearch(topic);
    await finds(one, topic, []);
    const all = Array.from({ length: MAX_COPIES + 20 }, (_, id): Post => ({ id: id + 1, text: 2_000 }));
    for (let from = 0; from < all.length; from += 200) await finds(one, topic, all.slice(from, from + 200));
    const [item] = await listFound(topic);
    const [thing] = [...(await readThings(world.db.pool, item === undefined ? [] : [item])).values()];
    expect(thing).toMatchObject({ copies: MAX_COPIES, copies_at_least: true });
    expect((await firsts(topic)).length).toBe(1);
  });
});
