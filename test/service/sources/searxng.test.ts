import { expect, test } from 'vitest';
import { DAY } from '../../../src/domain/time.ts';
import { searxng } from '../../../src/service/sources/providers/searxng.ts';
import { json, NOW, outageOf, query, sample, startAsking, startProvider, text } from './provider.ts';

const EMPTY = { results: [], unresponsive_engines: [], number_of_results: 0 };
const NO_JSON = text('<!doctype html><title>403 Forbidden</title>', 403, { 'content-type': 'text/html' });

test('results are read although engines were silent; without a date there is none', async () => {
  const provider = await startProvider(json(sample('searxng.search.json')), json(EMPTY));
  const found = await searxng({ server: provider.url }).find(query(), startAsking().asking);
  expect(found).toEqual([
    {
      source: 'web',
      title: 'a',
      link: 'https://a.example/1',
      snippet: 'x',
      summaryDescription: '',
      publishedAt: undefined,
    },
    {
      source: 'web',
      title: 'b',
      link: 'https://b.example/2',
      snippet: 'y',
      summaryDescription: '',
      publishedAt: undefined,
    },
  ]);
  expect(provider.requests.map(({ path, params }) => ({ path, params }))).toEqual(
    ['1', '2'].map((pageno) => ({
      path: '/search',
      params: {
        q: 'tidal turbines',
        format: 'json',
        pageno,
        safesearch: '1',
        categories: 'general',
        time_range: 'week',
      },
    })),
  );
});

test('an item is read by itself: dates without a zone, broken neighbours, links that nobody can open', async () => {
  const provider = await startProvider(
    json({
      results: [
        {
          title: 'T &amp; U',
          url: 'https://a.example/',
          content: null,
          publishedDate: '2026-11-20T10:00:00',
        },
        { title: 'no address' },
        'not an item',
        { title: 'magnet', url: 'magnet:?xt=urn:x' },
        { title: ['x'], url: 'http://10.0.0.1/router', publishedDate: 'yesterday' },
      ],
    }),
    json(EMPTY),
  );
  const found = await searxng({ server: provider.url }).find(query(), startAsking().asking);
  expect(found.map(({ title, link, publishedAt }) => [title, link, publishedAt?.toISOString()])).toEqual([
    ['T & U', 'https://a.example/', '2026-11-20T10:00:00.000Z'],
    ['10.0.0.1', 'http://10.0.0.1/router', undefined],
  ]);
});

test.each([
  [1, 'day'],
  [2, 'week'],
  [7, 'week'],
  [14, 'month'],
  [30, 'month'],
  [60, 'year'],
  [365, 'year'],
  [730, undefined],
])('a window of %i days is asked for as %s', async (days, range) => {
  const provider = await startProvider(json(EMPTY));
  const from = new Date(NOW.getTime() - days * DAY);
  await searxng({ server: provider.url }).find(query({ from }), startAsking().asking);
  expect(provider.requests.map(({ params }) => params['time_range'])).toEqual([range]);
});

test('what it knows of an intranet is kept', async () => {
  const link = 'http://wiki.corp.internal/tides';
  const result = { url: link, title: 'Tides' };
  const provider = await startProvider(json({ results: [result] }), json({ results: [] }));
  const found = await searxng({ server: provider.url }).find(query(), startAsking().asking);
  expect(found.map((one) => one.link)).toEqual([link]);
});

test('enough results are enough, and two pages are the most', async () => {
  const results = Array.from({ length: 12 }, (_, i) => ({ title: `t${i}`, url: `https://a.example/${i}` }));
  const provider = await startProvider(json({ ...EMPTY, results }));
  const adapter = searxng({ server: `${provider.url}/searx/` });
  await adapter.find(query({ limit: 10 }), startAsking().asking);
  expect(provider.requests).toHaveLength(1);
  await adapter.find(query({ limit: 40 }), startAsking().asking);
  expect(provider.requests.map(({ path }) => path)).toEqual(Array(3).fill('/searx/search'));
});

test('a second page that fails costs the page, not what came before', async () => {
  const results = Array.from({ length: 12 }, (_, i) => ({ title: `t${i}`, url: `https://a.example/${i}` }));
  const provider = await startProvider(json({ ...EMPTY, results }), text('<html>'));
  const { asking, cuts } = startAsking();
  const found = await searxng({ server: provider.url }).find(query({ limit: 40 }), asking);
  expect(found).toHaveLength(12);
  expect(cuts).toMatchObject([{ code: 'source_failed' }]);
});

test('nothing found is nothing found, unless no engine answered', async () => {
  const provider = await startProvider(json(EMPTY));
  const adapter = searxng({ server: provider.url });
  await expect(adapter.find(query(), startAsking().asking)).resolves.toEqual([]);
  provider.answers(json({ ...EMPTY, unresponsive_engines: [['google', 'CAPTCHA']] }));
  await expect(outageOf(adapter.find(query(), startAsking().asking))).resolves.toMatchObject({
    code: 'source_failed',
    message: 'failed: no engine answered',
  });
});

test('what a server without JSON says to its owner', async () => {
  const provider = await startProvider(NO_JSON);
  const adapter = searxng({ server: provider.url });
  for (const asked of [adapter.find(query(), startAsking().asking), adapter.probe?.(startAsking().asking)]) {
    await expect(outageOf(Promise.resolve(asked))).resolves.toMatchObject({
      code: 'source_refused',
      message: 'refused the request: JSON is not among its formats (search.formats in settings.yml)',
    });
  }
});

test('the probe asks no engine', async () => {
  const provider = await startProvider(json({ error: 'No query' }, 400));
  await searxng({ server: provider.url }).probe?.(startAsking().asking);
  expect(provider.requests.map(({ target }) => target)).toEqual(['/search?format=json']);
});

test('a prompt is words and no command', async () => {
  const provider = await startProvider(json(EMPTY));
  const prompt = '!!g :de <9 site:reddit.com why? !images of "x:y"';
  await searxng({ server: provider.url }).find(query({ prompt }), startAsking().asking);
  expect(provider.requests[0]?.params['q']).toBe('g de 9 site:reddit.com why? images of "x:y"');
});

test.each([
  ['a page instead of JSON', text('<html>')],
  ['another frame', json({ result: [] })],
  ['items of another shape', json({ results: [{ href: 'https://a.example' }] })],
  ['a failure', text('', 500)],
])('%s is a failure', async (_, answer) => {
  const provider = await startProvider(answer);
  const outage = await outageOf(searxng({ server: provider.url }).find(query(), startAsking().asking));
  expect(outage.code).toBe('source_failed');
});
