import { expect, test } from 'vitest';
import { SourceDown } from '../../../src/service/sources/outage.ts';
import { youtube } from '../../../src/service/sources/providers/youtube.ts';
import { pending, startLive } from './living.ts';
import { CANARY, describeProvider } from './provider-contract.ts';
import { json, outageOf, query, sample, startAdapter, startProvider, text } from './provider.ts';

const KEY = `AIza-${CANARY}`;
const make = (at: string) => youtube({ apiKey: KEY, at });
const search = json(sample('youtube.search.json'));
const reason = (status: number, word: string) =>
  json({ error: { code: status, errors: [{ domain: 'usageLimits', reason: word, message: KEY }] } }, status);
const wrongKey = { code: 'source_refused', detail: 'invalid key' };

describeProvider({
  make,
  recorded: [search, json(sample('youtube.statistics.json'))],
  // With likes and comments; who only watched did not react.
  found: [
    {
      source: 'video',
      title:
        'Fiat Pulse Audace 2023 - Novo motor 1.0 turbo mais forte, preço, consumo, problemas. Vale a pena?',
      link: 'https://www.youtube.com/watch?v=xEJNKsvzw3w',
      snippet: expect.stringMatching(/^O grande lançamento de 2021 /),
      summaryDescription: '',
      publishedAt: new Date('2022-02-18T21:05:46Z'),
      engagement: 9_931,
    },
    {
      source: 'video',
      title: expect.stringMatching(/^FIAT PULSE /),
      link: 'https://www.youtube.com/watch?v=67Zh_GE5QnU',
      snippet: expect.stringMatching(/^Fiat Pulse Impetus 2023/),
      summaryDescription: '',
      publishedAt: new Date('2023-06-30T21:32:57Z'),
    },
  ],
  asked: [
    {
      path: '/youtube/v3/search',
      params: {
        part: 'snippet',
        type: 'video',
        q: 'tidal turbines',
        maxResults: '10',
        order: 'date',
        safeSearch: 'moderate',
        publishedAfter: '2026-11-14T12:00:00.000Z',
        publishedBefore: '2026-11-21T12:00:00.000Z',
      },
      headers: { 'x-goog-api-key': KEY },
    },
    {
      path: '/youtube/v3/videos',
      params: { part: 'statistics', id: 'xEJNKsvzw3w,67Zh_GE5QnU' },
      headers: { 'x-goog-api-key': KEY },
    },
  ],
  spent: [1],
  terms: {
    allowance: { most: 100, unit: 'searches', zone: 'America/Los_Angeles' },
    ttlMs: 3_600_000,
  },
  empty: json({ items: [] }),
  frame: json({ kind: 'x' }),
  misfits: json({ items: [{ id: 'x' }] }),
  statuses: {
    401: { code: 'source_refused' },
    429: { code: 'source_busy', detail: 'HTTP 429', retryAfterMs: undefined },
  },
  outages: {
    'the end of the quota': [
      json(sample('youtube.error-403-quota.json'), 403),
      { code: 'source_quota', detail: 'HTTP 403' },
    ],
    'the newer end of the quota': [
      json(sample('youtube.error-429-quota.json'), 429),
      { code: 'source_quota', detail: 'HTTP 429' },
    ],
    'a wrong key': [json(sample('youtube.error-400-key.json'), 400), wrongKey],
    'a wrong key of old': [reason(400, 'keyInvalid'), wrongKey],
    'another service': [
      reason(403, 'accessNotConfigured'),
      { code: 'source_refused', detail: 'the key does not allow the YouTube Data API' },
    ],
    'a hurry': [reason(403, 'rateLimitExceeded'), { code: 'source_busy', detail: 'HTTP 403' }],
  },
});

test('decodes titles, and skips results that are not videos', async () => {
  const snippet = { description: '', publishedAt: '2026-11-20T10:00:00Z' };
  const { find } = await startAdapter(
    make,
    json({
      items: [
        {
          id: { videoId: 'abc' },
          snippet: { ...snippet, title: 'He said &quot;No &amp; no&quot; &lt;live&gt;' },
        },
        { id: { channelId: 'UC1' }, snippet: { ...snippet, title: 'a channel' } },
        { id: { videoId: '../x?y' }, snippet: { ...snippet, title: 'no id' } },
      ],
    }),
    json({ items: [] }),
  );
  expect((await find()).map(({ title, link }) => [title, link])).toEqual([
    ['He said "No & no" <live>', 'https://www.youtube.com/watch?v=abc'],
  ]);
});

test('requests no counters if nothing is found, and returns videos without counters', async () => {
  const { find, provider } = await startAdapter(make, json({ items: [] }));
  await find();
  expect(provider.requests).toHaveLength(1);
  provider.answers(search, text('', 500));
  const found = await find();
  expect(found).toHaveLength(2);
  expect(found.every((item) => !('engagement' in item))).toBe(true);
});

test('missing counters cost no video, however little time is left', async () => {
  const { promise: gone, resolve } = pending<void>();
  const provider = await startProvider(json({}));
  const { source, clock, ports } = startLive(make(provider.url));
  provider.answers(
    (request, response) => {
      clock.advance(5_500);
      void search(request, response);
    },
    (_, response) => void response.on('close', resolve), // it never answers
  );
  const found = await source.find(query({ timeoutMs: 6_000 }));
  expect(found).toHaveLength(2);
  expect(provider.requests.map(({ path }) => path)).toEqual(['/youtube/v3/search', '/youtube/v3/videos']);
  await gone; // and its connection with it
  expect([...ports.units.values()]).toEqual([1]);
  const { openUntil, lastFailure } = await source.health();
  expect([openUntil, lastFailure]).toEqual([undefined, undefined]);
});

test('sends nothing without a quota', async () => {
  const { adapter, asking, provider } = await startAdapter(make, json({ items: [] }));
  const spend = () => Promise.reject(new SourceDown('source_quota'));
  expect((await outageOf(adapter.find(query(), { ...asking, spend }))).code).toBe('source_quota');
  expect(provider.requests).toEqual([]);
});
