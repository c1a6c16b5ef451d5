import { describe, expect, test } from 'vitest';
import { DAY } from '../../../src/lib/time.ts';
import { searxng } from '../../../src/service/sources/providers/searxng.ts';
import { CANARY, describeProvider } from './provider-contract.ts';
import { json, NOW, outageOf, query, sample, startAdapter, text } from './provider.ts';

const make = (server: string) => searxng({ server });
const EMPTY = json({ results: [], unresponsive_engines: [], number_of_results: 0 });
const found = { source: 'web', summaryDescription: '', publishedAt: undefined, periodVouched: true };
const noJson = {
  code: 'source_refused',
  detail: 'JSON format is not enabled (search.formats in settings.yml)',
};

describeProvider({
  make,
  recorded: [json(sample('searxng.search.json')), EMPTY], // some of its engines were silent
  found: [
    { ...found, title: 'a', link: 'https://a.example/1', snippet: 'x' },
    { ...found, title: 'b', link: 'https://b.example/2', snippet: 'y' },
  ],
  asked: ['1', '2'].map((pageno) => ({
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
  empty: EMPTY,
  frame: json({ result: [] }),
  misfits: json({ results: [{ href: 'https://a.example' }] }),
  statuses: { 403: noJson },
  outages: {
    'no engine': [
      json({ results: [], unresponsive_engines: [['google', CANARY]] }),
      { code: 'source_failed', detail: 'no engine responded', requests: 2 },
    ],
  },
  pages: {
    of: (page) =>
      json({ results: Array.from({ length: 12 }, (_, i) => ({ url: `https://a.example/${page}/${i}` })) }),
    size: 12,
    limit: 40,
    param: 'pageno',
    values: ['1', '2'],
  },
  windows: ['time_range', 'day', 'week', 'week', 'month', 'month', 'year', 'year', undefined],
  // Without words it asks no engine.
  probe: {
    asked: { path: '/search', params: { format: 'json' } },
    answer: json({ error: 'No query' }, 400),
  },
});

test('results are parsed one by one: dates without a zone, malformed neighbors, allowed private addresses', async () => {
  const { find } = await startAdapter(
    make,
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
        { title: 'Tides', url: 'http://wiki.corp.internal/tides' },
      ],
    }),
    EMPTY,
  );
  expect((await find()).map((item) => [item.title, item.link, item.publishedAt?.toISOString()])).toEqual([
    ['T & U', 'https://a.example/', '2026-11-20T10:00:00.000Z'],
    ['10.0.0.1', 'http://10.0.0.1/router', undefined],
    ['Tides', 'http://wiki.corp.internal/tides', undefined],
  ]);
});

describe('engines', () => {
  const one = (more: object = {}) => json({ results: [{ url: 'https://a.example/1', title: 'a', ...more }] });
  const rangesOf = (requests: readonly { params: Record<string, string> }[]) =>
    requests.map(({ params }) => params['time_range']);

  test('without time ranges are skipped by the server without a word, so they are asked without one', async () => {
    const { find, provider } = await startAdapter(make, EMPTY, one());
    const items = await find();
    expect(rangesOf(provider.requests)).toEqual(['week', undefined]);
    // Nobody says that it is of this week.
    expect(items).toMatchObject([{ link: 'https://a.example/1', publishedAt: undefined }]);
    expect(items[0]).not.toHaveProperty('periodVouched');
  });

  test('with time ranges vouch for the window, if the range is not wider', async () => {
    const { find } = await startAdapter(make, one(), EMPTY, one(), EMPTY);
    expect(await find()).toMatchObject([{ periodVouched: true }]);
    const [twoDays] = await find({ from: new Date(NOW.getTime() - 2 * DAY) }); // asked for a week
    expect(twoDays).not.toHaveProperty('periodVouched');
  });

  test('that are suspended after a failure are no silence', async () => {
    const failed = json({ results: [], unresponsive_engines: [['google', 'Suspended: too many requests']] });
    const { adapter, asking, clock, provider, outage } = await startAdapter(make, failed);
    expect(await outage()).toMatchObject({ detail: 'no engine responded' });
    // Older servers no longer name them.
    provider.answers(EMPTY);
    const again = () => adapter.find(query({ to: clock.now() }), asking);
    expect(await outageOf(again())).toMatchObject({
      detail: 'its engines failed before and may be suspended',
    });
    provider.answers(one(), EMPTY);
    expect(await again()).toHaveLength(1);
    provider.answers(EMPTY);
    expect(await again()).toEqual([]);
  });

  test('get domains as operators', async () => {
    const { find, provider } = await startAdapter(make, EMPTY);
    await find({ domains: { include: ['bbc.com', 'b.example'], exclude: ['x.com'] } });
    expect(provider.requests[0]?.params['q']).toBe(
      'site:bbc.com OR site:b.example tidal turbines -site:x.com',
    );
  });
});

test('the probe reports a server without JSON, below any path', async () => {
  const { adapter, asking, provider } = await startAdapter(
    (url) => make(`${url}/searx/`),
    text('<!doctype html><title>403 Forbidden</title>', 403),
  );
  await expect(adapter.probe?.(asking)).rejects.toMatchObject(noJson);
  expect(provider.requests[0]?.path).toBe('/searx/search');
});

test('a prompt is words, not commands', async () => {
  const { find, provider } = await startAdapter(make, EMPTY);
  await find({ prompt: '!!g :de <9 site:reddit.com why? !images of "x:y"' });
  expect(provider.requests[0]?.params['q']).toBe('g de 9 site:reddit.com why? images of "x:y"');
});

describe('a period', () => {
  const hit = (n: number, published?: string) => ({
    url: `https://a.example/${n}`,
    title: `Hit ${n}`,
    ...(published !== undefined && { publishedDate: published }),
  });
  const results = (...hits: object[]) => json({ results: hits });
  const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY);

  test('that has no results is left out of a second request, whose results vouch for nothing', async () => {
    const { find, provider } = await startAdapter(make, EMPTY, results(hit(1), hit(2, '2026-11-20')), EMPTY);
    expect((await find()).map(({ link, periodVouched }) => [link, periodVouched])).toEqual([
      ['https://a.example/1', undefined],
      ['https://a.example/2', undefined],
    ]);
    expect(provider.requests.map(({ params }) => params['time_range'])).toEqual(['week', undefined]);
  });

  test.each<[number, true | undefined]>([
    [1, true],
    [2, undefined],
    [7, true],
    [14, undefined],
    [30, true],
    [60, undefined],
  ])(
    'of %i days: undated results are vouched for if the engine knows such a period',
    async (days, vouched) => {
      const { find } = await startAdapter(make, results(hit(1), hit(2, '2026-11-20')), EMPTY);
      const undatedFirst = await find({ from: daysAgo(days) });
      expect(undatedFirst.map(({ periodVouched }) => periodVouched)).toEqual([vouched, undefined]);
    },
  );
});
