import { expect, test } from 'vitest';
import { HOUR } from '../../../src/domain/time.ts';
import { brave } from '../../../src/service/sources/providers/brave.ts';
import { everyWordOf, json, outageOf, query, sample, startAsking, startProvider, text } from './provider.ts';

const KEY = 'BSA-brave-key-of-a-user';
const EMPTY = { type: 'search', query: { original: 'x' } };
const page = (from: number, more = true) => ({
  type: 'search',
  query: { original: 'x', more_results_available: more },
  web: {
    results: Array.from({ length: 20 }, (_, i) => ({ title: 't', url: `https://a.example/${from + i}` })),
  },
});

test('results are read: no tags, a time where there is one', async () => {
  const provider = await startProvider(json(sample('brave.search.json')));
  const found = await brave({ apiKey: KEY, at: provider.url }).find(query(), startAsking().asking);
  expect(found.map(({ title, link, snippet, publishedAt }) => [title, link, snippet, publishedAt])).toEqual([
    [
      'FDA approves evolocumab',
      'https://www.fda.gov/news/evolocumab',
      'The FDA approved Repatha.',
      new Date('2015-08-27T10:00:00Z'),
    ],
    ['Repatha label', 'https://www.accessdata.fda.gov/label.pdf', 'Label.', undefined],
    ['Evolocumab - Wikipedia', 'https://en.wikipedia.org/wiki/Evolocumab', 'Drug.', undefined],
  ]);
});

test('the key stands in its header alone, the window in whole days', async () => {
  const provider = await startProvider(json(EMPTY));
  const adapter = brave({ apiKey: KEY, at: provider.url });
  await expect(adapter.find(query(), startAsking().asking)).resolves.toEqual([]);
  await adapter.find(query({ from: undefined }), startAsking().asking);
  const [dated, undated] = provider.requests;
  expect(dated?.path).toBe('/res/v1/web/search');
  expect(dated?.params).toEqual({
    q: 'tidal turbines',
    count: '10',
    offset: '0',
    text_decorations: 'false',
    freshness: '2026-11-14to2026-11-21',
  });
  expect(undated?.params).not.toHaveProperty('freshness');
  expect(dated?.headers['x-subscription-token']).toBe(KEY);
  expect(dated?.target).not.toContain(KEY);
});

test('a long prompt is cut to what it takes', async () => {
  const provider = await startProvider(json(EMPTY));
  const prompt = 'several rather long words '.repeat(70);
  await brave({ apiKey: KEY, at: provider.url }).find(query({ prompt }), startAsking().asking);
  const q = provider.requests[0]?.params['q'] ?? '';
  expect(q.length).toBeGreaterThan(200);
  expect(q.length).toBeLessThanOrEqual(400);
  expect(q.split(' ').length).toBeLessThanOrEqual(50);
});

test('forty items are two pages, and fewer where there are no more', async () => {
  const provider = await startProvider(json(page(0)), json(page(20)));
  const adapter = brave({ apiKey: KEY, at: provider.url });
  const found = await adapter.find(query({ limit: 40 }), startAsking().asking);
  expect(new Set(found.map(({ link }) => link)).size).toBe(40);
  expect(provider.requests.map(({ params }) => [params['count'], params['offset']])).toEqual([
    ['20', '0'],
    ['20', '1'],
  ]);
  provider.answers(json(page(0, false)));
  await expect(adapter.find(query({ limit: 40 }), startAsking().asking)).resolves.toHaveLength(20);
  expect(provider.requests).toHaveLength(3);
});

test('a page that fails costs the page, not what came before', async () => {
  const provider = await startProvider(json(page(0)), json({}, 429));
  const adapter = brave({ apiKey: KEY, at: provider.url });
  await expect(adapter.find(query({ limit: 40 }), startAsking().asking)).resolves.toHaveLength(20);
  provider.answers(json(page(0)), text('', 402));
  await expect(adapter.find(query({ limit: 40 }), startAsking().asking)).resolves.toHaveLength(20);
  const { asking, cuts } = startAsking();
  provider.answers(json(page(0)), text('', 500));
  await expect(adapter.find(query({ limit: 40 }), asking)).resolves.toHaveLength(20);
  expect(cuts).toMatchObject([{ code: 'source_failed', detail: 'answered 500' }]);
});

test.each([
  ['a wrong key', json(sample('brave.error-422.json'), 422), 'source_refused', /: the key is not valid$/],
  [
    'a parameter it does not take',
    json({ error: { code: 'VALIDATION' } }, 422),
    'source_refused',
    /: answered 422$/,
  ],
  ['a bare 422', text('', 422), 'source_refused', /: answered 422$/],
  ['no plan', text('', 402), 'source_quota', /: answered 402$/],
  ['a 403', text('', 403), 'source_refused', /: answered 403$/],
  ['a failure', text('', 503), 'source_failed', /: answered 503$/],
  ['another frame', json({ web: [] }), 'source_failed', /another shape$/],
])('%s', async (_, answer, code, message) => {
  const provider = await startProvider(answer);
  const outage = await outageOf(brave({ apiKey: KEY, at: provider.url }).find(query(), startAsking().asking));
  expect(outage.code).toBe(code);
  expect(outage.message).toMatch(message);
  expect(everyWordOf(outage)).not.toContain(KEY);
});

test.each([
  ['20, 2000', '1, 900', '1, 1419704', 'source_busy', 1_000],
  ['20, 2000', '0, 900', '2, 1419704', 'source_busy', 2_000],
  ['20, 2000', '0, 0', '1, 1419704', 'source_quota', HOUR],
  ['20, 0', '0, 0', '1, 1419704', 'source_busy', 1_000],
  ['', '0, 0', '1, 1419704', 'source_quota', HOUR],
  ['20, 2000', '1, 900', 'soon', 'source_busy', 1_000],
  ['', '', '', 'source_busy', 1_000],
])(
  'of too many requests of %j, with %j left until %j, it says %s',
  async (limit, remaining, reset, code, retryAfterMs) => {
    const headers = {
      'x-ratelimit-limit': limit,
      'x-ratelimit-remaining': remaining,
      'x-ratelimit-reset': reset,
    };
    const provider = await startProvider(json({ error: { code: 'RATE_LIMITED' } }, 429, headers));
    const outage = await outageOf(
      brave({ apiKey: KEY, at: provider.url }).find(query(), startAsking().asking),
    );
    expect({ code: outage.code, retryAfterMs: outage.retryAfterMs }).toEqual({ code, retryAfterMs });
  },
);
