/** Tokens by their page. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildServer } from '../../../src/doors/http/server.ts';
import type { App } from '../../../src/doors/routes.ts';
import { WEB } from '../../../src/web.ts';
import { homeOf } from '../../cli/stand.ts';
import { makeWorld, type World } from '../../world.ts';
import { type Person, personAt, textOf } from './person.ts';

let world: World;
let app: App;
let person: Person;
beforeAll(async () => {
  world = await makeWorld();
  app = await buildServer(homeOf(world), WEB);
  person = personAt(app);
});
afterAll(async () => {
  await app.close();
  await world.close();
});

const tokens = async () => (await world.db.pool.query('SELECT name, scopes FROM strandline.tokens')).rows;

test('what is wrong is said, nobody makes one without a form of ours, and the first one closes the door behind it', async () => {
  expect(textOf((await person.get('/system/tokens')).html)).toContain('From the first token on');
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
  expect(await person.get('/system/tokens'), 'from now on everybody needs one').toMatchObject({
    status: 303,
  });

  const asked = await app.inject({ url: '/system/tokens', headers: { authorization: `Bearer ${key}` } });
  expect(asked.statusCode).toBe(200);
  expect(asked.body).not.toContain(key);
  expect(asked.body).not.toContain('<b>mine');
  const id = /\/system\/tokens\/(\d+)\/revoke/.exec(asked.body)?.[1];
  const revoked = await app.inject({
    method: 'POST',
    url: `/system/tokens/${id}/revoke`,
    headers: { authorization: `Bearer ${key}` },
  });
  expect(revoked.statusCode).toBe(303);
  expect(textOf((await person.get('/system/tokens')).html)).toContain('revoked');
});
