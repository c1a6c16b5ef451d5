/** Feeds over the real database: their addresses, ids, conditional requests, and what a key opens. */
import { configureProgram } from '../../../src/app/database-access.ts';
import { readPublicBase } from '../../../src/monitor/http/public-address.ts';
import { parseAtomFeed, parseRssFeed } from 'feedsmith';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildHttpServer, startHttpServer } from '../../../src/app/http-server.ts';
import { WEB } from '../../../src/app/web-server.ts';
import { createToken, OPERATOR, revokeToken } from '../../../src/monitor/access/manage-tokens.ts';
import { createFeed, revokeFeed } from '../../../src/monitor/feeds/manage-feeds.ts';
import { writeFeedPath } from '../../../src/monitor/feeds/feed-address.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { executeRun } from '../../../src/monitor/runs/execute.ts';
import { insertManualRun } from '../../../src/monitor/topics/run-now.ts';
import { renameTopic } from '../../../src/monitor/topics/save-topic.ts';
import { createSearch } from '../../../src/monitor/topics/save-search.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { rebuildTrends } from '../../../src/monitor/derive/follower.ts';
import { findAuthor, forgetAuthor } from '../../../src/store/erase/forget-author.ts';
import { homeOf } from '../../cli/stand.ts';
import { json, type StubService, startStub, wirePost } from '../../stub-service.ts';
import { makeWorld, type World } from '../../world.ts';

let stub: StubService;
let world: World;
let app: App;
let log = '';
const secrets: string[] = [];

beforeAll(async () => {
  stub = await startStub();
  world = await plant('real');
  const home = homeOf(world);
  const logger = createLogger('trace', [], { write: (line) => void (log += line) });
  app = await buildHttpServer({ ...home, ctx: { ...world.ctx, log: logger } }, WEB);
});
afterAll(async () => {
  await app.close();
  await world.close();
  await stub.close();
});

const post = (n: number, text = `lantern ${n} <b>&amp; ]]> \u0001`) =>
  wirePost(String(n), { text, like_count: n, user: { id: '7', username: 'keeper', name: 'Keeper' } });

async function plant(kind: 'real' | 'sandbox'): Promise<World> {
  const made = await makeWorld({ hosted: stub.url, kind });
  for (const [slug, topic] of [
    ['pier-posts', 'pier'],
    ['quay-posts', 'quay'],
  ] as const) {
    stub.answers(json({ miner_tweets: [post(1)] }));
    const service = kind === 'real' ? 'hosted' : 'sandbox';
    const search = { slug, topic, operation: 'microblog', prompt: slug, every: '1h', service } as const;
    const { firstRunId } = await createSearch(made.ctx, search);
    await made.db.pool.query("UPDATE strandline.services SET dialect = 'named'");
    await executeRun(made.ctx, firstRunId);
    made.clock.advance(60_000);
  }
  await find(made, 'pier-posts', [1, 2, 3]);
  await find(made, 'quay-posts', [1, 3, 4]);
  return made;
}

/** A run that returns these posts. */
async function find(into: World, search: string, ids: readonly number[]): Promise<void> {
  stub.answers(json({ miner_tweets: ids.map((n) => post(n)) }));
  await executeRun(into.ctx, (await insertManualRun(into.ctx, search)).runId);
  into.clock.advance(60_000);
}

const get = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  app.inject({ method, url, headers });
const entriesAt = async (url: string) => parseAtomFeed((await get(url)).body).entries ?? [];
const likesOf = (entries: Awaited<ReturnType<typeof entriesAt>>) =>
  entries.map(({ content }) => Number(/(\d+) likes?/.exec(content?.value ?? '')?.[1]));

async function make(written: Parameters<typeof createFeed>[1]): Promise<string> {
  const { key } = await createFeed(world.ctx, written);
  secrets.push(key);
  return writeFeedPath(key);
}

test('a feed has what its scope found since the start, each thing once, newest first', async () => {
  expect(likesOf(await entriesAt('/feed.atom?topic=pier'))).toEqual([3, 2]);
  expect(likesOf(await entriesAt('/feed.atom?search=quay-posts'))).toEqual([4, 3]);
  // The third was found in the topic pier first.
  expect(likesOf(await entriesAt('/feed.atom'))).toEqual([4, 3, 2]);
  expect(likesOf(await entriesAt('/feed.atom?query=lantern%20-4'))).toEqual([3, 2]);
  expect(likesOf(await entriesAt(await make({ topic: 'quay', query: 'lantern' })))).toEqual([4, 3]);
  expect(await entriesAt(await make({ query: 'nothing-has-this-word' }))).toEqual([]);
});

test('an entry names its author, topic and pages, and its text is text', async () => {
  const [entry] = await entriesAt(await make({ topic: 'pier' }));
  expect(entry).toMatchObject({
    title: { value: '@keeper: lantern 3 <b>&amp; ]]>', type: 'text' },
    authors: [{ name: '@keeper' }],
    categories: [{ term: 'pier' }, { term: 'pier-posts' }, { term: 'post' }],
    links: [
      { rel: 'alternate', href: 'https://x.example/user_3/status/3' },
      { rel: 'related', href: expect.stringMatching(/^http:\/\/localhost(:80)?\/posts\/\d+$/) },
    ],
  });
  expect(entry?.content?.value).toContain('<p>lantern 3 &lt;b&gt;&amp;amp; ]]&gt; </p><p>3 likes');
  expect(entry?.content?.value).toContain('published 2026-11-21 11:00 UTC');
});

test('ids stay: in both formats, by any address, at another host, and after everything derived is made again', async () => {
  const path = await make({ topic: 'pier' });
  const ids = (await entriesAt(path)).map(({ id }) => id);
  expect(ids).toHaveLength(2);
  for (const id of ids)
    expect(id).toMatch(/^urn:uuid:[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  const rss = parseRssFeed((await get(path.replace('.atom', '.rss'))).body).items ?? [];
  expect(rss.map(({ guid }) => guid?.value)).toEqual(ids);
  expect((await entriesAt('/feed.atom?topic=pier')).map(({ id }) => id)).toEqual(ids);
  expect((await entriesAt('/feed.atom')).map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
  await world.derive();
  const { rows } = await world.db.pool.query<{ id: bigint }>('SELECT id FROM strandline.searches');
  for (const { id } of rows) await rebuildTrends(world.ctx, id);
  await world.derive();
  expect((await entriesAt(path)).map(({ id }) => id)).toEqual(ids);
  const atHost = await buildHttpServer(
    {
      ...homeOf(world),
      ctx: {
        ...world.ctx,
        config: {
          ...world.ctx.config,
          http: { ...world.ctx.config.http, baseUrl: 'https://watch.example/' },
        },
      },
    },
    WEB,
  );
  const { body } = await atHost.inject({ url: path, headers: { host: 'watch.example' } });
  await atHost.close();
  const entries = parseAtomFeed(body).entries ?? [];
  expect(entries.map(({ id }) => id)).toEqual(ids);
  expect(entries[0]?.links?.[1]?.href).toMatch(/^https:\/\/watch\.example\/posts\/\d+$/);
});

test('an unchanged feed is 304, by ETag or by time, and a new discovery changes it', async () => {
  const path = await make({ topic: 'pier' });
  const first = await get(path);
  expect(first.statusCode).toBe(200);
  expect(first.headers['content-type']).toBe('application/atom+xml; charset=utf-8');
  expect(first.headers['cache-control']).toBe('private, no-cache');
  const { etag = '', 'last-modified': dated = '' } = first.headers as Record<string, string>;
  expect(etag).toMatch(/^W\/"/);
  const again = await get(path, { 'if-none-match': etag });
  expect([again.statusCode, again.body, again.headers['etag']]).toEqual([304, '', etag]);
  expect((await get(path, { 'if-modified-since': dated })).statusCode).toBe(304);
  expect((await get(path, { 'if-modified-since': new Date(0).toUTCString() })).statusCode).toBe(200);
  // The ETag decides where both are sent.
  expect((await get(path, { 'if-none-match': '"other"', 'if-modified-since': dated })).statusCode).toBe(200);
  expect((await get(path.replace('.atom', '.rss'), { 'if-none-match': etag })).statusCode).toBe(200);

  const head = await get(path, {}, 'HEAD');
  expect([head.statusCode, head.body, head.headers['etag']]).toEqual([200, '', etag]);
  expect((await get(path, { 'if-none-match': etag }, 'HEAD')).statusCode).toBe(304);

  await find(world, 'pier-posts', [1, 2, 3, 5]);
  const changed = await get(path, { 'if-none-match': etag });
  expect(changed.statusCode).toBe(200);
  expect(likesOf(parseAtomFeed(changed.body).entries ?? [])).toEqual([5, 3, 2]);
  // What another topic finds is no change.
  const { etag: later = '' } = changed.headers as Record<string, string>;
  await find(world, 'quay-posts', [6]);
  expect((await get(path, { 'if-none-match': later })).statusCode).toBe(304);
});

test('an unchanged feed costs a look for its key and for its newest discovery', async () => {
  const path = await make({ topic: 'pier', query: 'lantern' });
  const { etag = '' } = (await get(path)).headers as Record<string, string>;
  const statements: string[] = [];
  const { pool } = world.db;
  const query = pool.query.bind(pool) as (...given: unknown[]) => unknown;
  Object.assign(pool, {
    query: (first: string | { text: string }, ...rest: unknown[]) => {
      statements.push(typeof first === 'string' ? first : first.text);
      return query(first, ...rest);
    },
  });
  expect((await get(path, { 'if-none-match': etag })).statusCode).toBe(304);
  Object.assign(pool, { query });
  expect(statements.filter((text) => /\bfeeds\b/.test(text))).toHaveLength(1);
  expect(statements.filter((text) => /\bdiscoveries\b/.test(text))).toHaveLength(1);
  // Besides these, whether a slug was renamed.
  expect(statements.length).toBeLessThanOrEqual(3);
});

test('a feed survives the renaming of its topic', async () => {
  const path = await make({ topic: 'quay' });
  const before = parseAtomFeed((await get(path)).body);
  await renameTopic(world.ctx, 'quay', { slug: 'wharf' });
  const after = parseAtomFeed((await get(path)).body);
  expect(after.id).toBe(before.id);
  expect(after.entries?.map(({ id }) => id)).toEqual(before.entries?.map(({ id }) => id));
  expect((await entriesAt('/feed.atom?topic=quay')).length).toBe(after.entries?.length);
});

test('the key of a feed reads this feed only, also once tokens exist; a revoked feed is 410, an unknown one 404', async () => {
  const { feed, key } = await createFeed(world.ctx, { topic: 'pier' });
  secrets.push(key);
  const other = await createFeed(world.ctx, { search: 'pier-posts' });
  const admin = await createToken(world.ctx, { name: 'admin', scopes: ['admin'] }, OPERATOR);
  const path = writeFeedPath(key);
  expect((await get(path)).statusCode).toBe(200);
  expect((await get('/feed.atom?topic=pier')).statusCode).toBe(401);
  expect((await get('/feed.atom?topic=pier', { authorization: `Bearer ${admin.key}` })).statusCode).toBe(200);
  for (const url of ['/api/v1/topics', '/api/v1/feeds', '/feed.atom', '/feed.rss', '/metrics'])
    expect((await get(url, { authorization: `Bearer ${key}` })).statusCode).toBe(401);
  // Wrong tokens are forgotten after a quarter of an hour; a sixth would have to wait.
  world.clock.advance(16 * 60_000);
  expect((await get('/topics/pier', { authorization: `Bearer ${key}` })).statusCode).toBe(303);
  expect((await get('/topics/pier', { cookie: `strandline=${key}` })).statusCode).toBe(303);
  const wrong = [
    `/feeds/${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}.atom`,
    `/feeds/${other.key.slice(0, 11)}${key.slice(11)}.atom`,
    `/feeds/${key}`,
    `/feeds/${key}.json`,
    `/feeds/${key}.atom.atom`,
    `/feeds/${feed.prefix}.atom`,
    `/feeds/${admin.key}.atom`,
    '/feeds/.atom',
  ];
  for (const url of wrong) {
    const reply = await get(url);
    expect([url, reply.statusCode]).toEqual([url, 404]);
    expect(reply.body).not.toContain(key.slice(11, 40));
  }
  expect((await app.inject({ method: 'POST', url: path })).statusCode).toBe(405);
  await revokeFeed(world.ctx, `http://localhost${path}`);
  const gone = await get(path);
  expect([gone.statusCode, gone.headers['etag'], gone.json<{ detail: string }>().detail]).toEqual([
    410,
    undefined,
    'This feed was revoked.',
  ]);
  expect(gone.body).not.toContain(key.slice(11));
  expect((await get(writeFeedPath(other.key))).statusCode).toBe(200);
  await revokeToken(world.ctx, admin.prefix);
});

test('the API creates, lists and revokes', async () => {
  const send = (
    method: 'POST' | 'DELETE',
    url: string,
    payload?: object,
    headers: Record<string, string> = {},
  ) => app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
  const made = await send(
    'POST',
    '/api/v1/feeds',
    { topic: 'pier', name: 'Pier' },
    { 'idempotency-key': 'a' },
  );
  expect(made.statusCode).toBe(201);
  const { id, url, prefix } = made.json<{ id: string; url: string; prefix: string }>();
  secrets.push(url.slice(url.lastIndexOf('/') + 1, -5));
  expect((await get(new URL(url).pathname)).statusCode).toBe(200);
  const replayed = await send(
    'POST',
    '/api/v1/feeds',
    { topic: 'pier', name: 'Pier' },
    { 'idempotency-key': 'a' },
  );
  expect(replayed.json()).toMatchObject({ id, url: null });
  const { items } = (await get('/api/v1/feeds')).json<{
    items: { id: string; last_read_at: string | null }[];
  }>();
  expect(items.find((one) => one.id === id)).toMatchObject({
    prefix,
    topic: 'pier',
    search: null,
    query: '',
    last_read_at: world.clock.now().toISOString(),
  });
  expect((await send('DELETE', `/api/v1/feeds/${id}`)).json()).toMatchObject({
    id,
    revoked_at: expect.any(String),
  });
  expect((await get(new URL(url).pathname)).statusCode).toBe(410);
  for (const [body, status] of [
    [{ topic: 'no-such-topic' }, 404],
    [{ topic: 'pier', search: 'pier-posts' }, 400],
    [{ query: '(' }, 400],
    [{ name: 'x'.repeat(101) }, 400],
  ] as const)
    expect((await send('POST', '/api/v1/feeds', body)).statusCode).toBe(status);
});

test('no key is in the log, metrics, audit log or database', async () => {
  await world.db.pool.query('ALTER TABLE strandline.feeds RENAME TO feeds_away');
  const broken = await get(`/feeds/${secrets[0]}.atom`);
  await world.db.pool.query('ALTER TABLE strandline.feeds_away RENAME TO feeds');
  expect(broken.statusCode).toBe(500);
  const metrics = (await get('/metrics')).body;
  expect(metrics).toContain('route="/feeds/:file"');
  expect(log).toContain('/feeds/:file');
  expect(log).toContain('request failed');
  const { rows } = await world.db.pool.query<{ row: string }>(
    `SELECT f::text AS row FROM strandline.feeds f UNION ALL SELECT a::text FROM strandline.audit_log a
     UNION ALL SELECT i::text FROM strandline.idempotency_keys i`,
  );
  const stored = rows.map(({ row }) => row).join('\n');
  expect(stored).toContain('feed.created');
  expect(stored).toContain('feed.revoked');
  expect(secrets.length).toBeGreaterThan(5);
  for (const key of secrets) {
    expect(key).toMatch(/^fd_\w{51}$/);
    for (const text of [log, metrics, stored, broken.body]) expect(text).not.toContain(key.slice(11));
  }
});

test('what is forgotten leaves the feed', async () => {
  const path = await make({ topic: 'pier' });
  expect((await entriesAt(path)).length).toBeGreaterThan(0);
  const author = await findAuthor(world.db, 'hosted', '@keeper');
  if (author === undefined) throw new Error('@keeper is not known');
  await forgetAuthor(world.ctx, author);
  expect(await entriesAt(path)).toEqual([]);
});

test('below /sandbox: feeds of its own, whose addresses lead there', async () => {
  const sandbox = await plant('sandbox');
  const web = await startHttpServer(
    {
      ...homeOf(world),
      ctx: { ...world.ctx, config: { ...world.ctx.config, http: { ...world.ctx.config.http, port: 0 } } },
    },
    WEB,
    { sandbox: homeOf(sandbox) },
  );
  try {
    const reply = await fetch(`${web.url}/sandbox/api/v1/feeds`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ topic: 'pier' }),
    });
    const { url } = (await reply.json()) as { url: string };
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sandbox\/feeds\/fd_\w{51}\.atom$/);
    const { title, links, entries } = parseAtomFeed(await (await fetch(url)).text());
    expect(title?.value).toBe('strandline sample (simulated): pier');
    expect(links?.[0]?.href).toBe(`${web.url}/sandbox/topics/pier/discoveries`);
    expect(entries?.length).toBe(2);
    const page = entries?.[0]?.links?.[1]?.href ?? '';
    expect(page).toMatch(/\/sandbox\/posts\/\d+$/);
    expect((await fetch(page)).status).toBe(200);
    expect((await fetch(url.replace('/sandbox', ''))).status).toBe(404);
    const html = await (await fetch(`${web.url}/sandbox/topics/pier`)).text();
    expect(html).toContain(
      '<link rel="alternate" type="application/atom+xml" title="pier" href="/sandbox/feed.atom?topic=pier"',
    );
    expect((await fetch(`${web.url}/sandbox/feed.atom?topic=pier`)).status).toBe(200);
  } finally {
    await web.close();
    await sandbox.close();
  }
});

test('with BASE_URL, addresses of the sandbox have its mount once', () => {
  const { config } = world.ctx;
  const http = { ...config.http, baseUrl: 'https://watch.example/' };
  const configured = configureProgram({ ...config, http }, 'sandbox');
  const home = { ctx: { ...world.ctx, config: configured }, mount: '/sandbox' } as const;
  expect(readPublicBase({ headers: { host: 'elsewhere' } }, home)).toBe('https://watch.example/sandbox');
});
