/** Links to shared pages over the real database: what each one shows, and what it does not open. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildHttpServer, startHttpServer } from '../../../src/app/http-server.ts';
import { WEB } from '../../../src/app/web-server.ts';
import {
  createShare,
  revokeShare,
  type ShareSpan,
  writeSharePath,
} from '../../../src/monitor/access/manage-shares.ts';
import { isShareable } from '../../../src/monitor/access/share-pages.ts';
import { createToken, OPERATOR } from '../../../src/monitor/access/manage-tokens.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { executeRun } from '../../../src/monitor/runs/execute.ts';
import { insertManualRun } from '../../../src/monitor/topics/run-now.ts';
import { createTopic, renameTopic } from '../../../src/monitor/topics/save-topic.ts';
import { createSearch } from '../../../src/monitor/topics/save-search.ts';
import { changeTopic } from '../../../src/monitor/topics/search-state.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { homeOf } from '../../cli/stand.ts';
import { json, type StubService, startStub, wirePost } from '../../stub-service.ts';
import { makeWorld, type World } from '../../world.ts';
import { personAt, textOf } from '../pages/person.ts';

let stub: StubService;
let world: World;
let app: App;
let log = '';
const secrets: string[] = [];
const replies: string[] = [];

beforeAll(async () => {
  stub = await startStub();
  world = await plant('real');
  const logger = createLogger('trace', [], { write: (line) => void (log += line) });
  app = await buildHttpServer({ ...homeOf(world), ctx: { ...world.ctx, log: logger } }, WEB);
});
afterAll(async () => {
  await app.close();
  await world.close();
  await stub.close();
});

/** Three topics, each with a post that only it has. */
async function plant(kind: 'real' | 'sandbox'): Promise<World> {
  const made = await makeWorld({ hosted: stub.url, kind });
  for (const [n, slug] of ['pier', 'quay', 'buoy'].entries()) {
    const service = kind === 'real' ? 'hosted' : 'sandbox';
    const search = { topic: slug, operation: 'microblog', prompt: slug, every: '1h', service } as const;
    stub.answers(json({ miner_tweets: [] }));
    const { firstRunId } = await createSearch(made.ctx, { ...search, slug: `${slug}-posts` });
    await made.db.pool.query("UPDATE strandline.services SET dialect = 'named'");
    await executeRun(made.ctx, firstRunId);
    made.clock.advance(60_000);
    const text = `text of ${slug}, see https://elsewhere.example/${slug}`;
    stub.answers(json({ miner_tweets: [wirePost(String(n + 1), { text })] }));
    await executeRun(made.ctx, (await insertManualRun(made.ctx, `${slug}-posts`)).runId);
    made.clock.advance(60_000);
    await renameTopic(made.ctx, slug, { name: `Place ${slug.toUpperCase()}` });
  }
  return made;
}

async function share(
  address: string,
  expires_in: ShareSpan = '7d',
): Promise<{ path: string; key: string; prefix: string }> {
  const { key, share: made } = await createShare(world.ctx, { address, expires_in });
  secrets.push(key);
  return { path: writeSharePath(key), key, prefix: made.prefix };
}
async function get(url: string, headers: Record<string, string> = {}) {
  const reply = await app.inject({ method: 'GET', url, headers });
  replies.push(JSON.stringify(reply.headers), reply.body);
  return reply;
}

const TOPIC = '/topics/pier?range=7d&tab=posts';
/** Every page that can be shared, in a world where nobody is asked for a token. */
const PAGES = [
  '/',
  '/?range=7d',
  TOPIC,
  '/searches/pier-posts?range=7d',
  '/searches/pier-posts/completions',
  '/compare?topics=pier,quay&range=7d',
];

describe.each(PAGES)('%s', (address) => {
  test('is shown without a token, leads nowhere else, and says what it is', async () => {
    const { path, key } = await share(address);
    const reply = await get(path);
    expect(reply.statusCode).toBe(200);
    expect(reply.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
      'content-type': 'text/html; charset=utf-8',
    });
    expect(Object.keys(reply.headers)).not.toEqual(expect.arrayContaining(['set-cookie']));
    expect(reply.headers).not.toHaveProperty('etag');
    const { body } = reply;
    expect(body).toContain('Shared page, read-only.');
    expect(body).toContain('The link works until');
    expect(body).toContain('<meta name="referrer" content="no-referrer"');
    // Nothing leads to another page, or changes anything, or asks for events.
    const own = [...body.matchAll(/ (?:href|action|formaction|src|data-[a-z]+)="(\/[^"]*|\?[^"]*)"/g)].map(
      ([, at]) => at,
    );
    expect(own.filter((at) => !at?.startsWith('/assets/'))).toEqual([]);
    expect(own.length).toBeGreaterThan(1);
    expect(body).not.toMatch(/<(?:form|button|input|select|nav)\b|data-events|form_token/);
    expect(body).not.toContain(key.slice(3));
    // Whoever is not asked for a token sees the same page with its ways.
    expect((await get(address)).body).toMatch(/<form|<nav/);
  });
});

test('a link opens its page and nothing else, also once tokens exist', async () => {
  const { path, key, prefix } = await share(TOPIC);
  const other = await share('/topics/quay');
  const admin = await createToken(world.ctx, { name: 'admin', scopes: ['admin'] }, OPERATOR);
  const bearer = { authorization: `Bearer ${admin.key}` };
  const shown = await get(path);
  expect(shown.statusCode).toBe(200);
  expect(shown.body).toContain('text of pier');
  expect(shown.body).not.toMatch(/quay|buoy/i);
  expect((await get('/topics/pier')).statusCode).toBe(303);

  // Nothing of the request chooses what is shown.
  for (const url of [
    `${path}?range=30d&tab=stories`,
    `${path}?topic=quay&slug=quay&address=/topics/quay`,
    `${path}?topics=quay,buoy&q=text`,
    `${path}#/topics/quay`,
  ]) {
    const reply = await get(url);
    expect([url, reply.statusCode]).toEqual([url, 200]);
    expect(reply.body).not.toMatch(/quay|buoy/i);
    expect(reply.body).toContain('text of pier');
  }
  const fromElsewhere = await get(path, {
    'x-original-url': '/topics/quay',
    'x-rewrite-url': '/topics/quay',
    'x-http-method-override': 'POST',
    authorization: `Bearer ${key}`,
    cookie: `strandline=${key}; zone=../quay; theme=quay; visit=1.1.1.1; done=saved`,
    'if-none-match': '*',
    accept: 'application/json',
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
  });
  expect(fromElsewhere.statusCode).toBe(200);
  expect(fromElsewhere.body).not.toMatch(/quay|buoy/i);
  expect(fromElsewhere.body).not.toContain('class="done"');

  // Steps of a path do not leave the link.
  for (const rest of [
    '/',
    '/posts',
    '/..',
    '/../../topics/quay',
    '/%2e%2e/topics/quay',
    '%2f..%2ftopics%2fquay',
    '/topics/quay',
    ';/topics/quay',
    '%00',
  ]) {
    const reply = await get(`${path}${rest}`);
    expect([rest, reply.statusCode]).not.toEqual([rest, 200]);
    expect(reply.body).not.toMatch(/text of/);
  }
  // The key is no token, in no place.
  world.clock.advance(16 * 60_000);
  for (const url of ['/', '/topics/pier', '/topics/quay', '/posts/1', '/shares', '/explore?q=text'])
    expect([url, (await get(url, { cookie: `strandline=${key}` })).statusCode]).toEqual([url, 303]);
  for (const url of [
    '/api/v1/topics',
    '/api/v1/shares',
    '/api/v1/events',
    '/api/v1/exports/posts',
    '/metrics',
    '/mcp',
  ]) {
    world.clock.advance(16 * 60_000);
    expect([url, (await get(url, { authorization: `Bearer ${key}` })).statusCode]).not.toEqual([url, 200]);
    expect([url, (await get(`${url}?key=${key}`)).statusCode]).not.toEqual([url, 200]);
  }
  // What changes something.
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const)
    expect((await app.inject({ method, url: path })).statusCode).toBe(405);
  const head = await app.inject({ method: 'HEAD', url: path });
  expect([head.statusCode, head.body]).toEqual([200, '']);

  // Keys that are nearly right.
  for (const wrong of [
    `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`,
    `${other.key.slice(0, 11)}${key.slice(11)}`,
    `fd${key.slice(2)}`,
    `${key}.html`,
    ` ${key}`,
    prefix,
    admin.key,
    'sh_',
    '*',
  ]) {
    world.clock.advance(16 * 60_000);
    const reply = await get(`/shared/${encodeURIComponent(wrong)}`);
    expect([wrong, reply.statusCode]).toEqual([wrong, 404]);
    expect(reply.body).not.toContain(key.slice(11, 40));
    expect(reply.headers['cache-control']).toBe('no-store');
  }

  // A signed-in person sees it as others do.
  expect((await get(path, bearer)).body).not.toMatch(/<nav|<form/);
  await revokeShare(world.ctx, `http://localhost${path}`);
  const closed = await get(path);
  expect(closed.statusCode).toBe(410);
  expect(closed.body).toContain('This link was revoked');
  expect(closed.body).not.toMatch(/text of|Place PIER/);
  expect((await get(other.path)).statusCode).toBe(200);
});

test('an unknown link counts as a wrong token, and a right one is opened at any time', async () => {
  const { path } = await share('/topics/quay');
  world.clock.advance(16 * 60_000);
  const statuses: number[] = [];
  for (let n = 0; n < 7; n++) statuses.push((await get(`/shared/sh_${'0'.repeat(51)}`)).statusCode);
  expect(statuses).toEqual([404, 404, 404, 404, 404, 429, 429]);
  expect((await get('/api/v1/topics', { authorization: 'Bearer st_wrong' })).statusCode).toBe(429);
  expect((await get(path)).statusCode).toBe(200);
  world.clock.advance(16 * 60_000);
});

test('a link follows a rename, not the slug; what was removed is gone', async () => {
  const { path } = await share('/topics/buoy?range=30d&tab=posts');
  const both = await share('/compare?topics=quay,buoy');
  const search = await share('/searches/buoy-posts?range=30d&tab=posts');
  await renameTopic(world.ctx, 'buoy', { slug: 'beacon' });
  await createTopic(world.ctx, {
    name: 'Another',
    slug: 'buoy',
    searches: [{ slug: 'buoy-again', operation: 'microblog', prompt: 'another', every: '1h' }],
  });
  for (const url of [path, search.path]) {
    const { body, statusCode } = await get(url);
    expect([url, statusCode]).toEqual([url, 200]);
    expect(body).toContain('text of buoy');
    expect(body).not.toMatch(/another/i);
  }
  await changeTopic(world.ctx, 'beacon', 'remove');
  for (const url of [path, search.path, both.path]) {
    const reply = await get(url);
    expect([url, reply.statusCode]).toEqual([url, 410]);
    expect(reply.body).toContain('This page was removed');
  }
});

test.each([
  '/topics/pier/posts',
  '/topics/pier/edit',
  '/topics/no-such',
  '/topics/beacon',
  '/topics/pier/../quay/edit',
  '/searches/no-such',
  '/stories/999999',
  '/stories/1x',
  '/compare',
  '/compare?topics=pier',
  '/compare?topics=pier,no-such',
  '/runs',
  '/system/tokens',
  '/explore?q=a',
  '/explore/sql',
  '/api/v1/topics',
  '/shared/x',
  '/shares',
  '/sign-in',
  '//evil.example/topics/pier',
  'https://evil.example/',
  '/topics/{t1}',
  '',
])('%j cannot be shared', async (address) => {
  await expect(createShare(world.ctx, { address, expires_in: '1d' })).rejects.toMatchObject({
    problems: [{ path: 'address' }],
  });
});

test('posts of a shared page lead to their originals, which learn nothing of it', async () => {
  const original = 'https://x.example/user_1/status/1';
  for (const address of [TOPIC, '/topics/pier?range=7d', '/searches/pier-posts?range=7d&tab=posts']) {
    const { body } = await get((await share(address)).path);
    expect(body).toContain(`<a href="${original}" rel="noopener noreferrer nofollow" class="out">`);
    expect((await get(address)).body).not.toContain(`<a href="${original}"`);
  }
});

test('a brace in a query is no placeholder', async () => {
  const { share: made } = await createShare(world.ctx, { address: '/?q={t2}{s1}', expires_in: '1d' });
  expect(made.address).toBe('/?q=%7Bt2%7D%7Bs1%7D');
});

test('the form offers what can be shared, shows the link once, and the list revokes it', async () => {
  expect(isShareable('/topics/pier?range=7d')).toBe(true);
  expect(isShareable('/topics/pier/edit')).toBe(false);
  await world.db.pool.query('DELETE FROM strandline.tokens');
  const person = personAt(app);
  const { html } = await person.get('/topics/pier?range=7d');
  const offered = [...html.matchAll(/href="(\/shares\/new\?address=[^"]+)"/g)].map(([, at]) => at);
  expect(offered.length).toBe(2);
  const form = await person.get(offered[0] ?? '');
  expect(form.html).toContain('value="/topics/pier?range=7d"');
  const made = await person.post('/shares', {
    address: '/topics/pier?range=7d',
    expires_in: '1d',
    name: 'For <b>Anna</b>',
  });
  const [, link = ''] = /<code>(http:[^<]+)<\/code>/.exec(made.html) ?? [];
  secrets.push(link.slice(link.lastIndexOf('/') + 1));
  expect((await get(new URL(link).pathname)).statusCode).toBe(200);
  const list = await person.get('/shares');
  expect(list.html).toContain('For &lt;b>Anna&lt;/b>');
  expect(list.html).toContain('href="/topics/pier?range=7d"');
  expect(list.html).toContain('this machine');
  expect(list.html).not.toContain(link.slice(-43));
  const [, action = ''] = /action="(\/shares\/\d+\/revoke)"/.exec(list.html) ?? [];
  await person.follow(action);
  expect((await get(new URL(link).pathname)).statusCode).toBe(410);
  expect((await person.post('/shares', { address: '/runs' })).status).toBe(400);
  const odd = await person.post('/shares', { address: '/', expires_in: '14d' });
  expect(odd.status).toBe(400);
  expect(textOf(odd.html)).toContain('Works for : got "14d"; expected one of 1d, 7d, 30d');
});

test('the API creates, lists and revokes; a reader sees no link, and creates none', async () => {
  const admin = (await createToken(world.ctx, { name: 'admin', scopes: ['admin'] }, OPERATOR)).key;
  const reader = (await createToken(world.ctx, { name: 'reader', scopes: ['read', 'write'] }, OPERATOR)).key;
  const send = (method: 'GET' | 'POST' | 'DELETE', rest: string, token: string, payload?: object) =>
    app.inject({
      method,
      url: `/api/v1/shares${rest}`,
      headers: {
        authorization: `Bearer ${token}`,
        ...(method === 'POST' ? { 'idempotency-key': 'one' } : {}),
      },
      ...(payload === undefined ? {} : { payload }),
    });
  const made = await send('POST', '', admin, { address: TOPIC, expires_in: '1d' });
  expect([made.statusCode, made.headers['cache-control']]).toEqual([201, 'no-store']);
  const { id, url, prefix } = made.json<{ id: string; url: string; prefix: string }>();
  secrets.push(url.slice(url.lastIndexOf('/') + 1));
  expect(made.json()).toMatchObject({
    name: 'Topic Place PIER',
    address: TOPIC,
    created_by: `token ${admin.slice(3, 11)}`,
  });
  expect((await get(new URL(url).pathname)).statusCode).toBe(200);
  expect((await send('POST', '', admin, { address: TOPIC, expires_in: '1d' })).json()).toMatchObject({
    id,
    url: null,
  });
  const listed = await send('GET', '', reader);
  replies.push(listed.body);
  expect(listed.json<{ items: unknown[] }>().items[0]).toMatchObject({
    id,
    prefix,
    last_opened_at: expect.any(String),
  });
  expect((await send('POST', '', reader, { address: TOPIC })).statusCode).toBe(403);
  expect((await send('DELETE', `/${id}`, reader)).statusCode).toBe(403);
  expect((await send('DELETE', `/${prefix}`, admin)).json()).toMatchObject({
    id,
    revoked_at: expect.any(String),
  });
  expect((await get(new URL(url).pathname)).statusCode).toBe(410);
  expect((await send('POST', '', admin, { address: '/runs', expires_in: '2d' })).statusCode).not.toBe(201);
});

test('no key is in the log, metrics, audit log, database or a reply', async () => {
  const [known = ''] = secrets;
  await world.db.pool.query('ALTER TABLE strandline.shares RENAME TO shares_away');
  const broken = await get(`/shared/${known}`);
  await world.db.pool.query('ALTER TABLE strandline.shares_away RENAME TO shares');
  expect(broken.statusCode).toBe(500);
  const { key: admin } = await createToken(world.ctx, { name: 'metrics', scopes: ['admin'] }, OPERATOR);
  const metrics = (await get('/metrics', { authorization: `Bearer ${admin}` })).body;
  expect(metrics).toContain('route="/shared/:key"');
  expect(log).toContain('/shared/:key');
  const { rows } = await world.db.pool.query<{ row: string }>(
    `SELECT s::text AS row FROM strandline.shares s UNION ALL SELECT a::text FROM strandline.audit_log a
     UNION ALL SELECT i::text FROM strandline.idempotency_keys i`,
  );
  const stored = rows.map(({ row }) => row).join('\n');
  expect(stored).toContain('share.created');
  expect(stored).toContain('share.revoked');
  expect(secrets.length).toBeGreaterThan(10);
  const texts = [log, metrics, stored, ...replies];
  for (const key of secrets) {
    expect(key).toMatch(/^sh_\w{51}$/);
    expect(texts.filter((text) => text.includes(key.slice(11)))).toEqual([]);
  }
});

test.each([
  ['1d', 1],
  ['7d', 7],
  ['30d', 30],
] as const)('after %s a link has expired', async (span, days) => {
  const { path } = await share('/topics/quay', span);
  world.clock.advance(days * 86_400_000 - 1_000);
  expect((await get(path)).statusCode).toBe(200);
  world.clock.advance(1_000);
  const reply = await get(path);
  expect([reply.statusCode, reply.headers['cache-control']]).toEqual([410, 'no-store']);
  expect(reply.body).toContain('This link has expired');
});

test('below /sandbox: links of its own, which do not open the other side', async () => {
  const sandbox = await plant('sandbox');
  await world.db.pool.query('DELETE FROM strandline.tokens');
  const { config } = world.ctx;
  const web = await startHttpServer(
    { ...homeOf(world), ctx: { ...world.ctx, config: { ...config, http: { ...config.http, port: 0 } } } },
    WEB,
    { sandbox: homeOf(sandbox) },
  );
  try {
    const reply = await fetch(`${web.url}/sandbox/api/v1/shares`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ address: '/topics/pier?range=7d&from=2026-11-20T01:00&to=2026-11-21T13:00' }),
    });
    const { url } = (await reply.json()) as { url: string };
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sandbox\/shared\/sh_\w{51}$/);
    const page = await fetch(url);
    const html = await page.text();
    expect([page.status, page.redirected]).toEqual([200, false]);
    expect(html).toContain('everything here is simulated');
    expect(html).toContain('"/sandbox/assets/');
    expect(html).not.toContain('Real data');
    expect(html).not.toMatch(/="\/sandbox\/(?!assets\/)/);
    expect((await fetch(url.replace('/sandbox', ''))).status).toBe(404);
  } finally {
    await web.close();
    await sandbox.close();
  }
});
