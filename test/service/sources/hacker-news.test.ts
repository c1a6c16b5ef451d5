import { expect, test } from 'vitest';
import { hackerNews } from '../../../src/service/sources/providers/hacker-news.ts';
import { everyWordOf, json, outageOf, query, sample, startAsking, startProvider, text } from './provider.ts';

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

async function find(stories: unknown[], over: Parameters<typeof query>[0] = {}) {
  const provider = await startProvider(hits(...stories));
  const found = await hackerNews({ at: provider.url }).find(query(over), startAsking().asking);
  return { found, requests: provider.requests };
}

test('a story is its page there, with its points, comments and site', async () => {
  const { found } = await find([story()]);
  expect(found).toEqual([
    {
      source: 'news_forum',
      title: 'Tidal turbines at work',
      link: 'https://news.ycombinator.com/item?id=41000001',
      snippet: '120 points, 45 comments, energy.example',
      summaryDescription: '',
      publishedAt: new Date('2026-11-20T10:00:00.000Z'),
      engagement: 165,
    },
  ]);
});

test('the window is told by the time of creation alone', async () => {
  const { requests } = await find([story()]);
  expect(requests[0]?.path).toBe('/api/v1/search');
  expect(requests[0]?.params).toEqual({
    tags: 'story',
    query: 'tidal turbines',
    numericFilters: 'created_at_i>=1794657600,created_at_i<=1795262400',
    hitsPerPage: '10',
  });
  const open = await find([story()], { from: undefined });
  expect(open.requests[0]?.params['numericFilters']).toBe('created_at_i<=1795262400');
});

test('what its author wrote is text: decoded, without tags, cut behind a word', async () => {
  const html =
    'It&#x27;s &quot;live&quot; &amp; <i>well</i>.<p>See <a href="https://a.example/x?y=1" rel="nofollow">here</a> for a &lt; b';
  const { found } = await find([
    story({ story_text: html }),
    story({ objectID: '2', story_text: 'word '.repeat(100) }),
    story({ objectID: '3', title: '', story_title: 'Ask &amp; tell', comment_text: '<p>Yes.', url: null }),
  ]);
  expect(found[0]?.snippet).toBe('It\'s "live" & well. See here for a < b');
  expect(found[1]?.snippet.length).toBeLessThanOrEqual(300);
  expect(found[1]?.snippet).toMatch(/word…$/);
  expect(found[2]).toMatchObject({ title: 'Ask & tell', snippet: 'Yes.' });
});

test('without a site, points or comments the snippet says what there is', async () => {
  const { found } = await find([story({ url: 'not an address', points: null, num_comments: -3 })]);
  expect(found[0]).toMatchObject({ snippet: '0 points, 0 comments', engagement: 0 });
});

test('where no story has all words, some of them do; then two', async () => {
  const keywords = ['underwater', 'turbines', 'scotland', 'tidal', 'energy', 'news'];
  const prompt = 'news of tidal energy: underwater turbines in scotland';
  const provider = await startProvider(json(sample('hacker-news.empty.json')));
  const adapter = hackerNews({ at: provider.url });
  await expect(adapter.find(query({ prompt, keywords }), startAsking().asking)).resolves.toEqual([]);
  expect(provider.requests.map(({ params }) => [params['query'], params['removeWordsIfNoResults']])).toEqual([
    ['tidal underwater turbines scotland', undefined],
    ['tidal underwater turbines scotland', 'allOptional'],
    ['underwater turbines', undefined],
  ]);
  provider.requests.length = 0;
  provider.answers(json(sample('hacker-news.empty.json')), hits(story()));
  await expect(adapter.find(query({ prompt, keywords }), startAsking().asking)).resolves.toHaveLength(1);
  expect(provider.requests).toHaveLength(2);
});

test('one word is asked for once', async () => {
  const { found, requests } = await find([], { prompt: 'tides', keywords: ['tides'] });
  expect(found).toEqual([]);
  expect(requests).toHaveLength(1);
});

test('items that do not fit are left out, the recorded one without a title among them', async () => {
  const { found } = await find([
    story({ objectID: 7 }),
    story({ objectID: '../x' }),
    story({ created_at_i: 'yesterday' }),
    story({ title: { en: 'x' } }),
    null,
    'story',
    story({ points: 'many' }),
  ]);
  expect(found.map(({ snippet }) => snippet)).toEqual(['0 points, 45 comments, energy.example']);
  const provider = await startProvider(json(sample('hacker-news.search.json')));
  const recorded = hackerNews({ at: provider.url }).find(query(), startAsking().asking);
  await expect(recorded).resolves.toEqual([]);
});

test.each([
  ['a filter that it does not know', json(sample('hacker-news.error-400.json'), 400), /answered 400$/],
  ['no JSON', text('<html>words of theirs'), /not JSON$/],
  ['another frame', json({ hits: { a: 1 } }), /another shape$/],
  ['only items of another shape', hits({ id: 1 }, { id: 2 }), /another shape$/],
  ['an error with 200', json({ message: 'words of theirs' }), /another shape$/],
])('%s is a failure without their words', async (_, answer, message) => {
  const provider = await startProvider(answer);
  const outage = await outageOf(hackerNews({ at: provider.url }).find(query(), startAsking().asking));
  expect(outage.code).toBe('source_failed');
  expect(outage.message).toMatch(message);
  expect(everyWordOf(outage)).not.toMatch(/words of theirs|numericAttributes/);
});

test('its probe is one small question', async () => {
  const provider = await startProvider(hits(story()));
  await hackerNews({ at: provider.url }).probe?.(startAsking().asking);
  expect(provider.requests[0]?.params).toEqual({ tags: 'story', query: 'news', hitsPerPage: '1' });
});
