import { afterAll, beforeAll, expect, test } from 'vitest';
import { steppedClock } from '../../../src/platform/clock.ts';
import { openAccess } from '../../../src/monitor/access/authentication.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { openStand } from './stand.ts';

const stand = await openStand();
let app: App;
beforeAll(async () => {
  app = await stand.serve();
});
afterAll(() => stand.close());

const json = (headers: Record<string, string>) =>
  app.inject({ method: 'POST', url: '/api/v1/things', headers, payload: { prompt: 'ferry' } });

test.each<[what: string, Record<string, string>, status: number]>([
  ['a command-line client', {}, 200],
  ['one of our pages', { 'sec-fetch-site': 'same-origin', origin: 'http://localhost' }, 200],
  ['one of our pages without a referrer', { 'sec-fetch-site': 'same-origin', origin: 'null' }, 200],
  ['the address bar', { 'sec-fetch-site': 'none' }, 200],
  ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, 403],
  ['another site in an older browser with only an origin', { origin: 'https://evil.example' }, 403],
  ['a sandboxed page', { origin: 'null' }, 403],
  [
    'another program on another port',
    { 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' },
    403,
  ],
  ['the same host over https', { origin: 'https://localhost' }, 403],
])('from %s: %j gets a %i', async (_what, headers, status) => {
  expect((await json(headers)).statusCode).toBe(status);
});

test('a webhook message redirected to our own API has no effect, whoever signed it', async () => {
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' };
  const refused = await json(headers);
  expect([refused.statusCode, refused.json()]).toMatchObject([
    403,
    { type: 'urn:strandline:problem:forged' },
  ]);
  expect((await app.inject({ url: '/livez', headers })).statusCode).toBe(403);
});

test.each([
  'application/x-www-form-urlencoded',
  'text/plain',
  'multipart/form-data; boundary=x',
  'application/xml',
  '',
])('the API refuses a body of type %j, even an empty one', async (type) => {
  for (const payload of ['prompt=ferry', '{"prompt":"ferry"}'])
    expect(
      (
        await app.inject({
          method: 'POST',
          url: '/api/v1/things',
          headers: { 'content-type': type },
          payload,
        })
      ).statusCode,
    ).toBe(415);
});

const OTHER = { 'sec-fetch-site': 'cross-site' };
const LED = { ...OTHER, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

// Nothing is read by it, but each request could hold a place of a stream or an export.
test.each<[what: string, url: string, headers: Record<string, string>, status: number]>([
  ['an image on another site', '/api/v1/things', { ...OTHER, 'sec-fetch-dest': 'image' }, 403],
  ['another program on another port', '/api/v1/things', { 'sec-fetch-site': 'same-site' }, 403],
  ['a script on another site, for a page', '/', { ...OTHER, 'sec-fetch-mode': 'no-cors' }, 403],
  ['a frame on another site', '/', { ...LED, 'sec-fetch-dest': 'iframe' }, 403],
  ['a link on another site to a page', '/', LED, 200],
  ['a link or a new window of another site to the API', '/api/v1/things', LED, 403],
  ['the address bar', '/api/v1/things', { ...LED, 'sec-fetch-site': 'none' }, 200],
  ['one of our pages', '/api/v1/things', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }, 200],
  ['another site that checks whether the server runs', '/livez', OTHER, 200],
])('reading from %s: %s with %j gets a %i', async (_what, url, headers, status) => {
  for (const method of ['GET', 'HEAD'] as const) {
    const answer = await app.inject({ method, url, headers });
    expect(answer.statusCode).toBe(status);
    if (status === 403 && method === 'GET') expect(answer.body).toContain('problem:forged');
  }
});

test('a local visitor needs the form token too, and the route never sees it', async () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const send = (payload: string) => app.inject({ method: 'POST', url: '/new', headers, payload });
  const token = /<p>(.*)<\/p>/.exec((await app.inject('/')).body)?.[1] ?? '';
  expect((await send('text=ferry')).statusCode).toBe(403);
  expect((await send(`text=ferry&form_token=${token.slice(0, -2)}AA`)).statusCode).toBe(403);
  expect((await send(`text=ferry&form_token=${token}&form_token=${token}`)).statusCode).toBe(403);
  const sent = await send(`text=ferry&form_token=${token}`);
  expect([sent.statusCode, sent.body]).toEqual([200, '{"text":"ferry"}']);
});

test('several processes on one database accept the same form tokens', async () => {
  const other = await openAccess(
    { db: stand.world.db, clock: steppedClock('2026-11-21T12:00:00Z') },
    { localMayEnter: true },
  );
  const asking = { token: undefined, session: undefined, address: '127.0.0.1' };
  const visitor = await other.visitorOf(asking);
  expect(visitor.kind).toBe('local');
  expect(app.access.isFormTokenOf(visitor, other.formTokenFor(visitor))).toBe(true);
  expect(app.access.isFormTokenOf({ ...visitor, kind: 'nobody' }, other.formTokenFor(visitor))).toBe(false);
});

test('a request with an API token cannot be forged: it needs no form token and no origin', async () => {
  const authorization = `Bearer ${await stand.token('write')}`;
  const made = await json({ authorization, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' });
  expect(made.statusCode).toBe(200);
});
