/** An address that is nearly right leads to the nearest one, with a note; others say what is wrong. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WEB } from '../../../src/app/web-server.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { createTopic } from '../../../src/monitor/topics/save-topic.ts';
import { findNearest } from '../../../src/web/nearest-address.ts';
import { openStand } from '../access/stand.ts';
import { personAt, textOf } from './person.ts';

const stand = await openStand();
let app: App;
beforeAll(async () => {
  app = await stand.serve(WEB);
  await createTopic(stand.world.ctx, {
    name: 'Ferry',
    searches: [{ slug: 'ferry', operation: 'microblog', prompt: 'ferry', every: '15m' }],
  });
});
afterAll(() => stand.close());

const NOTE = 'what is nearest is shown.';

test.each([
  ['/topics/ferry?range=14d', '/topics/ferry?range=7d'],
  ['/topics/ferry?range=1h', '/topics/ferry?range=24h'],
  ['/searches/ferry?range=2w', '/searches/ferry?range=7d'],
  ['/topics/ferry/posts?range=60d&q=lang:en', '/topics/ferry/posts?range=90d&q=lang%3Aen'],
  ['/topics/ferry/posts?sort=NEWEST', '/topics/ferry/posts?sort=newest'],
  ['/explore?q=ferry&kind=posts', '/explore?q=ferry&kind=post'],
  ['/compare?range=14d', '/compare?range=7d'],
  ['/runs?status=fail', '/runs?status=failed'],
  ['/runs?since=3d', '/runs?since=week'],
  ['/explore?q=ferry&within=10d', '/explore?q=ferry&within=week'],
  // Near none.
  ['/topics/ferry?range=always', '/topics/ferry'],
  ['/topics/ferry?tab=cats&range=7d', '/topics/ferry?range=7d'],
  ['/topics/ferry/posts?sort=cats&view=dogs', '/topics/ferry/posts'],
  ['/explore?kind=&q=ferry&kind=cats', '/explore?q=ferry'],
  ['/runs?status=s', '/runs'],
  ['/explore?nothing=x&q=ferry', '/explore?q=ferry'],
  ['/runs/costs?range=cats', '/runs/costs'],
  ['/alerts/deliveries?state=cats', '/alerts/deliveries'],
  ['/digests?span=cats', '/digests'],
])('%s leads to %s', async (address, nearest) => {
  const person = personAt(app);
  const { status, to } = await person.get(address);
  expect({ status, to }).toEqual({ status: 303, to: nearest });
  const { status: found, html } = await person.get(nearest);
  expect(found).toBe(200);
  expect(textOf(html)).toContain(NOTE);
  expect(textOf((await person.get(nearest)).html), 'said once').not.toContain(NOTE);
});

test.each([
  '/topics/ferry/posts?cursor=cats',
  '/runs?before=cats',
  '/explore?q=ferry&after=cats',
  '/topics/ferry/dismissed?post=cats',
  '/explore?nothing=%00',
])('%s is no choice of an address, and says what is expected', async (address) => {
  expect((await personAt(app).get(address)).status).toBe(400);
});

test('states of deliveries may have the names that the page has', async () => {
  const { status, html } = await personAt(app).get('/alerts/deliveries?state=failed');
  expect(status).toBe(200);
  expect(html).toMatch(/<a href="[^"]*state=dead" aria-current="true">failed</);
});

test('the API does not guess', async () => {
  expect((await app.inject({ url: '/api/v1/posts?kind=posts&sort=newst' })).statusCode).toBe(400);
});

test.each([
  ['14d', ['24h', '7d', '30d', '90d'], '7d'],
  ['15d', ['24h', '7d', '30d', '90d'], '30d'],
  ['1m', ['24h', 'all'], '24h'],
  ['7D', ['24h', '7d'], '7d'],
  ['All', ['24h', 'all'], 'all'],
  ['link', ['post', 'links'], 'links'],
  ['0d', ['24h'], undefined],
  ['', ['post'], undefined],
  ['p', ['post'], undefined],
  ['suc', ['succeeded', 'success'], undefined],
  ['7d', ['post', 'link'], undefined],
] as const)('%j of %j is %s', (given, values, nearest) => {
  expect(findNearest(given, values)).toBe(nearest);
});
