/** Changes are in the audit log, whichever way they were made: each leaves exactly one entry. */
import { afterAll, describe, expect, test } from 'vitest';
import type { AuditRow } from '../../../src/store/queries/audit-log.ts';
import { createToken, OPERATOR } from '../../../src/monitor/access/manage-tokens.ts';
import { documentOf, exampleOf, type Operation, operationsOf, urlOf } from './operations.ts';
import { seededApi } from './world.ts';

const api = await seededApi();
const { world, app } = api;
afterAll(() => api.close());

const rows = async (after: bigint) =>
  (
    await world.db.pool.query<AuditRow>(
      'SELECT * FROM strandline_analytics.audit_log WHERE id > $1 ORDER BY id',
      [after],
    )
  ).rows;
const newest = async () => (await rows(0n)).at(-1)?.id ?? 0n;

/** Operations that a read token may not ask for and that change nothing that lasts, and why they are no entry. */
const NO_CHANGE: Readonly<Record<string, string>> = {
  trySearch:
    'a call that is counted with its day and kept with the trials; no search, rule or setting changes',
  tryTopicGoal: 'a question to the language model, which is counted with its day; nothing else is kept',
  querySql: 'a statement over the views, in a transaction that only reads',
  testTopicSource: 'a source is read, and what it said is noted beside it; nothing that people set changes',
  runRetention: 'what workers delete once an hour, as the settings say; no setting changes',
  rebuildTrends: 'figures are computed again from what is stored; nothing that people set changes',
  testChannel: 'a message that says of itself that it is a test; it is among no deliveries',
};

/** Of a topic with its searches, and of a file. */
const SEVERAL = new Set(['putTopic', 'applyFile']);

const document = documentOf(app);
const operations = operationsOf(document);
const admin = api.headers.authorization.slice('Bearer st_'.length, 'Bearer st_'.length + 8);
const guarded = app.routeTable
  .filter(({ method, scope }) => !['GET', 'HEAD'].includes(method) && scope !== 'open' && scope !== 'read')
  .map(({ method, url }) => `${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`);

describe('a request', () => {
  // In the order in which one can be made after the other: what takes away comes last.
  const changing = operations.filter(({ method, path }) => guarded.includes(`${method} ${path}`));

  test('that may change something is in the document, so that it is sent below', () => {
    expect(changing.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(guarded.toSorted());
    expect(changing.length).toBeGreaterThan(25);
    const names = new Set(changing.map(({ operationId }) => operationId));
    expect(Object.keys(NO_CHANGE).filter((name) => !names.has(name))).toEqual([]);
  });

  test.each(changing)(
    '$operationId leaves one entry for a thing that it changes, which names its token',
    async (operation) => {
      const before = await newest();
      await ask(operation);
      const left = await rows(before);
      if (operation.operationId in NO_CHANGE) return expect(left).toEqual([]);
      // Each thing that changed has an entry.
      if (SEVERAL.has(operation.operationId)) expect(left.length).toBeGreaterThan(1);
      else expect(left).toHaveLength(1);
      for (const entry of left) {
        expect(entry).toMatchObject({ actor: 'token', token: admin, name: 'of the test' });
        expect(entry.action.split('.')[0]).toBe(entry.kind);
      }
    },
  );
});

async function ask(operation: Operation): Promise<void> {
  const payload = operation.body && { payload: exampleOf(operation.body) as object }; // bodies are objects
  const { statusCode, body } = await app.inject({
    method: operation.method,
    url: urlOf(operation),
    headers: api.headers,
    ...payload,
  });
  expect(statusCode, body).toBeGreaterThanOrEqual(200);
  expect(statusCode, body).toBeLessThan(300);
}

const get = async (query: string) => {
  const { statusCode, body } = await app.inject({ url: `/api/v1/audit-log${query}`, headers: api.headers });
  expect(statusCode, body).toBe(200);
  return JSON.parse(body) as { items: AuditRow[]; next_cursor: string | null };
};
const send = async (method: 'POST' | 'PATCH', url: string, payload?: object) => {
  const reply = await app.inject({
    method,
    url: `/api/v1/${url}`,
    headers: api.headers,
    ...(payload && { payload }),
  });
  expect(reply.statusCode, reply.body).toBeLessThan(300);
  return JSON.parse(reply.body) as Record<string, unknown>;
};

describe('an entry', () => {
  test('has the fields that changed, with both values, and no others', async () => {
    await send('POST', 'channels', {
      slug: 'desk',
      webhook: `${api.stub.url}/one?key=canary-of-the-address`,
    });
    await send('POST', 'rules', { slug: 'tides', name: 'Tides', filter: 'tide', channels: ['desk'] });
    await send('PATCH', 'rules/tides', { name: 'Tides', cooldown: '1h' });
    const [edited, created] = (await get('?subject=tides')).items;
    expect(edited).toMatchObject({ action: 'rule.updated', kind: 'rule', subject: 'tides' });
    expect(edited?.changes).toEqual({ cooldown_seconds: { before: 21_600, after: 3600 } });
    expect(created?.changes).toMatchObject({ filter: { after: 'tide' }, channels: { after: ['desk'] } });

    const before = await newest();
    await send('PATCH', 'rules/tides', { cooldown: '1h' });
    await send('POST', 'rules/tides/pause');
    await send('POST', 'rules/tides/pause');
    expect(
      (await rows(before)).map(({ action }) => action),
      'what is so already changes nothing',
    ).toEqual(['rule.paused']);
  });

  test('never holds a secret, a key, or more of an address than its host', async () => {
    const { secret } = await send('POST', 'channels/desk/rotate');
    await send('PATCH', 'channels/desk', { webhook: `${api.stub.url}/two?key=canary-of-the-second` });
    const { key, id } = await send('POST', 'tokens', { name: 'night', scopes: ['read'] });
    const rotated = await send('POST', `tokens/${String(id)}/rotate`, { grace_seconds: 60 });
    const all = JSON.stringify((await get('?limit=200')).items);
    expect(all).not.toContain('canary-of-the');
    for (const one of [secret, key, rotated['key']]) {
      expect(one).toBeTypeOf('string');
      expect(all).not.toContain(String(one).slice(12));
    }
    const { host } = new URL(api.stub.url);
    expect((await get('?action=channel.updated&subject=desk')).items[0]?.changes).toEqual({
      webhook: { before: host, after: host },
    });
  });

  test('is limited in size, whatever the input', async () => {
    const filter = Array.from({ length: 20 }, (_, i) => `"${'x'.repeat(18)}${i}"`).join(' ');
    await send('PATCH', 'rules/tides', { name: 'n'.repeat(120), filter });
    const [entry] = (await get('?subject=tides&limit=1')).items;
    const after = String(entry?.changes['filter']?.after);
    expect(after).toBe(`${filter.slice(0, 399)}…`);
  });

  test('is written together with its change or not at all', async () => {
    await world.db.pool.query(
      'ALTER TABLE strandline.audit_log ADD CONSTRAINT nothing CHECK (false) NOT VALID',
    );
    try {
      const { statusCode } = await app.inject({
        method: 'POST',
        url: '/api/v1/rules/tides/resume',
        headers: api.headers,
      });
      expect(statusCode).toBe(500);
    } finally {
      await world.db.pool.query('ALTER TABLE strandline.audit_log DROP CONSTRAINT nothing');
    }
    const { body } = await app.inject({ url: '/api/v1/rules/tides', headers: api.headers });
    expect(JSON.parse(body)).toMatchObject({ state: 'paused' });
  });

  test('outlives its token, and a repeated request has one', async () => {
    const { key, prefix } = await createToken(
      world.ctx,
      { name: 'short-lived', scopes: ['write'] },
      OPERATOR,
    );
    for (const replayed of [undefined, 'true']) {
      const reply = await app.inject({
        method: 'POST',
        url: '/api/v1/rules',
        headers: { authorization: `Bearer ${key}`, 'idempotency-key': 'once' },
        payload: { slug: 'gulls', channels: ['desk'] },
      });
      expect([reply.statusCode, reply.headers['idempotency-replayed']]).toEqual([201, replayed]);
    }
    await world.db.pool.query('DELETE FROM strandline.tokens WHERE prefix = $1', [prefix]);
    const { items } = await get(`?token=${prefix}`);
    expect(items.map(({ name, action }) => [name, action])).toEqual([['short-lived', 'rule.created']]);
  });
});

describe('the list', () => {
  test('is paged, and filtered by time', async () => {
    const all = (await get('?limit=200')).items;
    expect(all.length).toBeGreaterThan(30);
    const paged: AuditRow[] = [];
    for (let cursor = ''; ; ) {
      const page = await get(`?limit=7${cursor}`);
      paged.push(...page.items);
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(paged).toEqual(all);
    // What the small world was made of is older than what was asked of it here.
    world.clock.advance(60_000);
    await send('POST', 'rules/gulls/pause');
    const now = encodeURIComponent(world.clock.now().toISOString());
    expect((await get(`?limit=200&until=${now}`)).items).toEqual(all);
    expect((await get(`?limit=200&since=${now}`)).items).toMatchObject([{ action: 'rule.paused' }]);
  });

  test('requires the admin scope', async () => {
    const { key } = await createToken(world.ctx, { name: 'writer', scopes: ['write', 'run'] }, OPERATOR);
    const { statusCode } = await app.inject({
      url: '/api/v1/audit-log',
      headers: { authorization: `Bearer ${key}` },
    });
    expect(statusCode).toBe(403);
  });
});
