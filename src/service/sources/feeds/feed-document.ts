/**
 * Parses RSS (0.9 to 2.0), Atom and JSON Feed; pages are parsed by `page-document.ts`. Runs in a child process with
 * bounded memory and time (`feed-parser.ts`). The library `feedsmith` knows the formats and their namespaces; characters
 * (`document-encoding.ts`), mending (`feed-markup.ts`), times, plain text and limits are ours. Entities that a document
 * declares are never expanded.
 */

import { isPlain, own, tryParseJson } from '../../../lib/json-values.ts';
import { parseUrl } from '../../../model/links/link.ts';
import { cleanLine, cleanText } from '../../../lib/text.ts';
import { DAY } from '../../../lib/time.ts';
import {
  MAX_SNIPPET_LENGTH,
  MAX_TITLE_LENGTH,
  toExcerpt,
  toPlainLines,
  toTitle,
  toTitleFromText,
} from '../parse/plain-text.ts';
import { toShownLink } from '../parse/provider-addresses.ts';
import { parsePublishedAt } from '../parse/published-at.ts';
import { decodeDocument } from './document-encoding.ts';
import { type RawEntry, type RawFeed, type RawText, readJsonEntries, readXmlFeed } from './feed-entries.ts';
import { findFeedMarkup } from './feed-markup.ts';
import type { FeedDocument, FeedEntry, ParseOrder } from './feed-orders.ts';
import { removeSiteFooter } from './known-sites.ts';
import { findFeedLinks, findPageTitle, readPageTexts } from './page-document.ts';

/** Of a feed, the newest: feeds have ten to a hundred. */
const MAX_ENTRIES = 200;
const NEITHER: FeedDocument = { kind: 'unreadable', why: 'is neither a feed nor a page' };

/** What a document is, and what it contains. Never throws. */
export function parseFeedDocument(bytes: Uint8Array, order: ParseOrder): FeedDocument {
  const { address, contentType, isWatched } = order;
  const text = decodeDocument(bytes, contentType);
  if (text.trimStart().startsWith('{')) return parseJson(text.trim(), address);
  const markup = findFeedMarkup(text);
  switch (markup.kind) {
    case 'feed':
      try {
        return toDocument(readXmlFeed(markup), address);
      } catch {
        return NEITHER; // not well-formed, or nested too deeply
      }
    case 'page':
      return isWatched === true
        ? { kind: 'text', title: findPageTitle(text), entries: readPageTexts(text, address) }
        : { kind: 'page', title: findPageTitle(text), feeds: findFeedLinks(text, address) };
    case 'refused':
      return { kind: 'unreadable', why: markup.why };
    case 'other':
    default:
      return NEITHER;
  }
}

const JSON_FEED_VERSION = /^https?:\/\/(?:www\.)?jsonfeed\.org\/version\//;

/** A feed by its version; without a version, by entries with an address and a text. */
function parseJson(text: string, address: string): FeedDocument {
  const json = tryParseJson(text);
  if (!isPlain(json)) return NEITHER;
  const version = own(json, 'version');
  const items = own(json, 'items') ?? [];
  if (!Array.isArray(items)) return NEITHER;
  const isFeed = typeof version === 'string' ? JSON_FEED_VERSION.test(version) : items.some(isJsonEntry);
  if (!isFeed) return NEITHER;
  const title = own(json, 'title');
  const entries = readJsonEntries({ ...json, items });
  const named = { value: typeof title === 'string' ? title : undefined, isPlain: true };
  return toDocument({ title: named, entries }, address);
}

function isJsonEntry(item: unknown): boolean {
  if (!isPlain(item)) return false;
  const has = (...names: string[]) => names.some((name) => typeof own(item, name) === 'string');
  return has('url', 'external_url', 'id') && has('title', 'summary', 'content_text', 'content_html');
}

// Entries.

type ReadEntry = { raw: RawEntry; link: string | undefined; publishedAt: Date | undefined };

/** The newest entries with an address, in the order of the document. */
function toDocument({ title, entries: all }: RawFeed, address: string): FeedDocument {
  const read = all.map(
    (raw): ReadEntry => ({ raw, link: findLink(raw, address), publishedAt: findTime(raw) }),
  );
  const linked = read.filter(({ link }) => link !== undefined);
  const kept = linked.length > MAX_ENTRIES ? keepNewest(linked) : linked;
  const unlinked = read.filter(({ link }) => link === undefined);
  const undated = kept.filter(({ publishedAt }) => publishedAt === undefined);
  const unreadable = undated.filter(({ raw }) => raw.times.some((time) => time !== undefined));
  return {
    kind: 'feed',
    title: pickText([title], MAX_TITLE_LENGTH, toTitle),
    entries: kept.map(toEntry),
    unlinked: unlinked.slice(0, MAX_ENTRIES).map(toEntry),
    counts: {
      all: read.length,
      unlinked: unlinked.length,
      beyond: linked.length - kept.length,
      undated: undated.length - unreadable.length,
      unreadable: unreadable.length,
    },
  };
}

/**
 * The newest; of those without a time, which may be new as well, as many as half of the places from both ends of the
 * document.
 */
function keepNewest(linked: readonly ReadEntry[]): ReadEntry[] {
  const undated = linked.filter(({ publishedAt }) => publishedAt === undefined);
  const dated = linked
    .filter(({ publishedAt }) => publishedAt !== undefined)
    .sort((a, b) => (b.publishedAt?.getTime() ?? 0) - (a.publishedAt?.getTime() ?? 0));
  const places = Math.min(undated.length, Math.max(MAX_ENTRIES / 2, MAX_ENTRIES - dated.length));
  const kept = new Set([
    ...undated.slice(0, Math.ceil(places / 2)),
    ...undated.slice(undated.length - Math.floor(places / 2)),
    ...dated.slice(0, MAX_ENTRIES - places),
  ]);
  return linked.filter((entry) => kept.has(entry));
}

/** The first address that can be displayed. */
function findLink({ bases, links }: RawEntry, address: string): string | undefined {
  const base = bases.reduce<string>((at, next) => parseUrl(next ?? '', at)?.href ?? at, address);
  for (const href of links) {
    const whole = href?.replace(/^www\.(?=[\w-]{1,63}\.)/i, 'https://www.');
    const url = whole === undefined || whole === '' ? undefined : parseUrl(whole, base);
    const shown = url && toShownLink(url.href);
    if (shown !== undefined) return shown;
  }
  return undefined;
}

/** The first time that can be read: a broken time does not hide a later time. */
function findTime({ times }: RawEntry): Date | undefined {
  for (const time of times) {
    const at = parsePublishedAt(time);
    // The first day of 1970 stands for a time that a program did not know.
    if (at !== undefined && Math.abs(at.getTime()) > DAY) return at;
  }
  return undefined;
}

function toEntry({ raw, link = '', publishedAt }: ReadEntry): FeedEntry {
  const text = pickText(raw.texts, MAX_SNIPPET_LENGTH, (markup) =>
    toExcerpt(removeSiteFooter(link, toPlainLines(markup))),
  );
  const title = pickText(raw.titles, MAX_TITLE_LENGTH, toTitle);
  return {
    title: title || toTitleFromText(cleanLine(text)) || (parseUrl(link)?.hostname ?? ''),
    link,
    text,
    publishedAt: publishedAt?.toISOString() ?? null,
  };
}

/** The first text that is not empty, as plain text. @param convert from HTML */
function pickText(texts: readonly RawText[], max: number, convert: (markup: string) => string): string {
  for (const { value = '', isPlain: asIs } of texts) {
    // Some programs escape a section as if it were text.
    const raw = cleanText(value.replace(/<!\[CDATA\[|\]\]>/g, ''));
    const excerpt = asIs === true ? toExcerpt(cleanLine(raw), max) : convert(raw);
    if (excerpt !== '') return excerpt;
  }
  return '';
}
