/**
 * Prepares the markup of a feed for a parser that accepts only well-formed documents: finds the feed among what stands
 * around it, removes the document type, and has it mended (`feed-mending.ts`). Linear in the length of the document.
 */

import { decodeHTML } from 'entities';
import {
  addChannel,
  type FeedFormat,
  findLastEndTag,
  mend,
  moveItems,
  readChannelBase,
  removeDefaultNamespace,
} from './feed-mending.ts';

export type FeedMarkup =
  /** `base`: the `xml:base` of a channel, which the parser does not return. */
  | { kind: 'feed'; format: FeedFormat; xml: string; base: string | undefined }
  | { kind: 'page' }
  | { kind: 'other' }
  | { kind: 'refused'; why: string };

const FORMATS: ReadonlyMap<string, FeedFormat> = new Map([
  ['rss', 'rss'],
  ['feed', 'atom'],
  ['rdf', 'rdf'],
  ['channel', 'rss'],
]);
const PAGE_ELEMENT = /^(?:html|head|body|meta|link|title)$/;
const NAME = /^<(?:([\w.-]{1,60}):)?([a-z][\w.-]{0,60})(?=[\s/>])/i;
/** How far words before a feed may reach: messages of the program that made it. */
const MAX_WORDS_BEFORE = 65_536;
const FEED_ELEMENT = /<(?:[\w.-]{1,60}:)?(?:rss|feed|rdf|channel)(?=[\s>])/gi;

/** What a document is, by its first element; of a feed, its markup as the parser accepts it. */
export function findFeedMarkup(text: string): FeedMarkup {
  const prolog = skipProlog(text);
  if (prolog === undefined) return { kind: 'other' };
  let at = prolog.end;
  let root = readRoot(text, at);
  if (PAGE_ELEMENT.test(root.name)) return { kind: 'page' };
  if (root.format === undefined) {
    const offset = text.slice(at, at + MAX_WORDS_BEFORE).search(FEED_ELEMENT);
    if (offset === -1) return { kind: 'other' };
    at += offset;
    root = readRoot(text, at);
  }
  const { format, prefix } = root;
  if (format === undefined) return { kind: 'other' };
  let usesDeclared = false;
  const mended = mapOutsideSections(cutEnd(text.slice(at), root.tag), (markup) => {
    usesDeclared ||= hasDeclaredEntity(markup, prolog.entities);
    return mend(markup, format, prefix);
  });
  if (usesDeclared) return { kind: 'refused', why: 'uses entities that it declares, which are not expanded' };
  const xml = format === 'rss' ? addChannel(removeDefaultNamespace(mended)) : moveItems(mended, format);
  return {
    kind: 'feed',
    format,
    xml: DETECTED[format] + xml,
    base: readChannelBase(xml.slice(0, MAX_WORDS_BEFORE)),
  };
}

/** The element at a place: its name in lower case without the prefix, the prefix, and both as they are written. */
function readRoot(text: string, at: number) {
  const [, prefix = '', name = ''] = NAME.exec(text.slice(at, at + 150)) ?? [];
  const format = FORMATS.get(name.toLowerCase());
  return { name: name.toLowerCase(), prefix, tag: prefix === '' ? name : `${prefix}:${name}`, format };
}

/**
 * The parser recognizes formats by these beginnings, but not with all prefixes. They stand in a comment, which it
 * ignores.
 */
const DETECTED: Readonly<Record<FeedFormat, string>> = {
  rss: '<!-- <rss > <channel > -->',
  atom: '<!-- <feed > <entry > -->',
  rdf: '<!-- <rdf > <channel > -->',
};

// What stands before the feed.

/** Up to the first element: declarations, comments, words, and a document type, whose entities are listed. */
function skipProlog(text: string): { end: number; entities: ReadonlySet<string> } | undefined {
  const entities = new Set<string>();
  let at = text.indexOf('<');
  while (at !== -1) {
    if (text.slice(at, at + DOCTYPE.length).toLowerCase() === DOCTYPE) {
      const end = findDoctypeEnd(text, at);
      if (end === undefined) return undefined;
      for (const [, name = ''] of text.slice(at, end).matchAll(/<!ENTITY\s+(?:%\s+)?([^\s"'<>%]{1,100})/g))
        entities.add(name);
      at = text.indexOf('<', end);
      continue;
    }
    const [start, close] = text.startsWith('<!--', at)
      ? [4, '-->']
      : text.startsWith('<?', at)
        ? [2, '?>']
        : [2, '>'];
    const isElement = /^<[a-z]/i.test(text.slice(at, at + 2));
    if (isElement) return { end: at, entities };
    const end = text.indexOf(close, at + start);
    if (end === -1) return undefined;
    at = text.indexOf('<', end);
  }
  return undefined;
}

const DOCTYPE = '<!doctype';
/** Those of HTML and of early RSS, the longest, are 8,000 characters with their entities. */
const MAX_DOCTYPE_LENGTH = 32_768;

/**
 * Behind a document type, whose declarations contain `>` and `]` in quotation marks and comments. A comment without an
 * end takes all that follows: looking for the end of each would take time that grows with the square of their number.
 */
function findDoctypeEnd(text: string, from: number): number | undefined {
  const declarations = text.slice(from + DOCTYPE.length, from + MAX_DOCTYPE_LENGTH);
  let depth = 0;
  for (const { 0: part, index } of declarations.matchAll(/<!--[\s\S]*?(?:-->|$)|"[^"]*"|'[^']*'|[[\]>]/g)) {
    if (part === '[') depth += 1;
    else if (part === ']') depth -= 1;
    else if (part === '>' && depth <= 0) return from + DOCTYPE.length + index + 1;
  }
  return undefined;
}

/** Whether it uses a declared entity. Those of HTML mean what they mean there, however they are declared. */
function hasDeclaredEntity(markup: string, declared: ReadonlySet<string>): boolean {
  if (declared.size === 0) return false;
  for (const [use, name = ''] of markup.matchAll(/&([^\s;&<>#]{1,100});/g))
    if (declared.has(name) && decodeHTML(use) === use) return true;
  return false;
}

// The feed itself.

/** Without what stands behind the feed; if its end is missing, up to its last entry that is whole. */
function cutEnd(xml: string, root: string): string {
  const end = findLastEndTag(xml, root);
  if (end !== -1) return `${xml.slice(0, end)}</${root}>`;
  let whole: string | undefined;
  for (const { 0: tag, index } of xml.matchAll(/<\/(?:[\w.-]{1,60}:)?(?:item|entry)\s{0,9}>/gi))
    whole = xml.slice(0, index + tag.length);
  if (whole === undefined) return xml;
  const channel = /<((?:[\w.-]{1,60}:)?channel)(?=[\s>])/i.exec(whole)?.[1];
  const isOpen = channel !== undefined && findLastEndTag(whole, channel) === -1;
  return `${whole}${isOpen ? `</${channel}>` : ''}</${root}>`;
}

const SECTION_START = '<![CDATA[';
const SECTION_END = ']]>';

/** Converts what is outside of CDATA sections. */
function mapOutsideSections(xml: string, convert: (markup: string) => string): string {
  const pieces: string[] = [];
  let at = 0;
  for (;;) {
    const start = xml.indexOf(SECTION_START, at);
    const end = start === -1 ? -1 : xml.indexOf(SECTION_END, start);
    if (end === -1) break;
    pieces.push(convert(xml.slice(at, start)), xml.slice(start, end + SECTION_END.length));
    at = end + SECTION_END.length;
  }
  pieces.push(convert(xml.slice(at)));
  return pieces.join('');
}
