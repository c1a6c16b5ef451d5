import { afterAll, beforeAll, expect, test } from 'vitest';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { WEB } from '../../../src/app/web-server.ts';
import { openStand } from './stand.ts';

const stand = await openStand();
let app: App;
let read: string;
let whole: App;
beforeAll(async () => {
  app = await stand.serve();
  whole = await stand.serve(WEB);
  read = await stand.token('read');
});
afterAll(() => stand.close());

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test('a route without a scope prevents the server from starting', async () => {
  for (const config of [undefined, {}, { scope: [] }]) {
    const careless = stand.serve({
      api: [(one) => void one.get('/api/v1/x', { ...(config && { config }) }, () => 1)],
      pages: [],
    });
    await expect(careless).rejects.toThrow('GET /api/v1/x declares no scope');
  }
  const page = stand.serve({ api: [], pages: [(one) => void one.get('/x', () => 'x')] });
  await expect(page).rejects.toThrow('GET /x declares no scope');
});

/** Every route and method, with something in place of its parameters. */
const everyRoute = (server: App) =>
  server.routeTable.map(({ method, url, scope }) => ({
    method: method as 'GET', // whatever it is, it is asked so
    url: url.replace(/:\w+(\([^)]*\))?/g, '1').replace('*', 'x'),
    scope,
    api:
      url.startsWith('/api/') ||
      ['/mcp', '/metrics', '/readyz/parts', '/feed.atom', '/feed.rss'].includes(url),
  }));

test('every route declares its scope, and few are public', () => {
  expect(whole.routeTable.length).toBeGreaterThan(5);
  const open = new Set(whole.routeTable.filter(({ scope }) => scope === 'open').map(({ url }) => url));
  expect([...open].filter((url) => !url.startsWith('/assets/')).sort()).toEqual([
    // With a key in its address: test/web/feeds/feeds.test.ts.
    '/feeds/:file',
    '/livez',
    '/openapi.json',
    '/readyz',
    // With a key in its address: test/web/shares/shares.test.ts.
    '/shared/:key',
    '/sign-in',
  ]);
});

test('once a token exists, no route responds without one, by any method', async () => {
  for (const { method, url, scope, api } of everyRoute(whole)) {
    if (scope === 'open') continue;
    const response = await whole.inject({ method, url, headers: { 'sec-fetch-site': 'same-origin' } });
    const where = `${method} ${url}`;
    if (api) {
      expect(response.statusCode, where).toBe(401);
      expect(response.headers['content-type'], where).toBe('application/problem+json');
      expect(response.headers['www-authenticate'], where).toContain('Bearer');
    } else {
      expect(response.statusCode, where).toBe(303);
      const next = method === 'GET' && url !== '/' ? `?next=${encodeURIComponent(url)}` : '';
      expect(response.headers.location, where).toBe(`/sign-in${next}`);
    }
  }
});

test('no route accepts a token with too small a scope', async () => {
  let tried = 0;
  for (const server of [app, whole]) {
    for (const { method, url, scope } of everyRoute(server)) {
      if (scope === 'open' || scope === 'read') continue;
      const response = await server.inject({ method, url, headers: bearer(read) });
      expect(response.statusCode, `${method} ${url}`).toBe(403);
      tried += 1;
    }
  }
  expect(tried).toBeGreaterThan(4);
  const write = await stand.token('write');
  const run = await app.inject({ method: 'POST', url: '/api/v1/things/run', headers: bearer(write) });
  expect(run.statusCode).toBe(403);
  expect(run.json()).toMatchObject({ detail: 'the token lacks the scope run' });
});

test('a token is accepted only from its header', async () => {
  const asked = await app.inject(`/api/v1/things?token=${read}&access_token=${read}`);
  expect(asked.statusCode).toBe(401);
  const cookie = await app.inject({ url: '/api/v1/things', cookies: { strandline: read } });
  expect(cookie.statusCode).toBe(401);
  const right = await app.inject({ url: '/api/v1/things', headers: bearer(read) });
  expect(right.json()).toMatchObject({ kind: 'token', scopes: ['read'] });
});

test.each([
  ['one letter changed', () => `${read.slice(0, -1)}${read.endsWith('a') ? 'b' : 'a'}`],
  ['a service key', () => read.replace('st_', 'sk_')],
  ['not like a token', () => 'Basic YWRtaW46YWRtaW4='],
])('%s is rejected', async (_what, wrong) => {
  const response = await app.inject({ url: '/api/v1/things', headers: bearer(wrong()) });
  expect(response.statusCode).toBe(401);
});

test('health probes do not reveal the version', async () => {
  const live = await whole.inject('/livez');
  expect([live.statusCode, live.body]).toEqual([200, '']);
  const ready = await whole.inject('/readyz');
  expect([ready.statusCode, ready.body]).toEqual([200, '{"ready":true}']);
  expect(JSON.stringify([live.headers, ready.headers])).not.toMatch(/fastify|strandline|0\.\d/i);
});

test('a missing page is a 404 for anyone, with a way on for those with access', async () => {
  const cookie = `strandline=${await whole.access.signIn(read, '127.0.0.1')}`;
  for (const [headers, knows] of [
    [{}, false],
    [{ cookie }, true],
  ] as const) {
    const { statusCode, body } = await whole.inject({ url: '/nothing', headers });
    expect([statusCode, body.includes('href="/runs"')]).toEqual([404, knows]);
  }
});

test('no other origin is allowed to read', async () => {
  const headers = {
    origin: 'https://evil.example',
    'access-control-request-method': 'POST',
    ...bearer(read),
  };
  for (const method of ['OPTIONS', 'GET'] as const) {
    const response = await app.inject({ method, url: '/api/v1/things', headers });
    expect(Object.keys(response.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
});

test('every response, including errors and files, has the security headers', async () => {
  for (const url of ['/', '/sign-in', '/api/v1/things', '/nothing', '/api/v1/nothing', '/livez']) {
    const { headers } = await app.inject({ url, headers: bearer(read) });
    const policy = String(headers['content-security-policy']);
    for (const part of [
      "default-src 'self'",
      "script-src 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "form-action 'self'",
    ])
      expect(policy, url).toContain(part);
    expect(policy).not.toMatch(/unsafe|https?:/);
    expect(headers, url).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'x-frame-options': 'DENY',
    });
    expect(headers['strict-transport-security'], url).toBeUndefined();
  }
});

test('API responses are not cacheable', async () => {
  const { headers } = await app.inject({ url: '/api/v1/things', headers: bearer(read) });
  expect(headers['cache-control']).toBe('no-store');
});
