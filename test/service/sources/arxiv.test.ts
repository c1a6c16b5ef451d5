import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { arxiv } from '../../../src/service/sources/providers/arxiv.ts';
import type { SourceQuery } from '../../../src/service/sources/search-source.ts';
import { CANARY, describeProvider } from './provider-contract.ts';
import { type Answer, json, startAdapter, text } from './provider.ts';

const xml = (name: string) => readFileSync(new URL(`samples/${name}`, import.meta.url), 'utf8');
const feed = (...entries: string[]) =>
  text(`<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns="http://www.w3.org/2005/Atom">
  <id>https://arxiv.org/api/x</id><title>arXiv Query: all:x</title>
  <opensearch:totalResults>${entries.length}</opensearch:totalResults>${entries.join('\n')}
</feed>`);
const entry = (over: Partial<Record<'id' | 'title' | 'summary' | 'published', string>> = {}) => {
  const members = {
    id: 'http://arxiv.org/abs/2611.01234v1',
    title: 'On tides',
    summary: 'We look at tides.',
    published: '2026-11-20T18:00:01Z',
    ...over,
  };
  const inside = Object.entries(members).map(([name, value]) => `<${name}>${value}</${name}>`);
  return `<entry>${inside.join('')}<author><name>A. Author</name></author></entry>`;
};

const make = (at: string) => arxiv({ at });
const find = async (answer: Answer, over: Partial<SourceQuery> = {}) => {
  const started = await startAdapter(make, answer);
  return { found: await started.find(over), requests: started.provider.requests };
};
const bomb = `<?xml version="1.0"?><!DOCTYPE feed [<!ENTITY a "${CANARY}"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><feed><id>x</id><entry><id>&c;</id></entry></feed>`;
const noFeed = { code: 'source_failed', detail: 'the response is not a feed' };

describeProvider({
  make,
  recorded: [feed(entry())],
  found: [
    {
      source: 'preprint',
      title: 'On tides',
      link: 'https://arxiv.org/abs/2611.01234v1',
      snippet: 'We look at tides.',
      summaryDescription: 'We look at tides.',
      publishedAt: new Date('2026-11-20T18:00:01Z'),
    },
  ],
  asked: [
    {
      path: '/api/query',
      params: {
        search_query: 'all:tidal AND all:turbines AND submittedDate:[202611141200 TO 202611211200]',
        start: '0',
        max_results: '20',
        sortBy: 'submittedDate',
        sortOrder: 'descending',
      },
    },
  ],
  // Over all machines; and the feed changes once a day.
  terms: { everyMs: 3_100, timeoutMs: 8_000, pauseMs: 60_000, ttlMs: 21_600_000 },
  empty: feed(),
  frame: text(`<html><body>${CANARY}</body></html>`),
  misfits: feed(entry({ title: ' ' })),
  unreadable: noFeed.detail,
  outages: {
    'an error feed with 200': [text(xml('arxiv.error.xml')), { code: 'source_refused' }],
    'an error feed with 400': [text(xml('arxiv.error-400.xml'), 400), { code: 'source_refused' }],
    '400 with another feed': [text('<feed><id>x</id></feed>', 400), { code: 'source_refused' }],
    'a feed that breaks off': [text(xml('arxiv.search.xml').slice(0, 12_000)), noFeed],
    'entities that grow': [text(bomb), noFeed],
    'nesting without end': [text(`<feed><id>x</id>${'<a>'.repeat(5_000)}`), noFeed],
    'nesting that ends': [
      text(`<feed><id>x</id><entry>${'<a>'.repeat(1_000)}${'</a>'.repeat(1_000)}</entry></feed>`),
      { code: 'source_failed' },
    ],
    JSON: [json({ words: CANARY }), noFeed],
    nothing: [text(''), noFeed],
    'more than a feed': [text(`<feed><id>${'x'.repeat(1_000_000)}</id></feed>`), noFeed],
  },
  probe: {
    asked: { path: '/api/query', params: { search_query: 'all:science', max_results: '1' } },
    answer: feed(),
  },
});

test('parses a recorded feed completely', async () => {
  const { found } = await find(text(xml('arxiv.search.xml')));
  expect(found).toHaveLength(10);
  expect(found[0]).toMatchObject({
    title: 'Testing Deep Learning Models: A First Comparative Study of Multiple Testing Techniques',
    link: 'https://arxiv.org/abs/2202.12139v1',
    publishedAt: new Date('2022-02-24T15:05:19Z'),
  });
  expect(found[0]?.snippet).toMatch(/^Deep Learning \(DL\) has revolutionized .*…$/);
  expect(found[0]?.snippet.length).toBeLessThanOrEqual(500);
  expect(found[0]?.summaryDescription).toMatch(/^Deep Learning .*\.$/);
  expect(found.every(({ link }) => link.startsWith('https://arxiv.org/abs/'))).toBe(true);
});

test.each([
  [['tides'], 'all:tides'],
  [['tides', 'power'], 'all:tides AND all:power'],
  [['":[', 'tides'], 'all:tides'],
  [
    ['transformers', 'attention', 'covid-19', 'gpu', 'ignored'],
    'all:transformers AND (all:attention OR all:"covid 19" OR all:gpu)',
  ],
])('searches with the words %j for the best, and any of the others: %s', async (keywords, wish) => {
  const { requests } = await find(feed(entry()), { keywords, from: undefined });
  expect(requests.map(({ params }) => params['search_query'])).toEqual([wish]);
});

test('does not search without a word', async () => {
  const { found, requests } = await find(feed(entry()), { prompt: '???', keywords: [] });
  expect(found).toEqual([]);
  expect(requests).toHaveLength(0);
});

test('titles are one line; the five XML entities and numeric ones are decoded once', async () => {
  const { found } = await find(
    feed(entry({ title: 'On\n  tides &amp; $a&lt;b$ &#233;', summary: 'x &unknown; &amp;lt; y' })),
  );
  expect(found[0]?.title).toBe('On tides & $a<b$ é');
  expect(found[0]?.snippet).toContain('&unknown;');
});

test('skips malformed entries', async () => {
  const { found } = await find(
    feed(
      entry(),
      entry({ id: 'http://evil.example/abs/1' }),
      entry({ published: 'yesterday' }),
      entry({ title: ' ' }),
      '<entry>words</entry>',
    ),
  );
  expect(found.map(({ link }) => link)).toEqual(['https://arxiv.org/abs/2611.01234v1']);
});
