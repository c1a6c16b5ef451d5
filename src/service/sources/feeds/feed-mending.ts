/**
 * Mends what readers of feeds accept and the parser does not: characters that are no markup, and members that stand in the
 * wrong place or under another name. Linear in the length of the document.
 */

import { decodeXML, escapeUTF8 } from 'entities';
import { parseUrl } from '../../../model/links/link.ts';

export type FeedFormat = 'rss' | 'atom' | 'rdf';

/** An ampersand that begins no entity. The parser would read `&copy=1` of an address as a character. */
const BARE_AMPERSAND = /&(?!(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});)/gi;
/** The address before that of a counting service, in a namespace that the parser does not know. */
const ORIGINAL_LINK = /<(\/?)[\w.-]{1,60}:origLink(?=[\s>])/gi;
const ORIGINAL_LINK_STARTS = [
  '<original:link xmlns:original="http://www.w3.org/2005/Atom" rel="original"',
  '</original:link',
] as const;

/** What begins and ends no element, as in `I <3 you`. */
const BARE_BRACKET = /<(?!\/?[\p{L}_:]|[!?])/gu;
/** Members without a text, which would hide others of the same name. */
const EMPTY_MEMBER =
  /<(link|title|guid|id|pubDate|published|updated|description)(?:\s*\/>|\s*>\s*<\/\1\s*>)/gi;
/** Members that we do not use, and for which the parser takes time quadratic in the number of their brackets. */
const PERSON = /<(\/?)(author|managingEditor|webMaster)(?=[\s/>])/gi;
/** A link of RSS with attributes: the whole element if it has no text, otherwise its start tag. */
const LINK_TAG = /<link(\s[^<>]{1,4000})>(?:\s*<\/link\s*>)?/gi;
const HREF = /(\s)(?:href|rdf:resource)(\s*=\s*)(?:"([^"]*)"|'([^']*)')/i;
/** Times under names that RSS does not have. */
const OTHER_TIME = /<(\/?)(date|published|issued|created|updated|modified|lastBuildDate)(?=[\s>])/gi;
const CREATED = /^(?:date|published|issued|created)$/i;

/** Mends markup outside of CDATA sections. @param prefix that of the root, which elements of RSS lose */
export function mend(markup: string, format: FeedFormat, prefix: string): string {
  const escaped = markup
    .replace(BARE_BRACKET, '&lt;')
    .replace(BARE_AMPERSAND, '&amp;')
    .replace(EMPTY_MEMBER, '')
    .replace(ORIGINAL_LINK, (_, slash: string) => ORIGINAL_LINK_STARTS[slash === '' ? 0 : 1]);
  if (format === 'atom') return escaped.replace(LINK_WITH_BASE, resolveLink);
  // The elements of RSS have no namespace, though some feeds have a prefix for them.
  const own =
    format === 'rdf' || prefix === ''
      ? escaped
      : escaped.replaceAll(`<${prefix}:`, '<').replaceAll(`</${prefix}:`, '</');
  return own
    .replace(PERSON, '<$1unread')
    .replace(LINK_TAG, readLinkAttribute)
    .replace(OTHER_TIME, (_, slash: string, name: string) => {
      const [member, namespace] = CREATED.test(name)
        ? ['created:date', 'http://purl.org/dc/elements/1.1/']
        : ['changed:modified', 'http://purl.org/dc/terms/'];
      const declaration = ` xmlns:${member.split(':', 1)[0]}="${namespace}"`;
      return `<${slash}${member}${slash === '' ? declaration : ''}`;
    });
}

/** A link with a base of its own, which the parser does not return. */
const LINK_WITH_BASE = /<(?:[\w.-]{1,60}:)?link\s(?=[^<>]{0,2000}xml:base)[^<>]{1,4000}>/gi;

function resolveLink(tag: string): string {
  const base = readBase(tag);
  return tag.replace(HREF, (whole, space: string, equals: string, double?: string, single?: string) => {
    const url = parseUrl(decodeXML(double ?? single ?? ''), base);
    return url === undefined ? whole : `${space}href${equals}"${escapeUTF8(url.href)}"`;
  });
}

/** An address in an attribute, where RSS has it as text: `<link href="…"/>`, `<link rdf:resource="…"/>`. */
function readLinkAttribute(tag: string, attributes: string): string {
  const [, , , double, single] = HREF.exec(attributes) ?? [];
  const href = double ?? single;
  const isWhole = tag.endsWith('/>') || /<\/link\s*>$/i.test(tag);
  if (href === undefined || !isWhole) return tag;
  return `<own:link xmlns:own="http://www.w3.org/2005/Atom" href="${href.replaceAll('"', '&quot;')}"/>`;
}

/** RSS without a channel around its items, or that is nothing but a channel. */
export function addChannel(xml: string): string {
  const root = /^<channel(?=[\s>])/i.test(xml);
  if (root) return `<rss version="2.0">${xml}</rss>`;
  const item = xml.search(/<item(?=[\s>])/i);
  const end = findLastEndTag(xml, 'rss');
  if (item === -1 || end === -1 || /<channel(?=[\s>])/i.test(xml)) return xml;
  return `${xml.slice(0, item)}<channel>${xml.slice(item, end)}</channel>${xml.slice(end)}`;
}

/** Items of RDF follow their channel; some feeds have them inside it. */
export function moveItems(xml: string, format: FeedFormat): string {
  if (format !== 'rdf') return xml;
  const item = xml.search(/<(?:[\w.-]{1,60}:)?item(?=[\s>])/i);
  const channel = /<((?:[\w.-]{1,60}:)?channel)(?=[\s>])/i.exec(xml.slice(0, item))?.[1];
  const end = channel === undefined ? -1 : findLastEndTag(xml, channel);
  if (channel === undefined || end < item) return xml;
  const close = `</${channel}>`;
  return `${xml.slice(0, item)}${close}${xml.slice(item, end)}${xml.slice(xml.indexOf('>', end) + 1)}`;
}

/** The elements of RSS have no namespace, though some feeds declare a namespace for them. */
export function removeDefaultNamespace(xml: string): string {
  const end = xml.indexOf('>');
  return xml.slice(0, end).replace(/\sxmlns\s*=\s*(?:"[^"]*"|'[^']*')/i, ' ') + xml.slice(end);
}

// The root.

const CHANNEL = /<(?:[\w.-]{1,60}:)?channel(\s[^<>]{1,2000})>/i;

/** @param head the beginning of a feed, up to its first items */
export function readChannelBase(head: string): string | undefined {
  return readBase(CHANNEL.exec(head)?.[1] ?? '');
}

function readBase(attributes: string): string | undefined {
  const [, double, single] = /\sxml:base\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(attributes) ?? [];
  const base = double ?? single;
  return base === undefined ? undefined : decodeXML(base);
}

export function findLastEndTag(xml: string, name: string): number {
  const tag = `</${name}`;
  let at = xml.lastIndexOf(tag);
  // `</feed` also begins `</feedburner:origLink>`.
  while (at > 0 && !/^[\s>]?$/.test(xml.slice(at + tag.length, at + tag.length + 1)))
    at = xml.lastIndexOf(tag, at - 1);
  return at;
}
