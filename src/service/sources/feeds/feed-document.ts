/**
 * Parses RSS (0.91 to 2.0, and 1.0), Atom and JSON Feed; pages are parsed by `page-document.ts`. Runs in a child process
 * with bounded memory and time (`feed-parser.ts`). Entities that a document declares are never expanded.
 */

import { isPlain, tryParseJson } from '../../../domain/json-values.ts';
import { decodeXML } from 'entities';
import { XMLParser } from 'fast-xml-parser';
import { parseUrl } from '../../../domain/link.ts';
import { cleanLine, cleanText } from '../../../domain/text.ts';
import { toExcerpt, toPlainLines, toTitle, toTitleFromText } from '../parse/plain-text.ts';
import { toShownLink } from '../parse/provider-addresses.ts';
import { parsePublishedAt } from '../parse/published-at.ts';
import { removeSiteFooter } from './known-sites.ts';
import type { FeedDocument, FeedEntry, ParseOrder } from './feed-orders.ts';
import { findFeedLinks, readPageTexts } from './page-document.ts';

/** Further entries are ignored: feeds have ten to a hundred, newest first. */
const MAX_ENTRIES = 200;
const NEITHER: FeedDocument = { kind: 'unreadable', why: 'is neither a feed nor a page' };

/** What a document is, and what it contains. Never throws. */
export function parseFeedDocument(bytes: Uint8Array, order: ParseOrder): FeedDocument {
  const { address, contentType, isWatched } = order;
  const text = decodeBytes(bytes, contentType);
  if (text === undefined) return { kind: 'unreadable', why: 'has an unknown encoding' };
  if (text.trimStart().startsWith('{')) return parseJsonFeed(text, address);
  const root = findRoot(text);
  if (root === undefined) return NEITHER;
  if (root.declaresEntities) return { kind: 'unreadable', why: 'declares entities, which are not expanded' };
  if (/^(?:html|head|body|meta|link|title)$/i.test(root.name))
    return isWatched === true
      ? { kind: 'text', entries: readPageTexts(text, address) }
      : { kind: 'page', feeds: findFeedLinks(text, address) };
  return parseXmlFeed(text, address) ?? NEITHER;
}

// Characters.

const ENCODING_DECLARATION = /^<\?xml[^<>]{0,200}?\sencoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})["']/;

/** By byte order mark, header, XML declaration, or as UTF-8; undefined for unknown encodings. */
function decodeBytes(bytes: Uint8Array, contentType: string): string | undefined {
  const [first, second] = bytes;
  const start = Buffer.from(bytes.subarray(0, 400)).toString('latin1');
  const label =
    (first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)
      ? 'utf-16be'
      : (first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)
        ? 'utf-16le'
        : start.startsWith('\u00ef\u00bb\u00bf')
          ? 'utf-8'
          : (/charset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i.exec(contentType)?.[1] ??
            ENCODING_DECLARATION.exec(start)?.[1] ??
            'utf-8');
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return undefined;
  }
}

// XML.

/** The first element, behind declarations and comments; and whether the document type has declarations of its own. */
function findRoot(text: string): { name: string; declaresEntities: boolean } | undefined {
  let declaresEntities = false;
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at)) {
    const end = text.startsWith('<?', at) ? '?>' : text.startsWith('<!--', at) ? '-->' : '>';
    const close = text.indexOf(end, at);
    if (close === -1) return undefined;
    if (text[at + 1] !== '?' && text[at + 1] !== '!') {
      const name = /^<([a-z][\w:.-]{0,40})/i.exec(text.slice(at, at + 50))?.[1];
      return name === undefined ? undefined : { name, declaresEntities };
    }
    if (text.startsWith('<!DOCTYPE', at) && text.slice(at, close).includes('[')) declaresEntities = true;
    at = close;
  }
  return undefined;
}

/** Members that are text with or without markup: kept as they are written, in order. */
const TEXT_MEMBERS = [
  'title',
  'dc:title',
  'media:title',
  'description',
  'media:description',
  'summary',
  'itunes:summary',
  'content',
  'content:encoded',
];
const ATTRIBUTES = new Set(['href', 'rel', 'type', 'isPermaLink', 'xml:base', 'rdf:about']);
const LISTS = new Set(['item', 'entry', 'link']);

const parser = new XMLParser({
  ignoreAttributes: (name) => !ATTRIBUTES.has(name),
  attributeNamePrefix: '@',
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  stopNodes: TEXT_MEMBERS.map((name) => `*.${name}`),
  isArray: (name) => LISTS.has(name),
});

/** Undefined if it is no feed, not well-formed, or nested too deeply. */
function parseXmlFeed(xml: string, address: string): FeedDocument | undefined {
  let tree: unknown;
  try {
    tree = parser.parse(xml);
  } catch {
    return undefined;
  }
  const rss = getMember(tree, 'rss');
  const rdf = getMember(tree, 'rdf:RDF');
  const atom = getMember(tree, 'feed');
  const feed = rss === undefined ? (rdf ?? atom) : getMember(rss, 'channel');
  if (feed === undefined) return undefined;
  const items = isPlain(feed) ? (feed[atom === undefined ? 'item' : 'entry'] ?? []) : [];
  const base = resolveBase(feed, resolveBase(rss, address));
  return {
    kind: 'feed',
    entries: (Array.isArray(items) ? items : [])
      .slice(0, MAX_ENTRIES)
      .flatMap((item) => toEntry(item, resolveBase(item, base), atom !== undefined)),
  };
}

/** The first member of that name. */
function getMember(node: unknown, name: string): unknown {
  const member = isPlain(node) ? node[name] : undefined;
  return Array.isArray(member) ? member[0] : member;
}

/** As written: with entities, and CDATA sections if it is a text member. */
function getRawText(node: unknown): string {
  const text = isPlain(node) ? node['#text'] : node;
  return typeof text === 'string' ? text.trim() : '';
}

function resolveBase(node: unknown, base: string): string {
  const given = decodeXML(getRawText(getMember(node, '@xml:base')));
  return given === '' ? base : (parseUrl(given, base)?.href ?? base);
}

const TITLES = ['title', 'media:title', 'dc:title'];
const TEXTS = ['description', 'summary', 'content:encoded', 'content', 'itunes:summary', 'media:description'];
const TIMES = ['pubDate', 'published', 'dc:date', 'dcterms:issued', 'issued', 'updated', 'modified'];

/** An entry in an array; empty without a link. */
function toEntry(item: unknown, base: string, isAtom: boolean): FeedEntry[] {
  const link = findLink(item, base);
  if (link === undefined) return [];
  const pick = (names: readonly string[], convert: (markup: string) => string): string => {
    for (const name of names) {
      const node = getMember(item, name) ?? getMember(getMember(item, 'media:group'), name);
      const found = readText(node, isAtom && !name.includes(':'), convert);
      if (found !== '') return found;
    }
    return '';
  };
  const text = pick(TEXTS, (markup) => toExcerpt(removeSiteFooter(link, toPlainLines(markup))));
  const time = TIMES.map((name) => decodeXML(getRawText(getMember(item, name)))).find((raw) => raw !== '');
  return [
    {
      title: pick(TITLES, toTitle) || toFallbackTitle(text, link),
      link,
      text,
      publishedAt: parsePublishedAt(time)?.toISOString() ?? null,
    },
  ];
}

function toFallbackTitle(text: string, link: string): string {
  return toTitleFromText(cleanLine(text)) || new URL(link).hostname;
}

/**
 * @param isAtom text is HTML only if its type says so
 * @param convert from HTML
 */
function readText(node: unknown, isAtom: boolean, convert: (markup: string) => string): string {
  const raw = cleanText(getRawText(node));
  if (raw === '') return '';
  const type = getRawText(getMember(node, '@type'));
  if (isAtom && type === 'xhtml') return convert(raw);
  const text = decodeSections(raw);
  if (!isAtom || type.includes('html')) return convert(text);
  return toExcerpt(cleanLine(text));
}

/** Decodes text, except in CDATA sections, which have no entities of XML. */
function decodeSections(raw: string): string {
  const [before = '', ...sections] = raw.split('<![CDATA[');
  return sections.reduce((text, section) => {
    const end = section.indexOf(']]>');
    return end === -1 ? text + section : text + section.slice(0, end) + decodeXML(section.slice(end + 3));
  }, decodeXML(before));
}

/** Where an item leads: its own link, not those of comments or enclosures. */
function findLink(item: unknown, base: string): string | undefined {
  const links = isPlain(item) && Array.isArray(item['link']) ? item['link'] : [];
  const guid = getMember(item, 'guid');
  const isPermanent = getRawText(getMember(guid, '@isPermaLink')) !== 'false';
  const given = [
    getRawText(getMember(item, 'feedburner:origLink')),
    ...links.filter(isAlternate).map((link) => getRawText(getMember(link, '@href')) || getRawText(link)),
    getRawText(getMember(item, '@rdf:about')),
    isPermanent && /^https?:/i.test(getRawText(guid)) ? getRawText(guid) : '',
  ];
  for (const raw of given) {
    const url = raw === '' ? undefined : parseUrl(decodeXML(raw), base);
    const shown = url && toShownLink(url.href);
    if (shown !== undefined) return shown;
  }
  return undefined;
}

function isAlternate(link: unknown): boolean {
  const rel = getRawText(getMember(link, '@rel'));
  return rel === '' || rel === 'alternate';
}

// JSON Feed 1.0 and 1.1.

function parseJsonFeed(json: string, address: string): FeedDocument {
  const feed = tryParseJson(json);
  const version = getMember(feed, 'version');
  if (typeof version !== 'string' || !/^https?:\/\/jsonfeed\.org\/version\//.test(version)) return NEITHER;
  const items = isPlain(feed) && Array.isArray(feed['items']) ? feed['items'] : [];
  const read = (item: unknown, name: string) => cleanText(getRawText(getMember(item, name)));
  return {
    kind: 'feed',
    entries: items.slice(0, MAX_ENTRIES).flatMap((item) => {
      const given = read(item, 'url') || read(item, 'external_url');
      const link = toShownLink(parseUrl(given, address)?.href ?? '');
      if (given === '' || link === undefined) return [];
      const plain = cleanLine(read(item, 'summary') || read(item, 'content_text'));
      const text = toExcerpt(plain || toPlainLines(read(item, 'content_html')));
      const publishedAt = parsePublishedAt(read(item, 'date_published') || read(item, 'date_modified'));
      return [
        {
          title: toExcerpt(cleanLine(read(item, 'title')), 300) || toFallbackTitle(text, link),
          link,
          text,
          publishedAt: publishedAt?.toISOString() ?? null,
        },
      ];
    }),
  };
}
