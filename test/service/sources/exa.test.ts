import { expect, test } from 'vitest';
import { HOUR } from '../../../src/domain/time.ts';
import { exa } from '../../../src/service/sources/providers/exa.ts';
import { everyWordOf, json, outageOf, query, sample, startAsking, startProvider } from './provider.ts';

const KEY = 'exa-key-of-a-user';

test('results are read: what it highlights, otherwise how the page begins', async () => {
  const provider = await startProvider(json(sample('exa.search.json')));
  const found = await exa({ apiKey: KEY, at: provider.url }).find(query(), startAsking().asking);
  expect(found).toEqual([
    {
      source: 'web',
      title: 'Second turbine turns',
      link: 'https://news.example/turbine',
      snippet: 'The second turbine turned for nine days. … It was loud.',
      summaryDescription: '',
      publishedAt: new Date('2026-11-20T06:10:00Z'),
    },
    {
      source: 'web',
      title: 'pedia.example',
      link: 'https://pedia.example/Tidal_power',
      snippet: 'Tidal power is power from tides.',
      summaryDescription: '',
      publishedAt: undefined,
    },
  ]);
});

test('the key stands in its header, the window in exact times', async () => {
  const provider = await startProvider(json({ results: [] }));
  const adapter = exa({ apiKey: KEY, at: provider.url });
  await expect(adapter.find(query({ limit: 40 }), startAsking().asking)).resolves.toEqual([]);
  const prompt = 'site:reddit.com tidal turbines';
  await adapter.find(query({ prompt, from: undefined }), startAsking().asking);
  const [asked, ofSite] = provider.requests;
  expect(asked).toMatchObject({ method: 'POST', target: '/search' });
  expect(asked?.headers).toMatchObject({ 'x-api-key': KEY, 'content-type': 'application/json' });
  expect(asked?.body).not.toContain(KEY);
  const contents = { text: { maxCharacters: 500 }, highlights: { maxCharacters: 500 } };
  expect(JSON.parse(asked?.body ?? '')).toEqual({
    query: 'tidal turbines',
    type: 'auto',
    numResults: 40,
    startPublishedDate: '2026-11-14T12:00:00.000Z',
    endPublishedDate: '2026-11-21T12:00:00.000Z',
    contents,
  });
  expect(JSON.parse(ofSite?.body ?? '')).toEqual({
    query: 'tidal turbines',
    type: 'auto',
    numResults: 10,
    includeDomains: ['reddit.com'],
    contents,
  });
});

test.each([
  [401, 'source_refused', undefined],
  [402, 'source_quota', HOUR],
  [403, 'source_refused', undefined],
  [429, 'source_busy', undefined],
  [500, 'source_failed', undefined],
])('of %i it says %s', async (status, code, retryAfterMs) => {
  const provider = await startProvider(json({ error: KEY, tag: 'NO_MORE_CREDITS' }, status));
  const outage = await outageOf(exa({ apiKey: KEY, at: provider.url }).find(query(), startAsking().asking));
  expect(outage).toMatchObject({ code, retryAfterMs });
  expect(everyWordOf(outage)).not.toContain(KEY);
});
