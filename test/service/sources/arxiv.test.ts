import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { arxiv } from '../../../src/service/sources/providers/arxiv.ts';
import { everyWordOf, json, outageOf, query, startAsking, startProvider, text } from './provider.ts';

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

async function find(answer: Parameters<typeof startProvider>[0], over: Parameters<typeof query>[0] = {}) {
  const provider = await startProvider(answer);
  const found = await arxiv({ at: provider.url }).find(query(over), startAsking().asking);
  return { found, requests: provider.requests };
}

test('a recorded feed is read whole', async () => {
  const { found } = await find(text(xml('arxiv.search.xml')));
  expect(found).toHaveLength(10);
  expect(found[0]).toMatchObject({
    source: 'preprint',
    title: 'Testing Deep Learning Models: A First Comparative Study of Multiple Testing Techniques',
    link: 'https://arxiv.org/abs/2202.12139v1',
    publishedAt: new Date('2022-02-24T15:05:19Z'),
  });
  expect(found[0]?.snippet).toMatch(/^Deep Learning \(DL\) has revolutionized .*…$/);
  expect(found[0]?.snippet.length).toBeLessThanOrEqual(500);
  expect(found[0]?.summaryDescription).toMatch(/^Deep Learning .*\.$/);
  expect(found.every(({ link }) => link.startsWith('https://arxiv.org/abs/'))).toBe(true);
});

test('there is one request: the best word and any of the others, within the window', async () => {
  const keywords = ['transformers', 'attention', 'covid-19', 'gpu', 'ignored'];
  const { requests } = await find(feed(entry()), { keywords, limit: 20 });
  expect(requests).toHaveLength(1);
  expect(requests[0]?.path).toBe('/api/query');
  expect(requests[0]?.params).toEqual({
    search_query:
      'all:transformers AND (all:attention OR all:"covid 19" OR all:gpu) AND submittedDate:[202611141200 TO 202611211200]',
    start: '0',
    max_results: '20',
    sortBy: 'relevance',
    sortOrder: 'descending',
  });
  expect(requests[0]?.target).toContain('+TO+');
});

test.each([
  [['tides'], 'all:tides'],
  [['tides', 'power'], 'all:tides AND all:power'],
  [['":[', 'tides'], 'all:tides'],
])('of the words %j it asks for %s', async (keywords, wish) => {
  const { requests } = await find(feed(entry()), { keywords, from: undefined });
  expect(requests[0]?.params['search_query']).toBe(wish);
});

test('without a word there is nothing to ask for', async () => {
  const { found, requests } = await find(feed(entry()), { prompt: '???', keywords: [] });
  expect(found).toEqual([]);
  expect(requests).toHaveLength(0);
});

test('titles are one line; of entities the five and numbers are known, once', async () => {
  const { found } = await find(
    feed(entry({ title: 'On\n  tides &amp; $a&lt;b$ &#233;', summary: 'x &unknown; &amp;lt; y' })),
  );
  expect(found[0]?.title).toBe('On tides & $a<b$ é');
  expect(found[0]?.snippet).toContain('&unknown;');
});

test('entries that do not fit are left out; a feed without any is an answer', async () => {
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
  expect((await find(feed())).found).toEqual([]);
});

const bomb = `<?xml version="1.0"?><!DOCTYPE feed [<!ENTITY a "words of theirs"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><feed><id>x</id><entry><id>&c;</id></entry></feed>`;

test.each([
  ['an error feed with 200', text(xml('arxiv.error.xml')), 'source_refused'],
  ['an error feed with 400', text(xml('arxiv.error-400.xml'), 400), 'source_refused'],
  ['a feed that breaks off', text(xml('arxiv.search.xml').slice(0, 12_000)), 'source_failed'],
  ['entities that grow', text(bomb), 'source_failed'],
  ['nesting without end', text(`<feed><id>x</id>${'<a>'.repeat(50_000)}`), 'source_failed'],
  [
    'nesting that ends',
    text(`<feed><id>x</id><entry>${'<a>'.repeat(5_000)}${'</a>'.repeat(5_000)}</entry></feed>`),
    'source_failed',
  ],
  ['a page', text('<html><body>words of theirs</body></html>'), 'source_failed'],
  ['JSON', json({ words: 'of theirs' }), 'source_failed'],
  ['nothing', text(''), 'source_failed'],
  ['more than a feed', text(`<feed><id>${'x'.repeat(1_000_000)}</id></feed>`), 'source_failed'],
  ['429', text('words of theirs', 429), 'source_busy'],
])('%s is a reason without their words', async (_, answer, code) => {
  const provider = await startProvider(answer);
  const outage = await outageOf(arxiv({ at: provider.url }).find(query(), startAsking().asking));
  expect(outage.code).toBe(code);
  expect(everyWordOf(outage)).not.toMatch(/words of theirs|incorrect id/);
  expect(provider.requests).toHaveLength(1);
});

test('its terms stand in its adapter: 3.1 s over all machines, a minute of rest, six hours of life', () => {
  expect(arxiv()).toMatchObject({ everyMs: 3_100, mostMs: 8_000, restMs: 60_000, lifeMs: 21_600_000 });
});
