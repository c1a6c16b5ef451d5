/** The pages of tokens. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { WEB } from '../../../src/app/web-server.ts';
import { homeOf } from '../../cli/stand.ts';
import { makeWorld, type World } from '../../world.ts';
import { type Person, personAt, textOf } from './person.ts';

let world: World;
let app: App;
let person: Person;
beforeAll(async () => {
  world = await makeWorld();
  app = await buildHttpServer(homeOf(world), WEB);
  person = personAt(app);
});
afterAll(async () => {
  await app.close();
  await world.close();
});

const tokens = async () => (await world.db.pool.query('SELECT name, scopes FROM strandline.tokens')).rows;

test('problems are reported, foreign forms are refused, and the first token ends anonymous access', async () => {
  expect(textOf((await person.get('/system/tokens')).html)).toContain('Once a token exists');
  const wrong = await person.post('/system/tokens', { name: ' ', ends: '7' });
  expect(wrong.status).toBe(400);
  expect(wrong.html).toMatch(/id="field-name-wrong"[^]*id="field-scopes-wrong"/);
  expect(wrong.html).toMatch(/value="7" selected/);
  expect(await person.forge('/system/tokens', { name: 'x', scopes: 'admin' })).toMatchObject({ status: 403 });
  expect(await tokens()).toEqual([]);

  const made = await person.post('/system/tokens', { name: '<b>mine', scopes: 'admin', ends: '30' });
  expect(made.status).toBe(200);
  const key = /st_[0-9A-Za-z]{51}/.exec(made.html)?.[0] ?? '';
  expect(key).not.toBe('');
  expect(await tokens()).toEqual([{ name: '<b>mine', scopes: ['admin'] }]);
  expect(await person.get('/system/tokens'), 'every visitor needs one now').toMatchObject({
    status: 303,
  });

  const asked = await app.inject({ url: '/system/tokens', headers: { authorization: `Bearer ${key}` } });
  expect(asked.statusCode).toBe(200);
  expect(asked.body).not.toContain(key);
  expect(asked.body).not.toContain('<b>mine');
  const id = /\/system\/tokens\/(\d+)\/revoke/.exec(asked.body)?.[1];
  const log = await app.inject({ url: '/system/audit', headers: { authorization: `Bearer ${key}` } });
  expect(textOf(log.body)).toMatch(/this machine, no token\s+token\.created/);
  expect(log.body).not.toContain('<b>mine');
  expect(log.body).not.toContain(key.slice(12));

  const rotate = (grace: string, by: string) =>
    app.inject({
      method: 'POST',
      url: `/system/tokens/${id}/rotate`,
      headers: { authorization: `Bearer ${by}`, 'content-type': 'application/x-www-form-urlencoded' },
      payload: `grace=${grace}`,
    });
  expect((await rotate('5', key)).statusCode, 'a grace that the form does not have').toBe(400);
  const rotated = await rotate('3600', key);
  const next = /st_[0-9A-Za-z]{51}/.exec(rotated.body)?.[0] ?? '';
  expect([rotated.statusCode, rotated.headers['cache-control']]).toEqual([200, 'no-store']);
  expect((await rotate('0', next)).statusCode).toBe(200);
  expect((await rotate('0', next)).statusCode, 'it ended at once').toBe(401);
});

test('the audit log is filtered by token and paged', async () => {
  await world.db.pool.query('DELETE FROM strandline.tokens');
  await world.db.pool.query(`
    INSERT INTO strandline.audit_log (at, actor, token, name, action, subject, changes)
    SELECT now(), 'token', 'abcdefgh', 'busy', 'topic.updated', 'topic-' || n, '{"name": {"before": "a", "after": "<i>b"}}'
    FROM generate_series(1, 60) n`);
  const first = await person.get('/system/audit?token=abcdefgh');
  expect(first.html.match(/href="\/topics\/topic-\d+"/g)).toHaveLength(50);
  expect(first.html).not.toContain('<i>b');
  const older = /href="(\/system\/audit\?token=abcdefgh&amp;before=\d+)"/.exec(first.html)?.[1] ?? '';
  const second = await person.get(older.replace('&amp;', '&'));
  expect(second.html.match(/href="\/topics\/topic-\d+"/g)).toHaveLength(10);
  const long = 'x'.repeat(200);
  for (const filter of ['token=nobody00', `token=${long}`, `subject=${long}`]) {
    const { status, html } = await person.get(`/system/audit?${filter}`);
    expect([status, html.includes('No entries.')], filter).toEqual([200, true]);
    expect(html).toContain(`value="${filter.replace(/.*=/, '')}"`);
  }
  expect((await person.get('/system/audit?before=x')).status).toBe(400);
});

test('a token that is revoked is shown as such', async () => {
  const made = await person.post('/system/tokens', { name: 'mine', scopes: 'admin', ends: '30' });
  const key = /st_[0-9A-Za-z]{51}/.exec(made.html)?.[0] ?? '';
  const asked = await app.inject({ url: '/system/tokens', headers: { authorization: `Bearer ${key}` } });
  const id = /\/system\/tokens\/(\d+)\/revoke/.exec(asked.body)?.[1];
  const revoked = await app.inject({
    method: 'POST',
    url: `/system/tokens/${id}/revoke`,
    headers: { authorization: `Bearer ${key}` },
  });
  expect(revoked.statusCode).toBe(303);
  expect(textOf((await person.get('/system/tokens')).html)).toContain('revoked');
});
