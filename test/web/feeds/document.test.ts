/** The document of a feed, read by two parsers, with any text that a stranger may write. */
import { escapeHtml } from '../../../src/lib/text.ts';
import { array, assert, constantFrom, integer, oneof, property, string } from 'fast-check';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { parseAtomFeed, parseRssFeed } from 'feedsmith';
import { expect, test } from 'vitest';
import { type FeedDocument, toXmlText, writeFeed } from '../../../src/monitor/feeds/feed-document.ts';
import { FEED_FORMATS } from '../../../src/monitor/feeds/feed-types.ts';

const AT = new Date('2026-11-21T12:34:56.000Z');

function documentWith(texts: readonly string[], title = 'strandline: all'): FeedDocument {
  return {
    id: 'urn:uuid:00000000-0000-5000-8000-000000000000',
    title,
    page: 'http://127.0.0.1:8080/?a=1&b=2',
    self: null,
    updated: AT,
    entries: texts.map((text, n) => ({
      id: `urn:uuid:00000000-0000-5000-8000-${String(n).padStart(12, '0')}`,
      title: `t:${text}`,
      author: `@${text}`,
      categories: [`c:${text}`],
      link: `https://posts.example/${n}?a=1&b=2`,
      page: `http://127.0.0.1:8080/posts/${n}`,
      at: AT,
      content: `<p>${escapeHtml(text)}</p>`,
    })),
  };
}

/** Reads what a strict reader reads: elements in order, without any interpretation of their text. */
const parser = new XMLParser({
  ignoreAttributes: false,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  processEntities: { enabled: true, maxTotalExpansions: 1_000_000, maxExpandedLength: 10_000_000 },
});

type Read = { titles: string[]; authors: string[]; contents: string[]; ids: string[] };
const textOf = (node: unknown): string =>
  typeof node === 'object' && node !== null && '#text' in node ? String(node['#text']) : String(node);

function read(format: 'atom' | 'rss', xml: string): Read {
  expect(XMLValidator.validate(xml)).toBe(true);
  // The parser returns any; what is missing would be unequal below.
  type Node = Record<string, unknown>;
  const root = parser.parse(xml) as { feed?: Node; rss?: { channel: Node } };
  const list = format === 'atom' ? root.feed?.['entry'] : root.rss?.channel['item'];
  const entries = [list ?? []].flat() as Node[];
  const pick = (choose: (entry: Node) => unknown) => entries.map((entry) => textOf(choose(entry)));
  return format === 'atom'
    ? {
        ids: pick(({ id }) => id),
        titles: pick(({ title }) => title),
        authors: pick(({ author }) => (author as Node)['name']),
        contents: pick(({ content }) => content),
      }
    : {
        ids: pick(({ guid }) => guid),
        titles: pick(({ title }) => title),
        authors: pick((entry) => entry['dc:creator']),
        contents: pick(({ description }) => description),
      };
}

/** The library ends a text where only white space follows, and writes this entity as what it means, in text as well. */
const shown = (text: string) => toXmlText(text).trim().replaceAll('&apos;', "'");

function expectRead(format: 'atom' | 'rss', texts: readonly string[]): void {
  const document = documentWith(texts);
  const xml = writeFeed(format, document);
  expect(xml.isWellFormed()).toBe(true);
  expect(xml).not.toMatch(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u);
  const found = read(format, xml);
  expect(found.ids).toEqual(document.entries.map(({ id }) => id));
  expect(found.titles.map((title) => title.trim())).toEqual(texts.map((text) => shown(`t:${text}`)));
  expect(found.authors.map((name) => name.trim())).toEqual(texts.map((text) => shown(`@${text}`)));
  expect(found.contents.map((content) => content.trim())).toEqual(
    texts.map((text) => toXmlText(`<p>${escapeHtml(text)}</p>`)),
  );
  const own = format === 'atom' ? parseAtomFeed(xml).entries : parseRssFeed(xml).items;
  expect(own?.length ?? 0).toBe(texts.length);
}

const HOSTILE = [
  '<script>alert(1)</script>',
  ']]>',
  'a]]>b<![CDATA[c]]>',
  '<!-- comment -->',
  '&amp;&lt;&#x41;&unknown;',
  '"double" \'single\'',
  '\u0000\u0001\u000b\u001f\u007f\u0085',
  '\ud800 lone \udfff',
  '\ufffe\uffff',
  '\u202eright to left',
  'line\r\nline\rline\n',
  '🏴󠁧󠁢󠁥󠁮󠁧󠁿 👩‍👩‍👧‍👦 日本語 עברית',
  '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e "e">]>&e;',
  '  spaces  ',
  '1e5',
  '__proto__',
  '&apos;&#0;',
];

test.each(FEED_FORMATS)('%s of hostile texts is read by two parsers', (format) => {
  expectRead(format, HOSTILE);
  for (const text of HOSTILE) expectRead(format, [text]);
  expectRead(format, []);
});

test.each(FEED_FORMATS)('%s of any texts is read by two parsers', (format) => {
  const piece = oneof(
    string({ unit: 'binary', maxLength: 40 }),
    string({
      unit: integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
      maxLength: 40,
    }),
    constantFrom(...HOSTILE),
  );
  const text = array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));
  assert(
    property(array(text, { maxLength: 4 }), (texts) => expectRead(format, texts)),
    { numRuns: 300 },
  );
});

test('Atom and RSS have what readers need', () => {
  const atom = parseAtomFeed(
    writeFeed('atom', { ...documentWith(['x']), self: 'http://127.0.0.1/feed.atom' }),
  );
  expect(atom).toMatchObject({
    id: 'urn:uuid:00000000-0000-5000-8000-000000000000',
    updated: AT.toISOString(),
    authors: [{ name: 'strandline' }],
    links: [
      { rel: 'alternate', href: 'http://127.0.0.1:8080/?a=1&b=2' },
      { rel: 'self', href: 'http://127.0.0.1/feed.atom' },
    ],
    entries: [
      {
        title: { value: 't:x', type: 'text' },
        authors: [{ name: '@x' }],
        published: AT.toISOString(),
        updated: AT.toISOString(),
        content: { value: '<p>x</p>', type: 'html' },
        links: [
          { rel: 'alternate', href: 'https://posts.example/0?a=1&b=2' },
          { rel: 'related', href: 'http://127.0.0.1:8080/posts/0' },
        ],
      },
    ],
  });
  const rss = parseRssFeed(writeFeed('rss', documentWith(['x'])));
  expect(rss.items?.[0]).toMatchObject({
    title: 't:x',
    link: 'https://posts.example/0?a=1&b=2',
    guid: { value: 'urn:uuid:00000000-0000-5000-8000-000000000000', isPermaLink: false },
    pubDate: AT.toUTCString(),
    dc: { creators: ['@x'] },
  });
});
