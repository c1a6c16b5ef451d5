/** Repeated creations create once, and values that cannot be stored are refused before. */
import { afterAll, expect, test } from 'vitest';
import { apiRoutes } from '../../../src/api/api-routes.ts';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import { homeOf } from '../../cli/stand.ts';
import { makeWorld } from '../../world.ts';

const world = await makeWorld();
const app = await buildHttpServer(homeOf(world), { api: [apiRoutes], pages: [] });
afterAll(async () => {
  await app.close();
  await world.close();
});

const post = (url: string, payload: object | string) =>
  app.inject({ method: 'POST', url, headers: { 'content-type': 'application/json' }, payload });
const count = async (sql: string) => (await world.db.pool.query<{ n: number }>(sql)).rows[0]?.n;

const SEARCH = { operation: 'microblog', prompt: 'tides', every: '1h', service: 'sandbox' };

test.each([
  ['/api/v1/searches', { ...SEARCH, slug: 'twice' }, `searches WHERE slug = 'twice'`],
  ['/api/v1/topics/watch', { text: 'tide pools', service: 'sandbox' }, `topics WHERE slug = 'tide-pools'`],
  [
    '/api/v1/topics',
    {
      name: 'Night train',
      service: 'sandbox',
      searches: [{ operation: 'microblog', prompt: 'night train', every: '1h' }],
    },
    `topics WHERE slug = 'night-train'`,
  ],
])('%s sent four times at once creates one, and the others get a conflict', async (url, body, made) => {
  const replies = await Promise.all([1, 2, 3, 4].map(() => post(url, body)));
  const statuses = replies.map(({ statusCode }) => statusCode);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409]);
  expect(await count(`SELECT count(*)::int AS n FROM strandline.${made}`)).toBe(1);
});

test('a run is created once however often it is requested while queued, and each response has its address', async () => {
  await post('/api/v1/searches', { ...SEARCH, slug: 'run-me' });
  const replies = await Promise.all([1, 2].map(() => post('/api/v1/searches/run-me/run', '')));
  for (const { statusCode, headers, body } of replies) {
    expect(statusCode, body).toBe(202);
    expect(headers.location).toBe(`/api/v1/runs/${JSON.parse(body).id}`);
  }
  expect(new Set(replies.map(({ headers }) => headers.location)).size).toBe(1);
});

test.each([
  ['{"a":"\\u0000"}', 'body.extra'],
  ['{"\\u0000":1}', 'body.extra'],
  ['{"a":[{"b":"\\ud800"}]}', 'body.extra.a.0.b'],
])('refuses values that Postgres cannot store: %s', async (extra, path) => {
  const reply = await post(
    '/api/v1/searches',
    `{"slug":"kept","operation":"microblog","prompt":"x","every":"1h","service":"sandbox","extra":${extra}}`,
  );
  expect(reply.statusCode, reply.body).toBe(400);
  expect(reply.json()).toMatchObject({ errors: [{ path }] });
});

test('a removed search and topic cannot be changed, and the error says since when they are removed', async () => {
  await post('/api/v1/searches', { ...SEARCH, slug: 'gone' });
  await app.inject({ method: 'DELETE', url: '/api/v1/topics/gone' });
  for (const url of ['searches/gone/pause', 'searches/gone/run', 'topics/gone/resume']) {
    const reply = await post(`/api/v1/${url}`, '');
    expect(reply.statusCode, url).toBe(409);
    expect(reply.json<{ detail: string }>().detail).toContain('was removed on 2026-11-21');
  }
  const { statusCode, body } = await app.inject('/api/v1/searches/gone');
  expect({ statusCode, at: JSON.parse(body).archived_at }).toEqual({
    statusCode: 200,
    at: '2026-11-21T12:00:00.000Z',
  });
});

test('a list continues after its cursor, and refuses the cursor of another list', async () => {
  const slugs: string[] = [];
  let cursor: string | null = '';
  for (let pages = 0; cursor !== null && pages < 50; pages += 1) {
    const page: { items: { slug: string }[]; next_cursor: string | null } = (
      await app.inject(`/api/v1/searches?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
    ).json();
    expect(page.items.length).toBeLessThanOrEqual(2);
    slugs.push(...page.items.map(({ slug }) => slug));
    cursor = page.next_cursor;
    if (cursor !== null)
      expect((await app.inject(`/api/v1/topics?cursor=${cursor}`)).json()).toMatchObject({
        status: 400,
        errors: [
          {
            path: 'query.cursor',
            expected: expect.stringContaining('a next_cursor that this list returned') as unknown,
          },
        ],
      });
  }
  const all = await count('SELECT count(*)::int AS n FROM strandline.searches WHERE archived_at IS NULL');
  expect({ found: slugs.length, once: new Set(slugs).size }).toEqual({ found: all, once: all });
  expect(all).toBeGreaterThan(3);
});
