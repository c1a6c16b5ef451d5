/** Each item is reported once per topic: which discovery is `first_in_topic`, whatever finds the item in whatever order. */
import { beforeEach, describe, expect, test } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { parseLateResponses } from '../../src/monitor/runs/late-and-replay.ts';
import { createSearch, editSearch } from '../../src/monitor/topics/save-search.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import { type Id, openDatabase } from '../../src/store/db/database.ts';
import { fillTopicItems } from '../../src/store/maintenance/fill-topic-items.ts';
import { NAMED_POST_SQL } from '../../src/store/queries/named-posts.ts';
import { storeResponse } from '../../src/store/runs/responses.ts';
import { until } from '../processes.ts';
import { json, wirePost } from '../stub-service.ts';
import { stubbedWorld } from '../stubbed-world.ts';
import { START } from '../world.ts';

const { stub, world, rows } = await stubbedWorld();
const { ctx, clock } = world;

let topic = '';
let topics = 0;
let minutes = 0;
beforeEach(() => {
  topics += 1;
  topic = `topic-${topics}`;
  minutes = 0;
});

/** Its address on the service; without an argument, that of no other post of the test file. */
const address = (id: string) => `https://x.com/someone/status/${topics}00${id}`;
const posts = (...ids: string[]) => ({
  miner_tweets: ids.map((id) => wirePost(`${topics}00${id}`, { url: address(id) })),
});
const links = (...urls: string[]) => ({
  hacker_news_search_results: {
    organic_results: urls.map((link) => ({ title: `Title of ${link}`, link, snippet: 's' })),
  },
});

test('the post that a link names is found by its key, even if nothing is known about keys yet', async () => {
  await execute(await newSearch('a'), posts('1'));
  const client = await world.db.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO strandline.posts (service_id, external_id, text, first_seen_at, observed_at)
       SELECT service_id, 'other-' || n, repeat('x', 500), now(), now() FROM (SELECT service_id FROM strandline.posts LIMIT 1) p, generate_series(1, 20000) n`,
    );
    for (const statement of [
      'SELECT named_post_id FROM strandline_analytics.discoveries',
      `SELECT ${NAMED_POST_SQL} FROM strandline.links l`,
    ]) {
      const { rows: plan } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${statement}`);
      expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toContain('posts_key');
    }
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});

/** A search of the topic, made now. Its first run is queued. */
async function newSearch(name: string, operation: 'ai' | 'microblog' = 'microblog'): Promise<Id> {
  const slug = `${topic}-${name}`;
  return (await createSearch(ctx, { slug, topic, operation, prompt: name, every: '15m' })).firstRunId;
}

function passMinute(): void {
  minutes += 1;
  clock.set(new Date(Date.parse(START) + minutes * MINUTE));
}

/** One that is made after the topic has results. */
async function addSearch(name: string, operation: 'ai' | 'microblog' = 'microblog'): Promise<Id> {
  passMinute();
  return newSearch(name, operation);
}

async function execute(runId: Id, answer: unknown): Promise<Id> {
  passMinute();
  stub.answers(json(answer));
  await executeRun(ctx, runId);
  return runId;
}

const runNow = async (name: string) => (await insertManualRun(ctx, `${topic}-${name}`)).runId;
const runs = async (name: string, answer: unknown) => execute(await runNow(name), answer);

/** Discoveries of items in order: search, kind, external ID or address, with `*` if first in the topic. */
async function discoveries(): Promise<string[]> {
  const found = await rows(
    `SELECT d.search, d.kind, coalesce(substr(p.external_id, $2), l.url) AS name, d.first_in_topic
     FROM strandline_analytics.discoveries d
     LEFT JOIN strandline.posts p ON p.id = d.post_id LEFT JOIN strandline.links l ON l.id = d.link_id
     WHERE d.topic = $1 AND d.kind IN ('post', 'link') ORDER BY d.id`,
    [topic, `${topics}00`.length + 1],
  );
  return found.map(
    (row) =>
      `${row.search.slice(topic.length + 1)} ${row.name.replace(address(''), '')}${row.first_in_topic === true ? '*' : ''}`,
  );
}

test('the two searches that begin a topic report what either of them finds, each item once', async () => {
  const [micro, ai] = [await newSearch('micro'), await newSearch('ai', 'ai')];
  await execute(micro, posts('1', '2'));
  await execute(ai, links(address('2'), address('3')));
  await runs('micro', posts('1', '2', '3', '4'));
  await runs('ai', links(address('4'), 'https://press.example/a'));
  expect(await discoveries()).toEqual([
    'micro 1*',
    'micro 2*',
    'ai 2',
    'ai 3*',
    'micro 3',
    'micro 4*',
    'ai 4',
    'ai https://press.example/a*',
  ]);
});

test('a post is known by its address under any handle and host; a post and a link to it in one response are one item', async () => {
  await execute(await newSearch('ai', 'ai'), links());
  await runs('ai', { ...posts('5'), ...links(`https://twitter.com/other/status/${topics}005?s=20`) });
  const found = await discoveries();
  expect(found.filter((name) => name.endsWith('*'))).toHaveLength(1);
  await execute(await newSearch('micro'), posts('5'));
  expect((await discoveries()).at(-1)).toBe('micro 5');
});

describe('the baseline of a search that is added later', () => {
  beforeEach(async () => {
    await execute(await newSearch('old'), posts('1'));
  });

  test('reports nothing, and leaves its items to the next search that finds them', async () => {
    await execute(await addSearch('added'), posts('1', '2', '3'));
    await runs('old', posts('2'));
    await runs('added', posts('4'));
    await runs('old', posts('4'));
    expect(await discoveries()).toEqual([
      'old 1*',
      'added 1',
      'added 2',
      'added 3',
      'old 2*',
      'added 4*',
      'old 4',
    ]);
  });

  test('reports nothing if its request was edited, either', async () => {
    passMinute();
    await editSearch(ctx, `${topic}-old`, { prompt: 'another' });
    await runs('old', posts('1', '2'));
    expect(await discoveries()).toEqual(['old 1*', 'old 2']);
  });
});

test('posts without an address of their own are different items, in each service', async () => {
  await execute(await newSearch('a'), posts());
  const at = (id: string, url: string | null) => wirePost(`${topics}00${id}`, { url });
  const place = 'https://forum.example/thread/1';
  await runs('a', {
    miner_tweets: [at('1', null), at('2', null), at('3', `${place}#p3`), at('4', `${place}#p4`)],
  });
  expect(await discoveries()).toEqual(['a 1*', 'a 2*', 'a 3*', 'a 4*']);
  expect(
    await rows(
      `SELECT count(DISTINCT key)::int AS keys FROM strandline.posts WHERE external_id LIKE '${topics}00%'`,
    ),
  ).toEqual([{ keys: 4 }]);
});

test('the key of a post follows its address, also in a response that is read late', async () => {
  const keys = () =>
    rows(`SELECT key FROM strandline.posts WHERE external_id = '${topics}001'`).then(([row]) => row?.key);
  const moved = (url: string | null) => ({ miner_tweets: [wirePost(`${topics}001`, { url })] });
  await execute(await newSearch('a'), moved(null));
  expect(await keys()).toMatch(/^post:\d+:/);
  await runs('a', moved('https://one.example/1'));
  expect(await keys()).toBe('https://one.example/1');
  await runs('a', moved(null));
  expect(await keys()).toBe('https://one.example/1');
});

test('a post whose address becomes that of a reported link is one item with it, which its first discovery reports', async () => {
  const at = (url: string) => ({ miner_tweets: [wirePost(`${topics}001`, { url })] });
  const [former, current] = [`https://one.example/${topics}`, `https://two.example/${topics}`];
  const [micro, ai] = [await newSearch('micro'), await newSearch('ai', 'ai')];
  await execute(micro, at(former));
  await execute(ai, links(current));
  expect(await discoveries()).toEqual(['micro 1*', `ai ${current}*`]);
  await runs('micro', at(current));
  expect(await discoveries()).toEqual(['micro 1*', `ai ${current}`]);
});

test('items of a late response are reported, but not again by another search', async () => {
  await execute(await newSearch('a'), posts('1'));
  await execute(await newSearch('b'), posts('1'));
  const failed = await runNow('a');
  await executeRun({ ...ctx, config: { ...ctx.config, maxCallsPerRun: 0 } }, failed);
  const receivedAt = clock.now();
  await runs('a', posts('2'));
  await rows(
    `INSERT INTO strandline.calls (run_id, n, service_id, fence, state, sent_at)
     SELECT r.id, 1, s.service_id, r.fence, 'unknown', $2 FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id
     WHERE r.id = $1`,
    [failed, receivedAt],
  );
  const body = Buffer.from(JSON.stringify(posts('3')));
  const response = { n: 1, httpStatus: 200, contentType: 'application/json', body, receivedAt };
  await storeResponse(world.db, { runId: failed, response, latencyMs: 1, costUsd: null });
  await parseLateResponses(ctx, failed);
  await runs('b', posts('3'));
  expect((await discoveries()).slice(-2)).toEqual(['a 3*', 'b 3']);
});

test('of two transactions that save the same item at once, one reports it', async () => {
  const second = openDatabase(world.database.url, { log: ctx.log });
  const blocker = await world.db.pool.connect();
  try {
    await execute(await newSearch('a'), posts());
    await execute(await newSearch('b'), posts());
    const [a, b] = [await runNow('a'), await runNow('b')];
    stub.answers(json(posts('1', '2', '3')));
    await blocker.query('BEGIN');
    await blocker.query(`SELECT pg_advisory_xact_lock(hashtext('strandline.discoveries'))`);
    const both = Promise.all([executeRun(ctx, a), executeRun({ ...ctx, db: second }, b)]);
    // One waits for the feed, the other for the keys of the first.
    await until('both wait', async () => {
      const [waiting] = await rows(`SELECT count(*)::int AS n FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`);
      return waiting.n === 2;
    });
    await blocker.query('COMMIT');
    await both;
    const found = await discoveries();
    expect(found).toHaveLength(6);
    expect(found.filter((name) => name.endsWith('*')).map((name) => name.slice(2))).toEqual([
      '1*',
      '2*',
      '3*',
    ]);
  } finally {
    blocker.release();
    await second.close();
  }
});

test('after a change of the rules, what a topic has reported is not reported again', async () => {
  const shop = (query: string) => `https://shop.example/p?${query}&topic=${topics}`;
  const post = (id: string, text: string) => ({
    miner_tweets: [wirePost(`${topics}00${id}`, { url: shop(`post=${id}`), text })],
  });
  const [first, second] = [await newSearch('a', 'ai'), await newSearch('b')];
  await execute(first, links());
  await execute(second, posts());
  await runs('a', links(shop('color=red'), shop('color=blue')));
  await runs('b', post('1', 'as it was'));
  await execute(await newSearch('c', 'ai'), links());
  await execute(await newSearch('d'), posts());
  const firsts = async () => (await discoveries()).filter((name) => name.endsWith('*'));
  const before = await firsts();
  expect(before).toHaveLength(3);
  const { config } = ctx;
  ctx.config = { ...config, linkRules: [{ host: 'shop.example', keep: ['topic'] }] };
  try {
    await runs('c', links(shop('color=blue'), shop('color=red')));
    await runs('d', post('1', 'as it was'));
    expect(await firsts(), 'neither under the address that it had').toEqual(before);
    await runs('b', post('1', 'edited'));
    expect(await firsts(), 'nor if it was edited').toEqual(before);
    await runs('c', links(shop('color=green')));
    expect((await firsts()).length - before.length, 'an address that is new').toBeLessThanOrEqual(1);
    const known = await firsts();
    await runs('a', links(shop('color=black')));
    expect(await firsts(), 'and one link by the new rules').toEqual(known);
  } finally {
    ctx.config = config;
  }
});

test('what was stored before there were keys is read from the oldest discovery on, and shown until then', async () => {
  const [micro, ai] = [await newSearch('micro'), await newSearch('ai', 'ai')];
  await execute(micro, posts('1', '2'));
  await execute(ai, links(address('2'), address('3')));
  await execute(await addSearch('added'), posts('7'));
  await runs('micro', posts('3', '7'));
  const expected = await discoveries();
  await rows(`DELETE FROM strandline.topic_items`);
  await rows(`UPDATE strandline.discoveries SET first_in_topic = true`);
  await rows(`UPDATE strandline.posts SET key = NULL`);
  await rows(
    `INSERT INTO strandline.facts (name, value, at)
     SELECT 'topic_items', json_build_object('posts', '0', 'discoveries', '0', 'until', max(id)::text), now() FROM strandline.discoveries`,
  );
  expect((await discoveries()).every((name) => name.endsWith('*'))).toBe(true);
  expect(await fillTopicItems(world.db, [], 1)).toBe(false);
  expect(await fillTopicItems(world.db, [], 100)).toBe(true);
  expect(await discoveries()).toEqual(expected);
  expect(await rows('SELECT FROM strandline.posts WHERE key IS NULL')).toEqual([]);
  expect(await rows(`SELECT FROM strandline.facts WHERE name = 'topic_items'`)).toEqual([]);
  await runs('ai', links(address('1')));
  expect((await discoveries()).at(-1)).toBe('ai 1');
});
