/** A repeated request with the same `Idempotency-Key` is executed once, and gets the first reply. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { apiRoutes } from '../../../src/api/api-routes.ts';
import { buildTimeLimit } from '../../../src/api/idempotency-key.ts';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import { DAY, HOUR } from '../../../src/lib/time.ts';
import { createToken, OPERATOR } from '../../../src/monitor/access/manage-tokens.ts';
import type { Scope } from '../../../src/monitor/access/visitor-scopes.ts';
import { executeRun } from '../../../src/monitor/runs/execute.ts';
import { createSearch } from '../../../src/monitor/topics/save-search.ts';
import { leaseRun } from '../../../src/store/runs/run-leases.ts';
import { findAuthor, forgetAuthor } from '../../../src/store/erase/forget-author.ts';
import { deleteIdempotencyKeys } from '../../../src/store/access/idempotency.ts';
import { homeOf } from '../../cli/stand.ts';
import { gated, json, startStub, wirePost } from '../../stub-service.ts';
import { until } from '../../processes.ts';
import { makeWorld } from '../../world.ts';

const stub = await startStub();
const world = await makeWorld({
  hosted: stub.url,
  env: { MASTER_KEY: 'of the test, which seals nothing that matters', WEBHOOK_ALLOW: '127.0.0.1' },
});
const { ctx, db } = world;
const token = async (...scopes: Scope[]) =>
  (await createToken(ctx, { name: 'of the test', scopes }, OPERATOR)).key;
const admin = await token('admin');
const app = await buildHttpServer(
  homeOf(world),
  { api: [apiRoutes], pages: [] },
  { perMinute: 1_000_000, runsPerMinute: 1_000_000 },
);
const address = await app.listen({ port: 0, host: '127.0.0.1' });
afterAll(async () => {
  await app.close();
  await stub.close();
  await world.close();
});
beforeEach(() => {
  stub.requests.length = 0;
  stub.answers(json({ miner_tweets: [wirePost('1')] }));
});

const rows = async (sql: string, values: unknown[] = []) =>
  (await db.pool.query<Record<string, unknown>>(sql, values)).rows;
const count = async (table: string) =>
  (await rows(`SELECT count(*)::int AS n FROM strandline.${table}`))[0]?.['n'];

type Sent = {
  key?: string | undefined;
  bearer?: string;
  body?: unknown;
  method?: string;
  signal?: AbortSignal;
};
type Reply = { status: number; headers: Headers; body: Record<string, unknown>; text: string };

async function send(
  path: string,
  { key, bearer = admin, body, method = 'POST', signal }: Sent,
): Promise<Reply> {
  const reply = await fetch(`${address}/api/v1/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await reply.text();
  return { status: reply.status, headers: reply.headers, text, body: JSON.parse(text) as Reply['body'] };
}

let last = 0;
const newKey = () => `key-${(last += 1)}`;
const search = (slug: string) => ({
  slug,
  operation: 'microblog',
  prompt: 'tides',
  every: '1h',
  service: 'hosted',
});
const trial = { operation: 'microblog', prompt: 'tides', service: 'hosted' };

describe('a repeated request', () => {
  test('creates one object, and gets the same reply', async () => {
    const key = newKey();
    const first = await send('searches', { key, body: search('once') });
    const again = await send('searches', { key, body: search('once') });
    expect(first.status, first.text).toBe(201);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect([first, again].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
    expect(await count(`searches WHERE slug = 'once'`)).toBe(1);
  });

  test('calls the service once, and costs one call', async () => {
    const key = newKey();
    stub.answers(json({ miner_tweets: ['1', '2', '3', '4', '5', '6'].map((id) => wirePost(id)) }));
    const first = await send('searches/try', { key, body: trial });
    expect(first.status, first.text).toBe(200);
    expect(first.headers.get('content-encoding'), 'what is stored is not what is compressed').not.toBeNull();
    // Neither a default that is written out nor the order of members makes it another request.
    const again = await send('searches/try', {
      key: `"${key}"`,
      body: { shown: 20, ...Object.fromEntries(Object.entries(trial).toReversed()) },
    });
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(stub.requests).toHaveLength(1);
  });

  test('is executed once for twenty concurrent copies', async () => {
    const key = newKey();
    const gate = gated(json({ miner_tweets: [wirePost('1')] }));
    stub.answers(gate.answer);
    const sent = Array.from({ length: 20 }, () => send('searches/try', { key, body: trial }));
    // All but the one that is executed are answered while it is under way.
    let answered = 0;
    for (const one of sent) void one.then(() => (answered += 1));
    await until('the others are answered', () => Promise.resolve(answered === 19));
    gate.open();
    const replies = await Promise.all(sent);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 19 }, () => 409),
    ]);
    const busy = replies.find(({ status }) => status === 409);
    expect(busy?.body).toMatchObject({ type: 'urn:strandline:problem:idempotency_key_in_progress' });
    expect(busy?.headers.get('retry-after')).toBe('1');
    expect(stub.requests).toHaveLength(1);
    const after = await send('searches/try', { key, body: trial });
    expect([after.status, after.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
  });

  test('gets the same refusal, even after its cause has changed', async () => {
    const key = newKey();
    const first = await send('rules/none/pause', { key });
    expect(first.status).toBe(404);
    const refused = await send('searches/no-such/run', { key });
    await send('searches', { body: search('no-such') });
    const again = await send('searches/no-such/run', { key });
    expect([again.status, again.text]).toEqual([404, refused.text]);
    expect(again.headers.get('content-type')).toContain('application/problem+json');
    expect((await send('searches/no-such/run', { key: newKey() })).status).toBe(202);
  });

  test('gets the reply that the first client did not wait for', async () => {
    const key = newKey();
    const gate = gated(json({ miner_tweets: [wirePost('1')] }));
    stub.answers(gate.answer);
    const leaving = new AbortController();
    const gone = new Promise<void>((resolve) => {
      app.server.once('request', (_request, response) => response.once('close', resolve));
    });
    const first = send('searches/try', { key, body: trial, signal: leaving.signal });
    await until('the service is called', () => Promise.resolve(stub.requests.length === 1));
    leaving.abort();
    await expect(first).rejects.toThrow();
    await gone;
    gate.open();
    const again = await untilEnded(() => send('searches/try', { key, body: trial }));
    expect(again.status, again.text).toBe(200);
    expect(stub.requests).toHaveLength(1);
  });
});

test('is executed again if the server closed before the first one completed', async () => {
  const key = newKey();
  const closing = await buildHttpServer(homeOf(world), { api: [apiRoutes], pages: [] });
  const url = `${await closing.listen({ port: 0, host: '127.0.0.1' })}/api/v1/searches/try`;
  stub.answers(() => {});
  const leaving = new AbortController();
  const gone = new Promise<void>((resolve) => {
    closing.server.once('request', (_request, response) => response.once('close', resolve));
  });
  const first = fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${admin}`,
      'idempotency-key': key,
      'content-type': 'application/json',
    },
    body: JSON.stringify(trial),
    signal: leaving.signal,
  });
  await until('the service is called', () => Promise.resolve(stub.requests.length === 1));
  leaving.abort();
  await expect(first).rejects.toThrow();
  await gone;
  await closing.close();
  stub.answers(json({ miner_tweets: [] }));
  const again = await untilEnded(() => send('searches/try', { key, body: trial }));
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, null]);
  expect(stub.requests).toHaveLength(2);
});

describe('a different request', () => {
  test.each([
    ['body', 'searches/try', 'searches/try', { ...trial, prompt: 'ebb' }],
    ['path', 'searches/other-a/run', 'searches/other-b/run', undefined],
  ])('with the same key and another %s is refused', async (_what, path, other, body) => {
    const key = newKey();
    for (const slug of ['other-a', 'other-b']) await send('searches', { body: search(slug) });
    const first = await send(path, { key, body: body && trial });
    expect(first.status, first.text).toBeLessThan(300);
    const reply = await send(other, { key, body });
    expect(reply.status).toBe(422);
    expect(reply.body).toMatchObject({ type: 'urn:strandline:problem:idempotency_key_reused' });
    expect(stub.requests.length).toBeLessThan(2);
  });

  test('of another visitor or to another route is independent', async () => {
    const key = newKey();
    const theirs = await token('write', 'run');
    const asked = await Promise.all(
      [admin, theirs].map((bearer) => send('searches/try', { key, bearer, body: trial })),
    );
    expect(asked.map(({ status }) => status)).toEqual([200, 200]);
    expect(stub.requests).toHaveLength(2);
    await send('searches', { key, body: search('other-route') });
    expect((await send('searches/other-route/run', { key })).status).toBe(202);
  });

  test('of a visitor without permission does not use up the key', async () => {
    const reader = await token('read');
    const before = await count('idempotency_keys');
    expect((await send('searches/try', { key: newKey(), bearer: reader, body: trial })).status).toBe(403);
    expect((await send('searches/try', { key: newKey(), bearer: 'st_wrong', body: trial })).status).toBe(401);
    expect((await send('searches/try', { key: newKey(), body: { prompt: 1 } })).status).toBe(400);
    expect(await count('idempotency_keys')).toBe(before);
  });
});

test.each([
  ['', false],
  ['""', false],
  ['"never closed', false],
  ['"a", "b"', false],
  ['a, b', false],
  ['two words', false],
  ['"with";a=1', false],
  ['x'.repeat(256), false],
  ['x'.repeat(255), true],
  ['"two words, \\"quoted\\" and \\\\"', true],
  ['8e03978e-40d5-43e8-bc93-6894a57f9324', true],
])('a key of %j is valid: %j', async (key, valid) => {
  const reply = await app.inject({
    method: 'POST',
    url: '/api/v1/searches/try',
    headers: { authorization: `Bearer ${admin}`, 'idempotency-key': key },
    payload: trial,
  });
  expect(reply.statusCode, reply.body).toBe(valid ? 200 : 400);
  if (!valid) expect(reply.json()).toMatchObject({ errors: [{ path: 'headers.idempotency-key' }] });
});

describe('a one-time secret', () => {
  const channel = (slug: string) => ({ slug, webhook: `${stub.url}/hook-of-${slug}` });
  test.each([
    ['tokens', 'key', { name: 'once', scopes: ['read'] }, `tokens WHERE name = 'once'`],
    ['channels', 'secret', channel('once'), `channels WHERE slug = 'once'`],
    ['channels/once/rotate', 'secret', undefined, `channels WHERE array_length(secrets, 1) = 2`],
  ])('of POST %s is stored nowhere', async (path, member, body, created) => {
    const key = newKey();
    const first = await send(path, { key, body });
    const secret = String(first.body[member]);
    expect(first.status, first.text).toBeLessThan(300);
    expect(secret.length).toBeGreaterThan(20);
    const again = await send(path, { key, body });
    expect([again.status, again.body]).toEqual([first.status, { ...first.body, [member]: null }]);
    expect(again.headers.get('idempotency-omitted')).toBe(member);
    expect(await count(created)).toBe(1);
    const [row] = await rows('SELECT k::text AS text FROM strandline.idempotency_keys k WHERE key = $1', [
      key,
    ]);
    expect(row?.['text']).toContain(String(first.body['slug'] ?? first.body['name']));
    expect(row?.['text']).not.toContain(secret.slice(8));
  });

  test('is in no stored refusal', async () => {
    const key = newKey();
    const body = { slug: 'refused', webhook: 'http://192.0.2.1/hook-that-is-secret' };
    for (let i = 0; i < 2; i += 1) {
      const reply = await send('channels', { key, body });
      expect([reply.status, reply.headers.get('idempotency-replayed')]).toEqual([400, null]);
    }
    expect(await count(`idempotency_keys k WHERE k::text LIKE '%hook-that-is-secret%'`)).toBe(0);
  });
});

describe('a request is executed again', () => {
  test('after a failure of the service or of strandline', async () => {
    const key = newKey();
    stub.answers(json({ detail: 'not now' }, 500));
    expect((await send('searches/try', { key, body: trial })).status).toBe(502);
    stub.answers(json({ miner_tweets: [] }));
    const again = await send('searches/try', { key, body: trial });
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, null]);
    expect(stub.requests).toHaveLength(2);
  });

  test('24 hours later, and keys of that age are removed', async () => {
    const [young, old] = [newKey(), newKey()];
    await send('searches/try', { key: old, body: trial });
    world.clock.advance(DAY - HOUR);
    const replayed = await send('searches/try', { key: old, body: trial });
    expect(replayed.headers.get('idempotency-replayed')).toBe('true');
    await send('searches/try', { key: young, body: trial });
    world.clock.advance(HOUR);
    expect(await deleteIdempotencyKeys(db, world.clock)).toBeGreaterThan(0);
    expect(await count(`idempotency_keys WHERE key IN ('${young}', '${old}')`)).toBe(1);
    expect(await deleteIdempotencyKeys(db, world.clock)).toBe(0);

    world.clock.advance(DAY);
    stub.requests.length = 0;
    // It is not removed yet, and means nothing any more, not even with another body.
    const again = await send('searches/try', { key: young, body: { ...trial, prompt: 'ebb' } });
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, null]);
    expect(stub.requests).toHaveLength(1);
  });

  test('without a reply, once its time limit has passed, whatever its body is', async () => {
    const key = newKey();
    const limit = buildTimeLimit(ctx.config, true);
    await send('searches/try', { key, body: trial });
    await rows('UPDATE strandline.idempotency_keys SET status = NULL, reply = NULL WHERE key = $1', [key]);
    world.clock.advance(limit);
    expect((await send('searches/try', { key, body: trial })).status).toBe(409);
    expect((await send('searches/try', { key, body: { ...trial, prompt: 'ebb' } })).status).toBe(422);
    world.clock.advance(1);
    const again = await send('searches/try', { key, body: { ...trial, prompt: 'ebb' } });
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, null]);
    expect(stub.requests).toHaveLength(2);
  });

  test('whose start is further ahead than its time limit: a wrong clock wrote it', async () => {
    const key = newKey();
    await send('searches/try', { key, body: trial });
    await rows(
      `UPDATE strandline.idempotency_keys SET status = NULL, reply = NULL, created_at = created_at + interval '1 hour' WHERE key = $1`,
      [key],
    );
    expect((await send('searches/try', { key, body: trial })).status).toBe(200);
  });
});

test('what a request with a key creates is enqueued when it is committed', async () => {
  const before = world.enqueued.length;
  const { body } = await send('searches', { key: newKey(), body: search('enqueued') });
  const runs = await rows('SELECT id FROM strandline.runs WHERE search_id = $1', [body['id']]);
  expect(world.enqueued.slice(before).map(({ runId }) => runId)).toEqual(runs.map(({ id }) => id));
  expect(runs).toHaveLength(1);
});

test('a request with a key that is refused changes nothing, and its connection is free again', async () => {
  await send('searches', { body: search('taken-slug') });
  const { pool } = db;
  const body = {
    name: 'Two searches',
    slug: 'two-searches',
    searches: [
      { operation: 'microblog', prompt: 'tides', every: '1h', slug: 'first-of-two' },
      { operation: 'microblog', prompt: 'tides', every: '1h', slug: 'taken-slug' },
    ],
  };
  const key = newKey();
  for (let n = 0; n < 12; n += 1) expect((await send('topics', { key, body })).status).toBe(409);
  expect(await count(`topics WHERE slug = 'two-searches'`)).toBe(0);
  expect(await count(`searches WHERE slug = 'first-of-two'`)).toBe(0);
  expect(pool.totalCount - pool.idleCount).toBe(0);
});

describe('a manual run', () => {
  test('returns the queued run of the search, also for ten concurrent requests', async () => {
    const { body: created } = await send('searches', { body: search('queued') });
    const first = await rows('SELECT id::text FROM strandline.runs WHERE search_id = $1', [created['id']]);
    const asked = await send('searches/queued/run', {});
    expect([asked.status, asked.body]).toMatchObject([202, { id: first[0]?.['id'], already_queued: true }]);
    await claim('queued');
    const replies = await Promise.all(Array.from({ length: 10 }, () => send('searches/queued/run', {})));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(replies.map(({ headers }) => headers.get('location'))).size).toBe(1);
    expect(replies.filter(({ body }) => body['already_queued'] === false)).toHaveLength(1);
    await claim('queued');
    expect((await send('searches/queued/run', {})).body).toMatchObject({ already_queued: false });
  });

  test('is created next to a run that waits for a retry, and next to one of an earlier version', async () => {
    await send('searches', { body: search('waits') });
    const run = async () => (await send('searches/waits/run', {})).body;
    await rows(
      `UPDATE strandline.runs SET not_before = $1 WHERE status = 'queued'
       AND search_id = (SELECT id FROM strandline.searches WHERE slug = 'waits')`,
      [new Date(world.clock.now().getTime() + HOUR)],
    );
    const beside = await run();
    expect(beside).toMatchObject({ already_queued: false });
    expect(await run()).toMatchObject({ already_queued: true, id: beside['id'] });
    await send('searches/waits', { method: 'PATCH', body: { prompt: 'ebb' } });
    expect(await run()).toMatchObject({ already_queued: false });
  });
});

test('a stored reply with posts is removed when their author is forgotten', async () => {
  const key = newKey();
  await send('searches/try', { key, body: trial });
  const { firstRunId } = await createSearch(ctx, { ...search('forgets'), operation: 'microblog' });
  await executeRun(ctx, firstRunId);
  expect(await count(`idempotency_keys WHERE reply LIKE '%user_1%'`)).toBeGreaterThan(0);
  const author = await findAuthor(db, 'hosted', '91');
  if (author === undefined) throw new Error('not there');
  await forgetAuthor(ctx, author);
  expect(await count(`idempotency_keys WHERE reply LIKE '%user_1%'`)).toBe(0);
});

/** Why a route that changes something needs no key: sent again, it finds done what it asks for. */
const WITHOUT_KEY: Record<string, string> = {
  'POST /api/v1/apply': 'what a file says is applied once: the second time nothing is left to do',
  'PUT /api/v1/topics/:topic': 'sets what a topic is',
  'PUT /api/v1/searches/:search': 'sets what a search is',
  'PUT /api/v1/rules/:rule': 'sets what a rule says',
  'PATCH /api/v1/topics/:topic': 'sets a name',
  'POST /api/v1/topics/:topic/goal': 'sets what a topic is',
  'POST /api/v1/topics/:topic/language': 'sets a language',
  'POST /api/v1/topics/:topic/goal/try': 'saves nothing',
  'POST /api/v1/pause': 'sets a state',
  'POST /api/v1/resume': 'sets a state',
  'POST /api/v1/mute': 'sets a state',
  'POST /api/v1/unmute': 'sets a state',
  'POST /api/v1/dismiss': 'sets a state',
  'POST /api/v1/restore': 'sets a state',
  'POST /api/v1/stories/:id/dismiss': 'sets a state',
  'POST /api/v1/stories/:id/restore': 'sets a state',
  'PATCH /api/v1/notes/:id': 'sets what a note says',
  'POST /api/v1/topics/:topic/pause': 'sets a state',
  'POST /api/v1/topics/:topic/resume': 'sets a state',
  'POST /api/v1/topics/:topic/names': 'sets what a name is',
  'POST /api/v1/topics/:topic/sources': 'an address is among the sources of a topic once',
  'POST /api/v1/topics/:topic/sources/:source/test': 'reads it again',
  'POST /api/v1/topics/:topic/sources/:source/on': 'sets a state',
  'POST /api/v1/topics/:topic/sources/:source/off': 'sets a state',
  'POST /api/v1/topics/:topic/purge': 'deletes what is there',
  'POST /api/v1/searches/:search/purge': 'deletes what is there',
  'POST /api/v1/authors/forget': 'deletes what is there',
  'POST /api/v1/retention/run': 'deletes what is there',
  'POST /api/v1/trends/rebuild': 'computes the same again',
  'PATCH /api/v1/searches/:search': 'an edit that changes nothing makes no version',
  'POST /api/v1/searches/:search/pause': 'sets a state',
  'POST /api/v1/searches/:search/resume': 'sets a state',
  'POST /api/v1/runs/:run/replay': 'reads what is stored, and inserts what is not there yet',
  'PATCH /api/v1/channels/:channel': 'sets an address',
  'POST /api/v1/sql': 'changes nothing',
  'PATCH /api/v1/rules/:rule': 'sets what a rule says',
  'POST /api/v1/rules/:rule/pause': 'sets a state',
  'POST /api/v1/rules/:rule/resume': 'sets a state',
  'POST /api/v1/channels/:channel/pause': 'sets a state',
  'POST /api/v1/channels/:channel/resume': 'sets a state',
};

test('every route that changes something honors an idempotency key, or needs none', () => {
  const without = app.routeTable.flatMap(({ method, url, scope, idempotent }) =>
    ['POST', 'PUT', 'PATCH'].includes(method) && scope !== 'read' && !idempotent ? [`${method} ${url}`] : [],
  );
  expect(without.toSorted()).toEqual(Object.keys(WITHOUT_KEY).toSorted());
});

/** A worker takes the queued run of a search. */
async function claim(slug: string): Promise<void> {
  await rows(
    `UPDATE strandline.runs SET status = 'cancelled', ended_at = $2, lease_until = NULL
     WHERE status = 'running' AND search_id = (SELECT id FROM strandline.searches WHERE slug = $1)`,
    [slug, world.clock.now()],
  );
  const [run] = await rows(
    `SELECT r.id FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id
     WHERE s.slug = $1 AND r.status = 'queued'`,
    [slug],
  );
  const leased = await leaseRun(db, {
    runId: run?.['id'] as bigint, // a key of ours
    worker: 'w',
    leaseMs: 30_000,
    now: world.clock.now(),
  });
  expect(leased).not.toBeNull();
}

/** The first reply that does not say that the request is in progress. */
async function untilEnded(ask: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const reply = await ask();
    if (reply.status !== 409) return reply;
  }
}
