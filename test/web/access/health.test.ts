/** What anyone can read about our health, and what requires read access. */
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { steppedClock } from '../../../src/platform/clock.ts';
import type { WorkQueue } from '../../../src/platform/queue/queue.ts';
import { createToken, OPERATOR, revokeToken } from '../../../src/monitor/access/manage-tokens.ts';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { START } from '../../world.ts';
import { openStand, PROBES } from './stand.ts';

const stand = await openStand();
const { ctx } = stand.world;
const clock = steppedClock(START);
let ping: WorkQueue['ping'];
let why: string | null;
let asked = 0;
let app: App;
beforeEach(async () => {
  ping = () => Promise.resolve();
  why = null;
  asked = 0;
  const queue: WorkQueue = {
    ...ctx.queue,
    ping: () => {
      asked += 1;
      return ping();
    },
  };
  app = await buildHttpServer({ ...stand.home, ctx: { ...ctx, clock, queue }, idle: () => why }, PROBES);
});
afterEach(() => app.close());
afterAll(() => stand.close());

const refuse = () => Promise.reject(new Error('redis://:secret@host'));
const fine = { ready: true, away_since: null, reason: null };

test('anyone can read the readiness, and nothing more', async () => {
  ping = refuse;
  const ready = await app.inject('/readyz');
  expect([ready.statusCode, ready.body]).toEqual([503, '{"ready":false}']);
  const live = await app.inject('/livez');
  expect([live.statusCode, live.body], 'it lives all the same').toEqual([200, '']);
});

test('a visitor with access sees which part is down, since when, and why a worker claims nothing', async () => {
  const verbose = async () => {
    const { statusCode, body } = await app.inject('/readyz?verbose');
    return [statusCode, JSON.parse(body)];
  };
  expect(await verbose()).toEqual([
    200,
    {
      ready: true,
      parts: [
        { part: 'database', ...fine },
        { part: 'queue', ...fine },
        { part: 'worker', ...fine },
      ],
    },
  ]);
  ping = refuse;
  why = 'queue';
  await app.inject('/readyz');
  clock.advance(90_000);
  expect(await verbose(), 'since it was first found so, by whoever asked').toEqual([
    503,
    {
      ready: false,
      parts: [
        { part: 'database', ...fine },
        { part: 'queue', ready: false, away_since: START, reason: null },
        { part: 'worker', ready: false, away_since: START, reason: 'queue' },
      ],
    },
  ]);
  ping = () => Promise.resolve();
  why = null;
  expect(await verbose()).toMatchObject([200, { parts: [fine, fine, fine] }]);
});

test('once a token exists, details require one with read scope, in any spelling of the address', async () => {
  const { key, prefix } = await createToken(ctx, { name: 'probe', scopes: ['read'] }, OPERATOR);
  for (const url of ['/readyz?verbose', '/readyz?verbose=1', '/readyz?a=b&verbose', '/readyz/parts']) {
    const nobody = await app.inject(url);
    expect(nobody.statusCode, url).toBe(401);
    expect(nobody.body, url).not.toMatch(/database|queue/);
    const known = await app.inject({ url, headers: { authorization: `Bearer ${key}` } });
    expect(known.json(), url).toMatchObject({ ready: true, parts: [{ part: 'database' }, {}, {}] });
  }
  expect((await app.inject('/readyz?verbosely')).body).toBe('{"ready":true}');
  await revokeToken(ctx, prefix);
});

test('many concurrent requests cause few checks', async () => {
  ping = () =>
    new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  const all = await Promise.all(Array.from({ length: 50 }, () => app.inject('/readyz')));
  expect(all.map(({ statusCode }) => statusCode)).toEqual(all.map(() => 200));
  expect(asked).toBeLessThan(5);
});
