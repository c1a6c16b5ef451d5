import { expect, test } from 'vitest';
import { DAY, HOUR } from '../../../src/lib/time.ts';
import type { SourceQuery } from '../../../src/service/sources/search-source.ts';
import { tavily } from '../../../src/service/sources/providers/tavily.ts';
import { CANARY, describeProvider } from './provider-contract.ts';
import { json, NOW, sample, startAdapter, text } from './provider.ts';

const make = (at: string) => tavily({ apiKey: `tvly-${CANARY}`, at });
const EMPTY = json({ results: [] });

describeProvider({
  make,
  recorded: [json(sample('tavily.search.json'))],
  found: [
    {
      source: 'web',
      title: 'Second turbine turns',
      link: 'https://news.example/turbine',
      snippet: 'The second turbine & its rotor turned for nine days.',
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
      periodVouched: true,
    },
  ],
  asked: [
    {
      method: 'POST',
      path: '/search',
      params: {},
      headers: { authorization: `Bearer tvly-${CANARY}`, 'content-type': 'application/json' },
      body: {
        query: 'tidal turbines',
        topic: 'news',
        search_depth: 'basic',
        max_results: 10,
        start_date: '2026-11-14',
        end_date: '2026-11-21',
      },
    },
  ],
  empty: EMPTY,
  frame: json({}),
  misfits: json({ results: [{ id: 1 }] }),
  outages: {
    'no credits': [text(CANARY, 432), { code: 'source_quota', retryAfterMs: HOUR }],
    'the limit of what may be paid': [text(CANARY, 433), { code: 'source_quota', retryAfterMs: HOUR }],
  },
});

test.each<[string, Partial<SourceQuery>, string]>([
  ['of a month', { from: new Date(NOW.getTime() - 30 * DAY) }, 'news'],
  ['of two months', { from: new Date(NOW.getTime() - 60 * DAY) }, 'general'],
  ['without a start', { from: undefined }, 'general'],
  ['of a week at one site', { prompt: 'site:reddit.com tides' }, 'general'],
])('a window %s: only news have a time, and short windows require one', async (_, asked, topic) => {
  const { find, provider } = await startAdapter(make, EMPTY);
  await find(asked);
  expect(JSON.parse(provider.requests[0]?.body ?? '')).toMatchObject({ topic });
});

test('its texts are Markdown', async () => {
  // The shape of a real answer of 2026: headings, rows of tables, emphasis, pieces of a page in one line.
  const content =
    '# Turbines: *the* facts\n> *"They turn."*. See [docs](https://a.example/d) ## Sites\nCite as: | a:2505.1 [cs.LG] |\n|---|---|\n| `fundy` | 2*3 |';
  const { find } = await startAdapter(
    make,
    json({ results: [{ title: 'T', url: 'https://a.example/', content }] }),
  );
  expect(await find()).toMatchObject([{ snippet: '"They turn." See docs Sites' }]);
});

test('domains have their own parameters', async () => {
  const { find, provider } = await startAdapter(make, EMPTY);
  await find({ domains: { include: ['bbc.com'], exclude: ['x.com'] } });
  expect(JSON.parse(provider.requests[0]?.body ?? '')).toMatchObject({
    include_domains: ['bbc.com'],
    exclude_domains: ['x.com'],
  });
});

test('a site has its own parameter, and twenty results are the maximum', async () => {
  const { find, provider } = await startAdapter(make, EMPTY);
  await find({ prompt: 'site:reddit.com tidal turbines', from: undefined, limit: 40 });
  expect(JSON.parse(provider.requests[0]?.body ?? '')).toEqual({
    query: 'tidal turbines',
    topic: 'general',
    search_depth: 'basic',
    max_results: 20,
    include_domains: ['reddit.com'],
  });
});
