/** A rule while there is no channel: its form creates the channel, too. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import { WEB } from '../../../src/app/web-server.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { createToken, OPERATOR } from '../../../src/monitor/access/manage-tokens.ts';
import { findRuleRow } from '../../../src/monitor/alerts/manage-rules.ts';
import { homeOf } from '../../cli/stand.ts';
import { json, startStub, type StubService } from '../../stub-service.ts';
import { makeWorld, type World } from '../../world.ts';
import { type Person, personAt, textOf } from './person.ts';

let receiver: StubService;
let world: World;
let app: App;
let person: Person;
beforeAll(async () => {
  receiver = await startStub(json({}));
  world = await makeWorld({
    hosted: receiver.url,
    env: { WEBHOOK_ALLOW: '127.0.0.1', MASTER_KEY: 'a key of a test, long enough for one' },
  });
  app = await buildHttpServer(homeOf(world), WEB);
  person = personAt(app);
});
afterAll(async () => {
  await app.close();
  await world.close();
  await receiver.close();
});

const rows = async (sql: string) => (await world.db.pool.query(sql)).rows;
const wrongIn = (html: string) => [...html.matchAll(/id="field-(\w+)-wrong"/g)].map(([, name]) => name);

test('without a channel, the form of a rule creates one from an address', async () => {
  expect(textOf((await person.get('/alerts')).html)).toContain('Create a rule');
  const form = await person.get('/alerts/rules/new');
  expect(form.html).toContain('name="address"');
  expect(form.html).not.toContain('name="channels"');
  const rule = { name: 'All of it', on: ['post'] };
  const nobody = await person.post('/alerts/rules', rule);
  expect([nobody.status, wrongIn(nobody.html)]).toEqual([400, ['address']]);
  const unknown = await person.post('/alerts/rules', { ...rule, address: 'somewhere' });
  expect([unknown.status, wrongIn(unknown.html)]).toEqual([400, ['address']]);
  // Nothing is created before the rest is valid, and an address may be a secret.
  const invalid = await person.post('/alerts/rules', {
    ...rule,
    max_per_day: 'many',
    address: `${receiver.url}/hush`,
  });
  expect([invalid.status, wrongIn(invalid.html)]).toEqual([400, ['max_per_day']]);
  expect(invalid.html).not.toContain('hush');
  expect(await rows('SELECT slug FROM strandline.channels')).toEqual([]);

  const made = await person.post('/alerts/rules', { ...rule, address: `${receiver.url}/hush` });
  expect(made.status).toBe(200);
  expect(made.html).toMatch(/whsec_[\w+/=]+/);
  expect(await rows('SELECT slug, kind FROM strandline.channels')).toEqual([
    { slug: 'webhook', kind: 'webhook' },
  ]);
  const page = await person.get('/alerts/rules/all-of-it');
  expect(page.html).toMatch(/value="webhook"[^>]*checked/);
  // The rule of problems has the page that anybody begins with.
  const second = await person.post('/alerts/rules/system', {
    name: 'System',
    cooldown: '0',
    tz: 'UTC',
    channels: ['webhook'],
    address: `${receiver.url}/second`,
  });
  expect(second.status).toBe(200);
  expect((await findRuleRow(world.ctx, 'system')).channels).toEqual(['webhook', 'webhook-2']);
});

// Last, because from the first token on the others need it.
test('who may not create channels cannot do so by a rule', async () => {
  const { key } = await createToken(world.ctx, { name: 'writer', scopes: ['read', 'write'] }, OPERATOR);
  const headers = { authorization: `Bearer ${key}` };
  const form = await app.inject({ url: '/alerts/rules/new', headers });
  expect(form.body).toContain('name="channels"');
  expect(form.body).not.toContain('name="address"');
  const made = await app.inject({
    url: '/alerts/rules',
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ name: 'Mine', on: 'post', address: `${receiver.url}/in` }).toString(),
  });
  expect([made.statusCode, wrongIn(made.body)]).toEqual([400, ['channels']]);
  expect(await rows('SELECT slug FROM strandline.rules')).toHaveLength(2);
});
