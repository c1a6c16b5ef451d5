/** Former slugs in addresses: pages redirect, and the API replies as for the current slug. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import { WEB } from '../../../src/app/web-server.ts';
import { executeRun } from '../../../src/monitor/runs/execute.ts';
import { createSearch } from '../../../src/monitor/topics/save-search.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { homeOf } from '../../cli/stand.ts';
import { json, type StubService, startStub, wirePost } from '../../stub-service.ts';
import { makeWorld, type World } from '../../world.ts';
import { type Person, personAt } from '../pages/person.ts';

let stub: StubService;
let world: World;
let app: App;
let person: Person;
beforeAll(async () => {
  stub = await startStub(json({ miner_tweets: ['1', '2', '3'].map((id) => wirePost(id)) }));
  world = await makeWorld({ hosted: stub.url });
  app = await buildHttpServer(homeOf(world), WEB);
  person = personAt(app);
  for (const [slug, topic] of [
    ['posts', 'old'],
    ['others', 'other'],
  ] as const) {
    const made = await createSearch(world.ctx, {
      slug,
      topic,
      operation: 'microblog',
      prompt: slug,
      every: '15m',
    });
    await executeRun(world.ctx, made.firstRunId);
  }
});
afterAll(async () => {
  await app.close();
  await world.close();
  await stub.close();
});

const call = async (method: 'GET' | 'PATCH' | 'POST', url: string, body?: object) => {
  const reply = await app.inject({ method, url, ...(body === undefined ? {} : { payload: body }) });
  return {
    status: reply.statusCode,
    location: reply.headers['content-location'],
    body: JSON.parse(reply.body),
  };
};

test('a bookmark of a list keeps its place, in the API and on pages, when its topic and search are renamed', async () => {
  const first = await call('GET', '/api/v1/discoveries?topic=old&kind=post&limit=1');
  const page = `cursor=${first.body.next_cursor as string}`;
  const versions = await call('GET', '/api/v1/searches/posts/versions?limit=1');
  expect(versions.status).toBe(200);
  expect((await call('PATCH', '/api/v1/topics/old', { slug: 'new', name: 'New' })).body).toMatchObject({
    slug: 'new',
    name: 'New',
  });
  expect((await call('PATCH', '/api/v1/searches/posts', { slug: 'finds' })).body).toMatchObject({
    slug: 'finds',
  });

  const second = await call('GET', `/api/v1/discoveries?topic=old&kind=post&limit=1&${page}`);
  expect(second).toMatchObject({
    status: 200,
    location: `/api/v1/discoveries?topic=new&kind=post&limit=1&${page}`,
    body: { items: [{ topic: 'new', search: 'finds' }] },
  });
  expect(second.body.items[0].id).not.toBe(first.body.items[0].id);
  const third = await call(
    'GET',
    `/api/v1/discoveries?topic=old&kind=post&limit=1&cursor=${second.body.next_cursor as string}`,
  );
  expect(third.status).toBe(200);
  expect((await call('GET', `/api/v1/discoveries?topic=other&kind=post&limit=1&${page}`)).status).toBe(400);
});

test.each([
  ['/api/v1/topics/old', '/api/v1/topics/new'],
  ['/api/v1/searches/posts', '/api/v1/searches/finds'],
  ['/api/v1/searches/posts/versions', '/api/v1/searches/finds/versions'],
  ['/api/v1/posts?topic=old&search=posts', '/api/v1/posts?topic=new&search=finds'],
  ['/api/v1/discoveries/feed?topic=old&after=0', '/api/v1/discoveries/feed?topic=new&after=0'],
  ['/api/v1/exports/posts?search=posts', '/api/v1/exports/posts?search=finds'],
])('the API accepts %s and names %s', async (former, current) => {
  const { statusCode, headers } = await app.inject({ url: former });
  expect([statusCode, headers['content-location']]).toEqual([200, current]);
  expect((await app.inject({ url: current })).headers['content-location']).toBeUndefined();
});

test.each([
  ['/topics/old', '/topics/new'],
  ['/topics/old/posts?sort=newest', '/topics/new/posts?sort=newest'],
  ['/searches/posts', '/searches/finds'],
  ['/searches/posts/edit', '/searches/finds/edit'],
  ['/runs?search=posts', '/runs?search=finds'],
  ['/explore?topic=old&q=x', '/explore?topic=new&q=x'],
  ['/compare?topics=other&topics=old', '/compare?topics=other&topics=new'],
])('the page %s redirects to %s', async (former, current) => {
  const { statusCode, headers } = await app.inject({ url: former });
  expect([statusCode, headers.location]).toEqual([308, current]);
  expect((await app.inject({ url: current })).statusCode).toBe(200);
});

test('a body may name a former slug; a new slug in it is a new one', async () => {
  const added = { slug: 'more', topic: 'old', operation: 'microblog', prompt: 'p', every: '1h' };
  expect((await call('POST', '/api/v1/searches', added)).body).toMatchObject({ topic: 'new' });
  expect((await call('PATCH', '/api/v1/searches/others', { topic: 'old' })).body).toMatchObject({
    topic: 'new',
  });
  const taken = await call('POST', '/api/v1/searches', { ...added, slug: 'posts' });
  expect(taken).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('former slug of the search "finds"') },
  });
  expect((await call('POST', '/api/v1/searches', { ...added, slug: 'posts', reuse_slug: true })).status).toBe(
    201,
  );
  expect((await call('GET', '/api/v1/searches/posts')).body).toMatchObject({ slug: 'posts', prompt: 'p' });
});

test('forms rename a topic and a search and move it; a taken slug is a problem of its field', async () => {
  const renamed = await person.follow('/topics/new/rename', { name: 'Newest', slug: 'newest' });
  expect(renamed).toMatchObject({ status: 200, to: '/topics/newest' });
  const wrong = await person.post('/topics/newest/rename', { name: 'Newest', slug: 'other' });
  expect(wrong.status).toBe(409);
  expect(wrong.html).toContain('the topic &quot;other&quot;');
  const { html } = await person.get('/searches/finds/edit');
  expect(html).toContain('<option value="other"');
  const fields = {
    prompt: 'posts',
    every: '15m',
    model: 'NOVA',
    do: 'save',
    labels: '',
    sensitivity: 'normal',
  };
  const moved = await person.follow('/searches/finds/edit', { ...fields, slug: 'found', topic: 'other' });
  expect(moved).toMatchObject({ status: 200, to: '/searches/found' });
  expect((await call('GET', '/api/v1/searches/finds')).body).toMatchObject({
    slug: 'found',
    topic: 'other',
    version: 1,
  });
});
