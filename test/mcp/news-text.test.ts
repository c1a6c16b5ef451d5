/** Lines of what is new that the world of the other tests has no reason for. */
import { expect, test } from 'vitest';
import { describeAttention, describeGrowing } from '../../src/mcp/news-text.ts';
import { createTimeWriter } from '../../src/mcp/tool-text.ts';
import { INJECTED, QUOTED } from './stand.ts';

const write = createTimeWriter('UTC', new Date('2026-11-30T09:00:00Z'));
const page = (path: string) => `http://127.0.0.1:7810${path}`;
const OF_SEARCH = { topic: 'ferry', topic_name: 'Ferry', search: 'ferry-posts', search_name: 'Ferry: Posts' };

test('what still grows has its figures, and its words in quotes', () => {
  const item = {
    kind: 'post' as const,
    id: '3',
    ...OF_SEARCH,
    text: INJECTED,
    author: INJECTED,
    url: 'https://chirp.example/"\n3',
    page: '/posts/3',
    published_at: '2026-11-29T14:05:00.000Z',
    like_count: 12,
    repost_count: null,
    reply_count: null,
    quote_count: null,
    view_count: null,
    copies: 1,
    authors: 1,
    story_id: null,
  };
  const line = describeGrowing(
    { kind: 'item', item, gained: 120, hours: 4, typical_per_hour: 2.5 },
    write,
    page,
  );
  expect(line.startsWith(`- ${QUOTED}`)).toBe(true);
  expect(line).toContain(
    '12 likes, 120 reactions in 4 h, 2.5 an hour are typical, published Sun, 29 Nov, 14:05',
  );
  expect(line.endsWith(page('/posts/3'))).toBe(true);
  expect(line).not.toContain('\n');
  const rising = {
    kind: 'search' as const,
    ...OF_SEARCH,
    since: '2026-11-20T00:00:00Z',
    sentence: 'Rising since 20 Nov.',
  };
  expect(describeGrowing(rising, write, page)).toBe(
    '- ferry-posts: Rising since 20 Nov. http://127.0.0.1:7810/searches/ferry-posts',
  );
});

test('what needs a person names its reason in quotes, and what to do', () => {
  const failing = {
    kind: 'search' as const,
    ...OF_SEARCH,
    status: 'broken',
    status_name: 'broken',
    since: '2026-11-29T14:05:00.000Z',
    reason: INJECTED,
    advice: 'Edit the request, then resume.',
  };
  const line = describeAttention(failing, write, page);
  expect(line.startsWith(`ferry-posts: broken since Sun, 29 Nov, 14:05 ${QUOTED}`)).toBe(true);
  expect(line.endsWith('Edit the request, then resume. http://127.0.0.1:7810/searches/ferry-posts')).toBe(
    true,
  );
});
