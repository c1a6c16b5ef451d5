/**
 * Posts for the benchmark: made from a seed, so that every run and every way stores the same ones, and read
 * by the program's own reader, so that they have the shape that a save gets. A post is about 1.8 kB of the
 * wire's JSON with its author in it, which is what short posts with one link, tags and a picture come to.
 */
import { loadDialect } from '../src/protocol/dialect.ts';
import { parseResponse } from '../src/monitor/parse/parse-response.ts';
import type { ParsedResults } from '../src/model/parsed-results.ts';

/** Of a hundred posts; the others are by somebody who wrote one before in the same answer. */
const AUTHORS_PER_100 = 80;
const WORDS =
  'the harbour council voted tonight on a new ferry line while boats wait for spare parts from abroad'.split(
    ' ',
  );
const dialect = loadDialect('named');

/**
 * @param first number of the first post: two batches with different numbers share nothing
 * @param edition counters of another edition all differ, and nothing else does
 */
export function makeFindings(first: number, size: number, edition: number): ParsedResults {
  return parseResponse({
    operation: 'microblog',
    body: makeAnswer(first, size, edition),
    contentType: null,
    dialect,
  });
}

/** The same as it would come over the wire. */
export function makeAnswer(first: number, size: number, edition: number): string {
  const posts = Array.from({ length: size }, (_, i) => {
    const author = first + Math.floor((i * AUTHORS_PER_100) / 100);
    return wirePost(first + i, author, edition);
  });
  return JSON.stringify({ miner_tweets: posts });
}

function wirePost(n: number, author: number, edition: number): unknown {
  const random = seeded(n);
  const id = `17${String(n).padStart(17, '0')}`;
  const username = `user_${author}`;
  const address = `https://news.example/${hex(random)}/${hex(random)}`;
  const picture = `https://img.example/${hex(random)}.jpg`;
  const counter = () => Math.floor(random() * 5_000) + edition;
  return {
    user: wireAuthor(author, edition),
    id,
    text: `${sentence(random, 24)} #ferry @${username} ${address}`,
    reply_count: counter(),
    view_count: counter() * 40,
    retweet_count: counter(),
    like_count: counter(),
    quote_count: counter(),
    bookmark_count: counter(),
    url: `https://x.example/${username}/status/${id}`,
    created_at: new Date(Date.UTC(2026, 9, 1) + Math.floor(random() * 2e9)).toISOString(),
    media: [{ media_url: picture, type: 'photo' }],
    is_quote_tweet: false,
    is_retweet: false,
    lang: 'en',
    conversation_id: id,
    entities: {
      hashtags: [{ text: 'ferry', indices: [120, 126] }],
      user_mentions: [{ id_str: `9${author}`, name: username, screen_name: username, indices: [127, 137] }],
      urls: [{ display_url: 'news.example', expanded_url: address, url: address, indices: [138, 161] }],
      media: [
        {
          media_url_https: picture,
          type: 'photo',
          sizes: {
            large: { w: 1280, h: 720, resize: 'fit' },
            medium: { w: 1200, h: 675, resize: 'fit' },
            small: { w: 680, h: 383, resize: 'fit' },
            thumb: { w: 150, h: 150, resize: 'crop' },
          },
          display_url: 'pic.example/00KWDudo0',
          expanded_url: `https://x.example/${username}/status/${id}/photo/1`,
        },
      ],
    },
  };
}

function wireAuthor(n: number, edition: number): unknown {
  const random = seeded(n + 1e9);
  const counter = () => Math.floor(random() * 50_000) + edition;
  return {
    id: `9${n}`,
    username: `user_${n}`,
    name: `Name ${hex(random)}`,
    url: `https://x.example/user_${n}`,
    created_at: '2019-03-20T04:44:13.000Z',
    description: sentence(random, 10),
    location: 'Harbour',
    profile_image_url: `https://img.example/${hex(random)}.jpg`,
    favourites_count: counter(),
    followers_count: counter(),
    listed_count: counter(),
    media_count: counter(),
    statuses_count: counter(),
    verified: false,
    is_blue_verified: random() < 0.2,
    can_dm: true,
    can_media_tag: true,
  };
}

function sentence(random: () => number, words: number): string {
  return Array.from({ length: words }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ');
}

function hex(random: () => number): string {
  return Math.floor(random() * 2 ** 32).toString(16);
}

/** Numbers from 0 up to 1 (mulberry32): small, and the same everywhere. */
export function seeded(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
