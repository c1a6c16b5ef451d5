import { expect, test } from 'vitest';
import { DAY } from '../../../src/domain/time.ts';
import { lemmy } from '../../../src/service/sources/providers/lemmy.ts';
import { json, NOW, outageOf, query, sample, startAsking, startProvider, text } from './provider.ts';

const EMPTY = { type_: 'Posts', posts: [] };
const post = (id: number) => ({
  post: { name: `Post ${id}`, ap_id: `https://lemmy.example/post/${id}`, published: '2026-11-20T00:00:00Z' },
  community: { name: 'energy' },
  counts: { score: 1, comments: 0 },
});
const page = (from: number, length: number) => ({
  posts: Array.from({ length }, (_, i) => post(from + i)),
});

test('posts of the window are read under their own links; what is gone is gone', async () => {
  const provider = await startProvider(json(sample('lemmy.search.json')));
  const found = await lemmy({ server: provider.url }).find(query(), startAsking().asking);
  expect(found).toEqual([
    {
      source: 'discussion_board',
      title: 'Tidal turbines & the sound: <nine> days',
      link: 'https://lemmy.example/post/101',
      snippet: 'They turned, says the report. See below.',
      summaryDescription: '',
      publishedAt: new Date('2026-11-20T08:30:15.123Z'),
      engagement: 53,
    },
    {
      source: 'discussion_board',
      title: 'Older by a zone that nobody wrote',
      link: 'https://other.example/post/7',
      snippet: '-3 points, 2 comments in energy',
      summaryDescription: '',
      publishedAt: new Date('2026-11-19T23:00:00.500Z'),
      engagement: 2,
    },
  ]);
  expect(provider.requests.map(({ path, params }) => ({ path, params }))).toEqual([
    {
      path: '/api/v3/search',
      params: {
        q: 'tidal turbines',
        type_: 'Posts',
        listing_type: 'All',
        sort: 'TopWeek',
        limit: '50',
        page: '1',
      },
    },
  ]);
});

test.each([
  [1, 'TopDay'],
  [2, 'TopWeek'],
  [14, 'TopMonth'],
  [30, 'TopThreeMonths'],
  [60, 'TopThreeMonths'],
  [365, 'TopYear'],
  [730, 'TopAll'],
])('a window of %i days is asked for as %s', async (days, sort) => {
  const provider = await startProvider(json(EMPTY));
  const from = new Date(NOW.getTime() - days * DAY);
  await lemmy({ server: provider.url }).find(query({ from }), startAsking().asking);
  expect(provider.requests.map(({ params }) => params['sort'])).toEqual([sort]);
});

test('a second page is asked for where the first was full and too few, and never a third', async () => {
  const provider = await startProvider(json(page(0, 50)));
  const adapter = lemmy({ server: provider.url });
  await adapter.find(query({ limit: 40 }), startAsking().asking);
  expect(provider.requests).toHaveLength(1);
  provider.answers(json(page(0, 50)));
  await adapter.find(query({ limit: 500 }), startAsking().asking);
  expect(provider.requests.slice(1).map(({ params }) => params['page'])).toEqual(['1', '2']);
});

test('a second page that fails costs the page, not what came before', async () => {
  const provider = await startProvider(json(page(0, 50)), text('', 429));
  const { asking, cuts } = startAsking();
  const found = await lemmy({ server: provider.url }).find(query({ limit: 500 }), asking);
  expect(found).toHaveLength(50);
  expect(cuts).toMatchObject([{ code: 'source_busy' }]);
});

test('few words are asked for, and fewer where they find nothing', async () => {
  const provider = await startProvider(json(EMPTY), json(page(0, 1)));
  const prompt = 'Do tidal turbines really harm the fish of the sound?';
  const keywords = ['turbines', 'tidal', 'fish', 'sound'];
  const found = await lemmy({ server: provider.url }).find(query({ prompt, keywords }), startAsking().asking);
  expect(found).toHaveLength(1);
  expect(provider.requests.map(({ params }) => params['q'])).toEqual([
    'tidal turbines fish',
    'tidal turbines',
  ]);
});

test.each([
  ['a page instead of JSON', text('<html>'), 'source_failed', undefined],
  ['a newer interface', json({ results: [] }), 'source_failed', undefined],
  ['posts of another shape', json({ posts: [{ id: 1 }] }), 'source_failed', undefined],
  ['a failure', json({ error: 'unknown' }, 500), 'source_failed', undefined],
  ['its limit', json({ error: 'rate_limit_error' }, 400), 'source_busy', undefined],
  ['a question it does not take', json({ error: 'x' }, 400), 'source_refused', undefined],
  [
    'a limit before it',
    json({ error: 'rate_limit_error' }, 429, { 'retry-after': '30' }),
    'source_busy',
    30_000,
  ],
])('%s', async (_, answer, code, retryAfterMs) => {
  const provider = await startProvider(answer);
  const outage = await outageOf(lemmy({ server: provider.url }).find(query(), startAsking().asking));
  expect(outage).toMatchObject({ code, retryAfterMs });
});

test('the probe knows a Lemmy from another server', async () => {
  const provider = await startProvider(json({ site_view: {}, version: '0.19.12' }), json({ hello: 'world' }));
  const adapter = lemmy({ server: provider.url });
  await adapter.probe?.(startAsking().asking);
  expect(provider.requests.map(({ target }) => target)).toEqual(['/api/v3/site']);
  await expect(adapter.probe?.(startAsking().asking)).rejects.toThrow('its answer has another shape');
});
