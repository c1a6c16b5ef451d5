import { expect, test } from 'vitest';
import { DAY, HOUR } from '../../../src/domain/time.ts';
import type { SourceQuery } from '../../../src/service/sources/search-source.ts';
import { tavily } from '../../../src/service/sources/providers/tavily.ts';
import {
  everyWordOf,
  json,
  NOW,
  outageOf,
  query,
  sample,
  startAsking,
  startProvider,
  text,
} from './provider.ts';

const KEY = 'tvly-key-of-a-user';

test('results are read, with a time where there is one', async () => {
  const provider = await startProvider(json(sample('tavily.search.json')));
  const found = await tavily({ apiKey: KEY, at: provider.url }).find(query(), startAsking().asking);
  expect(found).toEqual([
    {
      source: 'web',
      title: 'Second turbine turns',
      link: 'https://news.example/turbine',
      snippet: '# Turbine The second turbine & its rotor turned for nine days.',
      summaryDescription: '',
      publishedAt: new Date('2026-11-20T06:10:00Z'),
    },
    {
      source: 'web',
      title: 'Tidal power',
      link: 'https://pedia.example/Tidal_power',
      snippet: 'Tidal power is power from tides.',
      summaryDescription: '',
      publishedAt: undefined,
    },
  ]);
});

test('the key is a bearer token, the window in whole days, at most twenty results', async () => {
  const provider = await startProvider(json({ results: [] }));
  const adapter = tavily({ apiKey: KEY, at: provider.url });
  await adapter.find(query({ limit: 40 }), startAsking().asking);
  const [asked] = provider.requests;
  expect(asked).toMatchObject({ method: 'POST', target: '/search' });
  expect(asked?.headers).toMatchObject({
    authorization: `Bearer ${KEY}`,
    'content-type': 'application/json',
  });
  expect(JSON.parse(asked?.body ?? '')).toEqual({
    query: 'tidal turbines',
    topic: 'news',
    search_depth: 'basic',
    max_results: 20,
    start_date: '2026-11-14',
    end_date: '2026-11-21',
  });
});

test.each<[string, Partial<SourceQuery>, string]>([
  ['of a month', { from: new Date(NOW.getTime() - 30 * DAY) }, 'news'],
  ['of two months', { from: new Date(NOW.getTime() - 60 * DAY) }, 'general'],
  ['without a beginning', { from: undefined }, 'general'],
  ['of a week at one site', { prompt: 'site:reddit.com tides' }, 'general'],
])('a window %s: news alone have a time, and short windows want one', async (_, asked, topic) => {
  const provider = await startProvider(json({ results: [] }));
  await tavily({ apiKey: KEY, at: provider.url }).find(query(asked), startAsking().asking);
  expect(JSON.parse(provider.requests[0]?.body ?? '')).toMatchObject({ topic });
});

test('a site is a member of its own', async () => {
  const provider = await startProvider(json({ results: [] }));
  const adapter = tavily({ apiKey: KEY, at: provider.url });
  await adapter.find(
    query({ prompt: 'site:reddit.com tidal turbines', from: undefined }),
    startAsking().asking,
  );
  expect(JSON.parse(provider.requests[0]?.body ?? '')).toEqual({
    query: 'tidal turbines',
    topic: 'general',
    search_depth: 'basic',
    max_results: 10,
    include_domains: ['reddit.com'],
  });
});

test.each([
  [401, 'source_refused', undefined],
  [429, 'source_busy', 7_000],
  [432, 'source_quota', HOUR],
  [433, 'source_quota', HOUR],
  [500, 'source_failed', undefined],
])('of %i it says %s', async (status, code, retryAfterMs) => {
  const headers: Record<string, string> = status === 429 ? { 'retry-after': '7' } : {};
  const provider = await startProvider(json({ detail: { error: `no, ${KEY}` } }, status, headers));
  const outage = await outageOf(
    tavily({ apiKey: KEY, at: provider.url }).find(query(), startAsking().asking),
  );
  expect(outage).toMatchObject({ code, retryAfterMs });
  expect(everyWordOf(outage)).not.toContain(KEY);
});

test('a page instead of JSON is a failure', async () => {
  const provider = await startProvider(text('<html>'));
  const outage = await outageOf(
    tavily({ apiKey: KEY, at: provider.url }).find(query(), startAsking().asking),
  );
  expect(outage.message).toBe('failed: its answer is not JSON');
});
