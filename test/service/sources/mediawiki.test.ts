import { expect, test } from 'vitest';
import { DAY } from '../../../src/domain/time.ts';
import { mediawiki } from '../../../src/service/sources/providers/mediawiki.ts';
import { everyWordOf, json, NOW, outageOf, query, startAsking, startProvider, text } from './provider.ts';

const page = (index: number, over: Record<string, unknown> = {}) => ({
  pageid: 100 + index,
  ns: 0,
  title: `Article ${index}`,
  index,
  extract: 'A tidal stream generator is a machine.',
  description: 'type of machine',
  contentmodel: 'wikitext',
  fullurl: `https://en.wikipedia.org/wiki/Article_${index}`,
  editurl: `https://en.wikipedia.org/w/index.php?title=Article_${index}&action=edit`,
  canonicalurl: `https://en.wikipedia.org/wiki/Article_${index}`,
  ...over,
});
const pages = (...list: unknown[]) => json({ batchcomplete: true, query: { pages: list } });
const none = json({ batchcomplete: true });
const failed = (code: string, headers: Record<string, string> = {}) =>
  json({ error: { code, info: 'words of theirs' }, docref: 'See more words of theirs' }, 200, headers);
const settings = { language: 'en', dates: 'none' } as const;

async function find(
  answer: Parameters<typeof startProvider>[0],
  over: Parameters<typeof query>[0] = {},
  dates: 'none' | 'edited' = 'none',
) {
  const provider = await startProvider(answer);
  const adapter = mediawiki({ ...settings, dates, at: provider.url });
  const found = await adapter.find(query(over), startAsking().asking);
  return { found, requests: provider.requests };
}

test('articles come in the order of the search, undated, with a short excerpt', async () => {
  const { found } = await find(
    pages(
      page(2, { extract: 'word '.repeat(300) }),
      page(1),
      page(3, { extract: undefined, description: undefined }),
    ),
  );
  expect(found.map(({ title }) => title)).toEqual(['Article 1', 'Article 2', 'Article 3']);
  expect(found[0]).toEqual({
    source: 'encyclopedia',
    title: 'Article 1',
    link: 'https://en.wikipedia.org/wiki/Article_1',
    snippet: 'A tidal stream generator is a machine.',
    summaryDescription: 'type of machine',
    publishedAt: undefined,
  });
  expect(found[1]?.snippet.length).toBeLessThanOrEqual(500);
  expect(found[2]).toMatchObject({ snippet: '', summaryDescription: '' });
});

test('one call asks for everything, says who asks and waits for a database that lags', async () => {
  const { requests } = await find(pages(page(1)), { limit: 40 });
  expect(requests).toHaveLength(1);
  expect(requests[0]?.path).toBe('/w/api.php');
  expect(requests[0]?.params).toEqual({
    action: 'query',
    format: 'json',
    formatversion: '2',
    generator: 'search',
    gsrsearch: 'tidal turbines',
    gsrlimit: '20',
    prop: 'extracts|info|description',
    exintro: '1',
    explaintext: '1',
    exsentences: '3',
    exlimit: 'max',
    inprop: 'url',
    maxlag: '5',
  });
  expect(requests[0]?.headers['user-agent']).toBe('strandline-test');
  expect(requests[0]?.headers['accept-encoding']).toContain('gzip');
});

test('signs that are orders to the search are not passed on', async () => {
  const keywords = ['"new york"', '-tides', 'intitle:x', 'c++'];
  const { requests } = await find(pages(page(1)), { keywords, prompt: keywords.join(' ') });
  expect(requests[0]?.params['gsrsearch']).toBe('new york tides intitle x c');
});

test('where no article has the best words, two of them are tried; the dates only where that is set', async () => {
  const over = { prompt: 'a b c d e', keywords: ['c', 'b', 'a', 'd', 'e'] };
  const { found, requests } = await find(none, over, 'edited');
  expect(found).toEqual([]);
  expect(requests.map(({ params }) => params['gsrsearch'])).toEqual([
    'a b c d lasteditdate:>=now-7d',
    'b c lasteditdate:>=now-7d',
  ]);
  const day = await find(pages(page(1)), { from: new Date(NOW.getTime() - DAY) }, 'edited');
  expect(day.requests[0]?.params['gsrsearch']).toBe('tidal turbines lasteditdate:>=now-1d');
  const open = await find(pages(page(1)), { from: undefined }, 'edited');
  expect(open.requests[0]?.params['gsrsearch']).toBe('tidal turbines');
});

test('an item that does not fit is left out', async () => {
  const { found } = await find(
    pages(
      page(1),
      page(2, { fullurl: 'javascript:alert(1)' }),
      page(3, { index: 'first' }),
      page(4, { title: '' }),
      page(5, { missing: true, fullurl: undefined }),
      null,
    ),
  );
  expect(found.map(({ title }) => title)).toEqual(['Article 1']);
});

test.each([
  ['a database that lags', failed('maxlag', { 'retry-after': '7' }), 'source_busy', 7_000],
  ['a database that lags, without saying how long', failed('maxlag'), 'source_busy', 5_000],
  ['a limit of its own', failed('ratelimited'), 'source_busy', undefined],
  ['429', text('', 429, { 'retry-after': '12' }), 'source_busy', 12_000],
  ['who does not say who asks', text('words of theirs', 403), 'source_refused', undefined],
  ['an error that we do not know', failed('internal_api_error_words'), 'source_failed', undefined],
  ['no JSON', text('<html>words of theirs'), 'source_failed', undefined],
  ['another frame', json({ query: { pages: { 1: page(1) } } }), 'source_failed', undefined],
])('%s is a reason without their words', async (_, answer, code, retryAfterMs) => {
  const provider = await startProvider(answer);
  const adapter = mediawiki({ ...settings, at: provider.url });
  const outage = await outageOf(adapter.find(query(), startAsking().asking));
  expect({ code: outage.code, retryAfterMs: outage.retryAfterMs }).toEqual({ code, retryAfterMs });
  expect(everyWordOf(outage)).not.toMatch(/words of theirs|internal_api/);
});

test('the language is that of its encyclopedia', () => {
  expect(mediawiki({ language: 'de', dates: 'none' }).title).toContain('de.wikipedia.org');
});
