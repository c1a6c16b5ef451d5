/**
 * Parses the links of a response: search results, and addresses elsewhere in it. See `model/links/link-identity.ts` for the
 * identity of links.
 */

import type { Cooperative } from '../../lib/cooperative.ts';
import type { Source } from '../../model/enumerations.ts';
import type { RejectCode } from '../../model/errors.ts';
import { isWebUrl, MAX_LINK_LENGTH, parseWebUrl } from '../../model/links/link.ts';
import { identifyLink, readIdentityHost } from '../../model/links/link-identity.ts';
import type { KeyList, LinkRef, ParsedKeyItem, ParsedLink, ParsedPost } from '../../model/parsed-results.ts';
import { cleanText } from '../../lib/text.ts';
import { TIME_PRECISIONS } from '../../lib/time.ts';
import { isPlain, own } from '../../lib/json-values.ts';
import type { Rejects } from './rejects-and-warnings.ts';
import type { Item, ItemOutcome } from './response-generations.ts';
import { type DatedTime, readTimeOrAge } from './timestamps.ts';
import { readBoolean, readNonEmptyText, readWord } from './wire-values.ts';

const MAX_SNIPPET = 10_000;
const MAX_TITLE = 2_000;
/** Maximum spellings per link. */
const MAX_ADDRESSES = 100;

type CollectedLink = Omit<ParsedLink, 'addresses'>;

/**
 * Collects the distinct links of a response.
 * @param receivedAt when the response was received, for relative times; without it, these are unknown
 */
export function createLinkCollector(rejects: Rejects, receivedAt?: Date) {
  const links = new Map<string, { link: CollectedLink; addresses: Set<string> }>();

  function place(link: CollectedLink): void {
    const before = links.get(link.canonical);
    const addresses = before?.addresses ?? new Set();
    if (addresses.size < MAX_ADDRESSES) addresses.add(link.address);
    links.set(link.canonical, {
      link: before === undefined ? link : mergeLinks(before.link, link),
      addresses,
    });
  }

  return {
    /**
     * Adds a search result of a group. Rejected as `refused` if its address is no web address, or as `unreadable` if it
     * is no search result (no object, no address).
     */
    addResult({ path, value }: Item, source: Source): ItemOutcome {
      if (!isPlain(value)) {
        rejects.add(path, 'not_an_object', value);
        return 'unreadable';
      }
      const member = isBlank(own(value, 'link')) && !isBlank(own(value, 'url')) ? 'url' : 'link';
      const { link, code } = parseLink(value[member]);
      if (link === undefined) {
        rejects.add(`${path}.${member}`, code, value[member] ?? value);
        return code === 'no_link' ? 'unreadable' : 'refused';
      }
      const published = [value.published_date, value.published_at, value.date]
        .map((time) => readTimeOrAge(time, receivedAt))
        .reduce(choosePrecise);
      place({
        ...link,
        source,
        title: readNonEmptyText(value.title, MAX_TITLE),
        snippet: readNonEmptyText(value.snippet, MAX_SNIPPET),
        summary_description:
          readNonEmptyText(value.summary_description, MAX_SNIPPET) ??
          readNonEmptyText(value.summary, MAX_SNIPPET),
        with_metadata: readBoolean(value.with_metadata),
        published_at: published?.at ?? null,
        published_precision: published?.precision ?? null,
        publisher: readWord(isPlain(value.source) ? value.source.name : value.source),
        highlights: readHighlights(value.highlights),
      });
      return 'read';
    },
    /** Adds an address outside the groups, with its source and title from elsewhere in the response. */
    addAddress(link: LinkRef, { source, title }: AddressMention) {
      const known = links.get(link.canonical);
      place({
        ...link,
        ...EMPTY_METADATA,
        source,
        // A result has its own title, or none.
        title: title === null || known !== undefined ? null : cleanText(title, MAX_TITLE),
      });
    },
    get size() {
      return links.size;
    },
    take: (): ParsedLink[] =>
      Array.from(links.values(), ({ link, addresses }) => ({ ...link, addresses: [...addresses] })),
  };
}

const EMPTY_METADATA = {
  snippet: null,
  summary_description: null,
  with_metadata: null,
  published_at: null,
  published_precision: null,
  publisher: null,
  highlights: null,
};

const MAX_HIGHLIGHTS = 50;

function readHighlights(list: unknown): string[] | null {
  if (!Array.isArray(list)) return null;
  return list.slice(0, MAX_HIGHLIGHTS).flatMap((text) => readNonEmptyText(text, MAX_SNIPPET) ?? []);
}

/**
 * The more precise of two times; of two relative times of equal precision, the earlier, which is closer. The save does the
 * same.
 */
function choosePrecise(before: DatedTime | null, later: DatedTime | null): DatedTime | null {
  if (before === null || later === null) return before ?? later;
  const [a, b] = [before, later].map(({ precision }) => TIME_PRECISIONS.indexOf(precision));
  if (a !== b) return a !== undefined && b !== undefined && a < b ? before : later;
  return before.precision === 'exact' || before.at <= later.at ? before : later;
}

function publishedOf({ published_at: at, published_precision: precision }: CollectedLink): DatedTime | null {
  return at === null || precision === null ? null : { at, precision };
}

/** Keeps the first copy, and fills its gaps from the later one. */
function mergeLinks(before: CollectedLink, later: CollectedLink): CollectedLink {
  const published = choosePrecise(publishedOf(before), publishedOf(later));
  return {
    ...before,
    title: before.title ?? later.title,
    snippet: before.snippet ?? later.snippet,
    summary_description: before.summary_description ?? later.summary_description,
    with_metadata: before.with_metadata ?? later.with_metadata,
    published_at: published?.at ?? null,
    published_precision: published?.precision ?? null,
    publisher: before.publisher ?? later.publisher,
    highlights: before.highlights ?? later.highlights,
  };
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

/** One link per identity, at the position of its first occurrence, with the spelling of the last. */
export function distinctLinks<T extends LinkRef>(links: readonly T[]): T[] {
  return [...new Map(links.map((link) => [link.canonical, link])).values()];
}

/** Parses a list of bare addresses to distinct references, in order; invalid ones become rejects. */
export function* parseLinkRefs(items: readonly Item[], rejects: Rejects): Cooperative<LinkRef[]> {
  const refs = new Map<string, LinkRef>();
  for (const { path, value } of items) {
    const { link, code } = parseLink(value);
    if (link === undefined) rejects.add(path, code, value);
    else if (!refs.has(link.canonical)) refs.set(link.canonical, link);
    yield;
  }
  return [...refs.values()];
}

type LinkResult =
  | { link: LinkRef; code?: undefined }
  | { link?: undefined; code: Extract<RejectCode, 'no_link' | 'bad_link' | 'link_too_long'> };

/** Parses an address to its identity and the host of that, or returns why it is invalid. */
export function parseLink(value: unknown): LinkResult {
  if (value === undefined || value === null) return { code: 'no_link' };
  if (typeof value !== 'string') return { code: 'bad_link' };
  const address = cleanText(value, MAX_LINK_LENGTH * 4).trim();
  if (address === '') return { code: 'no_link' };
  if (address.length > MAX_LINK_LENGTH) return { code: 'link_too_long' };
  const url = parseWebUrl(address);
  if (url === null) return { code: 'bad_link' };
  const canonical = identifyLink(url);
  if (canonical.length > MAX_LINK_LENGTH) return { code: 'link_too_long' };
  return { link: { canonical, address, site: readIdentityHost(canonical) } };
}

/** An address that can be displayed and followed: http or https, no credentials, not too long; otherwise null. */
export function readAddress(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_LINK_LENGTH) return null;
  const address = cleanText(value).trim();
  return isWebUrl(address) ? address : null;
}

/** What a response contains about an address outside its groups. */
type AddressMention = { source: Source; title: string | null };

/** The source of each key list; `key_sources` mixes several. */
const KEY_LIST_SOURCES: Partial<Record<KeyList, Source>> = {
  key_posts: 'discussion_board',
  key_microblog_posts: 'microblog',
  key_news: 'news_forum',
};

/** Sources that the key items of a completion come from. */
export function listKeyItemSources(keyItems: readonly ParsedKeyItem[]): Set<Source> {
  return new Set(keyItems.flatMap(({ list }) => KEY_LIST_SOURCES[list] ?? []));
}

/**
 * Indexes mentions by address. Operation A has no group for posts: their addresses are only among its links, and their
 * text among the key items of its completion. Addresses at the host of a known post count as posts, too.
 * @returns the mention of an address; `web` without a title if there is none
 */
export function* indexMentions(
  posts: readonly ParsedPost[],
  keyItems: readonly ParsedKeyItem[],
): Cooperative<(link: LinkRef) => AddressMention> {
  const mentions = new Map<string, AddressMention>();
  const hosts = new Set<string>();
  const add = ({ canonical, site }: LinkRef, source: Source | undefined, text: string) => {
    if (source === 'microblog') hosts.add(site);
    const before = mentions.get(canonical);
    mentions.set(canonical, {
      source: before === undefined || before.source === 'web' ? (source ?? 'web') : before.source,
      title: before?.title ?? (text === '' ? null : text),
    });
  };
  for (const { url, text } of posts) {
    const { link } = parseLink(url);
    if (link !== undefined) add(link, 'microblog', text);
    yield;
  }
  for (const { list, link, text } of keyItems) {
    if (link !== null) add(link, KEY_LIST_SOURCES[list], text);
  }
  return ({ canonical, site }) => {
    const { source, title } = mentions.get(canonical) ?? { source: 'web', title: null };
    return { source: source === 'web' && hosts.has(site) ? 'microblog' : source, title };
  };
}
