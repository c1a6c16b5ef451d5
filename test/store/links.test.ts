/** Links under all their spellings: what the save keeps of them, also after a change of the rules. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { OwnLinkRule } from '../../src/model/links/link-identity.ts';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { readLeads } from '../../src/store/queries/first-finders.ts';
import { readLinkAddresses, readPostsWithLink } from '../../src/store/queries/links.ts';
import { leaseRun } from '../../src/store/runs/run-leases.ts';
import { insertRun } from '../../src/store/runs/run-states.ts';
import { saveFindings } from '../../src/store/save/save.ts';
import type { Diff } from '../../src/store/save/save-responses.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { wirePost } from '../stub-service.ts';
import { makeWorld, type World } from '../world.ts';

let world: World;
let number = 0;
let ai: Search;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.db.pool.query(
    `TRUNCATE strandline.links, strandline.link_addresses, strandline.link_sightings, strandline.post_links, strandline.discoveries,
     strandline.archive_documents CASCADE`,
  );
  ai = await newSearch('ai');
});

async function newSearch(operation: 'ai' | 'microblog'): Promise<Search> {
  const slug = `search-${++number}`;
  const { search } = await createSearch(world.ctx, {
    slug,
    operation,
    prompt: slug,
    every: '15m',
  });
  await world.db.pool.query('DELETE FROM strandline.runs WHERE search_id = $1', [search.id]);
  return search;
}

const at = (minutes: number) => new Date(Date.UTC(2026, 10, 21, 12, minutes));
const rows = async (sql: string, values: unknown[] = []) => (await world.db.pool.query(sql, values)).rows;

async function save(
  search: Search,
  body: unknown,
  minutes: number,
  linkRules: readonly OwnLinkRule[] = [],
): Promise<Diff> {
  const runId = await insertRun(world.db.pool, { searchId: search.id, trigger: 'manual', now: at(0) });
  const leased = await leaseRun(world.db, { runId, worker: 'test', leaseMs: 30_000, now: at(minutes) });
  const diff = await saveFindings(world.db, {
    runId,
    fence: leased?.fence ?? 0,
    searchId: search.id,
    serviceId: search.service_id,
    findings: parseResponse({
      operation: search.operation,
      body: JSON.stringify(body),
      contentType: 'application/json',
      dialect: loadDialect('named'),
      receivedAt: at(minutes),
    }),
    observedAt: at(minutes),
    endedAt: at(minutes),
    linkRules,
  });
  if (diff === null) throw new Error('not saved');
  return diff;
}

const results = (...links: string[]) => ({
  search_results: {
    organic_results: links.map((link) => ({ title: `Title of ${link}`, link, snippet: 'words' })),
  },
  hacker_news_search_results: {
    organic_results: links.map((link) => ({ title: `Title of ${link}`, link, snippet: 'words' })),
  },
});
test('every spelling in one response is kept, and the first is shown as it came', async () => {
  const spellings = [
    'http://www.a.example/x/?utm_source=b#c',
    'https://a.example/x',
    'https://A.example/%78',
  ];
  const diff = await save(ai, results(...spellings), 0);
  expect(diff.newLinks).toHaveLength(1);
  const [link] = await rows('SELECT id, url, canonical, site FROM strandline.links');
  expect(link).toMatchObject({ url: spellings[0], canonical: 'https://a.example/x', site: 'a.example' });
  expect(await readLinkAddresses(world.db, link.id)).toEqual([...spellings].toSorted());
  expect(await rows('SELECT url FROM strandline_analytics.links')).toEqual([{ url: spellings[0] }]);
  expect(await rows('SELECT url FROM strandline_analytics.link_addresses ORDER BY url COLLATE "C"')).toEqual(
    [...spellings].toSorted().map((url) => ({ url })),
  );
});

test('a link is shown as the earliest response spelled it, whichever was saved first', async () => {
  await save(ai, results('https://a.example/x'), 5);
  await save(ai, results('http://www.a.example/x'), 1);
  expect(await rows('SELECT url, title, first_seen_at, observed_at FROM strandline.links')).toEqual([
    {
      url: 'http://www.a.example/x',
      title: 'Title of https://a.example/x',
      first_seen_at: at(1),
      observed_at: at(5),
    },
  ]);
});

const countLinks = async () => (await rows('SELECT count(*)::int AS n FROM strandline.links'))[0].n;

test('after a change of the rules, every address that was returned keeps its link and is new to nobody', async () => {
  const own = [{ host: 'shop.example', keep: ['id'] }];
  const shop = (color: string) => `https://shop.example/p?id=1&color=${color}`;
  const [red, blue, other] = [shop('red'), shop('blue'), 'https://other.example/x'];
  expect((await save(ai, results(red, blue, other), 0)).newLinks).toHaveLength(3);
  const [{ id: blueId }] = await rows('SELECT id FROM strandline.links WHERE url = $1', [blue]);
  for (const [minutes, known] of [
    [1, [red, blue, other]],
    [2, [blue, red]],
    [3, [blue]],
  ] as const)
    expect((await save(ai, results(...known), minutes, own)).newLinks, known.join()).toEqual([]);
  expect(await countLinks()).toBe(3);
  const later = await newSearch('ai');
  expect((await save(later, results(blue), 4, own)).newLinks, 'another search has the same link').toEqual([
    blueId,
  ]);

  const [green] = (await save(ai, results(shop('green')), 5, own)).newLinks;
  expect((await save(ai, results(shop('black')), 6, own)).newLinks, 'one link by the new rules').toEqual([]);
  expect(await readLinkAddresses(world.db, green ?? 0n)).toEqual([shop('black'), shop('green')]);
  const all = [red, blue, shop('green'), shop('black'), other];
  expect((await save(ai, results(...all), 7)).newLinks, 'and without them again').toEqual([]);
  expect(await countLinks()).toBe(4);
});

test('after a change of the rules, a late response sets the first sighting of a known link and overrides nothing', async () => {
  const own = [{ host: 'shop.example', keep: ['id'] }];
  const [red, blue] = ['https://shop.example/p?id=1&color=red', 'https://shop.example/p?id=1&color=blue'];
  const say = (link: string, title: string) => ({ search: [{ link, title }] });
  await save(ai, say(red, 'a title'), 10);
  await save(ai, say(red, 'new title'), 20, own);
  expect((await save(ai, say(red, 'late title'), 5, own)).newLinks).toEqual([]);
  expect((await save(ai, say(blue, 'blue'), 30, own)).newLinks, 'never returned before').toHaveLength(1);
  expect(await rows('SELECT url, title, first_seen_at FROM strandline.links ORDER BY id')).toEqual([
    { url: red, title: 'new title', first_seen_at: at(5) },
    { url: blue, title: 'blue', first_seen_at: at(30) },
  ]);
});

test('addresses in posts are links without a sighting; who had a link first may be a post', async () => {
  const microblog = await newSearch('microblog');
  await save(microblog, { miner_tweets: [] }, 0);
  const address = 'http://www.news.example/story?utm_source=x';
  const post = wirePost('77', { entities: { urls: [{ expanded_url: address }] } });
  const diff = await save(microblog, { miner_tweets: [post] }, 1);
  expect([diff.newPosts.length, diff.newLinks]).toEqual([1, []]);
  expect(await rows('SELECT url, site FROM strandline_analytics.post_links')).toEqual([
    { url: address, site: 'news.example' },
  ]);
  expect(await rows('SELECT FROM strandline.link_sightings')).toEqual([]);
  const [link] = await rows('SELECT id FROM strandline.links');
  expect(await readPostsWithLink(world.db, link.id)).toMatchObject([{ text: 'post 77' }]);

  await save(microblog, { miner_tweets: [post] }, 2);
  expect(await rows('SELECT count(*)::int AS n FROM strandline.post_links')).toEqual([{ n: 1 }]);
});

test('a lead counts from the first post with the link', async () => {
  const { search } = await createSearch(world.ctx, {
    slug: `posts-${++number}`,
    operation: 'microblog',
    prompt: 'x',
    every: '15m',
    topic: 'lead',
  });
  const { search: found } = await createSearch(world.ctx, {
    slug: `links-${number}`,
    operation: 'ai',
    prompt: 'x',
    every: '15m',
    topic: 'lead',
  });
  await save(search, { miner_tweets: [] }, 0);
  await save(found, results('https://other.example/'), 0);
  await save(
    search,
    {
      miner_tweets: [
        wirePost('78', { entities: { urls: [{ expanded_url: 'https://news.example/story' }] } }),
      ],
    },
    1,
  );
  await save(found, results('https://www.news.example/story'), 11);
  const { leads } = await readLeads(world.db, { topics: ['lead'], from: at(0), until: at(60) });
  expect(leads).toEqual([
    { of: 'source', ahead: 'microblog', behind: expect.any(String), links: 1, median_seconds: 600 },
  ]);
});
