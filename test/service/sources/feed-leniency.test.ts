import { describe, expect, test } from 'vitest';
import { identifyAddress } from '../../../src/model/links/link-identity.ts';
import { watchProcessor } from '../../processor.ts';
import { parseFeedDocument } from '../../../src/service/sources/feeds/feed-document.ts';

/** Documents that are no feeds by the letter, but that readers accept; and those that they must not accept. */

const LINK = 'https://news.example/1';
const item = (title: string, link = LINK) =>
  `<item><title>${title}</title><link>${link}</link><pubDate>Sat, 21 Nov 2026 10:00:00 GMT</pubDate></item>`;
const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>';
const bare = (items: string) => `<rss version="2.0"><channel><title>News</title>${items}</channel></rss>`;
const rss = (items: string) => `${DECLARATION}${bare(items)}`;
const TWO = item('First') + item('Second', '/2');

function parse(document: string | Uint8Array, contentType = 'application/xml') {
  return parseFeedDocument(Buffer.from(document), {
    address: 'https://news.example/feeds/all.xml',
    contentType,
  });
}

function read(...args: Parameters<typeof parse>) {
  const document = parse(...args);
  if (document.kind !== 'feed') throw new Error(`no feed: ${JSON.stringify(document)}`);
  return document.entries.map(({ title, link, publishedAt }) => [title, link, publishedAt]);
}

const AT = '2026-11-21T10:00:00.000Z';
const BOTH = [
  ['First', LINK, AT],
  ['Second', 'https://news.example/2', AT],
];

test.each<[string, string | Uint8Array, string?]>([
  ['a well-formed feed', rss(TWO)],
  ['empty lines before the declaration', `\r\n\n  ${rss(TWO)}`],
  ['a byte order mark', `\ufeff${rss(TWO)}`],
  ['a byte order mark and an empty line', `\ufeff\n${rss(TWO)}`],
  ['words before the declaration', `Warning: mysql_connect() in /srv/feed.php on line 9\n${rss(TWO)}`],
  ['markup before the declaration', `<br />\n<b>Warning</b>: no such file in /srv/x.php<br />${rss(TWO)}`],
  ['comments and instructions', `<!-- a > b --><?xml-stylesheet href="x.xsl"?>${bare(TWO)}<!-- cached -->`],
  ['scripts behind the end', `${rss(TWO)}<script>var a = "b";</script>`],
  ['a document type', `<!DOCTYPE rss PUBLIC "-//N//DTD RSS 0.91//EN" "https://x.example/a.dtd">${bare(TWO)}`],
  [
    'a document type whose entities are not used',
    `<!DOCTYPE rss [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>${bare(TWO)}`,
  ],
  ['the document type of HTML before a feed', `<!DOCTYPE html>\n${bare(TWO)}`],
  ['HTML as content type', rss(TWO), 'text/html; charset=utf-8'],
  ['words as content type', rss(TWO), 'text/plain'],
  ['no content type', rss(TWO), ''],
  ['the end of the document cut off', rss(TWO).slice(0, -'</channel></rss>'.length)],
  ['the last end tag cut off', rss(TWO).slice(0, -'</rss>'.length)],
  ['attributes without quotation marks', rss(TWO.replaceAll('<item>', '<item id=7 isNew>'))],
  ['five thousand attributes', rss(TWO.replace('<item>', `<item ${manyAttributes(5_000)}>`))],
  [
    'elements ninety levels deep',
    rss(TWO.replace('</item>', `${'<a>'.repeat(90)}${'</a>'.repeat(90)}</item>`)),
  ],
  ['no channel', `<rss version="2.0">${TWO}</rss>`],
  ['nothing but a channel', `<channel><title>News</title>${TWO}</channel>`],
  ['members without a text before others', rss(TWO.replaceAll('<item>', '<item><title/><link></link>'))],
  ['members in CDATA', rss(TWO.replace(/>(First|Second)</g, '><![CDATA[ $1 ]]><'))],
  [
    'white space around members',
    rss(TWO.replace(/<(link|title|pubDate)>/g, '<$1>\n\t ').replaceAll('</', ' \n</')),
  ],
])('%s', (_, document, contentType) => {
  expect(read(document, contentType)).toEqual(BOTH);
});

function manyAttributes(count: number): string {
  return Array.from({ length: count }, (_, i) => `a${i}="${i}"`).join(' ');
}

test.each([
  ['bare ampersands', 'Q & A: R&D &c', 'Q & A: R&D &c'],
  ['entities of HTML', 'caf&eacute;&nbsp;au lait &mdash; &hellip;', 'café au lait — …'],
  ['entities twice', 'Marks &amp;amp; Spencer &amp;#8217;s', 'Marks & Spencer ’s'],
  ['numbers of characters', 'caf&#233; &#x1F600;', 'café 😀'],
  ['control characters', 'a\u0000b\u0008c', 'ab c'],
  ['markup in a title', '&lt;b&gt;Bold&lt;/b&gt; and <i>more</i>', 'Bold and more'],
  ['a comparison', 'a &lt; b', 'a < b'],
  ['brackets that are no markup', 'I <3 you </3 < >', 'I <3 you </3 < >'],
  ['a section that was escaped', '&lt;![CDATA[Tom &amp; Ann]]&gt;', 'Tom & Ann'],
  ['a section within a section', '<![CDATA[One <![CDATA[two]]>', 'One two'],
  ['sections in pieces', '<![CDATA[Tom]]> &amp; <![CDATA[Ann & Co]]>', 'Tom & Ann & Co'],
  ['entities that nobody declared', 'one &unknown; two', 'one &unknown; two'],
])('a title with %s', (_, given, shown) => {
  expect(read(rss(item(given)))[0]?.[0]).toBe(shown);
});

describe('limits', () => {
  test.each([
    ['entities that grow', '<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">', '&b;'],
    ['a file of this machine', '<!ENTITY b SYSTEM "file:///etc/passwd">', '&b;'],
    ['an address', '<!ENTITY b SYSTEM "http://169.254.169.254/latest/meta-data">', '&b;'],
    ['parameters', '<!ENTITY % p "<!ENTITY b \'x\'>">%p;', '&b;'],
  ])('%s are refused, never expanded', (_, declarations, use) => {
    expect(parse(`<!DOCTYPE rss [${declarations}]>${bare(item(use))}`)).toMatchObject({
      kind: 'unreadable',
      why: expect.stringContaining('entities') as unknown,
    });
  });

  test.each(['author', 'AUTHOR', 'managingEditor', 'webMaster', 'x:author'])(
    'brackets without end in <%s> are read in the time of their length',
    (name) => {
      const member = (brackets: string) => `<${name}>${brackets}</${name}>`;
      for (const brackets of [
        '['.repeat(200_000),
        '[('.repeat(100_000),
        `<![CDATA[${'<('.repeat(100_000)}]]>`,
      ]) {
        const document = bare(TWO + member(brackets)).replace('</channel>', `${item('Third')}</channel>`);
        const computed = watchProcessor();
        expect(read(document).map(([title]) => title)).toEqual(['First', 'Second', 'Third']);
        expect(read(document.replace('</item>', `${member(brackets)}</item>`))).toHaveLength(3);
        // The parser alone takes a minute.
        expect(computed()).toBeLessThan(1_000);
      }
    },
  );

  test('elements two hundred levels deep are refused', () => {
    const deep = `${'<a>'.repeat(200)}${'</a>'.repeat(200)}`;
    expect(parse(rss(item('x') + deep))).toMatchObject({ kind: 'unreadable' });
  });
});

test('an entry whose address changes is another link, whatever its identifier: the address is the identity', () => {
  const withId = (link: string) =>
    item('The ferry is late', link).replace('</item>', '<guid isPermaLink="false">tag:7</guid></item>');
  const links = ['/late', '/late?utm_source=feed', '/the-ferry-is-late'].map(
    (link) => read(rss(withId(link)))[0]?.[1],
  );
  const identities = links.map((link) => identifyAddress(link ?? ''));
  expect(identities[1]).toEqual(identities[0]);
  expect(identities[2]).not.toEqual(identities[0]);
});

describe('JSON that is no feed by the letter', () => {
  const ITEMS = [
    { url: LINK, title: 'First', date_published: AT },
    { id: 2, url: '/2', title: 'Second', date_published: AT },
  ];
  const VERSION = 'https://jsonfeed.org/version/1.1';
  test.each<[string, unknown, string?]>([
    ['version 1.0', { version: 'https://jsonfeed.org/version/1', title: 'N', items: ITEMS }],
    ['a version with another address', { version: 'http://www.jsonfeed.org/version/1/', items: ITEMS }],
    ['no title', { version: VERSION, items: ITEMS }],
    ['no version', { title: 'N', items: ITEMS }],
    ['a version that is a number', { version: 1.1, items: ITEMS }],
    ['entries that are none', { version: VERSION, items: [null, 7, 'x', [], ...ITEMS] }],
    [
      'null members',
      { version: VERSION, items: ITEMS.map((each) => ({ ...each, summary: null, tags: {} })) },
    ],
    ['a mark', { version: VERSION, items: ITEMS }, '\ufeff'],
    ['a mark and an empty line', { version: VERSION, items: ITEMS }, '\ufeff\n '],
    ['an empty line and a mark', { version: VERSION, items: ITEMS }, ' \n\ufeff'],
  ])('%s', (_, json, before = '') => {
    const text = before + JSON.stringify(json);
    expect(read(text, 'application/json')).toEqual(BOTH);
    expect(read(Buffer.from(text, 'utf16le'))).toEqual(BOTH);
  });

  test('without entries it is an empty feed', () => {
    expect(read(JSON.stringify({ version: VERSION }))).toEqual([]);
    expect(read(JSON.stringify({ version: VERSION, items: null }))).toEqual([]);
  });

  test.each([
    { version: VERSION, items: { a: ITEMS[0] } },
    { version: VERSION, items: 'x' },
    { version: 'https://example.com/1', items: ITEMS },
    { items: [] },
    { items: [{ name: 'x' }] },
    {},
  ])('what is no feed: %j', (json) => {
    expect(parse(JSON.stringify(json))).toMatchObject({ kind: 'unreadable' });
  });
});
