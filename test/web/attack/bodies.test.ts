/** Bodies that are slow to refuse, or whose error would be larger than the body. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { WEB } from '../../../src/app/web-server.ts';
import { watchProcessor } from '../../processor.ts';
import { openStand } from '../access/stand.ts';

const stand = await openStand();
let app: App;
beforeAll(async () => {
  app = await stand.serve(WEB);
});
afterAll(() => stand.close());

const BUSY_MOST = 600;

const members = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`m${i}`, 0]));

test.each([
  ['80,000 unknown members', '/api/v1/topics', JSON.stringify(members(80_000))],
  ['1,900 unknown members', '/api/v1/topics', JSON.stringify(members(1_900))],
  ['a list of 400,000 invalid items', '/api/v1/rules', `{"on":[${'1,'.repeat(400_000)}1]}`],
  ['a list of 1,900 invalid items', '/api/v1/rules', `{"on":[${'1,'.repeat(1_900)}1]}`],
  ['a member with a long name', '/api/v1/topics', `{"${'n'.repeat(900_000)}":1}`],
  ['a long value', '/api/v1/topics', `{"slug":"${'n'.repeat(900_000)}"}`],
])('refuses %s immediately, with a short error', async (_what, url, payload) => {
  const computed = watchProcessor();
  const answer = await app.inject({
    method: 'POST',
    url,
    payload,
    headers: { 'content-type': 'application/json' },
  });
  expect(computed()).toBeLessThan(BUSY_MOST);
  expect(answer.statusCode).toBe(400);
  expect(answer.body.length).toBeLessThan(12_000);
});

test.each([
  ['the same member 49,000 times', 'a&'.repeat(49_000), 403],
  ['15,000 members', Object.keys(members(15_000)).join('&'), 403],
  ['more than a person would write', 'a&'.repeat(51_000), 413],
])('refuses a form with %s immediately', async (_what, fields, status) => {
  const computed = watchProcessor();
  const answer = await app.inject({
    method: 'POST',
    url: '/new',
    payload: `${fields}&form_token=x`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect(computed()).toBeLessThan(BUSY_MOST);
  expect(answer.statusCode).toBe(status);
});
