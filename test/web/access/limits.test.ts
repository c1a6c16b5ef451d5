import { afterAll, expect, test } from 'vitest';
import { extractNetwork } from '../../../src/platform/network.ts';
import { openStand } from './stand.ts';

const stand = await openStand();
const token = await stand.token('write', 'run');
const other = await stand.token('read');
afterAll(() => stand.close());

const bearer = (given: string) => ({ authorization: `Bearer ${given}` });

test('a token over its rate limit waits, whatever its forwarded address; others do not', async () => {
  const app = await stand.serve(undefined, { perMinute: 3 });
  const ask = (given: string, from = '') =>
    app.inject({ url: '/api/v1/things', headers: { ...bearer(given), 'x-forwarded-for': from } });
  for (let i = 0; i < 3; i++) expect((await ask(token, `10.0.0.${i}`)).statusCode).toBe(200);
  const refused = await ask(token, '10.0.0.9');
  expect(refused.statusCode).toBe(429);
  expect(refused.headers['content-type']).toBe('application/problem+json');
  const wait = Number(refused.headers['retry-after']);
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(60);
  expect(refused.json()).toMatchObject({ type: 'urn:strandline:problem:too_many' });
  expect((await ask(other)).statusCode).toBe(200);
  expect((await app.inject('/livez')).statusCode).toBe(200);
});

test('without a token the rate limit is per address, including for missing pages', async () => {
  const app = await stand.serve(undefined, { perMinute: 2 });
  const statuses: number[] = [];
  for (let i = 0; i < 3; i++)
    statuses.push(
      (await app.inject({ url: '/sign-in', headers: { 'x-forwarded-for': `10.0.0.${i}` } })).statusCode,
    );
  expect(statuses).toEqual([200, 200, 429]);
  const nothing: number[] = [];
  for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2'])
    nothing.push((await app.inject({ url: '/nothing', remoteAddress: address })).statusCode);
  expect(nothing).toEqual([404, 404, 429, 404]);
});

test('requests without a token are rejected, then rate limited', async () => {
  const app = await stand.serve(undefined, { perMinute: 2 });
  const asked: number[] = [];
  const ask = async (url: string, from: string) =>
    (await app.inject({ url, remoteAddress: from, headers: { 'x-forwarded-for': `10.0.0.${asked.length}` } }))
      .statusCode;
  for (const url of ['/api/v1/things', '/', '/api/v1/things', '/']) asked.push(await ask(url, '192.0.2.1'));
  expect(asked).toEqual([401, 303, 429, 429]);
  expect(await ask('/', '192.0.2.2')).toBe(303);
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::9', '2001:db8:1:2'],
  ['2001:db8::9', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::', 'fe80:0:0:0'],
])('%s counts as %s', (address, network) => {
  expect(extractNetwork(address)).toBe(network);
});

test('requests that can trigger calls have a limit of their own, all routes together', async () => {
  const app = await stand.serve(undefined, { runsPerMinute: 2 });
  const statuses = [];
  for (const things of ['things', 'others', 'things', 'others']) {
    const url = `/api/v1/${things}/run`;
    statuses.push((await app.inject({ method: 'POST', url, headers: bearer(token) })).statusCode);
  }
  expect(statuses).toEqual([200, 200, 429, 429]);
  expect((await app.inject({ url: '/api/v1/things', headers: bearer(token) })).statusCode).toBe(200);
});
