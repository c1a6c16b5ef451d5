import { describe, expect, test } from 'vitest';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { fromWire } from '../../src/protocol/wire.ts';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import type { ParsedResults } from '../../src/model/parsed-results.ts';
import { sample, sampleJson } from '../samples/sample.ts';

const named = loadDialect('named');

function read(operation: 'ai' | 'microblog', body: string | Uint8Array, dialect = named): ParsedResults {
  return parseResponse({ operation, body, contentType: 'application/json', dialect });
}

test('first generation: groups with their sources, and the completion with all members', () => {
  const found = read('ai', sample('ai-search.2025-03.named.json'));
  expect(found.rejects).toEqual([]);
  expect(found.posts).toEqual([]);
  expect(found.itemsSeen).toBe(5);
  expect(found.links.map(({ source, site }) => [source, site])).toEqual([
    ['video', 'youtube.com'],
    ['news_forum', 'news.ycombinator.com'],
    ['discussion_board', 'reddit.com'],
    ['preprint', 'arxiv.org'],
    ['encyclopedia', 'en.wikipedia.org'],
  ]);
  expect(found.links[2]).toMatchObject({
    canonical: 'https://reddit.com/comments/1ert9av',
    with_metadata: null,
    summary_description: null,
    published_at: null,
  });
  expect(found.links[4]).toMatchObject({
    title: 'List of bitcoin companies - Wikipedia',
    with_metadata: true,
  });
  expect(found.completion).toMatchObject({
    summary: 'This is an example summary.',
    microblog_summary: 'This is an example Twitter summary.',
    text_chunks: ['<string>'],
    miner_link_scores: null,
    warnings: [],
  });
  expect(found.completion?.search_completion_links).toHaveLength(4);
  expect(found.completion?.completion_links.map((link) => link.site)).toEqual([
    'news.ycombinator.com',
    'youtube.com',
  ]);
  expect(found.completion?.key_items.map(({ list, position, text }) => [list, position, text])).toEqual([
    ['key_posts', 0, 'This is an example post text.'],
    ['key_microblog_posts', 0, 'This is an example tweet text.'],
    ['key_news', 0, 'This is an example news text.'],
    ['key_sources', 0, 'This is an example source text.'],
  ]);
});

test('the same response in the names of the specification parses the same', () => {
  const neutral = fromWire(named, 'ai-answer', sampleJson('ai-search.2025-03.named.json'));
  expect(read('ai', JSON.stringify(neutral), loadDialect('neutral'))).toEqual(
    read('ai', sample('ai-search.2025-03.named.json')),
  );
});

test('second generation: lists of groups, and `link` before `url`', () => {
  const group = {
    organic_results: [
      { title: 'Example Title', url: 'https://example.com', link: 'https://example.com/link' },
    ],
  };
  const found = read(
    'ai',
    JSON.stringify({
      wikipedia_search_results: [group],
      youtube_search_results: [group, { organic_results: [{ url: 'https://example.com/only-url' }] }],
      arxiv_search_results: [],
      reddit_search_results: {},
      hacker_news_search_results: null,
    }),
  );
  expect(found.links.map(({ source, canonical }) => [source, canonical])).toEqual([
    ['encyclopedia', 'https://example.com/link'],
    ['video', 'https://example.com/only-url'],
  ]);
  expect(found).toMatchObject({ completion: null, rejects: [], itemsSeen: 2 });
});

test('the recorded second generation is truncated, so it is not JSON', () => {
  expect(() => read('ai', sample('ai-search.2025-04.named.partial.txt'))).toThrow('bad_json');
});

test('third generation: flat lists, full posts, a completion that is a string', () => {
  const found = read('ai', sample('ai-search.2026-04.named.json'));
  expect(found.rejects).toEqual([]);
  expect(found.itemsSeen).toBe(5);
  expect(found.links.map(({ source, site }) => [source, site])).toEqual([
    ['news_forum', 'news.ycombinator.com'],
    ['discussion_board', 'reddit.com'],
    ['web', 'thebigwhale.io'],
    ['video', 'youtube.com'],
  ]);
  expect(found.posts).toHaveLength(1);
  expect(found.posts[0]).toMatchObject({
    external_id: '1797277460594774155',
    author_external_id: '1117258719359495230',
    created_at: '2025-06-11T23:41:09.000Z',
    repost_count: 3,
    view_count: null,
    impression_count: null,
    is_quote_post: false,
    is_repost: false,
    media: [{ media_url: 'https://media.example/db91e9f6221a6e.jpg', type: 'photo' }],
    hashtags: [],
    mentions: [],
  });
  expect(found.authors).toMatchObject([
    {
      username: 'user_92375f',
      created_at: '2021-07-18T05:20:07.000Z',
      is_blue_verified: true,
      verified: false,
    },
  ]);
  expect(found.completion).toMatchObject({
    summary: expect.stringMatching(/^Bittensor is a decentralized/) as string,
    key_items: [],
    miner_link_scores: {
      'https://news.ycombinator.com/item?id=35114983': 'MEDIUM',
      'https://news.ycombinator.com/item?id=42684057': 'MEDIUM',
    },
  });
});

test('an event stream with status 200 parses like any response, with the links its text cites', () => {
  const found = read('ai', sample('ai-search.stream.named.sse.txt'));
  expect(found.posts.map((post) => post.external_id)).toEqual(['1797277460594774155']);
  expect(found.links.map((link) => link.source)).toEqual(['web']);
  expect(found.completion?.summary).toHaveLength(3_493);
  expect(found.completion?.completion_links.map((link) => link.canonical)).toEqual([
    'https://arxiv.org/abs/2403.16808',
    'https://arxiv.org/abs/2603.00065',
    'https://arxiv.org/abs/2503.15528',
    'https://arxiv.org/abs/2508.08804',
    'https://arxiv.org/abs/2603.09435',
    'https://arxiv.org/abs/2412.04683',
  ]);
  expect(() => read('ai', sample('ai-search.stream-error-tail.sse.txt'))).toThrow('stream_incomplete');
});

test('operation B parses as documented', () => {
  const found = read('microblog', sample('microblog.2025-03.named.json'));
  expect(found).toMatchObject({ links: [], nestedPosts: [], completion: null, rejects: [], itemsSeen: 1 });
  expect(found.posts).toMatchObject([
    {
      external_id: '987654321',
      author_external_id: '123456789',
      text: 'This is an example tweet.',
      reply_count: 10,
      repost_count: 5,
      like_count: 100,
      view_count: 1_000,
      quote_count: 2,
      impression_count: 1_500,
      bookmark_count: 3,
      conversation_id: null,
      quote: null,
      summary_description: 'This is a summary of the tweet.',
    },
  ]);
  expect(found.authors).toMatchObject([{ external_id: '123456789', name: 'John Doe', can_dm: null }]);
});

describe('eighty recorded posts', () => {
  const found = read('microblog', sample('posts-80.named.json'));

  test('are all parsed, with the posts they quote and all authors', () => {
    expect(found.rejects).toEqual([]);
    expect(found.posts).toHaveLength(80);
    expect(found.nestedPosts).toHaveLength(40);
    expect(found.authors).toHaveLength(26);
    expect(found.itemsSeen).toBe(80);
    expect(found.posts.filter((post) => post.view_count === null)).toHaveLength(16);
    expect([...found.posts, ...found.nestedPosts].every((post) => post.created_at !== null)).toBe(true);
    expect(new Set(found.posts.map((post) => post.lang))).toEqual(
      new Set(['en', 'und', 'ru', 'ca', 'zxx', 'fr']),
    );
  });

  test('refer to the posts inside them', () => {
    const ids = new Set([...found.posts, ...found.nestedPosts].map((post) => post.external_id));
    expect(found.nestedPosts.every(({ external_id }) => ids.has(external_id))).toBe(true);
    expect(found.posts[2]).toMatchObject({
      external_id: '912007577335644349',
      is_quote_post: true,
      quoted_status_id: '911241391362548766',
      quote: null,
      mentions: ['user_9f0944'],
      urls: ['https://x.com/user_1ac6b9/status/911241391362548766'],
    });
    const reposts = [...found.posts, ...found.nestedPosts].filter((post) => post.reposted_status_id !== null);
    expect(reposts).toHaveLength(1);
    expect(ids.has(reposts[0]?.reposted_status_id ?? '')).toBe(true);
  });
});
