import { wireName, type Dialect } from '../../contract/dialect.ts';
import { isPlain, type Plain } from '../../contract/plain.ts';
import { readCounter, readUnknownCounters } from './counter.ts';
import { readEntities } from './entities.ts';
import type { ReadPost } from './findings.ts';
import { readReference } from './id.ts';
import { boundedJson } from './kept-json.ts';
import { readAddress } from './link.ts';
import { isNoReference, readBoolean, readText, readWord } from './text.ts';
import { readTime } from './time.ts';

/** A language tag is at most this long (RFC 5646); a longer one is none. */
const LANG_MAX = 35;

/** The members of a post that a dialect renames, looked up once for an answer. */
export type PostNames = { reposts: string; isQuote: string; isRepost: string; repost: string };

export function postNames(dialect: Dialect): PostNames {
  return {
    reposts: wireName(dialect, 'repost_count'),
    isQuote: wireName(dialect, 'is_quote_post'),
    isRepost: wireName(dialect, 'is_repost'),
    repost: wireName(dialect, 'repost'),
  };
}

/**
 * One post, all but its author and the posts inside it (posts.ts knows those). A member that cannot be
 * read is null: no member but the id can cost us the post.
 */
export function readPost(post: Plain, externalId: string, names: PostNames): ReadPost {
  const entities = boundedJson(post.entities);
  const { hashtags, mentions, urls } = readEntities(post.entities);
  const lang = readWord(post.lang);
  const unknown = readUnknownCounters(post.unknown_counters);
  const counter = (member: string, otherwise = member) =>
    unknown.has(member) || unknown.has(otherwise) ? null : readCounter(post[member] ?? post[otherwise]);
  return {
    external_id: externalId,
    author_external_id: null,
    text: readText(post.text) ?? '',
    url: readAddress(post.url),
    created_at: readTime(post.created_at),
    lang: lang !== null && lang.length <= LANG_MAX ? lang : null,
    conversation_id: readReference(post.conversation_id),
    in_reply_to_screen_name: unlessNone(post.in_reply_to_screen_name, (name) => readWord(name, 256)),
    in_reply_to_status_id: unlessNone(post.in_reply_to_status_id, readReference),
    in_reply_to_user_id: unlessNone(post.in_reply_to_user_id, readReference),
    quoted_status_id: unlessNone(post.quoted_status_id, readReference),
    reposted_status_id: null,
    quote: typeof post.quote === 'string' ? unlessNone(post.quote, readText) : null,
    is_quote_post: readBoolean(post[names.isQuote] ?? post.is_quote_post),
    is_repost: readBoolean(post[names.isRepost] ?? post.is_repost),
    summary_description: readText(post.summary_description),
    reply_count: counter('reply_count'),
    repost_count: counter(names.reposts, 'repost_count'),
    like_count: counter('like_count'),
    view_count: counter('view_count'),
    quote_count: counter('quote_count'),
    impression_count: counter('impression_count'),
    bookmark_count: counter('bookmark_count'),
    media: readMedia(post.media),
    entities: isPlain(entities) ? entities : {},
    hashtags,
    mentions,
    urls,
  };
}

/** The posts inside a post: the one it quotes and the one it repeats, with the member each stands in. */
export function nestedIn(post: Plain, names: PostNames): { quote: Nested; repost: Nested } {
  return {
    quote: isPlain(post.quote) ? { member: 'quote', post: post.quote } : null,
    repost: firstPlain(post, [names.repost, 'repost', 'retweet']),
  };
}
type Nested = { member: string; post: Plain } | null;

function firstPlain(post: Plain, members: readonly string[]): Nested {
  for (const member of members) {
    const inside = post[member];
    if (isPlain(inside)) return { member, post: inside };
  }
  return null;
}

function readMedia(media: unknown): unknown[] {
  const kept = boundedJson(media);
  if (Array.isArray(kept)) return kept;
  return isPlain(kept) ? [kept] : [];
}

function unlessNone<T>(value: unknown, read: (value: unknown) => T | null): T | null {
  return isNoReference(value) ? null : read(value);
}
