/** Former slugs in addresses and bodies: pages and API reply as for the current slug. */
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

/** A page names its own address and a token, and a reply the time. */
function withoutAddress(body: string, urls: readonly string[]): string {
  return urls
    .flatMap((url) => [url.replaceAll('&', '&amp;'), encodeURIComponent(url)])
    .reduce((text, address) => text.replaceAll(address, 'ADDRESS'), body)
    .replaceAll(/(?<=name="form_token" value=")[^"]*/g, 'TOKEN')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');
}

const call = async (method: 'GET' | 'PATCH' | 'POST', url: string, body?: object) => {
  const reply = await app.inject({ method, url, ...(body === undefined ? {} : { payload: body }) });
  return {
    status: reply.statusCode,
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
  ['/api/v1/runs?topic=old', '/api/v1/runs?topic=new'],
  ['/api/v1/trends/voices?topics=old,other', '/api/v1/trends/voices?topics=new,other'],
  ['/api/v1/searches/posts/preview', '/api/v1/searches/finds/preview'],
  ['/topics/old', '/topics/new'],
  ['/topics/old/posts?sort=newest', '/topics/new/posts?sort=newest'],
  ['/topics/old/edit', '/topics/new/edit'],
  ['/topics/old/sources', '/topics/new/sources'],
  ['/topics/old/remove', '/topics/new/remove'],
  ['/searches/posts', '/searches/finds'],
  ['/searches/posts/posts', '/searches/finds/posts'],
  ['/searches/posts/edit', '/searches/finds/edit'],
  ['/searches/posts/purge', '/searches/finds/purge'],
  ['/compare?topics=other&topics=old', '/compare?topics=other&topics=new'],
])('%s is answered as %s', async (former, current) => {
  const [before, now] = [await app.inject({ url: former }), await app.inject({ url: current })];
  expect([before.statusCode, now.statusCode]).toEqual([200, 200]);
  const own = [former, current];
  expect(withoutAddress(before.body, own)).toBe(withoutAddress(now.body, own));
});

test.each(['/runs?search=posts', '/runs?topic=old', '/explore?topic=old&q=post'])(
  '%s is shown',
  async (url) => {
    const { statusCode, body } = await app.inject({ url });
    expect(statusCode).toBe(200);
    expect(body).toContain('finds');
  },
);

test('a body may name a former slug; a new slug in it is a new one', async () => {
  const added = { slug: 'more', topic: 'old', operation: 'microblog', prompt: 'p', every: '1h' };
  expect((await call('POST', '/api/v1/searches', added)).body).toMatchObject({ topic: 'new' });
  const moved = await call('PATCH', '/api/v1/searches/others', { topic: 'old' });
  expect(moved.status, 'a search stays in its topic').toBe(400);
  expect((await call('POST', '/api/v1/searches', { ...added, slug: 'posts' })).status).toBe(201);
  expect((await call('GET', '/api/v1/searches/posts')).body).toMatchObject({ slug: 'posts', prompt: 'p' });
});

test('forms rename a topic and a search; a taken slug is a problem of its field', async () => {
  const renamed = await person.follow('/topics/new/rename', { name: 'Newest', slug: 'newest' });
  expect(renamed).toMatchObject({ status: 200, to: '/topics/newest' });
  const wrong = await person.post('/topics/newest/rename', { name: 'Newest', slug: 'other' });
  expect(wrong.status).toBe(409);
  expect(wrong.html).toContain('the topic &quot;other&quot;');
  const fields = {
    prompt: 'posts',
    every: '15m',
    model: 'NOVA',
    do: 'save',
    labels: '',
    sensitivity: 'normal',
  };
  const edited = await person.follow('/searches/finds/edit', { ...fields, slug: 'found' });
  expect(edited).toMatchObject({ status: 200, to: '/searches/found' });
  expect((await call('GET', '/api/v1/searches/finds')).body).toMatchObject({
    slug: 'found',
    topic: 'newest',
    version: 1,
  });
});
