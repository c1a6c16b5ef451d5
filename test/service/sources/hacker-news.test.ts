import { expect, test } from 'vitest';
import { hackerNews } from '../../../src/service/sources/providers/hacker-news.ts';
import { CANARY, describeProvider } from './provider-contract.ts';
import { json, sample, startAdapter } from './provider.ts';

const make = (at: string) => hackerNews({ at });
/** A story as the search gives it. */
const story = (over: Record<string, unknown> = {}) => ({
  objectID: '41000001',
  created_at: '2026-11-20T10:00:00.000Z',
  created_at_i: 1_795_168_800,
  title: 'Tidal turbines at work',
  url: 'https://www.energy.example/tides?x=1',
  author: 'somebody',
  points: 120,
  num_comments: 45,
  story_text: null,
  comment_text: null,
  story_title: null,
  _tags: ['story'],
  ...over,
});
const hits = (...stories: unknown[]) => json({ hits: stories, nbHits: stories.length, page: 0 });

describeProvider({
  make,
  recorded: [hits(story())],
  // Its page there, with the site that it links to.
  found: [
    {
      source: 'news_forum',
      title: 'Tidal turbines at work',
      link: 'https://news.ycombinator.com/item?id=41000001',
      snippet: 'energy.example',
      summaryDescription: '',
      publishedAt: new Date('2026-11-20T10:00:00.000Z'),
      engagement: 165,
    },
  ],
  asked: [
    {
      path: '/api/v1/search_by_date',
      params: {
        tags: 'story',
        query: 'tidal turbines',
        numericFilters: 'created_at_i>=1794657600,created_at_i<=1795262400',
        hitsPerPage: '10',
      },
    },
  ],
  empty: json(sample('hacker-news.empty.json')),
  frame: json({ message: CANARY }),
  misfits: hits({ id: 1 }, { id: 2 }),
  outages: {
    'a filter that it does not know': [
      json(sample('hacker-news.error-400.json'), 400),
      { code: 'source_failed', detail: 'HTTP 400' },
    ],
  },
  attempts: ['query', 'tidal turbines fish sound', 'tidal turbines fish sound', 'tidal turbines'],
  probe: {
    asked: { path: '/api/v1/search', params: { tags: 'story', query: 'news', hitsPerPage: '1' } },
    answer: hits(story()),
  },
});

test('the second request matches any of the words; a single word is searched once, without a start until the end', async () => {
  const { find, provider } = await startAdapter(make, hits());
  await find({ keywords: ['a', 'b', 'c'] });
  expect(provider.requests.map(({ params }) => params['removeWordsIfNoResults'])).toEqual([
    undefined,
    'allOptional',
    undefined,
  ]);
  provider.requests.length = 0;
  await find({ prompt: 'tides', keywords: ['tides'], from: undefined });
  expect(provider.requests.map(({ params }) => params['numericFilters'])).toEqual([
    'created_at_i<=1795262400',
  ]);
});

test('decodes the text of an author, removes tags, and truncates it after a word', async () => {
  const html =
    'It&#x27;s &quot;live&quot; &amp; <i>well</i>.<p>See <a href="https://a.example/x?y=1" rel="nofollow">here</a> for a &lt; b';
  const { find } = await startAdapter(
    make,
    hits(
      story({ story_text: html }),
      story({ objectID: '2', story_text: 'word '.repeat(100) }),
      story({ objectID: '3', title: '', story_title: 'Ask &amp; tell', comment_text: '<p>Yes.', url: null }),
      story({ url: 'not an address', points: null, num_comments: -3 }),
    ),
  );
  const [decoded, cut, told, bare] = await find();
  expect(decoded?.snippet).toBe('It\'s "live" & well.\nSee here for a < b');
  expect(cut?.snippet.length).toBeLessThanOrEqual(300);
  expect(cut?.snippet).toMatch(/word…$/);
  expect(told).toMatchObject({ title: 'Ask & tell', snippet: 'Yes.' });
  expect(bare).toMatchObject({ snippet: '', engagement: 0 });
});

test('skips malformed items, among them the recorded one without a title', async () => {
  const { find, provider } = await startAdapter(
    make,
    hits(
      story({ objectID: 7 }),
      story({ objectID: '../x' }),
      story({ created_at_i: 'yesterday' }),
      story({ title: { en: 'x' } }),
      null,
      'story',
      story({ points: 'many' }),
    ),
  );
  expect((await find()).map(({ engagement }) => engagement)).toEqual([45]);
  provider.answers(json(sample('hacker-news.search.json')));
  expect(await find()).toEqual([]);
});
