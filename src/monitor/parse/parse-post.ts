/** Parses a single post, without its author and the posts inside it. */

import { forCounters, POST_COUNTERS, type PostCounter } from '../../model/counters.ts';
import { readIdFromAddress } from '../../model/links/link.ts';
import type { ParsedPost } from '../../model/parsed-results.ts';
import { type Dialect, wireName } from '../../protocol/dialect.ts';
import { isPlain, own, type Plain } from '../../lib/json-values.ts';
import { removeSignatures } from './media-addresses.ts';
import { readAddress } from './parse-links.ts';
import { completeHashtags } from './text-hashtags.ts';
import { readNetworkTime } from './timestamps.ts';
import {
  boundJson,
  readBoolean,
  readCounter,
  readNonEmptyText,
  readReference,
  readText,
  readUnknownCounters,
  readUnlessNone,
  readWord,
} from './wire-values.ts';

/** Maximum length of a language tag (RFC 5646). */
const MAX_LANG_LENGTH = 35;

/** Wire names of renamed members, resolved once per response. */
type PostNames = { counters: Record<PostCounter, string>; isQuote: string; isRepost: string };

export function lookUpPostNames(dialect: Dialect): PostNames {
  return {
    counters: forCounters(POST_COUNTERS, (counter) => wireName(dialect, counter)),
    isQuote: wireName(dialect, 'is_quote_post'),
    isRepost: wireName(dialect, 'is_repost'),
  };
}

/**
 * Parses a post without its author and nested posts, which the collector handles. Invalid members become null: only a
 * missing id rejects a post.
 */
export function parsePost(post: Plain, externalId: string, names: PostNames, isNested: boolean): ParsedPost {
  const entities = parseEntities(post);
  const lang = readWord(post.lang);
  const unknown = readUnknownCounters(post.unknown_counters);
  const readPostCounter = (counter: PostCounter) => {
    const member = names.counters[counter];
    return unknown.has(member) || unknown.has(counter) ? null : readCounter(post[member] ?? post[counter]);
  };
  const text = readText(post.text);
  const isShortened =
    text === null || (readBoolean(post.truncated) ?? endsShortened(text, externalId, entities));
  const shownText = text ?? readText(post.snippet) ?? '';
  return {
    external_id: externalId,
    author_external_id: null,
    text: shownText,
    url: readAddress(post.url) ?? readAddress(post.link),
    created_at: readNetworkTime(post.created_at),
    lang: lang !== null && lang.length <= MAX_LANG_LENGTH ? lang : null,
    conversation_id: readReference(post.conversation_id),
    in_reply_to_screen_name: readUnlessNone(post.in_reply_to_screen_name, readName),
    in_reply_to_status_id: readUnlessNone(post.in_reply_to_status_id, readReference),
    in_reply_to_user_id: readUnlessNone(post.in_reply_to_user_id, readReference),
    quoted_status_id: readUnlessNone(post.quoted_status_id, readReference),
    reposted_status_id: null,
    quote: typeof post.quote === 'string' ? readUnlessNone(post.quote, readText) : null,
    is_quote_post: readBoolean(post[names.isQuote] ?? post.is_quote_post),
    is_repost: readBoolean(post[names.isRepost] ?? post.is_repost),
    summary_description: readNonEmptyText(post.summary_description),
    display_text_range: readRange(post.display_text_range),
    ...forCounters(POST_COUNTERS, readPostCounter),
    media: readMedia(post.media),
    entities,
    // Some services fill `entities` for a few scripts only, or not at all.
    hashtags: completeHashtags(pickTexts(entities, ['hashtags'], ['text', 'tag'], readName), shownText),
    mentions: pickTexts(entities, ['user_mentions', 'mentions'], ['screen_name', 'username'], readName),
    urls: pickTexts(entities, ['urls'], ['expanded_url', 'unwound_url', 'url'], readAddress),
    is_partial: isNested || isShortened,
  };
}

const readName = (value: unknown) => readWord(value, 256);

/** Start and end of the displayed text, in characters. */
function readRange(value: unknown): [number, number] | null {
  if (!Array.isArray(value) || value.length !== 2) return null;
  const [start, end] = value.map(readCounter);
  return typeof start === 'number' && typeof end === 'number' && start <= end ? [start, end] : null;
}

function readMedia(media: unknown): unknown[] | null {
  const kept = removeSignatures(boundJson(media));
  if (Array.isArray(kept)) return kept;
  return isPlain(kept) ? [kept] : null;
}

/**
 * The `entities` of a post, without null members, since null mentions nothing; null if none remain. The list of media
 * in `extended_entities`, which has the variants of videos, replaces a shorter one.
 */
function parseEntities(post: Plain): Plain | null {
  const entities = boundJson(post.entities);
  const known = isPlain(entities) ? Object.entries(entities).filter(([, value]) => value !== null) : [];
  const kept: Plain = Object.fromEntries(known);
  const extended = isPlain(post.extended_entities) ? boundJson(post.extended_entities.media) : null;
  if (Array.isArray(extended) && extended.length >= listEntries(kept, 'media').length) kept.media = extended;
  if (kept.media !== undefined) kept.media = removeSignatures(kept.media);
  return Object.keys(kept).length === 0 ? null : kept;
}

/** The objects in a list of `entities`. */
function listEntries(entities: Plain | null, name: string): Plain[] {
  const list = own(entities ?? {}, name);
  return Array.isArray(list) ? list.filter(isPlain) : [];
}

/** Maximum entries of each kind per post. */
const MAX_ENTITIES = 200;

/**
 * Texts from a list in `entities`, whose members the specification does not define: `hashtags: [{text}]`,
 * `user_mentions: [{screen_name}]`, `urls: [{expanded_url}]`. Null if the list is missing.
 */
function pickTexts(
  entities: Plain | null,
  lists: readonly string[],
  members: readonly string[],
  read: (value: unknown) => string | null,
): string[] | null {
  const list = entities === null ? undefined : lists.map((name) => own(entities, name)).find(Array.isArray);
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

/** An ellipsis before an address at the end of a text. */
const SHORTENED = /…\s?(https?:\/\/\S{1,200})$/;
const MAX_ENDING = 250;

/**
 * Whether a text ends with an ellipsis and the address of its own post, as it is or behind t.co. A short address that
 * no entity mentions counts as its own.
 */
function endsShortened(text: string, id: string, entities: Plain | null): boolean {
  const address = SHORTENED.exec(text.slice(-MAX_ENDING).trimEnd())?.[1];
  if (address === undefined) return false;
  if (!address.startsWith('https://t.co/')) return readIdFromAddress(address) === id;
  if (listEntries(entities, 'media').some(({ url }) => url === address)) return false;
  const entry = listEntries(entities, 'urls').find(({ url }) => url === address);
  return entry === undefined || readIdFromAddress(entry.expanded_url) === id;
}
