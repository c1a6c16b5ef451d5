/** Copies of one post or author in a response: full, nested, shortened; wherever they are, the post is the same. */
import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import { loadDialect } from '../../src/protocol/dialect.ts';
import type { ParsedPost, ParsedResults } from '../../src/model/parsed-results.ts';

function readPosts(posts: readonly unknown[]): ParsedResults {
  const body = JSON.stringify({ miner_tweets: posts });
  return parseResponse({ operation: 'microblog', body, contentType: null, dialect: loadDialect('named') });
}

type Members = Readonly<Record<string, unknown>>;

const OWN_ADDRESS = 'https://x.com/tove/status/7';
const USER: Members = {
  id: 'a1',
  username: 'tove',
  name: 'Tove',
  description: '',
  location: 'Harbour',
  followings_count: 12,
  followers_count: 0,
  pinned_tweet_ids: [],
  entities: { description: { urls: [] }, url: null },
};
/** A post with every kind of member. It replies to the post that it is nested in: each copy says so. */
const WHOLE: Members = {
  id: '7',
  text: 'the tide comes in at seven',
  url: OWN_ADDRESS,
  created_at: '2026-04-02T13:27:04.000Z',
  lang: 'en',
  in_reply_to_status_id: 'top',
  in_reply_to_user_id: 'someone',
  like_count: 3,
  view_count: 0,
  media: [],
  display_text_range: [0, 26],
  entities: { hashtags: [{ text: 'tide' }], urls: [], user_mentions: [{ screen_name: 'ida' }] },
};

const ALWAYS = new Set(['id', 'in_reply_to_status_id', 'in_reply_to_user_id']);

/** Some of the members: the others are absent or null. */
const someOf = (whole: Members) =>
  fc.record(
    Object.fromEntries(
      Object.entries(whole).map(([member, value]) => [
        member,
        ALWAYS.has(member) ? fc.constant(value) : fc.constantFrom(value, null),
      ]),
    ),
    { requiredKeys: Object.keys(whole).filter((member) => ALWAYS.has(member)) },
  );

const partial = fc.record({ post: someOf(WHOLE), user: fc.option(someOf(USER)) }).map(withUser);
const full = fc
  .record({ post: someOf(WHOLE), user: fc.option(someOf(USER)) })
  .map(({ post, user }) => withUser({ post: { ...post, text: WHOLE.text }, user }));

function withUser({ post, user }: { post: Members; user: Members | null }): Members {
  return { ...post, user };
}

/** Where a copy is: nested in a post of its own, to three levels. */
const place = fc.constantFrom(
  'quote',
  'retweet',
  'replies',
  'quote.retweet',
  'replies.quote',
  'quote.quote.replies',
);

function nest(copy: Members, where: string): Members {
  return where
    .split('.')
    .reduceRight<Members>(
      (inner, member) => ({ id: 'top', [member]: member === 'replies' ? [inner] : inner }),
      copy,
    );
}

/** The post and its author, without the order of lists. */
function readCopies(copies: readonly Members[]) {
  const { posts, nestedPosts, authors, rejects } = readPosts(copies);
  if (rejects.length > 0) throw new Error('a copy was not read');
  const isIt = ({ external_id: id }: { external_id: string }) => id === '7' || id === 'a1';
  return { post: [...posts, ...nestedPosts].filter(isIt), author: authors.filter(isIt) };
}

test('any order and nesting of the copies of a post gives the same post', () => {
  fc.assert(
    fc.property(
      fc.array(full, { maxLength: 3 }),
      fc.array(fc.record({ copy: partial, where: place, other: place }), { minLength: 1, maxLength: 4 }),
      fc.infiniteStream(fc.nat()),
      (fulls, partials, numbers) => {
        const one = readCopies([...fulls, ...partials.map(({ copy, where }) => nest(copy, where))]);
        const shuffled = [...fulls, ...partials.map(({ copy, other }) => nest(copy, other))]
          .map((copy) => ({ copy, at: numbers.next().value }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ copy }) => copy);
        expect(readCopies(shuffled)).toEqual(one);
        expect(one.post).toMatchObject([{ external_id: '7', is_partial: fulls.length === 0 }]);
      },
    ),
    { numRuns: 500 },
  );
});

test('partial copies that differ give the same post in any order: the longer text, the higher counter', () => {
  const differing = fc.record(
    {
      text: fc.constantFrom('tide', 'the tide', 'the tide…', ''),
      like_count: fc.nat({ max: 5 }),
      media: fc.array(fc.constantFrom({ type: 'photo' }, { type: 'video' }), { maxLength: 2 }),
      entities: fc.record(
        { hashtags: fc.array(fc.constantFrom('a', 'bb'), { maxLength: 2 }), urls: fc.constant([]) },
        { requiredKeys: [] },
      ),
      lang: fc.constantFrom('en', 'fr'),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(differing, { minLength: 2, maxLength: 5 }), (copies) => {
      const posts = copies.map((copy, i) => ({ id: `top${i}`, quote: { id: '7', ...copy } }));
      expect(readCopies(posts.toReversed())).toEqual(readCopies(posts));
      const [found] = readCopies(posts).post;
      const texts = copies.map(({ text }) => text ?? '');
      expect(found?.text).toHaveLength(Math.max(...texts.map((text) => text.length)));
      const likes = copies.flatMap(({ like_count: count }) => count ?? []);
      expect(found).toMatchObject({ like_count: likes.length === 0 ? null : Math.max(...likes) });
    }),
    { numRuns: 500 },
  );
});

test.each<[string, Members[]]>([
  ['before', [{ id: '8', quote: { id: '7', text: 'short', lang: 'en', like_count: 9 } }, WHOLE]],
  ['after', [WHOLE, { id: '8', quote: { id: '7', text: 'short and longer than the full one', lang: 'fr' } }]],
  ['inside itself', [{ ...WHOLE, quote: { id: '8', quote: { id: '7', text: 'short', media: [{}] } } }]],
  [
    'shortened on top',
    [WHOLE, { id: '7', text: 'the tide comes…', truncated: true, like_count: 5, lang: 'fr' }],
  ],
])('a full copy keeps its members whatever a partial one says: %s', (_, posts) => {
  const { post } = readCopies(posts);
  expect(post).toMatchObject([
    { text: WHOLE.text, lang: 'en', like_count: 3, media: [], hashtags: ['tide'], is_partial: false },
  ]);
});

test('of two full copies, the later wins member by member', () => {
  const posts = [
    {
      id: '7',
      text: 'first',
      lang: 'en',
      like_count: 5,
      media: [{ type: 'photo' }],
      entities: { hashtags: ['a'] },
    },
    { id: '7', text: 'second', like_count: 2, media: null, entities: { hashtags: [], urls: [] } },
    { id: '7', text: 'third', media: [] },
  ];
  expect(readPosts(posts).posts).toMatchObject([
    {
      text: 'third',
      lang: 'en',
      like_count: 2,
      media: [],
      entities: { hashtags: [], urls: [] },
      hashtags: [],
      urls: [],
      mentions: null,
    },
  ]);
});

describe('a shortened copy', () => {
  const urls = (expanded_url: string) => ({ urls: [{ url: 'https://t.co/abc', expanded_url }] });

  test.each<[boolean, Members]>([
    [true, { text: 'the tide', truncated: true }],
    [true, {}],
    [true, { text: null }],
    [true, { snippet: 'the tide' }],
    [true, { text: 'the tide… https://t.co/abc' }],
    [true, { text: `the tide… ${OWN_ADDRESS}` }],
    [true, { text: 'the tide… https://t.co/abc', entities: urls('https://x.com/i/web/status/7') }],
    [false, { text: 'the tide… https://t.co/abc', truncated: false }],
    [false, { text: 'the tide… https://t.co/abc', entities: urls('https://news.example/tide') }],
    [false, { text: 'the tide… https://t.co/abc', entities: urls('https://x.com/i/web/status/8') }],
    [false, { text: 'the tide… https://t.co/abc', entities: { media: [{ url: 'https://t.co/abc' }] } }],
    [false, { text: 'the tide… https://x.com/ida/status/8' }],
    [false, { text: 'the tide…' }],
    [false, { text: 'the tide https://t.co/abc' }],
    [false, { text: '' }],
  ])('%s: %j', (isPartial, members) => {
    expect(readPosts([{ id: '7', ...members }]).posts).toMatchObject([{ is_partial: isPartial }]);
  });

  test('that stands alone is the post', () => {
    const link = 'https://x.com/tove/status/7';
    const { posts, rejects } = readPosts([{ link, snippet: 'the tide…', title: 'Tove on X', like_count: 4 }]);
    expect(rejects).toEqual([]);
    expect(posts).toMatchObject([{ external_id: '7', url: link, text: 'the tide…', like_count: 4 }]);
  });
});

describe('replies', () => {
  test('are posts inside others, and say what they reply to', () => {
    const { posts, nestedPosts, authors } = readPosts([
      {
        id: '1',
        text: 'question',
        user: { id: 'a1' },
        replies: [
          { id: '2', text: 'answer', user: { id: 'a2' }, replies: [{ id: '3', text: 'thanks' }] },
          { id: '4', text: 'elsewhere', in_reply_to_status_id: '9', in_reply_to_user_id: null },
        ],
      },
    ]);
    const reference = (post: ParsedPost) => [
      post.external_id,
      post.in_reply_to_status_id,
      post.in_reply_to_user_id,
      post.is_partial,
    ];
    expect(posts.map(reference)).toEqual([['1', null, null, false]]);
    expect(nestedPosts.map(reference)).toEqual([
      ['3', '2', 'a2', true],
      ['2', '1', 'a1', true],
      ['4', '9', null, true],
    ]);
    expect(authors.map(({ external_id: id, is_partial: isPartial }) => [id, isPartial])).toEqual([
      ['a1', false],
      ['a2', true],
    ]);
  });

  test.each([null, undefined, []])('%j are none', (replies) => {
    expect(readPosts([{ id: '1', replies }])).toMatchObject({ nestedPosts: [], rejects: [] });
  });

  test('that are no list are a reject; of very many, five hundred are read', () => {
    expect(readPosts([{ id: '1', replies: 'many' }]).rejects).toMatchObject([{ code: 'bad_shape' }]);
    const replies = Array.from({ length: 600 }, (_, i) => ({ id: `r${i}` }));
    const { nestedPosts, rejects } = readPosts([
      { id: '1', replies },
      { id: '2', replies: [{ id: 'last' }] },
    ]);
    expect(nestedPosts).toHaveLength(501);
    expect(rejects).toHaveLength(100);
    expect(rejects[0]).toMatchObject({ path: 'miner_tweets[0].replies[500]', code: 'too_many' });
  });
});

test.each<[string, Members]>([
  ['a long text', { text: 'tide '.repeat(200_000) }],
  [
    'a long list',
    { media: Array.from({ length: 2_000 }, (_, i) => ({ type: 'photo', url: `https://a.example/${i}` })) },
  ],
  [
    'long entities',
    { entities: { urls: Array.from({ length: 2_000 }, () => ({ url: 'https://a.example' })) } },
  ],
])('the fullest copy so far is not written again for each further copy: %s', (_, long) => {
  const replies = Array.from({ length: 498 }, () => ({
    id: '7',
    text: 'b',
    media: [],
    entities: { urls: [] },
  }));
  const body = JSON.stringify([{ id: 'top', replies: [{ id: '7', ...long }, ...replies] }]);
  const parse = () =>
    parseResponse({ operation: 'microblog', body, contentType: null, dialect: loadDialect('named') });
  const writing = vi.spyOn(JSON, 'stringify');
  const { nestedPosts } = parse();
  const written = writing.mock.results.reduce((sum, { value }) => sum + String(value).length, 0);
  writing.mockRestore();
  expect(nestedPosts).toMatchObject([{ external_id: '7' }]);
  expect(written).toBeLessThan(2 * body.length);
});
