/** Entries of RSS, RDF, Atom and JSON Feed as their members that count: addresses, titles, texts and times, best first. */

import {
  type AtomFeed,
  type JsonFeed,
  type MediaNs,
  parseAtomFeed,
  parseJsonFeed,
  parseRdfFeed,
  parseRssFeed,
  type RssFeed,
  type RdfFeed,
} from 'feedsmith';
import type { Plain } from '../../../lib/json-values.ts';
import type { FeedMarkup } from './feed-markup.ts';

/** Members that are missing are undefined or empty. */
export type RawEntry = {
  /** Resolve relative addresses; later ones are relative to earlier ones. */
  bases: readonly (string | undefined)[];
  links: readonly (string | undefined)[];
  titles: readonly RawText[];
  texts: readonly RawText[];
  times: readonly (string | undefined)[];
};
/** Of HTML, or plain text. */
export type RawText = { value: string | undefined; isPlain?: boolean };

/** A feed: what it is called, and its entries in the order of the document. */
export type RawFeed = { title: RawText; entries: RawEntry[] };

/** @throws if it is not well-formed or nested too deeply */
export function readXmlFeed({ xml, format, base }: Extract<FeedMarkup, { kind: 'feed' }>): RawFeed {
  if (format === 'atom') {
    const feed = parseAtomFeed(xml);
    return {
      title: toText(feed.title),
      entries: (feed.entries ?? []).map((entry) => readAtomEntry(entry, [feed.xml?.base])),
    };
  }
  const feed = format === 'rdf' ? parseRdfFeed(xml) : parseRssFeed(xml);
  return {
    title: { value: feed.title },
    entries: (feed.items ?? []).map((item) => readItem(item, [feed.xml?.base, base])),
  };
}

type Bases = RawEntry['bases'];

/** Members of both kinds, without those that only one of them has. */
type Item = RdfFeed.Item<string> &
  Pick<RssFeed.Item<string>, 'guid' | 'enclosures' | 'pubDate' | 'itunes' | 'prism'>;

function readItem(item: Item, bases: Bases): RawEntry {
  const { atom, dc, dcterms, media, guid, itunes, prism } = item;
  const links = sortLinks(atom?.links);
  return {
    bases: [...bases, item.xml?.base],
    links: [
      ...links.original,
      item.link,
      ...links.alternate,
      item.rdf?.about,
      ...(guid?.isPermaLink === false
        ? []
        : [onlyAbsolute(guid?.value), guid?.isPermaLink && onlyPath(guid.value)]),
      onlyAbsolute(atom?.id),
      ...(dc?.identifiers ?? []).map(onlyAbsolute),
      ...links.others,
      ...(item.enclosures ?? []).map(({ url }) => url),
      ...listMedia(media),
    ],
    titles: [
      { value: item.title },
      { value: media?.title?.value },
      ...groupTexts(media, 'title'),
      { value: dc?.titles?.[0] },
      { value: itunes?.title },
    ],
    texts: [
      { value: item.description },
      { value: atom?.summary?.value },
      { value: item.content?.encoded },
      { value: atom?.content?.value },
      { value: itunes?.summary },
      { value: media?.description?.value },
      ...groupTexts(media, 'description'),
      { value: dc?.descriptions?.[0] },
    ],
    times: [
      item.pubDate,
      atom?.published,
      ...(dc?.dates ?? []),
      ...(dcterms?.issued ?? []),
      ...(dcterms?.created ?? []),
      ...(prism?.publicationDates ?? []),
      atom?.updated,
      ...(dcterms?.modified ?? []),
    ],
  };
}

function readAtomEntry(entry: AtomFeed.Entry<string>, bases: Bases): RawEntry {
  const { dc, dcterms, media } = entry;
  const links = sortLinks(entry.links);
  return {
    bases: [...bases, entry.xml?.base],
    links: [
      ...links.original,
      ...links.alternate,
      onlyAbsolute(entry.id),
      ...links.others,
      entry.content?.src,
      ...listMedia(media),
    ],
    titles: [
      toText(entry.title),
      { value: media?.title?.value },
      ...groupTexts(media, 'title'),
      { value: dc?.titles?.[0] },
    ],
    texts: [
      toText(entry.summary),
      toText(entry.content),
      { value: entry.itunes?.summary },
      { value: media?.description?.value },
      ...groupTexts(media, 'description'),
    ],
    times: [
      entry.published,
      ...(dc?.dates ?? []),
      ...(dcterms?.issued ?? []),
      entry.updated,
      ...(dcterms?.modified ?? []),
    ],
  };
}

/** Text of Atom is HTML only if its type says so. */
function toText(text: AtomFeed.Text | AtomFeed.Content | undefined): RawText {
  return { value: text?.value, isPlain: !/html/i.test(text?.type ?? '') };
}

/** @param json with `items`, as a list, and whatever else */
export function readJsonEntries(json: Plain): RawEntry[] {
  // The parser accepts a feed only with the members that the format requires.
  const feed = { ...json, version: 'https://jsonfeed.org/version/1.1', title: 'feed' };
  return (parseJsonFeed(feed).items ?? []).map((item: JsonFeed.Item<string>) => ({
    bases: [],
    links: [
      item.url,
      item.external_url,
      onlyAbsolute(item.id),
      ...(item.attachments ?? []).map(({ url }) => url),
    ],
    titles: [{ value: item.title, isPlain: true }],
    texts: [
      { value: item.summary, isPlain: true },
      { value: item.content_text, isPlain: true },
      { value: item.content_html },
    ],
    times: [item.date_published, item.date_modified],
  }));
}

/** An identifier leads somewhere only if it is an address. */
function onlyAbsolute(id: string | undefined): string | undefined {
  return id !== undefined && /^https?:\/\//i.test(id) ? id : undefined;
}

/** An identifier that is said to be an address. */
function onlyPath(id: string | undefined): string | undefined {
  return id?.startsWith('/') === true ? id : undefined;
}

type Link = { href?: string; rel?: string; type?: string };
const REGISTERED_REL = /^https?:\/\/www\.iana\.org\/assignments\/relation\//;
/** Where else an entry may lead, best first: not to comments, licenses or neighbors. */
const OTHER_RELS = ['canonical', 'related', 'via', 'self', 'enclosure'];

/** Addresses by what they say of the entry; of several alternates, pages first. */
function sortLinks(links: readonly Link[] = []) {
  const relOf = ({ rel = '' }: Link) => rel.trim().toLowerCase().replace(REGISTERED_REL, '') || 'alternate';
  const withRel = (rel: string) => links.filter((link) => relOf(link) === rel);
  const isPage = ({ type = '' }: Link) => type === '' || /html/i.test(type);
  const alternates = withRel('alternate');
  const pages = [...alternates.filter(isPage), ...alternates.filter((link) => !isPage(link))];
  const addresses = (some: readonly Link[]) => some.map(({ href }) => href);
  return {
    original: addresses(withRel('original')),
    alternate: addresses(pages),
    others: addresses(OTHER_RELS.flatMap(withRel)),
  };
}

function listMedia(media: MediaNs.ItemOrFeed | undefined): (string | undefined)[] {
  const contents = [
    ...(media?.contents ?? []),
    ...(media?.groups ?? []).flatMap(({ contents: all }) => all ?? []),
  ];
  return [media?.player?.url, ...contents.map(({ url, player }) => url ?? player?.url)];
}

function groupTexts(media: MediaNs.ItemOrFeed | undefined, name: 'title' | 'description'): RawText[] {
  return (media?.groups ?? []).map((group) => ({ value: group[name]?.value }));
}
