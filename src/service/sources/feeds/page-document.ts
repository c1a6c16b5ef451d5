/**
 * Pages: the feeds that they name, and their text, for those who watch a page. Runs in the process of `feed-document.ts`.
 * Linear in the length of the page, however its elements are nested or left open.
 */

import { createHash } from 'node:crypto';
import { decodeHTML } from 'entities';
import { hasUnspacedScript } from '../../../model/relevance.ts';
import { parseUrl } from '../../../model/links/link.ts';
import { cleanLine, cleanText } from '../../../lib/text.ts';
import { isBoilerplate } from '../parse/boilerplate.ts';
import { HTML_COMMENT, toExcerpt, toPlainText, toTitleFromText } from '../parse/plain-text.ts';
import { toShownLink } from '../parse/provider-addresses.ts';
import type { FeedEntry } from './feed-orders.ts';

/** Pages name their feeds in the head. */
const MAX_HEAD_LENGTH = 300_000;
const MAX_FEED_LINKS = 5;
const LINK_ELEMENT = /<link\s[^<>]{1,2000}>/gi;
const BASE_ELEMENT = /<base\s[^<>]{1,2000}>/i;
const FEED_TYPE = /^application\/(?:rss\+xml|atom\+xml|feed\+json)$/i;

/** Addresses of `<link rel="alternate">` with the type of a feed, in order. */
export function findFeedLinks(html: string, address: string): string[] {
  const page = html.slice(0, MAX_HEAD_LENGTH).replace(HTML_COMMENT, ' ');
  const base = parseUrl(getAttribute(BASE_ELEMENT.exec(page)?.[0] ?? '', 'href'), address)?.href ?? address;
  const links = (page.match(LINK_ELEMENT) ?? []).flatMap((element) => {
    const isFeed =
      getAttribute(element, 'rel').toLowerCase().split(/\s+/).includes('alternate') &&
      FEED_TYPE.test(getAttribute(element, 'type'));
    const href = isFeed ? getAttribute(element, 'href') : '';
    const link = href === '' ? undefined : toShownLink(parseUrl(href, base)?.href ?? '');
    return link === undefined ? [] : [link];
  });
  return [...new Set(links)].slice(0, MAX_FEED_LINKS);
}

const ATTRIBUTE = /\s([a-z:-]{1,40})\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))/gi;

/** Decoded; empty if it is missing. */
function getAttribute(element: string, name: string): string {
  for (const [, attribute = '', ...values] of element.matchAll(ATTRIBUTE)) {
    if (attribute.toLowerCase() === name)
      return decodeHTML(values.find((value) => value !== undefined) ?? '').trim();
  }
  return '';
}

/** Texts of a page, from its start. */
const MAX_TEXTS = 500;
/** Shorter ones are labels: a date, a button, a name. */
const MIN_TEXT_LENGTH = 20;
const MIN_TEXT_LENGTH_UNSPACED = 8;
const MIN_TEXT_WORDS = 3;
/** A comment or declaration, or the beginning of a tag. */
const MARKUP = /<(?:(!--|!)|(\/?)([a-z][a-z\d-]{0,20})(?=[\s/>]))/;
const TITLE = /<title[^<>]{0,200}>([^<]{1,1000})/i;
/** Their content is no text, or no text of this page. */
export const SKIPPED_ELEMENTS: ReadonlySet<string> = new Set(
  'script style noscript template svg math head nav header footer aside form select button dialog iframe object canvas video audio'.split(
    ' ',
  ),
);
/** Within a line; all others end it. */
export const INLINE_ELEMENTS: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo cite code data del dfn em font i ins kbd label mark q s samp small span strike strong sub sup time tt u var wbr img'.split(
    ' ',
  ),
);

/** The title of a page as plain text; empty if it has none. */
export function findPageTitle(html: string): string {
  return toPlainText(TITLE.exec(html)?.[1] ?? '');
}

/** Each paragraph, heading or list item as an entry, in the order of the page; the same text once. */
export function readPageTexts(html: string, address: string): FeedEntry[] {
  const page = findPageTitle(html);
  const texts = new Set(splitBlocks(selectMain(html)).filter(isWorthWatching));
  return Array.from(texts)
    .slice(0, MAX_TEXTS)
    .map((text) => ({
      title: toTitleFromText(text),
      link: toTextLink(address, text),
      text: toExcerpt(text),
      publishedAt: null,
      page,
    }));
}

/** The content of `<main>`, if the page has it. */
function selectMain(html: string): string {
  const start = html.search(/<main[\s>]/i);
  if (start === -1) return html;
  const end = toLowerAscii(html).indexOf('</main', start);
  return html.slice(start, end === -1 ? undefined : end);
}

/** Each character keeps its place, unlike those of `toLowerCase`, where "İ" becomes two. */
function toLowerAscii(html: string): string {
  return html.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function isWorthWatching(text: string): boolean {
  if (isBoilerplate(text)) return false;
  if (hasUnspacedScript(text)) return text.length >= MIN_TEXT_LENGTH_UNSPACED;
  return text.length >= MIN_TEXT_LENGTH && text.split(' ').length >= MIN_TEXT_WORDS;
}

/** The lines of a page as it is shown. */
function splitBlocks(html: string): string[] {
  const lower = toLowerAscii(html);
  const unclosed = new Set<string>();
  /** Behind the end of an element; its start, if it is never closed. */
  const findEnd = (name: string, from: number): number => {
    const end = unclosed.has(name) ? -1 : lower.indexOf(name === '!--' ? '-->' : `</${name}`, from);
    if (end === -1) unclosed.add(name);
    return end === -1 ? from : end;
  };
  const pieces: string[] = [];
  // Line ends of the source are spaces.
  const add = (text: string) => pieces.push(text.replace(/\s+/g, ' '));
  const markup = new RegExp(MARKUP, 'gi');
  let at = 0;
  for (let match = markup.exec(html); match !== null; match = markup.exec(html)) {
    const [, declaration, slash, name = ''] = match;
    add(html.slice(at, match.index));
    const element = name.toLowerCase();
    at = findTagEnd(html, declaration === '!--' ? findEnd('!--', match.index) : match.index);
    if (slash === '' && SKIPPED_ELEMENTS.has(element)) at = findEnd(element, at);
    if (declaration === undefined && !INLINE_ELEMENTS.has(element)) pieces.push('\n');
    markup.lastIndex = at;
  }
  add(html.slice(at));
  return decodeHTML(pieces.join(''))
    .split('\n')
    .map((line) => cleanLine(cleanText(line)));
}

function findTagEnd(html: string, from: number): number {
  const end = html.indexOf('>', from);
  return end === -1 ? html.length : end + 1;
}

const MAX_WHOLE_FRAGMENT = 80;
const FRAGMENT_END = 40;

/**
 * The address of a text: its page with a text fragment, by which browsers find it, behind a name for this very text,
 * since the identity of a link contains fragments only if they begin like this.
 */
function toTextLink(address: string, text: string): string {
  const [page = ''] = address.split('#', 1);
  const id = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const ends = [
    cleanText(text, FRAGMENT_END).replace(/\s\S*$/, ''),
    text
      .slice(-FRAGMENT_END)
      .replace(/^[\udc00-\udfff]/, '')
      .replace(/^\S*\s/, ''),
  ];
  const range = (text.length <= MAX_WHOLE_FRAGMENT ? [text] : ends).map((part) =>
    encodeURIComponent(part).replace(
      /[-'()!*~]/g,
      (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
    ),
  );
  return `${page}#!${id}:~:text=${range.join(',')}`;
}
