import { describe, expect, test } from 'vitest';
import { DAY } from '../../../src/lib/time.ts';
import { mediawiki } from '../../../src/service/sources/providers/mediawiki.ts';
import { CANARY, describeProvider } from './provider-contract.ts';
import { type Answers, json, NOW, startAdapter, text } from './provider.ts';

const make = (at: string) => mediawiki({ language: 'en', dates: 'none', at });
const page = (index: number, over: Record<string, unknown> = {}) => ({
  pageid: 100 + index,
  ns: 0,
  title: `Article ${index}`,
  index,
  extract: 'A tidal stream generator is a machine.',
  description: 'type of machine',
  contentmodel: 'wikitext',
  fullurl: `https://en.wikipedia.org/wiki/Article_${index}`,
  ...over,
});
const pages = (...list: unknown[]) => json({ batchcomplete: true, query: { pages: list } });
const EMPTY = json({ batchcomplete: true });
const failed = (code: string, headers: Record<string, string> = {}) =>
  json({ error: { code, info: CANARY }, docref: `See more ${CANARY}` }, 200, headers);
const item = (n: number) => ({
  source: 'encyclopedia',
  title: `Article ${n}`,
  link: `https://en.wikipedia.org/wiki/Article_${n}`,
  snippet: 'A tidal stream generator is a machine.',
  summaryDescription: 'type of machine',
  publishedAt: undefined,
});
const search = { action: 'query', format: 'json', formatversion: '2', generator: 'search' };
const wanted = {
  prop: 'extracts|info|description',
  exintro: '1',
  explaintext: '1',
  exsentences: '3',
  exlimit: 'max',
  inprop: 'url',
  maxlag: '5',
};

describeProvider({
  make,
  recorded: [pages(page(2), page(1), page(3, { extract: undefined, description: undefined }))],
  // In the order of the search, undated.
  found: [item(1), item(2), { ...item(3), snippet: '', summaryDescription: '' }],
  asked: [
    {
      path: '/w/api.php',
      params: { ...search, gsrsearch: 'tidal turbines', gsrlimit: '10', ...wanted },
      headers: { 'user-agent': 'strandline-test', 'accept-encoding': expect.stringContaining('gzip') },
    },
  ],
  empty: EMPTY,
  frame: json({ query: { pages: { 1: page(1) } } }),
  misfits: pages({ title: '' }),
  outages: {
    'a database that lags': [
      failed('maxlag', { 'retry-after': '7' }),
      { code: 'source_busy', retryAfterMs: 7_000 },
    ],
    'a database that lags, without saying how long': [
      failed('maxlag'),
      { code: 'source_busy', retryAfterMs: 5_000 },
    ],
    'a limit of its own': [failed('ratelimited'), { code: 'source_busy', retryAfterMs: undefined }],
    'an error that we do not know': [failed(CANARY), { code: 'source_failed', retryAfterMs: undefined }],
  },
  attempts: ['gsrsearch', 'tidal turbines fish sound', 'tidal turbines'],
  probe: {
    asked: { path: '/w/api.php', params: { ...search, gsrsearch: 'encyclopedia', gsrlimit: '1', ...wanted } },
    answer: EMPTY,
  },
});

test('strips search operators; twenty articles are the maximum', async () => {
  const { find, provider } = await startAdapter(make, pages(page(1)));
  const keywords = ['"new york"', '-tides', 'intitle:x', 'c++'];
  await find({ keywords, prompt: keywords.join(' '), limit: 40 });
  expect(provider.requests[0]?.params).toMatchObject({
    gsrsearch: 'new york tides intitle x c',
    gsrlimit: '20',
  });
});

describe('a wiki elsewhere', () => {
  const missing = text('<html>404</html>', 404);
  const titlesAt = async (path: string, ...answers: Answers) => {
    const { find, provider } = await startAdapter((at) => make(`${at}${path}`), ...answers);
    const titles = (await find()).map(({ title }) => title);
    await find();
    return { titles, asked: provider.requests.map((request) => request.path) };
  };

  test('is found beside its other scripts, and asked there from then on', async () => {
    const { titles, asked } = await titlesAt('/mediawiki', missing, pages(page(1)));
    expect(titles).toEqual(['Article 1']);
    expect(asked).toEqual(['/mediawiki/w/api.php', '/mediawiki/api.php', '/mediawiki/api.php']);
  });

  test('can be named by the address of its API', async () => {
    const { titles, asked } = await titlesAt('/any/path/api.php', pages(page(1)));
    expect(titles).toEqual(['Article 1']);
    expect(asked).toEqual(['/any/path/api.php', '/any/path/api.php']);
  });

  test('without an API says what to set', async () => {
    const { outage } = await startAdapter(make, missing);
    expect(await outage()).toMatchObject({
      code: 'source_failed',
      detail: 'no api.php found; set its address in SERVICE_SOURCE_URLS',
    });
  });
});

test('on request, returns articles edited within the window', async () => {
  const { find, provider } = await startAdapter(
    (at) => mediawiki({ language: 'en', dates: 'edited', at }),
    EMPTY,
  );
  await find({ prompt: 'a b c d e', keywords: ['c', 'b', 'a', 'd', 'e'] });
  await find({ from: new Date(NOW.getTime() - DAY) });
  await find({ from: undefined });
  expect(provider.requests.map(({ params }) => params['gsrsearch'])).toEqual([
    'a b c d lasteditdate:>=now-7d',
    'b c lasteditdate:>=now-7d',
    'tidal turbines lasteditdate:>=now-1d',
    'tidal turbines',
  ]);
});

test('skips a malformed item, and truncates a long extract', async () => {
  const { find } = await startAdapter(
    make,
    pages(
      page(1, { extract: 'word '.repeat(300) }),
      page(2, { fullurl: 'javascript:alert(1)' }),
      page(3, { index: 'first' }),
      page(4, { title: '' }),
      page(5, { missing: true, fullurl: undefined }),
      null,
    ),
  );
  const found = await find();
  expect(found.map(({ title }) => title)).toEqual(['Article 1']);
  expect(found[0]?.snippet.length).toBeLessThanOrEqual(500);
});

test('uses the language of its encyclopedia', () => {
  expect(mediawiki({ language: 'de', dates: 'none' }).title).toContain('de.wikipedia.org');
});

test('does not search without a word', async () => {
  const { find, provider } = await startAdapter(make, EMPTY);
  expect(await find({ prompt: '???', keywords: [] })).toEqual([]);
  expect(provider.requests).toHaveLength(0);
});
