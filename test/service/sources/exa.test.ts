import { expect, test } from 'vitest';
import { HOUR } from '../../../src/lib/time.ts';
import { exa } from '../../../src/service/sources/providers/exa.ts';
import { CANARY, describeProvider } from './provider-contract.ts';
import { json, sample, startAdapter, text } from './provider.ts';

const make = (at: string) => exa({ apiKey: `exa-${CANARY}`, at });
const EMPTY = json({ results: [] });
const contents = { text: { maxCharacters: 500 }, highlights: { maxCharacters: 500 } };

describeProvider({
  make,
  recorded: [json(sample('exa.search.json'))],
  // What it highlights, otherwise how the page begins.
  found: [
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
      periodVouched: true,
    },
  ],
  asked: [
    {
      method: 'POST',
      path: '/search',
      params: {},
      headers: { 'x-api-key': `exa-${CANARY}`, 'content-type': 'application/json' },
      body: {
        query: 'tidal turbines',
        type: 'auto',
        numResults: 10,
        startPublishedDate: '2026-11-14T12:00:00.000Z',
        endPublishedDate: '2026-11-21T12:00:00.000Z',
        contents,
      },
    },
  ],
  empty: EMPTY,
  frame: json({}),
  misfits: json({ results: [{ id: 1 }] }),
  outages: { 'no credits': [text(CANARY, 402), { code: 'source_quota', retryAfterMs: HOUR }] },
});

test('pages without titles and dates: the heading is the title, and a window that was asked for holds', async () => {
  // The shape of a real answer of 2026: empty titles, no dates, Markdown.
  const page = (n: number, more: object) => ({
    id: `https://a.example/${n}`,
    url: `https://a.example/${n}`,
    ...more,
  });
  const results = [
    page(1, {
      title: '',
      author: '',
      text: '# Turbines of *2026*\n\n| Site | MW |\n| --- | --- |\n| Fundy | 20 |\n\n- **Cheap** power',
    }),
    page(2, {
      title: '',
      text: 'No heading \\- 52\\-47 \\[1\\] [here](https://b.example/x).',
      publishedDate: null,
    }),
    page(3, { publishedDate: '2026-11-20T06:10:00.000Z' }),
  ];
  const { find } = await startAdapter(make, json({ results }));
  expect(await find()).toMatchObject([
    { title: 'Turbines of 2026', snippet: 'Cheap power', periodVouched: true },
    { title: 'a.example', snippet: 'No heading - 52-47 [1] here.', periodVouched: true },
    { title: 'a.example', publishedAt: new Date('2026-11-20T06:10:00.000Z') },
  ]);
  const [, , dated] = await find();
  expect(dated).not.toHaveProperty('periodVouched');
  for (const item of await find({ from: undefined })) expect(item).not.toHaveProperty('periodVouched');
});

test('domains have their own parameters, and a site of the prompt is the only one', async () => {
  const { find, provider } = await startAdapter(make, EMPTY);
  const domains = { include: ['bbc.com'], exclude: ['x.com'] };
  await find({ domains });
  await find({ prompt: 'site:reddit.com tides', domains });
  expect(provider.requests.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
    { includeDomains: ['bbc.com'], excludeDomains: ['x.com'] },
    { includeDomains: ['reddit.com'], excludeDomains: ['x.com'] },
  ]);
});

test('a site has its own parameter, and without a start there is no window', async () => {
  const { find, provider } = await startAdapter(make, EMPTY);
  await find({ prompt: 'site:reddit.com tidal turbines', from: undefined, limit: 40 });
  expect(JSON.parse(provider.requests[0]?.body ?? '')).toEqual({
    query: 'tidal turbines',
    type: 'auto',
    numResults: 40,
    includeDomains: ['reddit.com'],
    contents,
  });
});
