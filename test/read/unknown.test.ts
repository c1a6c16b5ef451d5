/** What our own service writes for unknown values parses as unknown again. */
import { expect, test } from 'vitest';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { servedPost as servedPostSchema } from '../../src/protocol/extensions.ts';
import type { MicroblogPost } from '../../src/protocol/specification.ts';
import { toWire } from '../../src/protocol/wire.ts';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import { toServedPost } from '../../src/service/microblog-search.ts';

const BARE: MicroblogPost = {
  user: {
    id: 'did:plc:a',
    url: null,
    name: '',
    username: 'tove',
    created_at: null,
    description: null,
    favourites_count: null,
    followers_count: 12,
    listed_count: null,
    media_count: null,
    profile_image_url: null,
    statuses_count: 0,
    verified: null,
    is_blue_verified: null,
    can_dm: null,
    can_media_tag: null,
    location: null,
  },
  id: 'did:plc:a:3k',
  text: 'tide',
  reply_count: 0,
  repost_count: null,
  like_count: 3,
  view_count: null,
  quote_count: 1,
  impression_count: null,
  bookmark_count: null,
  url: null,
  created_at: '2026-11-21T11:00:00.000Z',
  media: [],
  is_quote_post: false,
  is_repost: false,
  lang: null,
  conversation_id: null,
  in_reply_to_screen_name: null,
  in_reply_to_status_id: null,
  in_reply_to_user_id: null,
  quoted_status_id: null,
  quote: null,
  entities: {},
  summary_description: '',
};

test('a post has every member in the type of the specification, and lists its unknown counters', () => {
  const post = toServedPost(BARE);
  expect(servedPostSchema.strict().parse(post)).toEqual(post);
  expect(post).toMatchObject({ url: '', lang: 'und', conversation_id: '', view_count: 0, quote: null });
  expect(post.unknown_counters).toEqual(['repost_count', 'view_count', 'impression_count', 'bookmark_count']);
  expect(post.user.unknown_counters).toEqual(['favourites_count', 'listed_count', 'media_count']);
  expect(post.user).toMatchObject({ created_at: '', verified: false, statuses_count: 0 });
});

test('a post whose counters are all known has no such list', () => {
  const counted = { ...BARE, repost_count: 0, view_count: 1, impression_count: 1, bookmark_count: 0 };
  expect(toServedPost(counted)).not.toHaveProperty('unknown_counters');
});

test.each(['neutral', 'named'])('the monitor parses unknown as unknown (%s), without a reject', (name) => {
  const dialect = loadDialect(name);
  const body = JSON.stringify(
    toWire(dialect, 'microblog-answer', { miner_microblog_posts: [toServedPost(BARE)] }),
  );
  const { posts, authors, rejects } = parseResponse({
    operation: 'microblog',
    body,
    contentType: null,
    dialect,
  });
  expect(rejects).toEqual([]);
  expect(posts[0]).toMatchObject({
    reply_count: 0,
    repost_count: null,
    like_count: 3,
    view_count: null,
    quote_count: 1,
    impression_count: null,
    bookmark_count: null,
    url: null,
    conversation_id: null,
  });
  expect(authors[0]).toMatchObject({
    url: null,
    name: null,
    created_at: null,
    description: null,
    location: null,
    profile_image_url: null,
    favourites_count: null,
    followers_count: 12,
    listed_count: null,
    media_count: null,
    statuses_count: 0,
  });
});

test('unknown counters have their wire names', () => {
  const wire = toWire(loadDialect('named'), 'post', toServedPost(BARE));
  expect(wire).toMatchObject({ unknown_counters: expect.arrayContaining(['retweet_count']) as string[] });
  expect(JSON.stringify(wire)).not.toContain('repost_count');
});

test.each([null, 'view_count', { view_count: 1 }, [null, 3, ['view_count']]])(
  'an invalid list of unknown counters names none: %j',
  (unknown_counters) => {
    const body = JSON.stringify({ miner_microblog_posts: [{ id: '1', view_count: 7, unknown_counters }] });
    const dialect = loadDialect('neutral');
    const { posts } = parseResponse({ operation: 'microblog', body, contentType: null, dialect });
    expect(posts[0]?.view_count).toBe(7);
  },
);
