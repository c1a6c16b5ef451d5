/** Saved views: addresses of this dashboard only, under a name, for everybody. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WEB } from '../../../src/app/web-server.ts';
import { readOwnAddress } from '../../../src/monitor/access/manage-views.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { createTopic } from '../../../src/monitor/topics/save-topic.ts';
import { openStand } from '../access/stand.ts';
import { type Person, personAt, textOf } from '../pages/person.ts';

const stand = await openStand();
let app: App;
let person: Person;
beforeAll(async () => {
  app = await stand.serve(WEB);
  person = personAt(app);
  await createTopic(stand.world.ctx, {
    name: 'Ferry',
    searches: [{ slug: 'ferry', operation: 'microblog', prompt: 'ferry', every: '15m' }],
  });
});
afterAll(() => stand.close());

const audited = async () => {
  const { rows } = await stand.world.db.pool.query<{ entry: string }>(
    `SELECT action || ' ' || subject AS entry FROM strandline.audit_log ORDER BY id DESC LIMIT 1`,
  );
  return rows[0]?.entry;
};

test('each page offers to save its address, which is a link on the overview then', async () => {
  const { html } = await person.get('/topics/ferry/posts?q=lang:de&range=7d');
  const [, offered = ''] = /href="(\/views\/new\?address=[^"]+)"/.exec(html) ?? [];
  const form = await person.get(offered);
  expect(form.html).toContain('value="/topics/ferry/posts?q=lang:de&amp;range=7d"');
  const saved = await person.follow('/views', {
    name: 'German posts',
    address: '/topics/ferry/posts?q=lang:de&range=7d',
  });
  expect(saved.to).toBe('/topics/ferry/posts?q=lang:de&range=7d');
  expect(textOf(saved.html)).toContain('The view is listed on the overview.');
  expect((await person.get('/')).html).toContain(
    '<a href="/topics/ferry/posts?q=lang:de&amp;range=7d">German posts</a>',
  );
  expect(await audited()).toBe('view.saved German posts');
});

test('a name is one view, and what was typed is shown again', async () => {
  const again = await person.post('/views', { name: 'German posts', address: '/runs' });
  expect(again.status).toBe(409);
  expect(textOf(again.html)).toContain('a saved view has the name');
  expect(again.html).toContain('value="/runs"');
  expect((await person.post('/views', { name: ' ', address: '/runs' })).status).toBe(400);
});

test.each([
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  'javascript:alert(1)',
  'runs',
  '',
  `/${'a'.repeat(2_001)}`,
  '/runs\u202e',
])('%j is no address of this dashboard', async (address) => {
  expect(readOwnAddress(address)).toBeUndefined();
  expect((await person.post('/views', { name: 'Elsewhere', address })).status).toBe(400);
});

test('the API validates as the form does, lists by name, and removes by name or id', async () => {
  const send = (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) =>
    app.inject({ method, url: `/api/v1/views${url}`, ...(payload === undefined ? {} : { payload }) });
  const refused = await send('POST', '', { name: ' ', address: '//evil.example' });
  expect(refused.statusCode).toBe(400);
  expect(refused.json()).toMatchObject({
    errors: [{ path: 'body.name' }, { path: 'body.address', given: '//evil.example' }],
  });
  expect((await send('POST', '', { name: 'German posts', address: '/runs' })).statusCode).toBe(409);
  const saved = await send('POST', '', { name: 'A/B & c', address: '/compare?topics=a,b#chart' });
  expect(saved.statusCode).toBe(201);
  expect(saved.json()).toMatchObject({ name: 'A/B & c', address: '/compare?topics=a,b' });
  const first = (await send('GET', '?limit=1')).json<{ items: { name: string }[]; next_cursor: string }>();
  expect(first.items.map(({ name }) => name)).toEqual(['A/B & c']);
  const rest = (await send('GET', `?cursor=${first.next_cursor}`)).json<{
    items: { name: string; id: string }[];
  }>();
  expect(rest.items.map(({ name }) => name)).toEqual(['German posts']);
  expect((await send('DELETE', `/${encodeURIComponent('A/B & c')}`)).json()).toMatchObject({
    name: 'A/B & c',
  });
  expect((await send('DELETE', `/${encodeURIComponent('A/B & c')}`)).statusCode).toBe(404);
  expect((await send('POST', '', { name: '1', address: '/runs' })).statusCode).toBe(201);
  // Digits are an id.
  expect((await send('DELETE', `/${saved.json<{ id: string }>().id}`)).statusCode).toBe(404);
  await person.post('/views', { name: 'gone soon', address: '/runs' });
  const { items } = (await send('GET', '')).json<{ items: { name: string; id: string }[] }>();
  for (const { id, name } of items)
    if (name !== 'German posts') expect((await send('DELETE', `/${id}`)).statusCode).toBe(200);
});

test('a view is removed, once', async () => {
  const { html } = await person.get('/views');
  const [, action = ''] = /action="(\/views\/\d+\/remove)"/.exec(html) ?? [];
  expect(textOf((await person.follow(action)).html)).toContain('No saved views yet.');
  expect(await audited()).toBe('view.removed German posts');
  expect(textOf((await person.follow(action)).html)).toContain('Nothing changed.');
});

test('who may only read sees views, and can neither save nor remove them', async () => {
  await person.follow('/views', { name: 'Runs', address: '/runs' });
  const authorization = `Bearer ${await stand.token('read')}`;
  const seen = await app.inject({ url: '/views', headers: { authorization } });
  expect(seen.body).toContain('<a href="/runs">Runs</a>');
  expect(seen.body).not.toMatch(/\/views\/(?:new|\d+\/remove)/);
  expect((await app.inject({ url: '/views/new', headers: { authorization } })).statusCode).toBe(403);
});
