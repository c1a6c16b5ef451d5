/** The page of a topic until one of its searches has succeeded a second time, and being told about it with one field. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import { WEB } from '../../../src/app/web-server.ts';
import type { AskedSource } from '../../../src/model/asked-source.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { executeRun } from '../../../src/monitor/runs/execute.ts';
import { readStatements } from '../../../src/monitor/topics/first-view.ts';
import { insertManualRun } from '../../../src/monitor/topics/run-now.ts';
import { changeTopic } from '../../../src/monitor/topics/search-state.ts';
import { watchTopic } from '../../../src/monitor/topics/save-topic.ts';
import { homeOf } from '../../cli/stand.ts';
import { json, type StubService, startStub, wirePost } from '../../stub-service.ts';
import { makeWorld, type World } from '../../world.ts';
import { type Person, personAt, textOf } from './person.ts';

let stub: StubService;
let world: World;
let app: App;
let person: Person;
let summary =
  'Ferries run again. [1](https://harbour.example/a) Repairs took a week. [2](https://port.example/b)';

const link = (url: string, title: string) => ({ link: url, title, snippet: title });

beforeAll(async () => {
  stub = await startStub((request, response) =>
    json(
      request.path.includes('twitter')
        ? {
            miner_tweets: [
              wirePost('1'),
              { ...wirePost('2'), text: 'https://harbour.example/only-an-address' },
            ],
          }
        : {
            search_results: {
              organic_results: [
                link('https://harbour.example/a', 'The ferry is back'),
                link('https://port.example/b', ''),
              ],
            },
            completion: { summary },
          },
    )(request, response),
  );
  world = await makeWorld({ hosted: stub.url });
  app = await buildHttpServer(homeOf(world), WEB);
  person = personAt(app);
});
afterAll(async () => {
  await app.close();
  await world.close();
  await stub.close();
});

async function runQueued(): Promise<void> {
  for (let next = world.enqueued.shift(); next !== undefined; next = world.enqueued.shift())
    await executeRun(world.ctx, next.runId);
}

const asked = (source: string, more: Partial<AskedSource>): AskedSource => ({
  source,
  tool: 'Web Search',
  queries: [],
  state: 'answered',
  results: 0,
  ms: 400,
  code: null,
  message: null,
  ...more,
});

test('while sources are asked, each has a tick once it has responded', async () => {
  await watchTopic(world.ctx, { text: 'harbour ferry' });
  world.ctx.progress = () => [
    asked('hacker-news', { results: 3 }),
    asked('gdelt', { state: 'asked', ms: null }),
    asked('arxiv', {}),
    asked('mastodon', { state: 'failed', code: 'source_timeout', message: 'mastodon timed out' }),
    asked('video', { state: 'failed', code: 'source_needs_key', message: 'video needs a key' }),
  ];
  const { html } = await person.get('/topics/harbour-ferry');
  const said = textOf(html);
  expect(html).toContain('data-pending');
  expect(html).toContain('<noscript><meta http-equiv="refresh"');
  expect(said).toContain('Asking 4 sources');
  expect(html).toMatch(
    /is-answered[^]*hacker-news[^]*is-asked[^]*gdelt[^]*is-empty[^]*arxiv[^]*is-failed[^]*mastodon/,
  );
  expect(said).toContain('timed out');
  expect(said).not.toContain('Known now');
  expect(said).not.toMatch(/not observed|Volume|Tell me/);
  world.ctx.progress = () => [];
});

test('then: known now, this week, tell me, sources, and what comes next, without a chart', async () => {
  await runQueued();
  const { html } = await person.get('/topics/harbour-ferry');
  const said = textOf(html);
  expect(said).toMatch(
    /Known now Ferries run again\. harbour\.example Repairs took a week\. port\.example[^]*This week[^]*Tell me[^]*sources? responded[^]*From 12:00 only what is new; next 1\d:\d\d\./,
  );
  expect(html).not.toMatch(/data-chart|data-pending|http-equiv="refresh"/);
  expect(said).not.toContain('not observed');
  expect(said).toContain('about 7 messages a week');
  expect(said).toContain('how many a week is known after a day');
  const week = /id="week"[^]*?<\/section>/.exec(html)?.[0] ?? '';
  expect(week).not.toContain('only-an-address');
  // Who asks for figures gets them.
  expect((await person.get('/topics/harbour-ferry?range=24h')).html).toContain('data-chart');
});

test('one pasted address makes a channel and a rule; one that is not recognized is named at its field, and not sent back', async () => {
  const wrong = await person.post('/topics/harbour-ferry/tell', {
    address: 'gopher://secret',
    what: 'digest',
  });
  expect(wrong.status).toBe(400);
  expect(textOf(wrong.html)).toMatch(/Where to send[^]*expected an address of/);
  expect(wrong.html).not.toContain('gopher://secret');

  const tell = { address: 'https://ntfy.sh/ferry-news-42', what: 'spikes' };
  expect(await person.post('/topics/harbour-ferry/tell', tell)).toMatchObject({
    status: 303,
    to: '/topics/harbour-ferry',
  });
  const again = { channel: 'ntfy', what: 'digest', address: '' };
  expect(await person.post('/topics/harbour-ferry/tell', again)).toMatchObject({ status: 303 });
  expect(await person.post('/topics/harbour-ferry/tell', again)).toMatchObject({ status: 303 });
  const { rows } = await world.db.pool.query(
    `SELECT r.slug, r.kinds, r.digest FROM strandline.rules r WHERE r.slug <> 'system' ORDER BY r.slug`,
  );
  expect(rows).toEqual([
    { slug: 'harbour-ferry-digest', kinds: expect.any(Array) as unknown, digest: '0 8 * * *' },
    { slug: 'harbour-ferry-digest-2', kinds: expect.any(Array) as unknown, digest: '0 8 * * *' },
    { slug: 'harbour-ferry-spikes', kinds: ['spike'], digest: null },
  ]);
});

test('a topic that was removed meanwhile refuses, and leaves no channel behind', async () => {
  await watchTopic(world.ctx, { text: 'harbour cranes' });
  await changeTopic(world.ctx, 'harbour-cranes', 'remove');
  const countChannels = () => world.db.pool.query(`SELECT count(*)::int AS n FROM strandline.channels`);
  const before = (await countChannels()).rows;
  const refused = await person.post('/topics/harbour-cranes/tell', {
    address: 'https://ntfy.sh/cranes-news-42',
    what: 'spikes',
  });
  expect(refused.status).toBe(409);
  expect((await countChannels()).rows).toEqual(before);
});

test('an answer without sources is no statement, and its words are shown', async () => {
  summary = 'No answer in these sources: asked about tide tables, found links.';
  await watchTopic(world.ctx, { text: 'tide tables' });
  await runQueued();
  const said = textOf((await person.get('/topics/tide-tables')).html);
  expect(said).toMatch(/Known now No answer in these sources: asked about tide tables/);
});

test('once a search has succeeded a second time, the topic has its usual page', async () => {
  const { runId } = await insertManualRun(world.ctx, 'harbour-ferry-posts');
  world.enqueued.length = 0;
  await executeRun(world.ctx, runId);
  const { html } = await person.get('/topics/harbour-ferry');
  expect(html).toContain('data-chart');
  expect(textOf(html)).not.toContain('Known now');
});

test('statements are what stands before citations, without list marks', () => {
  const answer =
    '1. First. [1](https://a.example/1)[2](https://a.example/2)\n- Second. [3](https://a.example/3) Unsaid.';
  expect(readStatements(answer)).toEqual([
    {
      text: 'First.',
      citations: [
        { number: '1', address: 'https://a.example/1' },
        { number: '2', address: 'https://a.example/2' },
      ],
    },
    { text: 'Second.', citations: [{ number: '3', address: 'https://a.example/3' }] },
  ]);
});
