/** Malformed and unusual posts. */
import { describe, expect, test } from 'vitest';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import type { ParsedResults, ParsedPost } from '../../src/model/parsed-results.ts';
import { UnreadableResponse } from '../../src/monitor/parse/rejects-and-warnings.ts';

const named = loadDialect('named');

function readText(body: string): ParsedResults {
  return parseResponse({ operation: 'microblog', body, contentType: null, dialect: named });
}
function readPosts(...posts: unknown[]): ParsedResults {
  return readText(JSON.stringify({ miner_tweets: posts }));
}
/** One post with these members beside its id. */
function onePost(members: Record<string, unknown>): ParsedPost {
  const [post] = readPosts({ id: '1', ...members }).posts;
  if (post === undefined) throw new Error('the post was not read');
  return post;
}
function nest(levels: number, member = 'quote'): unknown {
  return levels === 0 ? { id: 'p0' } : { id: `p${levels}`, [member]: nest(levels - 1, member) };
}

describe('no results are a success', () => {
  test.each(['[]', '{"miner_tweets":null}', '{"miner_tweets":[]}', '{"miner_tweets":{}}', '{"tweets":null}'])(
    '%s',
    (body) => {
      expect(readText(body)).toMatchObject({ posts: [], rejects: [], itemsSeen: 0 });
    },
  );
});

test.each([
  ['a list of posts', '[{"id":"1"}]'],
  ['a single post instead of a list', '{"miner_tweets":{"id":"1","text":"x"}}'],
  ['posts keyed by index', '{"miner_tweets":{"0":{"id":"1"}}}'],
  ['the neutral member', '{"miner_microblog_posts":[{"id":"1"}]}'],
  ['the later member', '{"tweets":[{"id":"1"}]}'],
  ['both members', '{"tweets":[{"id":"1"}],"miner_tweets":[{"id":"1"}]}'],
])('accepts %s', (_, body) => {
  expect(readText(body)).toMatchObject({ posts: [{ external_id: '1' }], itemsSeen: 1 });
});

describe('malformed items', () => {
  test('are rejects with their path in wire names, and the rest stay', () => {
    const good = Array.from({ length: 7 }, (_, i) => ({ id: `g${i}` }));
    const found = readPosts(
      null,
      [],
      { id: '' },
      { id: true },
      { id: '1\0' },
      { text: 'no id' },
      ...good,
      'x',
    );
    expect(found.posts).toHaveLength(7);
    expect(found.itemsSeen).toBe(14);
    expect(found.rejects.map(({ path, code }) => [path, code])).toEqual([
      ['miner_tweets[0]', 'not_an_object'],
      ['miner_tweets[1]', 'not_an_object'],
      ['miner_tweets[2].id', 'bad_id'],
      ['miner_tweets[3].id', 'bad_id'],
      ['miner_tweets[4].id', 'bad_id'],
      ['miner_tweets[5].id', 'no_id'],
      ['miner_tweets[13]', 'not_an_object'],
    ]);
    expect(found.rejects[5]?.sample).toBe('{"text":"no id"}');
  });

  test('up to half of them leave a valid response, more than half make it invalid, and the rejects are kept', () => {
    expect(readPosts(null, { id: '1' }).rejects).toHaveLength(1);
    let thrown: unknown;
    try {
      readPosts(null, null, { id: '1' });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(UnreadableResponse);
    expect(thrown).toMatchObject({ code: 'schema_mismatch', rejects: [{}, {}] });
    expect(() => readPosts(null)).toThrow('schema_mismatch');
    expect(() => readText('[[]]')).toThrow('schema_mismatch');
    expect(() => readText('{"miner_tweets":"none"}')).toThrow('schema_mismatch');
  });

  test('a sample of a huge item is short, well-formed and fast to create', () => {
    const huge = { text: '😀'.repeat(1_000_000), deep: nest(300) };
    const [reject] = readPosts({ id: '1' }, huge).rejects;
    expect(reject?.sample.length).toBeLessThanOrEqual(200);
    expect(reject?.sample.isWellFormed()).toBe(true);
  });

  test('beyond ten thousand items the rest are one counted reject', () => {
    const found = readPosts(...Array.from({ length: 10_050 }, (_, i) => ({ id: String(i) })));
    expect(found.posts).toHaveLength(10_000);
    expect(found.itemsSeen).toBe(10_050);
    expect(found.rejects).toEqual([
      { path: 'miner_tweets[10000]', code: 'too_many', sample: '"50 more items"' },
    ]);
  });
});

describe('ids', () => {
  test('keep the digits that JavaScript would round', () => {
    const found = readText(
      '{"miner_tweets":[{"id":1790000000000000001,"quoted_status_id":1790000000000000003,"user":{"id":1790000000000000005}}]}',
    );
    expect(found.posts).toMatchObject([
      {
        external_id: '1790000000000000001',
        quoted_status_id: '1790000000000000003',
        author_external_id: '1790000000000000005',
      },
    ]);
  });

  test('written as a fraction or with an exponent are refused, not rounded', () => {
    const found = readText('[{"id":1.79e18},{"id":"2"},{"id":"3"}]');
    expect(found.rejects).toMatchObject([{ code: 'unsafe_number_id' }]);
  });

  test('with leading zeros are distinct', () => {
    expect(readPosts({ id: '00123' }, { id: '123' }, { id: 123 }).posts.map((p) => p.external_id)).toEqual([
      '00123',
      '123',
    ]);
  });

  test('that are missing are taken from the address, invalid ones are not', () => {
    const url = 'https://x.com/user/status/456';
    expect(readPosts({ url, text: 'x' }).posts).toMatchObject([{ external_id: '456' }]);
    expect(readPosts({ id: '', url }, { id: '1' }).rejects).toMatchObject([{ code: 'bad_id' }]);
  });
});

describe('references', () => {
  const five = [
    'in_reply_to_screen_name',
    'in_reply_to_status_id',
    'in_reply_to_user_id',
    'quoted_status_id',
    'quote',
  ] as const;

  test.each([null, undefined, '', 'null', '<string>', ' null '])('%j refers to nothing', (placeholder) => {
    const post = onePost(Object.fromEntries(five.map((member) => [member, placeholder])));
    for (const member of five) expect(post[member]).toBeNull();
  });

  test('that are present are kept', () => {
    const post = onePost(Object.fromEntries(five.map((member) => [member, '42'])));
    for (const member of five) expect(post[member]).toBe('42');
  });

  test('are the only members where "null" means null', () => {
    const found = readPosts({ id: '1', text: 'null', user: { id: '2', username: 'null', name: 'null' } });
    expect(found.posts[0]?.text).toBe('null');
    expect(found.authors[0]).toMatchObject({ username: 'null', name: 'null' });
  });
});

describe('copies', () => {
  test('of a post are one post: a later one replaces what it says, and removes nothing', () => {
    const { posts, itemsSeen } = readPosts(
      { id: '1', text: 'first', like_count: 1 },
      { id: '2', text: 'between' },
      { id: '1', text: 'second', like_count: 2 },
      { id: '1', text: 'poorer' },
    );
    expect(posts.map(({ external_id, text, like_count }) => [external_id, text, like_count])).toEqual([
      ['1', 'poorer', 2],
      ['2', 'between', null],
    ]);
    expect(itemsSeen).toBe(2);
  });

  test('at the top level win over nested ones', () => {
    const found = readPosts(
      { id: '1', quote: { id: '2', text: 'inside', like_count: 9, view_count: 9 } },
      { id: '2', text: 'on top' },
    );
    expect(found.posts.map((post) => post.text)).toEqual(['', 'on top']);
    // What the copy on top does not say comes from the other.
    expect(found.posts[1]).toMatchObject({ like_count: 9, view_count: 9, is_partial: false });
    expect(found.nestedPosts).toEqual([]);
  });
});

test('a repost without its original is a post; unknown members stay in the stored response', () => {
  const post = onePost({ is_retweet: true, edit_history: ['x'], card: { deep: 1 } });
  expect(post).toMatchObject({ is_repost: true, reposted_status_id: null });
  expect(JSON.stringify(post)).not.toMatch(/edit_history|card/);
});

describe('nested posts', () => {
  test.each(['quote', 'retweet', 'repost'])('are found in %s, three levels deep', (member) => {
    const found = readPosts(nest(3, member));
    expect(found.posts.map((post) => post.external_id)).toEqual(['p3']);
    expect(found.nestedPosts.map((post) => post.external_id)).toEqual(['p0', 'p1', 'p2']);
    const reference = member === 'quote' ? 'quoted_status_id' : 'reposted_status_id';
    expect(found.posts[0]?.[reference]).toBe('p2');
    expect(found.rejects).toEqual([]);
  });

  test('beyond three levels are a reject, and everything above stays', () => {
    const found = readPosts(nest(200));
    expect(found.nestedPosts).toHaveLength(3);
    expect(found.rejects).toMatchObject([
      { path: 'miner_tweets[0].quote.quote.quote.quote', code: 'too_deep' },
    ]);
    // The post is not read; which one it is, is known.
    expect(found.nestedPosts.map((post) => post.quoted_status_id)).toEqual(['p196', 'p197', 'p198']);
  });

  test('that are malformed affect nothing else; the given reference stays', () => {
    const found = readPosts({ id: '1', quoted_status_id: '7', quote: { text: 'no id' } });
    expect(found.posts).toMatchObject([{ quoted_status_id: '7' }]);
    expect(found.rejects).toMatchObject([{ path: 'miner_tweets[0].quote.id', code: 'no_id' }]);
  });

  test('may quote each other', () => {
    const found = readPosts({ id: '1', quote: { id: '2', quote: { id: '1', quote: { id: '2' } } } });
    expect(found.posts.map((post) => post.external_id)).toEqual(['1']);
    expect(found.nestedPosts.map((post) => post.external_id)).toEqual(['2']);
  });

  test('have authors', () => {
    const found = readPosts({ id: '1', user: { id: 'a' }, retweet: { id: '2', user: { id: 'b' } } });
    expect(found.authors.map((author) => author.external_id).sort()).toEqual(['a', 'b']);
    expect(found.nestedPosts[0]?.author_external_id).toBe('b');
  });
});

describe('authors', () => {
  test.each([
    ['null', null, []],
    ['absent', undefined, []],
    ['empty', {}, []],
    ['a text', 'someone', [['miner_tweets[0].user', 'not_an_object']]],
    ['without an id', { username: 'someone' }, [['miner_tweets[0].user.id', 'no_id']]],
    ['with an invalid id', { id: '' }, [['miner_tweets[0].user.id', 'bad_id']]],
  ])('%s: the post is stored without an author', (_, user, rejects) => {
    const found = readPosts({ id: '1', user });
    expect(found.posts).toMatchObject([{ author_external_id: null }]);
    expect(found.authors).toEqual([]);
    expect(found.rejects.map(({ path, code }) => [path, code])).toEqual(rejects);
  });

  test('have cleaned members and web addresses only', () => {
    const [author] = readPosts({
      id: '1',
      user: {
        id: 7,
        username: '/../',
        name: 'a\0\ud800',
        url: 'javascript:alert(1)',
        profile_image_url: 'http://169.254.169.254/',
        verified: 'false',
        is_blue_verified: 1,
        followers_count: '12K',
        listed_count: null,
      },
    }).authors;
    expect(author).toMatchObject({
      external_id: '7',
      username: '/../',
      name: 'a\ufffd',
      url: null,
      profile_image_url: 'http://169.254.169.254/',
      verified: false,
      is_blue_verified: null,
      followers_count: null,
      listed_count: null,
    });
  });
});

describe('text', () => {
  test.each([
    [undefined, ''],
    [null, ''],
    ['', ''],
    [5, '5'],
    [{}, ''],
    ['a\0b', 'ab'],
    ['\udc00\ud800', '\ufffd\ufffd'],
    ['a &amp; b', 'a &amp; b'],
    ['\u202e\r\n\u2028\u001b[2J', '\u202e\r\n\u2028\u001b[2J'],
    ['\u200d\u200d', '\u200d\u200d'],
    ['=HYPERLINK("http://x","y")', '=HYPERLINK("http://x","y")'],
    ['cafe\u0301', 'cafe\u0301'],
  ])('%j becomes %j', (text, expected) => {
    expect(onePost({ text }).text).toBe(expected);
  });

  test('is truncated at 100,000 characters, between characters', () => {
    expect(onePost({ text: `a${'😀'.repeat(60_000)}` }).text).toHaveLength(99_999);
    expect(onePost({ text: `a${'\u0301'.repeat(150_000)}` }).text).toHaveLength(100_000);
    expect(onePost({ text: 'x'.repeat(5_000_000) }).text).toHaveLength(100_000);
  });

  test.each([
    ['und', 'und'],
    ['', null],
    ['x'.repeat(36), null],
    [null, null],
  ])('lang %j becomes %j', (lang, expected) => {
    expect(onePost({ lang }).lang).toBe(expected);
  });
});

describe('entities and media', () => {
  test('extracts hashtags, mentions and expanded addresses', () => {
    const post = onePost({
      entities: {
        hashtags: [{ text: 'TAO' }, { tag: 'ai' }, 'plain', { text: 'TAO' }, null, {}],
        user_mentions: [{ screen_name: 'null' }, { username: 'b' }],
        urls: [
          { expanded_url: 'https://a.example/x', url: 'https://t.co/1' },
          { url: 'https://t.co/2' },
          { expanded_url: 'javascript:alert(1)' },
          { expanded_url: 'https://user:pass@h.example/' },
          { expanded_url: `https://h.example/${'x'.repeat(65_000)}` },
          { expanded_url: 'not a url', indices: [-1] },
        ],
      },
    });
    expect(post.hashtags).toEqual(['TAO', 'ai', 'plain']);
    expect(post.mentions).toEqual(['null', 'b']);
    expect(post.urls).toEqual(['https://a.example/x', 'https://t.co/2']);
  });

  test.each([
    [null, null, null, null],
    [undefined, null, null, null],
    [[], null, null, null],
    ['x', null, null, null],
    [{}, null, null, null],
    [{ urls: null, hashtags: {}, user_mentions: 'x' }, null, null, null],
    [{ hashtags: [] }, [], null, null],
    [{ hashtags: [], mentions: [], urls: [] }, [], [], []],
  ])(
    '%j: a list that is there and empty is known, any other is unknown',
    (entities, hashtags, mentions, urls) => {
      expect(onePost({ entities })).toMatchObject({ hashtags, mentions, urls });
    },
  );

  test('ten thousand entries are limited', () => {
    const urls = Array.from({ length: 10_000 }, (_, i) => ({ expanded_url: `https://a.example/${i}` }));
    const post = onePost({ entities: { urls } });
    expect(post.urls).toHaveLength(200);
    expect(JSON.stringify(post.entities).length).toBeLessThan(200_000);
  });

  test('stored values are clean, limited in depth and free of prototype keys', () => {
    const { posts } = readText(
      '[{"id":"1","media":{"type":"photo","\\u0000k":"a\\u0000","n":1e400},' +
        `"entities":{"__proto__":{"x":1},"constructor":2,"deep":${'['.repeat(100)}${']'.repeat(100)}}}]`,
    );
    expect(posts[0]?.media).toEqual([{ type: 'photo', k: 'a', n: null }]);
    expect(Object.keys(posts[0]?.entities ?? {})).toEqual(['deep']);
    expect(JSON.stringify(posts[0]?.entities).length).toBeLessThan(100);
  });
});

test('counters: unknown is not zero', () => {
  const post = onePost({
    like_count: 0,
    view_count: null,
    reply_count: '12',
    quote_count: -1,
    retweet_count: 'null',
  });
  expect(post).toMatchObject({
    like_count: 0,
    view_count: null,
    reply_count: 12,
    quote_count: null,
    repost_count: null,
    bookmark_count: null,
  });
});
