import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { removeSiteFooter } from '../../../src/service/sources/feeds/known-sites.ts';
import { toCitableLink } from '../../../src/service/citable-link.ts';
import { identifyAddress } from '../../../src/model/links/link-identity.ts';
import { toShownLink } from '../../../src/service/sources/parse/provider-addresses.ts';
import { parseFeedDocument } from '../../../src/service/sources/feeds/feed-document.ts';

const ADDRESS = 'https://news.example/feeds/all.xml';

function parse(text: string | Uint8Array, contentType = 'application/xml') {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  return parseFeedDocument(bytes, { address: ADDRESS, contentType });
}

function entries(...args: Parameters<typeof parse>) {
  const document = parse(...args);
  if (document.kind !== 'feed') throw new Error(`no feed: ${JSON.stringify(document)}`);
  return document.entries;
}

const sample = (name: string) => readFileSync(new URL(`samples/${name}`, import.meta.url));
const rss = (item: string, more = '') =>
  `<?xml version="1.0"?>${more}<rss version="2.0"><channel><title>News</title>${item}</channel></rss>`;
const item = (members: string) => rss(`<item>${members}</item>`);
const atom = (members: string, attributes = '') =>
  `<feed xmlns="http://www.w3.org/2005/Atom"${attributes}><entry>${members}</entry></feed>`;
const LINK = '<link>https://news.example/a</link>';

describe('recorded feeds', () => {
  test('RSS 2.0', () => {
    expect(entries(sample('feed.rss2.xml'))).toEqual([
      {
        title: 'Gun-smuggling case puts spotlight on library straddling US-Canada border',
        link: 'https://www.theguardian.com/world/2018/jan/31/canada-border-library-gun-smuggling-case',
        text: 'A cross-border meeting place for divided families was the site of a plot to bring dozens of firearms from Vermont to Quebec\nContinue reading...',
        publishedAt: '2018-01-31T12:14:52.000Z',
      },
      {
        title: 'UN urged to launch global effort to end offshore tax evasion',
        link: 'https://www.theguardian.com/business/2018/jan/30/un-urged-to-launch-global-effort-to-end-offshore-tax-evasion',
        text: 'Campaign group launches financial secrecy index and warns UK is still protecting overseas territories',
        publishedAt: '2018-01-30T17:00:03.000Z',
      },
    ]);
  });

  test('RSS 1.0', () => {
    expect(entries(sample('feed.rss1.xml'))).toEqual([
      {
        title: 'Wing Chun Kung Fu (Tacoma)',
        link: 'http://seattle.craigslist.org/tac/act/5332800255.html',
        text: expect.stringMatching(/^I am accepting new students .* All \[\.\.\.\]$/s) as unknown,
        publishedAt: '2015-12-19T09:52:40.000Z',
      },
    ]);
  });

  test('of a subreddit: the text without what Reddit adds to it', () => {
    expect(entries(sample('feed.reddit.xml'))).toEqual([
      {
        title: 'AI max+ 395 128gb vs 5090 for beginner with ~$2k budget?',
        link: 'https://old.reddit.com/r/LocalLLaMA/comments/1nunlls/ai_max_395_128gb_vs_5090_for_beginner_with_2k/',
        text: expect.stringMatching(/^I’m just delving into .* or 5090 for stability\?$/s) as unknown,
        publishedAt: '2025-09-30T20:03:09.000Z',
      },
      {
        title: 'Qwen3-VL Instruct vs Thinking',
        link: 'https://old.reddit.com/r/LocalLLaMA/comments/1nuhgxw/qwen3vl_instruct_vs_thinking/',
        text: expect.stringMatching(
          /^I am working in Vision-Language Models .* for text-only LLMs\.$/,
        ) as unknown,
        publishedAt: '2025-09-30T16:13:33.000Z',
      },
    ]);
  });

  test('of a Bluesky profile: the text without what Bluesky adds to it, which has no title', () => {
    expect(entries(sample('feed.bluesky.xml'))).toEqual([
      {
        title: 'But the Starlink hardware must be somehow acquired …',
        link: 'https://bsky.app/profile/ada.example/post/3mcfiov2e7k2r',
        text: 'But the Starlink hardware must be somehow acquired …',
        publishedAt: '2026-01-14T16:33:00.000Z',
      },
    ]);
  });

  test('of a YouTube channel: the description of the video', () => {
    expect(entries(sample('feed.youtube.xml'))).toEqual([
      {
        title: 'Call of Duty: Black Ops 6 PS5 Pro Upgrades Tested + Tech Deep Dive!',
        link: 'https://www.youtube.com/watch?v=U-AfiD2NgYg',
        text: expect.stringMatching(/^Today we have the lowdown .* IW Poland\.$/s) as unknown,
        publishedAt: '2024-12-30T14:57:28.000Z',
      },
    ]);
  });

  test.each([
    ['submitted by /u/a [link] [comments]', ''],
    ['It turned.  submitted by   /u/a to r/tides  [link]   [9 comments]', 'It turned.'],
    ['A plan submitted by the council', 'A plan submitted by the council'],
    ['submitted by /u/a [link] [comments] and more', 'submitted by /u/a [link] [comments] and more'],
  ])('the footer of Reddit in %j', (text, rest) => {
    expect(removeSiteFooter('https://www.reddit.com/r/tides/comments/1/x/', text)).toBe(rest);
    expect(removeSiteFooter('https://news.example/', text)).toBe(text);
  });

  test('Atom: published, not updated; entities of HTML decoded once', () => {
    const [first, second] = entries(sample('feed.atom.xml'));
    expect(first).toMatchObject({
      title: 'Java-Anwendungsserver: Red Hat gibt WildFly 10 frei',
      link: expect.stringMatching(/WildFly-10-frei-3088438\.html\?wt_mc=rss/) as unknown,
      text: expect.stringMatching(/^Die nun verfügbare Version 10 /) as unknown,
      publishedAt: '2016-02-01T16:22:00.000Z',
    });
    expect(second?.text).toContain('der gleichen "Klasse" arbeitet');
  });
});

describe('members', () => {
  test.each<[string, string, object]>([
    [
      'a missing title is the start of the text',
      item(`${LINK}<description>Only words</description>`),
      { title: 'Only words' },
    ],
    ['without text, it is the host', item(LINK), { title: 'news.example', text: '' }],
    ['a missing time is null', item(LINK), { publishedAt: null }],
    ['an invalid time is null', item(`${LINK}<pubDate>yesterday</pubDate>`), { publishedAt: null }],
    [
      'a day that does not exist is null',
      item(`${LINK}<pubDate>Tue, 31 Feb 2026 08:00:00 GMT</pubDate>`),
      { publishedAt: null },
    ],
    [
      'a zone by name',
      item(`${LINK}<pubDate>Sat, 5 Sep 26 9:05 EST</pubDate>`),
      { publishedAt: '2026-09-05T14:05:00.000Z' },
    ],
    [
      'an unknown zone is null',
      item(`${LINK}<pubDate>Sat, 05 Sep 2026 09:05:00 XYZ</pubDate>`),
      { publishedAt: null },
    ],
    ['a relative link', item('<link>/b?x=1&amp;y=2</link>'), { link: 'https://news.example/b?x=1&y=2' }],
    [
      'a permanent guid is a link',
      item('<guid>https://news.example/g</guid>'),
      { link: 'https://news.example/g' },
    ],
    [
      'the address before a counting service',
      item(`${LINK}<feedburner:origLink>https://o.example/</feedburner:origLink>`),
      { link: 'https://o.example/' },
    ],
    [
      'HTML in CDATA, whose end tags end nothing',
      item(
        `${LINK}<description><![CDATA[<p>A &amp; B</description> <b>C</b></p>]]> &lt;i&gt;D&lt;/i&gt;</description>`,
      ),
      { text: 'A & B</description> C\nD' },
    ],
    [
      'markup that is not escaped',
      item(`${LINK}<description>a < b & <b>c</b></description>`),
      { text: 'a < b & c' },
    ],
    [
      'the full text where there is no description',
      item(`${LINK}<content:encoded><![CDATA[<h1>H</h1>text]]></content:encoded>`),
      { text: 'H\ntext' },
    ],
    [
      'Atom text is no HTML',
      atom('<title>Use of &lt;b&gt;</title><link href="https://a.example/"/>'),
      { title: 'Use of <b>' },
    ],
    [
      'Atom XHTML keeps its order',
      atom('<title type="xhtml"><div>One <b>two</b> three</div></title><link href="https://a.example/"/>'),
      { title: 'One two three' },
    ],
    [
      'the alternate link of Atom',
      atom(
        '<link rel="self" href="/s"/><link rel="replies" href="/r"/><link href="x"/>',
        ' xml:base="https://b.example/y/"',
      ),
      { link: 'https://b.example/y/x' },
    ],
    [
      'the description of media',
      atom(
        '<link href="/v"/><media:group><media:title>T</media:title><media:description>D</media:description></media:group>',
      ),
      { title: 'T', text: 'D' },
    ],
    [
      'updated, if it was never published',
      atom('<link href="/v"/><updated>2026-11-20T10:00:00+01:00</updated>'),
      { publishedAt: '2026-11-20T09:00:00.000Z' },
    ],
    [
      'control characters and bidirectional marks are removed',
      item(`${LINK}<title>a\u202eb\u0007c</title>`),
      { title: 'ab c' },
    ],
  ])('%s', (_, xml, expected) => {
    expect(entries(xml)).toEqual([expect.objectContaining(expected)]);
  });

  test.each([
    item('<title>no link</title>'),
    item('<link>javascript:alert(1)</link>'),
    item('<link>https://user:secret@news.example/</link>'),
    item('<guid isPermaLink="false">https://news.example/g</guid>'),
    item(`<link>https://news.example/${'x'.repeat(3_000)}</link>`),
    rss(''),
  ])('items that lead nowhere are dropped: %#', (xml) => {
    expect(entries(xml)).toEqual([]);
  });

  test('JSON Feed', () => {
    const feed = {
      version: 'https://jsonfeed.org/version/1.1',
      items: [
        { url: '/1', title: 'One', content_html: '<p>a &amp; b</p>', date_published: '2026-11-20T10:00:00Z' },
        { external_url: 'https://o.example/', content_text: 'a < b' },
        { title: 'no link' },
        7,
      ],
    };
    expect(entries(JSON.stringify(feed))).toEqual([
      {
        title: 'One',
        link: 'https://news.example/1',
        text: 'a & b',
        publishedAt: '2026-11-20T10:00:00.000Z',
      },
      { title: 'a < b', link: 'https://o.example/', text: 'a < b', publishedAt: null },
    ]);
    expect(parse('{"items": []}')).toMatchObject({ kind: 'unreadable' });
    expect(parse('{')).toMatchObject({ kind: 'unreadable' });
  });
});

describe('encodings', () => {
  const xml = (encoding: string) =>
    `<?xml version="1.0" encoding="${encoding}"?>${item(`${LINK}<title>Größe</title>`).slice(21)}`;
  const utf16 = (text: string, littleEndian: boolean) => {
    const bytes = Buffer.from(text, 'utf16le');
    return littleEndian ? bytes : bytes.swap16();
  };
  test.each<[string, Uint8Array, string]>([
    ['UTF-8', Buffer.from(xml('utf-8')), ''],
    ['declared Latin 1', Buffer.from(xml('ISO-8859-1'), 'latin1'), ''],
    ['Latin 1 by header, which wins', Buffer.from(xml('utf-8'), 'latin1'), 'text/xml; charset="iso-8859-1"'],
    ['UTF-16 with a byte order mark', utf16(`\ufeff${xml('utf-16')}`, true), ''],
    ['UTF-16, big-endian', utf16(`\ufeff${xml('utf-16')}`, false), ''],
    ['UTF-16 without a byte order mark', utf16(xml('utf-16'), true), ''],
  ])('%s', (_, bytes, contentType) => {
    expect(entries(bytes, contentType)[0]?.title).toBe('Größe');
  });

  test('an unknown or wrong one is refuted by the characters', () => {
    expect(entries(Buffer.from(xml('utf-8'), 'latin1'), '')[0]?.title).toBe('Größe');
    expect(entries(xml('x-unknown'), '')[0]?.title).toBe('Größe');
  });
});

describe('hostile documents', () => {
  const entity = (n: number) => `<!ENTITY e${n} "${`&e${n - 1};`.repeat(10)}">`;
  const bomb = `<!DOCTYPE rss [<!ENTITY e0 "ha">${Array.from({ length: 9 }, (_, i) => entity(i + 1)).join('')}]>`;
  test.each<[string, string, string]>([
    [
      'entities that grow',
      rss(`<item>${LINK}<title>&e9;</title></item>`, bomb),
      'uses entities that it declares, which are not expanded',
    ],
    [
      'an external entity',
      rss(
        `<item>${LINK}<title>&x;</title></item>`,
        '<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
      ),
      'uses entities that it declares, which are not expanded',
    ],
    ['nesting without end', rss('<a>'.repeat(100_000)), 'is neither a feed nor a page'],
    ['brackets only', `<rss><channel>${'<'.repeat(100_000)}`, 'is neither a feed nor a page'],
    ['names of JavaScript', rss('<constructor>x</constructor>'), 'is neither a feed nor a page'],
    ['another XML document', '<opml version="2.0"/>', 'is neither a feed nor a page'],
    ['a comment without end', `<!--${'<rss>'.repeat(100)}`, 'is neither a feed nor a page'],
    ['nothing', '', 'is neither a feed nor a page'],
    ['words', 'hello', 'is neither a feed nor a page'],
  ])('%s', (_, xml, why) => {
    expect(parse(xml)).toEqual({ kind: 'unreadable', why });
  });

  test('a document type without declarations, entities without a declaration, and large attributes are harmless', () => {
    const old = rss(
      `<item x="${'y'.repeat(1_000_000)}">${LINK}<title>&e9; a</title></item>`,
      '<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "https://my.netscape.com/rss-0.91.dtd">',
    );
    expect(entries(old)[0]?.title).toBe('&e9; a');
  });

  test('of a long feed 200 entries are read, and of each an excerpt', () => {
    const long = rss(`<item>${LINK}<description>${'word '.repeat(1_000)}</description></item>`.repeat(300));
    const found = entries(long);
    expect(found).toHaveLength(200);
    expect(found[0]?.text.length).toBeLessThanOrEqual(500);
  });
});

describe('pages', () => {
  test('name their feeds', () => {
    const page = `<!doctype html><html><head><title>News &amp; more</title><base href="https://www.news.example/x/">
      <!-- <link rel="alternate" type="application/rss+xml" href="/commented"> -->
      <link rel="stylesheet" href="/style.css"><link rel="alternate" hreflang="de" href="/de">
      <LINK REL='alternate home' TYPE='application/rss+xml' TITLE="a > b" HREF='feed?a=1&amp;b=2'>
      <link href=/atom.xml rel=alternate type=application/atom+xml>
      <link rel="alternate" type="application/rss+xml" href="javascript:alert(1)"></head>`;
    expect(parse(page, 'text/html')).toEqual({
      kind: 'page',
      title: 'News & more',
      feeds: ['https://www.news.example/atom.xml'],
    });
    expect(parse(page.replace('a > b', 'a b'), 'text/html')).toEqual({
      kind: 'page',
      title: 'News & more',
      feeds: ['https://www.news.example/x/feed?a=1&b=2', 'https://www.news.example/atom.xml'],
    });
  });

  test('without feeds, and hostile ones', () => {
    expect(parse('<html><body>Not found</body></html>')).toEqual({ kind: 'page', title: '', feeds: [] });
    expect(parse(`<html>${'<!--'.repeat(100_000)}`)).toEqual({ kind: 'page', title: '', feeds: [] });
    expect(parse(`<html>${'<link '.repeat(100_000)}`)).toEqual({ kind: 'page', title: '', feeds: [] });
    expect(parse(`<html>${`<link ${'a='.repeat(900)}>`.repeat(150)}`)).toEqual({
      kind: 'page',
      title: '',
      feeds: [],
    });
  });
});

describe('the text of a watched page', () => {
  const texts = (page: string | Uint8Array, address = 'https://city.example/notices?page=1#top') => {
    const bytes = Buffer.from(page);
    const document = parseFeedDocument(bytes, { address, contentType: 'text/html', isWatched: true });
    if (document.kind !== 'text') throw new Error(`it is ${document.kind}`);
    return document.entries;
  };

  test('is that of a recorded page, without menus, footers, lists of other pages and labels', () => {
    const found = texts(sample('page.html'), 'https://blog.nightly.mozilla.org/2020/12/18/issue-85/');
    expect(found.map(({ text }) => text)).toEqual([
      'Here’s our Firefox Year in Review!',
      'Here’s our Performance Year in Review!',
      expect.stringMatching(/^We’ve just landed Bug 1553982, which aims to prevent .* running \(/),
      'Users who run multiple user profiles concurrently will probably see this less!',
      expect.stringMatching(/^Also just about to land is Bug 353804, which provides some support/),
      'Thanks to ada, users can now import logins from Keepass(XC) into Firefox',
      expect.stringMatching(/^From Firefox 85 it’s now possible .* in Search Preferences\. That will both/),
      expect.stringMatching(/^From Firefox 85 it’s also possible .* under Privacy & Security/),
      'Firefox now supports printing non-contiguous page ranges (e.g. 1-3, 6, 7) – Bug 499640',
      'DevTools and Marionette are now fully Fission compatible! Congratulations to those teams!',
      expect.stringMatching(/^Reminder: Nightly users can help us test Fission/),
    ]);
    expect(found[0]).toEqual({
      title: 'Here’s our Firefox Year in Review!',
      link: expect.stringMatching(
        /^https:\/\/blog\.nightly\.mozilla\.org\/2020\/12\/18\/issue-85\/#![\da-f]{12}:~:text=Here%E2%80%99s%20our%20Firefox%20Year%20in%20Review%21$/,
      ),
      text: 'Here’s our Firefox Year in Review!',
      publishedAt: null,
      page: 'These Weeks in Firefox: Issue 85 – Firefox Nightly News',
    });
  });

  test('has a link for each, which is a link of its own, and which browsers scroll to', () => {
    const long = 'The ferry to the island, and back, leaves at noon from pier four';
    const [first, second, japanese] = texts(
      `<html><p>${long} on weekdays in winter - except Monday.<p>${long} on Sundays in winter - except Monday.<p>${'港のお知らせです。'.repeat(30)}`,
    );
    expect(first?.link).toMatch(
      /^https:\/\/city\.example\/notices\?page=1#![\da-f]{12}:~:text=The%20ferry%20to%20the%20island%2C%20and%20back%2C,on%20weekdays%20in%20winter%20%2D%20except%20Monday\.$/,
    );
    const links = [first, second, japanese].map((entry) => entry?.link ?? '');
    expect(new Set(links.map((link) => identifyAddress(link))).size).toBe(3);
    for (const link of links) {
      expect(toShownLink(link)).toBe(link);
      expect(toCitableLink(link)).toBe(link);
    }
    const again = texts(
      `<html><p>Something new on top of all that<p>${long} on weekdays in winter - except Monday.`,
    );
    expect(again[1]?.link).toBe(first?.link);
  });

  test.each<[string, string, string[]]>([
    [
      'inline elements, entities, line ends of the source, comments, characters that begin no element',
      '<p>One <b>bold</b> word\n   and <!-- <p>not</p> --> an &amp;amp; sign, 1 < 2 <3</p>',
      ['One bold word and an &amp; sign, 1 < 2 <3'],
    ],
    [
      'each text once, and none that says what to do with the page',
      '<p>Bridge closed for repairs<p>Bridge closed for repairs<p>Sign up for our newsletter now<p>Jump to navigation Jump to search<p>Retrieved from "https://wiki.example/?oldid=3"<p>Subscribe',
      ['Bridge closed for repairs'],
    ],
    [
      'the main part, if there is one',
      '<p>Welcome to the city of Vellmar<main><p>Bridge closed for repairs</main><p>All rights are ours, said the mayor',
      ['Bridge closed for repairs'],
    ],
    [
      'attributes with elements, scripts with text, elements that are never closed',
      '<script>"<p>Not a text of the page"</script><p>Bridge closed for repairs<nav><p>And the ferry sails on',
      ['Bridge closed for repairs', 'And the ferry sails on'],
    ],
    [
      'letters whose small form is longer',
      `<p>${'İ'.repeat(60)} for all of them<script>"Not a text of the page"</script><p>Bridge closed for repairs<script></SCRIPT>`,
      [`${'İ'.repeat(60)} for all of them`, 'Bridge closed for repairs'],
    ],
    [
      'no short lines, even if they are the news',
      '<p>Sold out<p>£49.99<p>Ferry: delayed<p>In stock: 3 left<p>Bridge closed for repairs',
      ['Bridge closed for repairs'],
    ],
    ['scripts without spaces', '<p>港は閉まっています。<p>短い', ['港は閉まっています。']],
  ])('%s', (_, page, expected) => {
    expect(texts(`<html><body>${page}`).map(({ text }) => text)).toEqual(expected);
  });

  // Quadratic work would not end within the time limit of a test.
  test.each(['<nav>', '<!--', '<script ', '<', '</p', '<p <p ', '<header>a '])(
    'ends for a page of nothing but %s',
    (piece) => {
      expect(texts(`<html>${piece.repeat(1_500_000 / piece.length)}`)).toEqual([]);
    },
  );
});
