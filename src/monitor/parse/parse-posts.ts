/** Parses the posts of a response, with their authors and nested posts. */

import { readIdFromAddress } from '../../domain/link.ts';
import { AUTHOR_COUNTERS, forCounters, POST_COUNTERS, type PostCounter } from '../../domain/counters.ts';
import type { ParsedAuthor, ParsedPost } from '../../domain/parsed-results.ts';
import { type Dialect, wireName } from '../../protocol/dialect.ts';
import { isPlain, own, type Plain } from '../../protocol/json.ts';
import { readAddress } from './parse-links.ts';
import type { Rejects } from './rejects-and-warnings.ts';
import type { Item, ItemOutcome } from './response-generations.ts';
import { readTime } from './timestamps.ts';
import {
  boundJson,
  isNoReference,
  readBoolean,
  readCounter,
  readId,
  readReference,
  readText,
  readUnknownCounters,
  readWord,
} from './wire-values.ts';

/** Maximum nesting of quoted and reposted posts. */
const MAX_NESTING = 3;

/** Collects the distinct posts of a response and their authors. */
type PostCollector = {
  /** Adds a post. Without an id, it is rejected as unreadable. */
  add(item: Item): ItemOutcome;
  take(): { posts: ParsedPost[]; nestedPosts: ParsedPost[]; authors: ParsedAuthor[] };
};

export function createPostCollector(dialect: Dialect, rejects: Rejects): PostCollector {
  const names = lookUpPostNames(dialect);
  const topLevel = new Map<string, ParsedPost>();
  const nested = new Map<string, ParsedPost>();
  const authors = new Map<string, ParsedAuthor>();

  /** Stores a post, its author and nested posts. Returns its id, or null if it has none. */
  function place({ path, value }: Item, level: number): string | null {
    if (!isPlain(value)) {
      rejects.add(path, 'not_an_object', value);
      return null;
    }
    const id = readPostId(value, path);
    if (id === null) return null;
    const isPartial = level > 0;
    const post = parsePost(value, id, names, isPartial);
    post.author_external_id = placeAuthor(value.user, `${path}.user`, isPartial);
    const { quote, repost } = findNestedPosts(value, names);
    const quotedId = quote && placeNested({ path: `${path}.${quote.member}`, value: quote.post }, level + 1);
    const repostedId =
      repost && placeNested({ path: `${path}.${repost.member}`, value: repost.post }, level + 1);
    post.quoted_status_id ??= quotedId;
    post.reposted_status_id = repostedId;
    keepFuller(level === 0 ? topLevel : nested, post);
    return id;
  }

  /** The id of a nested post. Beyond the maximum nesting it is not stored, but the reference remains. */
  function placeNested(item: Item, level: number): string | null {
    if (level <= MAX_NESTING) return place(item, level);
    rejects.add(item.path, 'too_deep', item.value);
    return isPlain(item.value) ? readReference(item.value.id) : null;
  }

  /** A missing id is taken from the post's address; an invalid one is not replaced. */
  function readPostId(post: Plain, path: string): string | null {
    const read = readId(post.id);
    const id = read.id ?? (read.code === 'no_id' ? readIdFromAddress(post.url) : null);
    if (id === null) rejects.add(`${path}.id`, read.code ?? 'no_id', post.id ?? post);
    return id;
  }

  function placeAuthor(user: unknown, path: string, isPartial: boolean): string | null {
    if (user === null || user === undefined) return null;
    if (!isPlain(user)) {
      rejects.add(path, 'not_an_object', user);
      return null;
    }
    const { id, code } = readId(user.id);
    if (id === undefined) {
      // An empty object is no reject. A name without an id is one, since names do not identify authors.
      if (code !== 'no_id' || readWord(user.username) !== null) rejects.add(`${path}.id`, code, user);
      return null;
    }
    keepFuller(authors, parseAuthor(user, id, isPartial));
    return id;
  }

  return {
    add: (item) => (place(item, 0) === null ? 'unreadable' : 'read'),
    take: () => ({
      posts: [...topLevel.values()],
      nestedPosts: [...nested.values()].filter((post) => !topLevel.has(post.external_id)),
      authors: [...authors.values()],
    }),
  };
}

/** Keeps the copy with more information, or the later one if equal. */
function keepFuller<T extends ParsedPost | ParsedAuthor>(shelf: Map<string, T>, copy: T): void {
  const before = shelf.get(copy.external_id);
  if (before === undefined || countKnownMembers(copy) >= countKnownMembers(before))
    shelf.set(copy.external_id, copy);
}

function countKnownMembers(thing: ParsedPost | ParsedAuthor): number {
  let count = 0;
  for (const value of Object.values(thing)) {
    if (value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)) count++;
  }
  return count;
}

/** Maximum length of a language tag (RFC 5646). */
const MAX_LANG_LENGTH = 35;

/** Wire names of renamed members, resolved once per response. */
type PostNames = { counters: Record<PostCounter, string>; isQuote: string; isRepost: string; repost: string };

function lookUpPostNames(dialect: Dialect): PostNames {
  return {
    counters: forCounters(POST_COUNTERS, (counter) => wireName(dialect, counter)),
    isQuote: wireName(dialect, 'is_quote_post'),
    isRepost: wireName(dialect, 'is_repost'),
    repost: wireName(dialect, 'repost'),
  };
}

/**
 * Parses a post without its author and nested posts, which the collector handles. Invalid members become null: only a
 * missing id rejects a post.
 */
function parsePost(post: Plain, externalId: string, names: PostNames, isPartial: boolean): ParsedPost {
  const entities = boundJson(post.entities);
  const { hashtags, mentions, urls } = parseEntities(post.entities);
  const lang = readWord(post.lang);
  const unknown = readUnknownCounters(post.unknown_counters);
  const readPostCounter = (counter: PostCounter) => {
    const member = names.counters[counter];
    return unknown.has(member) || unknown.has(counter) ? null : readCounter(post[member] ?? post[counter]);
  };
  return {
    external_id: externalId,
    author_external_id: null,
    text: readText(post.text) ?? '',
    url: readAddress(post.url),
    created_at: readTime(post.created_at),
    lang: lang !== null && lang.length <= MAX_LANG_LENGTH ? lang : null,
    conversation_id: readReference(post.conversation_id),
    in_reply_to_screen_name: readUnlessNone(post.in_reply_to_screen_name, (name) => readWord(name, 256)),
    in_reply_to_status_id: readUnlessNone(post.in_reply_to_status_id, readReference),
    in_reply_to_user_id: readUnlessNone(post.in_reply_to_user_id, readReference),
    quoted_status_id: readUnlessNone(post.quoted_status_id, readReference),
    reposted_status_id: null,
    quote: typeof post.quote === 'string' ? readUnlessNone(post.quote, readText) : null,
    is_quote_post: readBoolean(post[names.isQuote] ?? post.is_quote_post),
    is_repost: readBoolean(post[names.isRepost] ?? post.is_repost),
    summary_description: readText(post.summary_description),
    ...forCounters(POST_COUNTERS, readPostCounter),
    media: readMedia(post.media),
    entities: isPlain(entities) && Object.keys(entities).length > 0 ? entities : null,
    hashtags,
    mentions,
    urls,
    is_partial: isPartial,
  };
}

/** The quoted and the reposted post inside a post, with their members. */
function findNestedPosts(post: Plain, names: PostNames): { quote: NestedPost; repost: NestedPost } {
  return {
    quote: isPlain(post.quote) ? { member: 'quote', post: post.quote } : null,
    repost: findFirstObject(post, [names.repost, 'repost', 'retweet']),
  };
}

type NestedPost = { member: string; post: Plain } | null;

function findFirstObject(post: Plain, members: readonly string[]): NestedPost {
  for (const member of members) {
    const inside = post[member];
    if (isPlain(inside)) return { member, post: inside };
  }
  return null;
}

function readMedia(media: unknown): unknown[] | null {
  const kept = boundJson(media);
  if (Array.isArray(kept)) return kept;
  return isPlain(kept) ? [kept] : null;
}

function readUnlessNone<T>(value: unknown, read: (value: unknown) => T | null): T | null {
  return isNoReference(value) ? null : read(value);
}

/** Parses the author of a post from `user`; its id is parsed before, since it is required. */
function parseAuthor(user: Plain, externalId: string, isPartial: boolean): ParsedAuthor {
  const unknown = readUnknownCounters(user.unknown_counters);
  const counter = (member: string) => (unknown.has(member) ? null : readCounter(user[member]));
  return {
    external_id: externalId,
    username: readWord(user.username, 256),
    name: readNonEmptyText(user.name, 1_000),
    url: readAddress(user.url),
    created_at: readTime(user.created_at),
    description: readNonEmptyText(user.description, 10_000),
    location: readNonEmptyText(user.location, 1_000),
    profile_image_url: readAddress(user.profile_image_url),
    is_partial: isPartial,
    verified: readBoolean(user.verified),
    is_blue_verified: readBoolean(user.is_blue_verified),
    can_dm: readBoolean(user.can_dm),
    can_media_tag: readBoolean(user.can_media_tag),
    ...forCounters(AUTHOR_COUNTERS, counter),
  };
}

/** A text; null if it is empty. */
function readNonEmptyText(value: unknown, max: number): string | null {
  const text = readText(value, max);
  return text === '' ? null : text;
}

/** Maximum entries of each kind per post. */
const MAX_ENTITIES = 200;

/**
 * Parses hashtags, handles and expanded addresses from a post's `entities`, whose members the specification does not
 * define: `hashtags: [{text}]`, `user_mentions: [{screen_name}]`, `urls: [{expanded_url}]`. A list that is missing is
 * unknown.
 */
function parseEntities(entities: unknown): Pick<ParsedPost, 'hashtags' | 'mentions' | 'urls'> {
  if (!isPlain(entities)) return { hashtags: null, mentions: null, urls: null };
  return {
    hashtags: pickMembers(entities, ['hashtags'], ['text', 'tag'], (value) => readWord(value, 256)),
    mentions: pickMembers(entities, ['user_mentions', 'mentions'], ['screen_name', 'username'], (value) =>
      readWord(value, 256),
    ),
    urls: pickMembers(entities, ['urls'], ['expanded_url', 'unwound_url', 'url'], readAddress),
  };
}

function pickMembers(
  entities: Plain,
  lists: readonly string[],
  members: readonly string[],
  read: (value: unknown) => string | null,
): string[] | null {
  const list = lists.map((name) => own(entities, name)).find(Array.isArray);
  if (list === undefined) return null;
  const texts = new Set<string>();
  for (const item of list.slice(0, MAX_ENTITIES)) {
    const value = isPlain(item) ? members.map((name) => own(item, name)).find(isPresent) : item;
    const text = read(value);
    if (text !== null) texts.add(text);
  }
  return [...texts];
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}
