/**
 * A feed as Atom or RSS. Texts and addresses in it are from strangers: characters that XML cannot contain are removed, text
 * is escaped where it becomes HTML, and only web addresses become links.
 */
import { VERSION } from '../../config/version.ts';
import { removeUnsafe } from '../../lib/text.ts';
import { FEED_TYPES, type FeedFormat } from './feed-types.ts';
import { generateAtomFeed, generateRssFeed } from 'feedsmith';

export type FeedDocument = {
  /** A URN: the same for the same content, wherever it is served. */
  id: string;
  title: string;
  /** The page with the same content. */
  page: string;
  /** Its own address; null if it contains a key, which readers that publish what they read would pass on. */
  self: string | null;
  updated: Date;
  entries: readonly FeedDocumentEntry[];
};

export type FeedDocumentEntry = {
  id: string;
  /** Plain text, as are author and categories. */
  title: string;
  author: string | null;
  categories: readonly string[];
  /** The address of the post or link; otherwise its page. */
  link: string;
  page: string;
  /** When it was found. */
  at: Date;
  /** HTML, in which everything from outside is escaped. */
  content: string;
};

/** How often readers should ask, in minutes: new items arrive with runs, most of which are an hour apart. */
const TTL_MINUTES = 15;
const PROGRAM = 'strandline';

/** @returns the whole document, UTF-8 */
export function writeFeed(format: FeedFormat, document: FeedDocument): string {
  return format === 'atom' ? writeAtom(document) : writeRss(document);
}

function writeAtom({ id, title, page, self, updated, entries }: FeedDocument): string {
  return generateAtomFeed({
    id,
    title: { value: toXmlText(title), type: 'text' },
    updated,
    // Entries without an author have this author.
    authors: [{ name: PROGRAM }],
    generator: { text: PROGRAM, version: VERSION },
    links: [
      { rel: 'alternate', type: 'text/html', href: page },
      ...(self === null ? [] : [{ rel: 'self', type: FEED_TYPES.atom, href: self }]),
    ],
    entries: entries.map((entry) => ({
      id: entry.id,
      title: { value: toXmlText(entry.title), type: 'text' },
      published: entry.at,
      updated: entry.at,
      ...(entry.author === null ? {} : { authors: [{ name: toXmlText(entry.author) }] }),
      categories: entry.categories.map((term) => ({ term: toXmlText(term) })),
      links: [
        { rel: 'alternate', href: entry.link },
        ...(entry.link === entry.page ? [] : [{ rel: 'related', type: 'text/html', href: entry.page }]),
      ],
      content: { value: toXmlText(entry.content), type: 'html' },
    })),
  });
}

function writeRss({ title, page, self, updated, entries }: FeedDocument): string {
  return generateRssFeed({
    title: toXmlText(title),
    link: page,
    description: toXmlText(title),
    lastBuildDate: updated,
    generator: `${PROGRAM} ${VERSION}`,
    ttl: TTL_MINUTES,
    ...(self === null ? {} : { atom: { links: [{ rel: 'self', type: FEED_TYPES.rss, href: self }] } }),
    items: entries.map((entry) => ({
      title: toXmlText(entry.title),
      link: entry.link,
      guid: { value: entry.id, isPermaLink: false },
      pubDate: entry.at,
      // The author of RSS is a mail address.
      ...(entry.author === null ? {} : { dc: { creators: [toXmlText(entry.author)] } }),
      categories: entry.categories.map((name) => ({ name: toXmlText(name) })),
      description: toXmlText(entry.content),
    })),
  });
}

/** All that XML 1.0 may contain; the flag `u` matches lone surrogates, too. */
const NOT_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** Text without characters that XML cannot contain, and without invisible ones. */
export function toXmlText(text: string): string {
  return removeUnsafe(text.toWellFormed()).replace(NOT_XML, '');
}
