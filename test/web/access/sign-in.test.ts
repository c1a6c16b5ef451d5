import * as fc from 'fast-check';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { readReturnPath } from '../../../src/monitor/access/session-cookie.ts';
import { revokeToken } from '../../../src/monitor/access/manage-tokens.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { WEB } from '../../../src/app/web-server.ts';
import { openStand } from './stand.ts';

const stand = await openStand();
const { ctx, clock, db } = stand.world;
const token = await stand.token('read', 'write');
let app: App;
beforeEach(async () => {
  // Of its own: mistakes of one test make no other wait.
  app = await stand.serve(WEB);
});
afterAll(() => stand.close());

type Reply = Awaited<ReturnType<App['inject']>>;
const HOUR = 3_600_000;

/** Sends the form of a page as a browser does. */
async function send(server: App, url: string, fields: Record<string, string>, cookie?: string, more = {}) {
  return server.inject({
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: 'http://localhost',
      'sec-fetch-site': 'same-origin',
      ...(cookie && { cookie }),
      ...more,
    },
    payload: new URLSearchParams(fields).toString(),
  });
}

const formTokenIn = (page: Reply) => /name="form_token" value="([^"]+)"/.exec(page.body)?.[1] ?? 'none';
const cookieOf = (reply: Reply) => String(reply.headers['set-cookie']).split(';')[0] ?? '';
const get = (url: string, cookie?: string) => app.inject({ url, ...(cookie && { headers: { cookie } }) });

async function signIn(given = token, next = '/', server = app) {
  const page = await server.inject('/sign-in');
  return send(server, '/sign-in', { form_token: formTokenIn(page), token: given, next });
}

test('a token starts a session, stored as a hash, with the secret in the cookie', async () => {
  const signedIn = await signIn(token, '/explore?q=ferry');
  expect([signedIn.statusCode, signedIn.headers.location]).toEqual([303, '/explore?q=ferry']);
  const set = String(signedIn.headers['set-cookie']);
  expect(set).toMatch(/^strandline=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/);
  const secret = cookieOf(signedIn).split('=')[1] ?? '';
  const { rows } = await db.pool.query<{ row: string }>('SELECT s::text AS row FROM strandline.sessions s');
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.filter(({ row }) => row.includes(secret))).toEqual([]);
  expect((await get('/', cookieOf(signedIn))).statusCode).toBe(200);
  expect((await get('/sign-in', cookieOf(signedIn))).statusCode).toBe(303);
});

test('a wrong token starts none, and is not echoed', async () => {
  const refused = await signIn('st_wrong<script>');
  expect(refused.statusCode).toBe(403);
  expect(refused.headers['set-cookie']).toBeUndefined();
  expect(refused.body).toContain('is invalid');
  expect(refused.body).not.toContain('st_wrong');
});

test('each sign-in starts a new session and ends the previous one', async () => {
  const first = cookieOf(await signIn());
  const page = await app.inject({ url: '/', headers: { cookie: first } });
  const second = cookieOf(await send(app, '/sign-in', { form_token: formTokenIn(page), token }, first));
  expect(second).not.toBe(first);
  expect([(await get('/', first)).statusCode, (await get('/', second)).statusCode]).toEqual([303, 200]);
});

test('a fixated session is rejected', async () => {
  expect((await get('/', `strandline=${'A'.repeat(43)}`)).headers.location).toBe('/sign-in');
});

test('signing out ends the session: a copy of its cookie is rejected', async () => {
  const cookie = cookieOf(await signIn());
  const form = formTokenIn(await get('/', cookie));
  expect((await send(app, '/sign-out', {}, cookie)).statusCode).toBe(403);
  const out = await send(app, '/sign-out', { form_token: form }, cookie);
  expect([out.statusCode, out.headers.location]).toEqual([303, '/sign-in']);
  expect(String(out.headers['set-cookie'])).toMatch(/^strandline=; /);
  expect((await get('/', cookie)).statusCode).toBe(303);
});

test('a session ends after twelve hours of inactivity, and after seven days in any case', async () => {
  const idle = cookieOf(await signIn());
  const used = cookieOf(await signIn());
  clock.advance(12 * HOUR - 1_000);
  expect((await get('/', used)).statusCode).toBe(200);
  clock.advance(1_000);
  expect((await get('/', idle)).statusCode).toBe(303);
  // That it was used is written down to the minute.
  clock.advance(HOUR);
  for (let hours = 13; hours < 168; hours += 11) {
    expect((await get('/', used)).statusCode, `after ${hours} hours`).toBe(200);
    clock.advance(11 * HOUR);
  }
  expect((await get('/', used)).statusCode).toBe(303);
});

test('a session has the scopes of its token, and ends with it', async () => {
  const other = await stand.token('read');
  const cookie = cookieOf(await signIn(other));
  expect((await get('/', cookie)).statusCode).toBe(200);
  const probe = await stand.serve();
  const write = await probe.inject({
    method: 'POST',
    url: '/api/v1/things',
    headers: { cookie },
    payload: {},
  });
  expect(write.statusCode).toBe(403);
  await revokeToken(ctx, other);
  expect((await get('/', cookie)).statusCode).toBe(303);
});

test('after five wrong tokens an address waits with wrong ones, longer each time; right tokens never do', async () => {
  const friend = () => app.inject({ url: '/metrics', headers: { authorization: `Bearer ${token}` } });
  await app.inject({ url: '/', headers: { authorization: `Bearer ${token}` } });
  const statuses: number[] = [];
  for (let i = 0; i < 6; i++) statuses.push((await signIn('st_x')).statusCode);
  expect(statuses).toEqual([403, 403, 403, 403, 403, 429]);
  const waits: number[] = [];
  for (let i = 0; i < 8; i++) {
    const refused = await signIn('st_x');
    const wait = Number(refused.headers['retry-after']);
    waits.push(wait);
    clock.advance(wait * 1_000);
    await signIn('st_x');
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  expect((await friend()).statusCode).not.toBe(429);
  const stranger = await stand.token('read');
  expect((await signIn('st_x')).statusCode).toBe(429);
  expect((await signIn(stranger)).statusCode).toBe(303);
  clock.advance(60_000);
  expect((await signIn('st_x')).statusCode).toBe(403);
});

test('refuses a form of another visitor, an expired one, and a missing form token', async () => {
  const cookie = cookieOf(await signIn());
  const mine = formTokenIn(await get('/', cookie));
  const again = formTokenIn(await get('/', cookie));
  expect(again).not.toBe(mine);
  const theirs = formTokenIn(await get('/', cookieOf(await signIn())));
  for (const form_token of [theirs, '', `${mine}x`.slice(1), formTokenIn(await get('/sign-in'))])
    expect((await send(app, '/sign-out', { form_token }, cookie)).statusCode, form_token).toBe(403);
  const json = await app.inject({
    method: 'POST',
    url: '/sign-out',
    headers: { cookie },
    payload: { form_token: mine },
  });
  expect(json.statusCode).toBe(415);
});

test.each([
  ['/topics/ferry?tab=posts#new', '/topics/ferry?tab=posts#new'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['\\\\evil.example', '/'],
  ['https://evil.example/', '/'],
  ['javascript:alert(1)', '/'],
  ['/\t/evil.example', '/'],
  ['/a\r\nset-cookie: x=1', '/'],
  ['/.//evil.example', '/'],
  ['/x/..//evil.example', '/'],
  ['evil.example', '/'],
  ['/sign-in?next=/', '/'],
  ['', '/'],
])('%j redirects to %j', (given, to) => {
  expect(readReturnPath(given)).toBe(to);
});

test('any redirect target stays on this origin', () => {
  const hostile = fc.array(
    fc.constantFrom(
      '/',
      '/',
      '\\',
      '.',
      '..',
      ':',
      '@',
      '\t',
      '\n',
      '%',
      '?',
      '#',
      'evil.example',
      'a',
      '\0',
    ),
    { minLength: 1, maxLength: 8 },
  );
  fc.assert(
    fc.property(hostile, (parts) => {
      const to = readReturnPath(`/${parts.join('')}`);
      expect(new URL(to, 'https://here.example').origin).toBe('https://here.example');
      expect(to).toMatch(/^\/(?![/\\])/);
    }),
    { numRuns: 2_000 },
  );
});
