import { expect, test } from 'vitest';
import { SourceDown } from '../../../src/service/sources/outage.ts';
import type { FoundItem, SourceQuery, SearchSource } from '../../../src/service/sources/search-source.ts';
import { createBoardFallback } from '../../../src/service/sources/fallbacks.ts';
import { query } from './provider.ts';

const item = (link: string, title = 'A thread'): FoundItem => ({
  source: 'web',
  title,
  link,
  snippet: 's',
  summaryDescription: '',
  publishedAt: new Date('2026-11-20T10:00:00Z'),
});

function webOf(...found: FoundItem[]): SearchSource & { asked: SourceQuery[] } {
  const asked: SourceQuery[] = [];
  const find = (one: SourceQuery) => {
    asked.push(one);
    return Promise.resolve(found);
  };
  return { name: 'brave', source: 'web', state: 'live', asked, find };
}

test('searches the web for the site before all words, and for nothing else', async () => {
  const web = webOf();
  const board = createBoardFallback(web);
  expect(board).toMatchObject({ name: 'reddit-through-brave', source: 'discussion_board', state: 'live' });
  const asked = query({ limit: 20 });
  await expect(board.find(asked)).resolves.toEqual([]);
  expect(web.asked).toEqual([{ ...asked, prompt: 'site:reddit.com tidal turbines' }]);
});

test('has the same limits as the web search', () => {
  const paid: SearchSource = { ...webOf(), wordings: 'own' };
  expect(createBoardFallback(paid).wordings).toBe('own');
  expect(createBoardFallback(webOf())).not.toHaveProperty('wordings');
});

test('keeps the first link of each thread', async () => {
  const web = webOf(
    item('https://www.reddit.com/r/Energy/comments/1abc/turbines/?utm_source=x#y', 'Turbines : r/Energy'),
    item('https://old.reddit.com/r/energy/comments/1ABC/', 'the same thread'),
    item('https://www.reddit.com/r/energy/comments/1abc/turbines/kx9z1/', 'a comment in it'),
    item('http://reddit.com/r/sound/comments/2def', 'Reddit'),
    item('https://amp.reddit.com/r/sound/comments/3ghi/x/', 'Noise - Reddit'),
  );
  const found = await createBoardFallback(web).find(query());
  expect(found).toEqual([
    {
      ...item('https://www.reddit.com/r/Energy/comments/1abc/turbines/', 'Turbines'),
      source: 'discussion_board',
    },
    { ...item('https://www.reddit.com/r/sound/comments/2def/', 'Reddit'), source: 'discussion_board' },
    { ...item('https://www.reddit.com/r/sound/comments/3ghi/x/', 'Noise'), source: 'discussion_board' },
  ]);
});

test.each([
  'https://www.reddit.com/r/energy/',
  'https://www.reddit.com/user/tove/comments/1abc/x/',
  'https://www.reddit.com/r/energy/wiki/comments/1abc/',
  'https://evil.example/r/energy/comments/1abc/x/',
  'https://notreddit.com/r/energy/comments/1abc/x/',
  'https://reddit.com.evil.example/r/energy/comments/1abc/x/',
  'not an address',
])('%s is not a thread', async (link) => {
  await expect(createBoardFallback(webOf(item(link))).find(query())).resolves.toEqual([]);
});

test('reports a failure of the web search', async () => {
  const down = new SourceDown('source_quota');
  const web = { ...webOf(), find: () => Promise.reject(down) };
  await expect(createBoardFallback(web).find(query())).rejects.toBe(down);
});
