/** `PUT` at a slug creates a topic, a search or a rule, or replaces it; sent again, it changes nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiRoutes } from '../../../src/api/api-routes.ts';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import { createToken, OPERATOR } from '../../../src/monitor/access/manage-tokens.ts';
import type { Scope } from '../../../src/monitor/access/visitor-scopes.ts';
import { createChannel } from '../../../src/monitor/alerts/manage-channels.ts';
import { homeOf } from '../../cli/stand.ts';
import { makeWorld } from '../../world.ts';

const world = await makeWorld({
  hosted: 'http://127.0.0.1:1',
  env: { MASTER_KEY: 'of the test, which seals nothing that matters', WEBHOOK_ALLOW: '127.0.0.1' },
});
const { ctx } = world;
const token = async (...scopes: Scope[]) =>
  (await createToken(ctx, { name: 'of the test', scopes }, OPERATOR)).key;
const admin = await token('admin');
const limits = { perMinute: 1_000_000, runsPerMinute: 1_000_000 };
const app = await buildHttpServer(homeOf(world), { api: [apiRoutes], pages: [] }, limits);
beforeAll(async () => {
  await createChannel(ctx, { slug: 'ops', webhook: 'http://127.0.0.1:1/hook' });
});
afterAll(async () => {
  await app.close();
  await world.close();
});

type Sent = { method?: 'GET' | 'PUT' | 'POST' | 'DELETE'; bearer?: string; onlyCreate?: string };
async function send(path: string, body?: object, { method = 'PUT', bearer = admin, onlyCreate }: Sent = {}) {
  const reply = await app.inject({
    method,
    url: `/api/v1/${path}`,
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(onlyCreate === undefined ? {} : { 'if-none-match': onlyCreate }),
    },
    ...(body === undefined ? {} : { payload: body }),
  });
  const { statusCode: status, headers } = reply;
  return { status, location: headers['location'], body: reply.json<Record<string, unknown>>() };
}
const rows = async (sql: string) => (await world.db.pool.query<Record<string, unknown>>(sql)).rows;
/** What a request must not change: versions, runs, and entries of the audit log. */
const readChanges = async () =>
  rows(`SELECT (SELECT count(*) FROM strandline.audit_log) AS audit, (SELECT count(*) FROM strandline.search_versions) AS versions,
    (SELECT count(*) FROM strandline.runs) AS runs, (SELECT array_agg(slug || coalesce(archived_at::text, '')) FROM strandline.searches) AS searches,
    (SELECT array_agg(slug || name) FROM strandline.topics) AS topics`);

const search = { operation: 'microblog', prompt: 'tides', every: '1h', service: 'hosted' };
const topic = (...searches: object[]) => ({ name: 'Tide pools', service: 'hosted', searches });
const member = { operation: 'microblog', prompt: 'tides', every: '1h' };
const THINGS = [
  ['searches', search],
  ['topics', topic(member, { ...member, operation: 'ai' })],
  ['rules', { channels: ['ops'], on: ['post'] }],
] as const;

describe.each(THINGS)('%s', (things, body) => {
  const at = (slug: string) => `${things}/${things.slice(0, 3)}-${slug}`;

  test('are created once, and replaced without a change by the same request', async () => {
    const created = await send(at('made'), body);
    expect([created.status, created.location], JSON.stringify(created.body)).toEqual([
      201,
      `/api/v1/${at('made')}`,
    ]);
    const before = await readChanges();
    const again = await send(at('made'), body);
    expect([again.status, again.location, again.body]).toEqual([200, undefined, created.body]);
    expect(await readChanges()).toEqual(before);
    expect((await send(at('made'), undefined, { method: 'GET' })).body).toMatchObject({
      slug: again.body['slug'],
    });
  });

  test('are only created with If-None-Match: *', async () => {
    expect((await send(at('only'), body, { onlyCreate: '*' })).status).toBe(201);
    const before = await readChanges();
    const again = await send(at('only'), body, { onlyCreate: ' * ' });
    expect([again.status, again.body['type']]).toEqual([412, 'urn:strandline:problem:exists']);
    const tagged = await send(at('only'), body, { onlyCreate: '"a"' });
    expect([tagged.status, tagged.body['errors']]).toMatchObject([
      400,
      [{ path: 'headers.if-none-match', expected: '*' }],
    ]);
    expect(await readChanges()).toEqual(before);
  });

  test.each([
    [undefined, 200],
    ['*', 412],
  ])('are created once by ten concurrent requests, If-None-Match: %s', async (onlyCreate, others) => {
    const slug = at(onlyCreate === undefined ? 'ten' : 'ten-only');
    const sent = Array.from({ length: 10 }, () =>
      send(slug, body, onlyCreate === undefined ? {} : { onlyCreate }),
    );
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual(
      [201, ...Array.from({ length: 9 }, () => others)].toSorted((a, b) => a - b),
    );
  });

  test('keep the slug of a removed one, except rules', async () => {
    await send(at('gone'), body);
    expect((await send(at('gone'), undefined, { method: 'DELETE' })).status).toBe(200);
    const wanted = things === 'rules' ? 201 : 409;
    expect((await send(at('gone'), body, { onlyCreate: '*' })).status).toBe(wanted);
    expect((await send(at('gone'), body)).status).toBe(things === 'rules' ? 200 : 409);
  });

  test('need the scopes of creating, and a whole body', async () => {
    const before = await readChanges();
    const needed: Scope[] = things === 'rules' ? ['write'] : ['write', 'run'];
    const reader = await token('read');
    expect((await send(at('scopes'), body, { bearer: reader })).status).toBe(403);
    if (things !== 'rules')
      for (const scope of needed)
        expect((await send(at('scopes'), body, { bearer: await token(scope) })).status).toBe(403);
    expect((await send(at('scopes'), {})).status).toBe(400);
    expect((await send(at('scopes'), { ...body, slug: 'x' })).status).toBe(400);
    expect((await readChanges())[0]).toMatchObject({ searches: before[0]?.['searches'] });
    expect((await send(at('scopes'), body, { bearer: await token(...needed) })).status).toBe(201);
  });
});

test('an omitted member of a search gets its default, and a changed request is a new version', async () => {
  const created = await send('searches/defaults', { ...search, labels: ['sea'], sensitivity: 'high' });
  expect(created.body).toMatchObject({ labels: ['sea'], sensitivity: 'high', version: 1 });
  const replaced = await send('searches/defaults', { ...search, prompt: 'ebb' });
  expect([replaced.status, replaced.body]).toMatchObject([
    200,
    { labels: [], sensitivity: 'normal', prompt: 'ebb', version: 2, topic: 'defaults' },
  ]);
});

test.each([
  ['topic', { ...search, topic: 'elsewhere' }],
  ['operation', { ...search, operation: 'ai' }],
  ['service', { ...search, service: 'own' }],
])('a search keeps its %s', async (what, body) => {
  ctx.ownSources = () => Promise.resolve('answering');
  await send('searches/keeps', search);
  const before = await readChanges();
  const refused = await send('searches/keeps', body);
  expect([refused.status, refused.body['detail']]).toEqual([
    409,
    expect.stringContaining(`has the ${what} "`),
  ]);
  expect(await readChanges()).toEqual(before);
});

test('an omitted member of a rule gets the default of a new one; a paused rule stays paused', async () => {
  const bare = await send('rules/bare', { channels: ['ops'] });
  const own = {
    channels: ['ops'],
    on: ['spike'],
    cooldown: '1h',
    name: 'Own',
    filter: 'storm',
    tz: 'Europe/Berlin',
  };
  await send('rules/own', own);
  await send('rules/own/pause', undefined, { method: 'POST' });
  const { body } = await send('rules/own', { channels: ['ops'] });
  const same = ['kinds', 'cooldown_seconds', 'max_per_day', 'filter', 'tz', 'preset', 'growth', 'digest'];
  for (const name of same) expect([name, body[name]]).toEqual([name, bare.body[name]]);
  expect(body).toMatchObject({ name: 'own', state: 'paused' });
});

test('the rule system is edited, not replaced', async () => {
  expect((await send('rules/system', { channels: ['ops'] })).status).toBe(409);
});

describe('a topic', () => {
  const slugs = async (name: string) =>
    (
      await rows(
        `SELECT s.slug, s.archived_at IS NULL AS active FROM strandline.searches s JOIN strandline.topics t ON t.id = s.topic_id WHERE t.slug = '${name}' ORDER BY s.slug`,
      )
    ).map(({ slug, active }) => `${String(slug)}${active === true ? '' : ' removed'}`);

  test('gets the searches of the request, and loses others, which keep what they found', async () => {
    await send('topics/swap', topic(member, { ...member, operation: 'ai' }));
    expect(await slugs('swap')).toEqual(['swap-ai', 'swap-posts']);
    const { status, body } = await send('topics/swap', {
      ...topic({ ...member, prompt: 'ebb' }, { ...member, slug: 'swap-third' }),
      name: 'Ebb',
    });
    expect([status, body['name']]).toEqual([200, 'Ebb']);
    expect(await slugs('swap')).toEqual(['swap-ai removed', 'swap-posts', 'swap-third']);
    expect((await send('searches/swap-posts', undefined, { method: 'GET' })).body).toMatchObject({
      prompt: 'ebb',
      version: 2,
    });
  });

  test('is replaced whole or not at all, and no job is enqueued for what is undone', async () => {
    await send('topics/whole', topic(member));
    await send('searches/of-another', search);
    const [before, enqueued] = [await readChanges(), world.enqueued.length];
    const refused = await send('topics/whole', {
      ...topic({ ...member, slug: 'whole-new' }, { ...member, slug: 'of-another' }),
      name: 'Another name',
    });
    expect(refused.status, JSON.stringify(refused.body)).toBe(409);
    expect(await readChanges()).toEqual(before);
    expect(world.enqueued).toHaveLength(enqueued);
    expect(world.db.pool.totalCount - world.db.pool.idleCount).toBe(0);
  });

  test('has its new searches run', async () => {
    await send('topics/runs', topic(member));
    const before = world.enqueued.length;
    await send('topics/runs', topic(member, { ...member, slug: 'runs-new' }));
    const [run] = await rows(
      `SELECT r.id FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id WHERE s.slug = 'runs-new'`,
    );
    expect(world.enqueued.slice(before).map(({ runId }) => runId)).toEqual([run?.['id']]);
  });

  test('names every problem at its place', async () => {
    const { status, body } = await send('topics/wrong', {
      name: 'Wrong',
      searches: [member, { ...member, every: 'never' }],
    });
    expect(status).toBe(400);
    expect(body['errors']).toMatchObject([{ path: 'body.searches.1.every' }]);
    const twice = await send('topics/wrong', topic({ ...member, slug: 'same' }, { ...member, slug: 'same' }));
    expect(twice).toMatchObject({ status: 400, body: { errors: [{ path: 'body.searches.1.slug' }] } });
  });
});
