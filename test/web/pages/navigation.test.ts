/** Four places, each with its parts; every page of a part says where it is. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WEB } from '../../../src/app/web-server.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import type { Scope } from '../../../src/monitor/access/visitor-scopes.ts';
import { createTopic } from '../../../src/monitor/topics/save-topic.ts';
import { openStand } from '../access/stand.ts';

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

async function show(url: string, scope: Scope = 'admin') {
  const authorization = `Bearer ${await stand.token(scope)}`;
  const { statusCode, body } = await app.inject({ url, headers: { authorization } });
  expect(statusCode, url).toBe(200);
  const navigation = /<nav class="places".*?<\/nav>/s.exec(body)?.[0] ?? '';
  const parts = /<main[^>]*><nav class="tabs" aria-label="(\w+)">(.*?)<\/nav>/s.exec(body);
  const names = (html: string, marked = '') =>
    [...html.matchAll(/<a ([^>]*)>([^<]*)<\/a>/g)]
      .filter(([, attributes = '']) => attributes.includes(marked) && !attributes.includes('hidden'))
      .map(([, , name]) => name);
  return {
    places: names(navigation),
    place: names(navigation, 'aria-current="page"'),
    parts: names(parts?.[2] ?? ''),
    part: names(parts?.[2] ?? '', 'aria-current="true"'),
    keys: [...navigation.matchAll(/data-key="(\w)"/g)].map(([, key]) => key),
  };
}

test.each([
  ['/', 'Topics', undefined],
  ['/compare', 'Topics', 'Compare'],
  ['/views', 'Topics', 'Saved views'],
  ['/shares', 'Topics', 'Shared pages'],
  ['/explore', 'Explore', undefined],
  ['/alerts', 'Alerts', 'Rules and channels'],
  ['/alerts/rules/new', 'Alerts', 'Rules and channels'],
  ['/digests', 'Alerts', 'Digest'],
  ['/alerts/deliveries', 'Alerts', 'Deliveries'],
  ['/alerts/feeds', 'Alerts', 'Feeds'],
  ['/runs', 'Activity', 'Runs'],
  ['/runs/costs', 'Activity', 'Costs'],
  ['/system', 'Activity', 'System'],
  ['/system/audit', 'Activity', 'Audit log'],
  ['/system/tokens', 'Activity', 'Tokens'],
])('%s is in %s, part %s', async (url, place, part) => {
  const shown = await show(url);
  expect(shown.places).toEqual(['Topics', 'Explore', 'Alerts', 'Activity']);
  expect(shown.place).toEqual([place]);
  expect(shown.part).toEqual(part === undefined ? [] : [part]);
  // One key for each part, also of other places.
  expect(new Set(shown.keys).size).toBe(shown.keys.length);
  expect(shown.keys).toHaveLength(14);
});

test('parts that a visitor may not see are not offered', async () => {
  const { parts, keys } = await show('/runs', 'read');
  expect(parts).toEqual(['Runs', 'Costs', 'System']);
  expect(keys).toHaveLength(12);
});
