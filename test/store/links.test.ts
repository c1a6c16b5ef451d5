/** Links under all their spellings: what the save keeps of them, and what `links rekey` makes of stored ones. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { BUILT_IN_RULES, identifyAddress, type LinkRules } from '../../src/model/links/link-identity.ts';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { fillArchive } from '../../src/store/archive/index-archive.ts';
import {
  describeOutdatedRules,
  readStoredRules,
  writeStoredRules,
} from '../../src/store/maintenance/link-rules.ts';
import { countRekeyed, rekeyLinks } from '../../src/store/maintenance/rekey-links.ts';
import { readLeads } from '../../src/store/queries/first-finders.ts';
import { readLinkAddresses, readPostsWithLink } from '../../src/store/queries/links.ts';
import { claimRun } from '../../src/store/runs/run-claims.ts';
import { insertRun } from '../../src/store/runs/run-states.ts';
import { saveFindings } from '../../src/store/save/save.ts';
import type { Diff } from '../../src/store/save/save-responses.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { wirePost } from '../stub-service.ts';
import { makeWorld, type World } from '../world.ts';

const VERSION_1: LinkRules = { version: 1, own: [] };

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
     strandline.archive_documents, strandline.archive_lexemes CASCADE`,
  );
  await writeStoredRules(world.db.pool, BUILT_IN_RULES, at(0));
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
  linkRules = BUILT_IN_RULES.own,
): Promise<Diff> {
  const runId = await insertRun(world.db.pool, { searchId: search.id, trigger: 'manual', now: at(0) });
  const claimed = await claimRun(world.db, { runId, worker: 'test', leaseMs: 30_000, now: at(minutes) });
  const diff = await saveFindings(world.db, {
    runId,
    fence: claimed?.fence ?? 0,
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
const cites = (...links: string[]) => ({
  ...results(...links),
  completion_links: links,
  search_completion_links: links,
  completion: {
    summary: links.map((link) => `What it says of these trains today [1](${link}).`).join(' '),
    key_sources: links.map((url) => ({ text: `key ${url}`, url })),
  },
});

/** Makes stored links what a program of version 1 would have left. */
async function ageLinks(): Promise<void> {
  for (const { id, url } of await rows('SELECT id, url FROM strandline.links'))
    await world.db.pool.query('UPDATE strandline.links SET canonical = $2 WHERE id = $1', [
      id,
      identifyAddress(url, VERSION_1),
    ]);
  await writeStoredRules(world.db.pool, VERSION_1, at(0));
}

const by = () => ({
  db: world.db,
  clock: world.ctx.clock,
  actor: { kind: 'program', name: 'test' } as const,
});
const rekey = (rules = BUILT_IN_RULES) => rekeyLinks(by(), rules);

/** Rows that name a link that is not there. */
async function dangling(): Promise<unknown[]> {
  return rows(`
    SELECT 'sightings' AS of, link_id FROM strandline.link_sightings WHERE link_id NOT IN (SELECT id FROM strandline.links)
    UNION ALL SELECT 'results', u FROM strandline.run_results, unnest(link_ids) u WHERE u NOT IN (SELECT id FROM strandline.links)
      AND run_id IN (SELECT first_run_id FROM strandline.link_sightings)
    UNION ALL SELECT 'cited', u FROM strandline.completions, unnest(completion_links || search_completion_links) u
      WHERE u NOT IN (SELECT id FROM strandline.links) AND search_id = ${ai.id}
    UNION ALL SELECT 'key items', link_id FROM strandline.key_items k JOIN strandline.completions c ON c.id = k.completion_id
      WHERE c.search_id = ${ai.id} AND link_id NOT IN (SELECT id FROM strandline.links)
    UNION ALL SELECT 'claims', u FROM strandline.completion_claims k JOIN strandline.completions c ON c.id = k.completion_id, unnest(link_ids) u
      WHERE c.search_id = ${ai.id} AND u NOT IN (SELECT id FROM strandline.links)
    UNION ALL SELECT 'observed', u FROM strandline.observed_items, unnest(link_ids) u WHERE u NOT IN (SELECT id FROM strandline.links)
      AND run_id IN (SELECT first_run_id FROM strandline.link_sightings)
    UNION ALL SELECT 'discoveries', thing FROM strandline.discoveries WHERE kind = 'link' AND thing NOT IN (SELECT id FROM strandline.links)
    UNION ALL SELECT 'archive', thing FROM strandline.archive_documents WHERE kind = 'link' AND thing NOT IN (SELECT id FROM strandline.links)`);
}

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

test('after an upgrade no known link is new, under any spelling that was one link before', async () => {
  const known = [
    'https://www.a.example/x',
    'https://m.youtube.com/watch?v=abc',
    'https://arxiv.org/abs/2507.13043v1',
  ];
  await save(ai, results(...known), 0);
  await ageLinks();
  expect((await save(ai, results(...known), 1)).newLinks, 'the same addresses').toEqual([]);
  const others = [
    'http://www.a.example/x/?utm_source=y',
    'http://m.youtube.com/watch?v=abc#t',
    'https://arxiv.org/abs/2507.13043v1?utm_id=2',
  ];
  expect((await save(ai, results(...others), 2)).newLinks, 'spellings of them').toEqual([]);
  const both = ['https://youtu.be/abc', 'https://m.youtube.com/watch?v=abc'];
  expect((await save(ai, results(...both), 3)).newLinks, 'beside a known address').toEqual([]);
  expect((await save(ai, results('https://youtu.be/abc'), 4)).newLinks).toEqual([]);
  expect(await rows('SELECT count(*)::int AS n FROM strandline.links')).toEqual([{ n: 3 }]);
});

test('rekeying merges what is one now: the earliest sighting stays, all that named the others names it, and nothing is new', async () => {
  const [first, second, third] = [
    'https://x.com/a/status/1',
    'https://twitter.com/a/status/1?s=20',
    'https://mobile.twitter.com/a/status/1',
  ];
  const microblog = await newSearch('microblog');
  const elsewhere = await newSearch('ai');
  const withLink = wirePost('1', { entities: { urls: [{ expanded_url: third }] } });
  const steps = [
    () => save(ai, cites(first, 'https://b.example/1'), 0),
    () => save(elsewhere, cites(second), 1),
    () => save(elsewhere, cites(third), 1),
    () => save(ai, cites(second, third, first), 2),
    () => save(microblog, { miner_tweets: [withLink] }, 3),
  ];
  for (const step of steps) {
    await step();
    await ageLinks();
  }
  await fillArchive(world.db, { batches: 5 });
  expect(await rows('SELECT canonical FROM strandline.links ORDER BY id')).toHaveLength(4);
  const feed = await rows('SELECT id FROM strandline.discoveries ORDER BY id');
  const expected = { links: 4, changed: 1, merged: 2 };
  expect(await countRekeyed(world.db, BUILT_IN_RULES)).toEqual(expected);
  expect(await describeOutdatedRules(world.db, BUILT_IN_RULES, at(0))).toContain('version 1, not 5');

  expect(await rekey()).toEqual(expected);
  const [link] = await rows(`SELECT * FROM strandline.links WHERE canonical = 'https://x.com/i/status/1'`);
  expect(link).toMatchObject({ url: first, first_seen_at: at(0), merged_into: null });
  expect(await rows('SELECT count(*)::int AS n FROM strandline.links')).toEqual([{ n: 2 }]);
  expect(await readLinkAddresses(world.db, link.id)).toEqual([third, second, first].toSorted());
  expect(
    await rows(
      'SELECT search_id, first_seen_at FROM strandline.link_sightings WHERE link_id = $1 ORDER BY search_id',
      [link.id],
    ),
  ).toEqual([
    { search_id: ai.id, first_seen_at: at(0) },
    { search_id: elsewhere.id, first_seen_at: at(1) },
  ]);
  const merged = await rows('SELECT id FROM strandline.discoveries ORDER BY id');
  expect(merged.length).toBeLessThan(feed.length);
  expect(feed).toEqual(expect.arrayContaining(merged));
  expect(
    await rows(
      `SELECT search_id FROM strandline.discoveries WHERE kind = 'link' AND thing = $1 ORDER BY search_id`,
      [link.id],
    ),
  ).toEqual([{ search_id: ai.id }, { search_id: elsewhere.id }]);
  const [last] = await rows(
    'SELECT link_ids, link_sources FROM strandline.run_results WHERE link_ids @> ARRAY[$1::bigint] ORDER BY run_id DESC LIMIT 1',
    [link.id],
  );
  expect(last.link_ids).toEqual([link.id]);
  expect(last.link_sources).toHaveLength(1);
  expect(await rows('SELECT link_id FROM strandline.post_links')).toEqual([{ link_id: link.id }]);
  expect(
    await rows(
      'SELECT DISTINCT completion_links FROM strandline.completions WHERE search_id = $1 AND observed_at = $2',
      [ai.id, at(2)],
    ),
  ).toEqual([{ completion_links: [link.id] }]);
  expect(await dangling()).toEqual([]);
  expect(await readStoredRules(world.db.pool)).toEqual(BUILT_IN_RULES);
  expect(await describeOutdatedRules(world.db, BUILT_IN_RULES, at(0))).toBeNull();

  for (const spelling of [
    first,
    second,
    third,
    'https://nitter.net/a/status/1',
    'https://x.com/renamed/status/1',
  ])
    for (const search of [ai, elsewhere])
      expect((await save(search, results(spelling), 9)).newLinks, spelling).toEqual([]);
  expect(await rekey(), 'a second time').toEqual({ links: 2, changed: 0, merged: 0 });
});

test('after rekeying, a late response overrides nothing that a later one confirmed under another spelling', async () => {
  const [first, second] = ['https://twitter.com/a/status/1', 'https://mobile.twitter.com/a/status/1'];
  const say = (link: string, title: string) => ({ search: [{ link, title }] });
  await save(ai, say(first, 'a title'), 0);
  await ageLinks();
  await save(ai, say(second, 'new title'), 20);
  await ageLinks();
  await save(
    ai,
    {
      search: [
        { link: first, title: '' },
        { link: second, title: 'new title' },
      ].toReversed(),
    },
    30,
  );
  expect(await rekey()).toMatchObject({ merged: 1 });
  expect(await dangling()).toEqual([]);
  await save(ai, say(first, 'late title'), 25);
  expect(await rows('SELECT title FROM strandline.links')).toEqual([{ title: 'new title' }]);
  expect(
    await rows(
      `SELECT cardinality(link_ids) AS ids, cardinality(link_known) AS known FROM strandline.observed_items o
       WHERE run_id IN (SELECT id FROM strandline.runs WHERE search_id = $1) AND observed_at = $2`,
      [ai.id, at(20)],
    ),
  ).toEqual([{ ids: 1, known: 1 }]);
});

test('a merged link has the newest known value of each member, its time of publication with its precision, and its new site', async () => {
  const say = (link: string, said: object) => ({ search: [{ link, ...said }] });
  const [first, second] = ['https://twitter.com/a/status/1', 'https://mobile.twitter.com/a/status/1'];
  await save(
    ai,
    say(first, { title: 'old', source: 'The Tide', highlights: ['one', 'two'], date: '2026-11-01' }),
    0,
  );
  await save(ai, say(second, { title: 'new', date: '2 days ago', highlights: ['three'] }), 5);
  const parts = () =>
    rows(
      `SELECT title, publisher, highlights, published_at, published_precision, site FROM strandline.links`,
    );
  const [together] = await parts();
  await world.db.pool.query(
    'TRUNCATE strandline.links, strandline.link_addresses, strandline.observed_items CASCADE',
  );

  await save(
    ai,
    say(first, { title: 'old', source: 'The Tide', highlights: ['one', 'two'], date: '2026-11-01' }),
    0,
  );
  await ageLinks();
  await save(ai, say(second, { title: 'new', date: '2 days ago', highlights: ['three'] }), 5);
  await ageLinks();
  await world.db.pool.query(
    `UPDATE strandline.links SET site = CASE url WHEN $1 THEN 'twitter.com' ELSE 'mobile.twitter.com' END`,
    [first],
  );
  expect(await parts()).toHaveLength(2);
  await rekey();
  expect(together).toMatchObject({
    title: 'new',
    publisher: 'The Tide',
    highlights: ['three'],
    site: 'x.com',
  });
  expect(await parts()).toEqual([together]);
  await save(ai, say(first, { title: 'between', source: 'The Ebb' }), 3);
  expect(await parts(), 'a late response').toEqual([{ ...together, publisher: 'The Ebb' }]);
});

test('a link takes an identity that another one gives up', async () => {
  await save(ai, results('https://www.app.example/', 'https://app.example/#/one'), 0);
  await ageLinks();
  await rekey();
  expect(await rows('SELECT canonical FROM strandline.links ORDER BY canonical')).toEqual([
    { canonical: 'https://app.example' },
    { canonical: 'https://app.example#/one' },
  ]);
});

test('rekeying that breaks off is completed by the next', async () => {
  await save(ai, cites('https://youtu.be/abc'), 0);
  await ageLinks();
  await save(ai, cites('https://www.youtube.com/shorts/abc'), 1);
  await ageLinks();
  await world.db.pool.query(`CREATE FUNCTION strandline.refuse_key_items() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'broken off'; END $$;
    CREATE TRIGGER refuse BEFORE UPDATE ON strandline.key_items FOR EACH ROW EXECUTE FUNCTION strandline.refuse_key_items()`);
  await expect(rekey()).rejects.toThrow('broken off');
  expect(await readStoredRules(world.db.pool)).toEqual(VERSION_1);
  expect((await save(ai, results('https://youtu.be/abc?si=x'), 2)).newLinks, 'meanwhile').toEqual([]);
  await world.db.pool.query('DROP TRIGGER refuse ON strandline.key_items');
  await rekey();
  expect(await rows('SELECT canonical FROM strandline.links')).toEqual([
    { canonical: 'https://youtube.com/watch?v=abc' },
  ]);
  expect(await dangling()).toEqual([]);
});

test('saves go on while links are rekeyed, and find nothing new', async () => {
  const known = Array.from({ length: 60 }, (_, n) => [
    `https://www.a.example/${n}`,
    `https://youtu.be/v${n}`,
  ]).flat();
  await save(ai, results(...known), 0);
  await ageLinks();
  const spelled = known.map((url) => `${url}?utm_source=z`);
  const diffs: Diff[] = [];
  const saving = async () => {
    for (let n = 1; n <= 10; n += 1) diffs.push(await save(ai, results(...spelled, ...known), n));
  };
  await Promise.all([rekey(), saving()]);
  expect(diffs.flatMap(({ newLinks }) => newLinks)).toEqual([]);
  expect(await rows('SELECT count(*)::int AS n FROM strandline.links')).toEqual([{ n: 120 }]);
});

test('rules of the configuration apply to what is saved, and to what is stored once it is rekeyed', async () => {
  const own = [{ host: 'shop.example', keep: ['id'] }];
  await save(ai, results('https://shop.example/p?id=1&color=red'), 0);
  await save(ai, results('https://shop.example/p?id=1&color=blue'), 1);
  expect(await describeOutdatedRules(world.db, { ...BUILT_IN_RULES, own }, at(0))).toContain('LINK_RULES');
  expect((await save(ai, results('https://shop.example/p?id=2&color=red'), 2, own)).newLinks).toHaveLength(1);
  expect((await save(ai, results('https://shop.example/p?id=2&color=blue'), 3, own)).newLinks).toEqual([]);
  // As after a pause that was longer than raw responses are kept.
  await world.db.pool.query('TRUNCATE strandline.observed_items');
  expect(await rekey({ ...BUILT_IN_RULES, own })).toEqual({ links: 3, changed: 1, merged: 1 });
  expect((await save(ai, results('https://shop.example/p?id=1&color=green'), 4, own)).newLinks).toEqual([]);
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
