import { expect, test } from 'vitest';
import { HOUR } from '../../../src/lib/time.ts';
import { brave } from '../../../src/service/sources/providers/brave.ts';
import { CANARY, describeProvider } from './provider-contract.ts';
import { json, sample, startAdapter, text } from './provider.ts';

const KEY = `BSA-${CANARY}`;
const make = (at: string) => brave({ apiKey: KEY, at });
const EMPTY = json({ type: 'search', query: { original: 'x' } });
const page = (n: number, more = true) =>
  json({
    query: { more_results_available: more },
    web: { results: Array.from({ length: 20 }, (_, i) => ({ url: `https://a.example/${n}/${i}` })) },
  });
const found = (title: string, link: string, snippet: string, published?: string) => ({
  source: 'web',
  title,
  link,
  snippet,
  summaryDescription: '',
  ...(published === undefined
    ? { publishedAt: undefined, periodVouched: true }
    : { publishedAt: new Date(published) }),
});

describeProvider({
  make,
  recorded: [json(sample('brave.search.json'))],
  found: [
    found(
      'FDA approves evolocumab',
      'https://www.fda.gov/news/evolocumab',
      'The FDA approved Repatha.',
      '2015-08-27T10:00:00Z',
    ),
    found('Repatha label', 'https://www.accessdata.fda.gov/label.pdf', 'Label.'),
    found('Evolocumab - Wikipedia', 'https://en.wikipedia.org/wiki/Evolocumab', 'Drug.'),
  ],
  asked: [
    {
      path: '/res/v1/web/search',
      params: {
        q: 'tidal turbines',
        count: '10',
        offset: '0',
        text_decorations: 'false',
        freshness: '2026-11-14to2026-11-21',
      },
      headers: { 'x-subscription-token': KEY },
    },
  ],
  empty: EMPTY,
  frame: json({ web: [] }),
  misfits: json({ web: { results: [{ title: 'x' }] } }),
  statuses: { 429: { code: 'source_busy', retryAfterMs: 1_000 } },
  outages: {
    'a wrong key': [
      json(sample('brave.error-422.json'), 422),
      { code: 'source_refused', detail: 'invalid key' },
    ],
    'a parameter it does not take': [
      json({ error: { code: 'VALIDATION' } }, 422),
      { code: 'source_refused', detail: 'HTTP 422' },
    ],
    'a bare 422': [text(CANARY, 422), { code: 'source_refused', detail: 'HTTP 422' }],
    'no plan': [text(CANARY, 402), { code: 'source_quota', detail: 'HTTP 402', retryAfterMs: HOUR }],
  },
  pages: { of: page, size: 20, limit: 40, param: 'offset', values: ['0', '1'] },
});

test('sets no window without a start, and truncates a long prompt to the maximum', async () => {
  const { find, provider } = await startAdapter(make, EMPTY);
  await find({ from: undefined, prompt: 'several rather long words '.repeat(70) });
  const { q = '', ...others } = provider.requests[0]?.params ?? {};
  expect(others).not.toHaveProperty('freshness');
  expect(q.length).toBeGreaterThan(200);
  expect(q.length).toBeLessThanOrEqual(400);
  expect(q.split(' ').length).toBeLessThanOrEqual(50);
});

test('requests no second page if the first is the last, and keeps the first if the second is refused', async () => {
  const { find, provider } = await startAdapter(make, page(0, false));
  expect(await find({ limit: 40 })).toHaveLength(20);
  expect(provider.requests.map(({ params }) => params['count'])).toEqual(['20']);
  provider.answers(page(0), text('', 402));
  expect(await find({ limit: 40 })).toHaveLength(20);
});

test.each([
  ['20, 2000', '1, 900', '1, 1419704', 'source_busy', 1_000],
  ['20, 2000', '0, 900', '2, 1419704', 'source_busy', 2_000],
  ['20, 2000', '0, 0', '1, 1419704', 'source_quota', HOUR],
  ['20, 0', '0, 0', '1, 1419704', 'source_busy', 1_000],
  ['', '0, 0', '1, 1419704', 'source_quota', HOUR],
  ['20, 2000', '1, 900', 'soon', 'source_busy', 1_000],
  ['20, 2000', '1, 900', '61, 1419704', 'source_busy', 1_000],
])('handles too many requests of %j, with %j left until %j: %s', async (...row) => {
  const [limit, remaining, reset, code, retryAfterMs] = row;
  const headers = {
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': reset,
  };
  const { outage } = await startAdapter(make, text('', 429, headers));
  expect(await outage()).toMatchObject({ code, retryAfterMs });
});
