import { expect, test } from 'vitest';
import { SourceDown } from '../../../src/service/sources/outage.ts';
import { youtube } from '../../../src/service/sources/providers/youtube.ts';
import { pending, startLive } from './living.ts';
import { everyWordOf, json, outageOf, query, sample, startAsking, startProvider, text } from './provider.ts';

const KEY = 'AIza-key-of-a-user';

test('videos are read with likes and comments; who only watched did not react', async () => {
  const provider = await startProvider(
    json(sample('youtube.search.json')),
    json(sample('youtube.statistics.json')),
  );
  const { asking, spent } = startAsking();
  const found = await youtube({ apiKey: KEY, at: provider.url }).find(query(), asking);
  expect(found).toEqual([
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
  ]);
  expect(spent).toEqual([1]);
});

test('one search of one page in exact times, one request for all counters, the key in a header', async () => {
  const provider = await startProvider(
    json(sample('youtube.search.json')),
    json(sample('youtube.statistics.json')),
  );
  await youtube({ apiKey: KEY, at: provider.url }).find(query({ limit: 40 }), startAsking().asking);
  expect(provider.requests.map(({ path, params }) => ({ path, params }))).toEqual([
    {
      path: '/youtube/v3/search',
      params: {
        part: 'snippet',
        type: 'video',
        q: 'tidal turbines',
        maxResults: '40',
        order: 'relevance',
        safeSearch: 'moderate',
        publishedAfter: '2026-11-14T12:00:00.000Z',
        publishedBefore: '2026-11-21T12:00:00.000Z',
      },
    },
    { path: '/youtube/v3/videos', params: { part: 'statistics', id: 'xEJNKsvzw3w,67Zh_GE5QnU' } },
  ]);
  for (const { headers, target } of provider.requests) {
    expect(headers['x-goog-api-key']).toBe(KEY);
    expect(target).not.toContain(KEY);
  }
});

test('titles are decoded, and what is no video is left out', async () => {
  const snippet = { description: '', publishedAt: '2026-11-20T10:00:00Z' };
  const provider = await startProvider(
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
  const found = await youtube({ apiKey: KEY, at: provider.url }).find(query(), startAsking().asking);
  expect(found.map(({ title, link }) => [title, link])).toEqual([
    ['He said "No & no" <live>', 'https://www.youtube.com/watch?v=abc'],
  ]);
});

test('nothing found asks for no counters', async () => {
  const provider = await startProvider(json({ items: [] }));
  const adapter = youtube({ apiKey: KEY, at: provider.url });
  await expect(adapter.find(query(), startAsking().asking)).resolves.toEqual([]);
  expect(provider.requests).toHaveLength(1);
});

test('without counters the videos are still found', async () => {
  const provider = await startProvider(json(sample('youtube.search.json')), text('', 500));
  const found = await youtube({ apiKey: KEY, at: provider.url }).find(query(), startAsking().asking);
  expect(found).toHaveLength(2);
  expect(found.every((item) => !('engagement' in item))).toBe(true);
});

test('counters that do not come cost no video, whatever is left of the time', async () => {
  const { promise: gone, resolve } = pending<void>();
  const provider = await startProvider(json({}));
  const { source, clock, ports } = startLive(youtube({ apiKey: KEY, at: provider.url }));
  provider.answers(
    (request, response) => {
      clock.advance(5_500);
      void json(sample('youtube.search.json'))(request, response);
    },
    (_, response) => void response.on('close', resolve), // it never answers
  );
  const found = await source.find(query({ mostMs: 6_000 }));
  expect(found).toHaveLength(2);
  expect(provider.requests.map(({ path }) => path)).toEqual(['/youtube/v3/search', '/youtube/v3/videos']);
  await gone; // and its connection with it
  expect([...ports.units.values()]).toEqual([1]);
  const { openUntil, lastFailure } = await source.health();
  expect([openUntil, lastFailure]).toEqual([undefined, undefined]);
});

test('without an allowance nothing is asked', async () => {
  const provider = await startProvider(json({ items: [] }));
  const { asking } = startAsking();
  const spend = () => Promise.reject(new SourceDown('source_quota'));
  const outage = await outageOf(
    youtube({ apiKey: KEY, at: provider.url }).find(query(), { ...asking, spend }),
  );
  expect(outage.code).toBe('source_quota');
  expect(provider.requests).toEqual([]);
});

test('its allowance is of the day in California, and its answers are given again for an hour', () => {
  expect(youtube({ apiKey: KEY })).toMatchObject({
    allowance: { most: 100, unit: 'searches', zone: 'America/Los_Angeles' },
    lifeMs: 3_600_000,
  });
});

const reason = (status: number, word: string) =>
  json({ error: { code: status, errors: [{ domain: 'usageLimits', reason: word, message: KEY }] } }, status);

test.each([
  [
    'the end of the quota',
    json(sample('youtube.error-403-quota.json'), 403),
    'source_quota',
    /allowance: answered 403$/,
  ],
  [
    'the newer end of the quota',
    json(sample('youtube.error-429-quota.json'), 429),
    'source_quota',
    /allowance: answered 429$/,
  ],
  ['a wrong key', json(sample('youtube.error-400-key.json'), 400), 'source_refused', /the key is not valid$/],
  ['a wrong key of old', reason(400, 'keyInvalid'), 'source_refused', /the key is not valid$/],
  ['another service', reason(403, 'accessNotConfigured'), 'source_refused', /not for the YouTube Data API$/],
  ['a hurry', reason(403, 'rateLimitExceeded'), 'source_busy', /answered 403$/],
  ['too many requests', text('', 429), 'source_busy', /answered 429$/],
  ['a refusal without a word', text('<html>', 403), 'source_refused', /answered 403$/],
  ['a failure', text('', 500), 'source_failed', /answered 500$/],
  ['another frame', json({ kind: 'x' }), 'source_failed', /another shape$/],
  ['items of another shape', json({ items: [{ id: 'x' }] }), 'source_failed', /another shape$/],
])('%s', async (_, answer, code, message) => {
  const provider = await startProvider(answer);
  const outage = await outageOf(
    youtube({ apiKey: KEY, at: provider.url }).find(query(), startAsking().asking),
  );
  expect(outage.code).toBe(code);
  expect(outage.message).toMatch(message);
  expect(everyWordOf(outage)).not.toContain(KEY);
});
