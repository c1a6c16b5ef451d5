import { array, assert, boolean, constantFrom, integer, property, record, string } from 'fast-check';
import { decodeBuffer } from 'encoding-sniffer';
import { describe, expect, test } from 'vitest';
import { parseFeedDocument } from '../../../src/service/sources/feeds/feed-document.ts';

/** Feeds in all that their formats allow: addresses, prefixes, times, encodings, lengths. */

const ADDRESS = 'https://feeds.example/all.xml';

function parse(document: string | Uint8Array, contentType = 'application/xml') {
  const read = parseFeedDocument(Buffer.from(document), { address: ADDRESS, contentType });
  if (read.kind !== 'feed') throw new Error(`no feed: ${JSON.stringify(read)}`);
  return read;
}
const links = (document: string) => parse(document).entries.map(({ link }) => link);
const rss = (members: string, attributes = '') =>
  `<rss version="2.0" ${attributes}><channel><item><title>T</title>${members}</item></channel></rss>`;
const atom = (members: string, attributes = '') =>
  `<feed xmlns="http://www.w3.org/2005/Atom" ${attributes}><entry><title>T</title>${members}</entry></feed>`;
const json = (item: object) =>
  JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', items: [{ content_text: 'T', ...item }] });
const MEDIA = 'xmlns:media="http://search.yahoo.com/mrss/"';
const ATOM = 'xmlns:atom="http://www.w3.org/2005/Atom"';
const A = 'https://a.example/1';

describe('the address of an entry', () => {
  test.each<[string, string]>([
    ['link', rss(`<link>${A}</link><guid>https://b.example/</guid><enclosure url="https://c.example/"/>`)],
    ['link in CDATA', rss(`<link><![CDATA[${A}]]></link>`)],
    ['link with parameters that look like characters', rss('<link>https://a.example/1</link>')],
    ['guid', rss(`<guid>${A}</guid>`)],
    [
      'guid that says it is permanent',
      rss(`<guid isPermaLink="true">${A}</guid><enclosure url="https://c.example/"/>`),
    ],
    [
      'enclosure only',
      rss(`<guid isPermaLink="false">ep-12</guid><enclosure url="${A}" length="1" type="audio/mpeg"/>`),
    ],
    ['empty link, enclosure', rss(`<link/><enclosure url="${A}"/>`)],
    ['link that leads nowhere, enclosure', rss(`<link>javascript:void(0)</link><enclosure url="${A}"/>`)],
    ['content of media', rss(`<media:content url="${A}"/>`, MEDIA)],
    ['content in a group of media', rss(`<media:group><media:content url="${A}"/></media:group>`, MEDIA)],
    ['player of media', rss(`<media:player url="${A}"/>`, MEDIA)],
    ['media under another prefix', rss(`<m:content url="${A}"/>`, 'xmlns:m="http://search.yahoo.com/mrss/"')],
    ['atom:link in RSS', rss(`<atom:link href="${A}"/>`, ATOM)],
    [
      'atom:link rel=alternate in RSS, after the one of the feed',
      rss(`<atom:link rel="self" href="https://s.example/"/><atom:link rel="alternate" href="${A}"/>`, ATOM),
    ],
    [
      'the one before a counting service',
      rss(`<link>https://count.example/x</link><feedburner:origLink>${A}</feedburner:origLink>`),
    ],
    [
      'the same under another prefix',
      rss(
        `<link>https://count.example/x</link><fb:origLink>${A}</fb:origLink>`,
        'xmlns:fb="http://rssnamespace.org/feedburner/ext/1.0"',
      ),
    ],
    [
      'the same in Atom',
      atom(`<link href="https://count.example/x"/><feedburner:origLink>${A}</feedburner:origLink>`),
    ],
    [
      'relative to the base of the channel',
      `<rss version="2.0"><channel xml:base="https://a.example/x/"><item><title>T</title><link>../1</link></item></channel></rss>`,
    ],
    [
      'relative to the base of the item',
      rss('<link>1</link>').replace('<item>', '<item xml:base="https://a.example/x">'),
    ],
    [
      'relative to bases that are relative',
      '<rss version="2.0" xml:base="https://a.example/"><channel xml:base="x/"><item xml:base="y/"><title>T</title><link>../../1</link></item></channel></rss>',
    ],
    [
      'RDF: link',
      `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><item rdf:about="https://b.example/"><title>T</title><link>${A}</link></item></rdf:RDF>`,
    ],
    [
      'RDF: about',
      `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><item rdf:about="${A}"><title>T</title></item></rdf:RDF>`,
    ],
    ['Atom: id', atom(`<id>${A}</id>`)],
    ['Atom: alternate before id', atom(`<id>https://b.example/</id><link rel="alternate" href="${A}"/>`)],
    [
      'Atom: the page among alternates',
      atom(
        `<link rel="alternate" type="application/json" href="https://b.example/"/><link rel="alternate" type="text/html" href="${A}"/>`,
      ),
    ],
    ['Atom: id before the entry itself', atom(`<id>${A}</id><link rel="self" href="https://b.example/"/>`)],
    [
      'Atom: related, as id is no address',
      atom(`<id>tag:a.example,2026:1</id><link rel="related" href="${A}"/>`),
    ],
    [
      'Atom: the entry itself',
      atom(`<id>urn:uuid:1</id><link rel="edit" href="https://b.example/"/><link rel="self" href="${A}"/>`),
    ],
    ['Atom: enclosure', atom(`<id>urn:uuid:1</id><link rel="enclosure" href="${A}"/>`)],
    [
      'Atom: registered name of a relation',
      atom(`<link rel="http://www.iana.org/assignments/relation/alternate" href="${A}"/>`),
    ],
    ['Atom: content elsewhere', atom(`<id>urn:x</id><content type="text/html" src="${A}"/>`)],
    ['Atom: relative to its bases', atom('<link href="1"/>', 'xml:base="https://a.example/"')],
    ['link in an attribute', rss(`<link href="${A}"/>`)],
    ['link in an attribute, with an end tag', rss(`<link rel="alternate" href='${A}'></link>`)],
    ['an empty link before another', rss(`<link></link><link> </link><link>${A}</link>`)],
    [
      'permanent guid that is a path',
      rss('<guid isPermaLink="true">/1</guid>', 'xml:base="https://a.example/"'),
    ],
    [
      'RDF: an address as a resource',
      `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><item rdf:about="urn:1"><title>T</title><link rdf:resource="${A}"/></item></rdf:RDF>`,
    ],
    [
      'RDF: items inside of the channel',
      `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel><title>N</title><item rdf:about="${A}"><title>T</title></item></channel></rdf:RDF>`,
    ],
    [
      'RDF: with prefixes, inside of the channel',
      `<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:s="http://purl.org/rss/1.0/"><s:channel><s:item><s:title>T</s:title><s:link>${A}</s:link></s:item></s:channel></r:RDF>`,
    ],
    ['Atom: relative to the base of the link', atom('<link xml:base="https://a.example/x/" href="../1"/>')],
    [
      'Atom 0.3 under a prefix',
      `<a:feed version="0.3" xmlns:a="http://purl.org/atom/ns#"><a:entry><a:title>T</a:title><a:link rel="alternate" href="${A}"/></a:entry></a:feed>`,
    ],
    ['JSON: url', json({ id: 'https://b.example/', url: A })],
    ['JSON: external_url', json({ id: '7', external_url: A })],
    ['JSON: id', json({ id: A })],
    ['JSON: attachment', json({ id: 'x', attachments: [{ url: A, mime_type: 'audio/mpeg' }] })],
  ])('%s', (_, document) => {
    expect(links(document)).toEqual([A]);
  });

  test('may have no scheme', () => {
    expect(links(rss('<link>www.a.example/1</link>'))).toEqual(['https://www.a.example/1']);
    expect(links(rss('<link>www.html</link>'))).toEqual(['https://feeds.example/www.html']);
  });

  test('keeps its parameters, escaped or not', () => {
    const given = 'https://a.example/?a=1&copy=2&sect=3&lang=de;x';
    expect(links(rss(`<link>${given}</link>`))).toEqual([given]);
    expect(links(rss(`<link>${given.replaceAll('&', '&amp;')}</link>`))).toEqual([given]);
    expect(links(rss(`<link><![CDATA[${given}]]></link>`))).toEqual([given]);
  });

  test.each([
    rss('<guid isPermaLink="false">https://a.example/1</guid>'),
    rss('<comments>https://a.example/1#comments</comments>'),
    rss('<guid>a.example/1</guid>'),
    atom('<id>urn:uuid:1</id><link rel="license" href="https://a.example/"/>'),
    json({ id: 'x' }),
  ])('without one, it is counted: %#', (document) => {
    expect(parse(document)).toMatchObject({
      entries: [],
      unlinked: [{ title: 'T' }],
      counts: { all: 1, unlinked: 1 },
    });
  });
});

describe('the time of an entry', () => {
  const LINKED = `<link>${A}</link>`;
  test.each<[string, string]>([
    [
      'a broken one does not hide another',
      rss(`${LINKED}<pubDate>heute</pubDate><dc:date>2026-11-21T10:00:00Z</dc:date>`),
    ],
    [
      'dc:date under another prefix',
      rss(`${LINKED}<d:date>2026-11-21T10:00:00Z</d:date>`, 'xmlns:d="http://purl.org/dc/elements/1.1/"'),
    ],
    ['atom:updated in RSS', rss(`${LINKED}<atom:updated>2026-11-21T10:00:00Z</atom:updated>`, ATOM)],
    [
      'atom:published before it',
      rss(
        `${LINKED}<atom:updated>2026-11-22T10:00:00Z</atom:updated><atom:published>2026-11-21T10:00:00Z</atom:published>`,
        ATOM,
      ),
    ],
    [
      'dcterms:issued',
      rss(
        `${LINKED}<dcterms:issued>2026-11-21T10:00:00Z</dcterms:issued>`,
        'xmlns:dcterms="http://purl.org/dc/terms/"',
      ),
    ],
    [
      'prism:publicationDate',
      rss(
        `${LINKED}<prism:publicationDate>2026-11-21T10:00:00Z</prism:publicationDate>`,
        'xmlns:prism="http://prismstandard.org/namespaces/basic/2.0/"',
      ),
    ],
    ['PUBDATE', rss(`${LINKED}<PUBDATE>Sat, 21 Nov 2026 11:00:00 CET</PUBDATE>`)],
    ['in CDATA', rss(`${LINKED}<pubDate><![CDATA[Sat, 21 Nov 2026 10:00:00 GMT]]></pubDate>`)],
    ['Atom: issued of version 0.3', atom(`<link href="${A}"/><issued>2026-11-21T10:00:00Z</issued>`)],
    [
      'Atom: updated, as published is broken',
      atom(`<link href="${A}"/><published>soon</published><updated>2026-11-21T10:00:00Z</updated>`),
    ],
    ...['date', 'published', 'updated', 'issued', 'created', 'modified', 'lastBuildDate'].map(
      (name): [string, string] => [
        `${name} of RSS`,
        rss(`${LINKED}<pubDate/><pubDate></pubDate><${name}>2026-11-21T10:00:00Z</${name}>`),
      ],
    ),
    [
      'created, as modified is later, in RSS',
      rss(`${LINKED}<modified>2026-11-22</modified><created>2026-11-21T10:00:00Z</created>`),
    ],
    [
      'JSON: modified, as published is broken',
      json({ url: A, date_published: 'x', date_modified: '2026-11-21T10:00:00Z' }),
    ],
    [
      'a placeholder does not hide another',
      rss(
        `${LINKED}<pubDate>Thu, 01 Jan 1970 00:00:00 +0000</pubDate><dc:date>2026-11-21T10:00:00Z</dc:date>`,
      ),
    ],
    ['JSON: seconds since 1970', json({ url: A, date_published: 1_795_255_200 })],
  ])('%s', (_, document) => {
    expect(parse(document).entries.map(({ publishedAt }) => publishedAt)).toEqual([
      '2026-11-21T10:00:00.000Z',
    ]);
  });

  test('entries without one are counted, and those whose time cannot be read', () => {
    const items = ['', '<pubDate>soon</pubDate>', '<pubDate/>', '<pubDate>2026-11-21</pubDate>'];
    const document = `<rss version="2.0"><channel>${items.map((time) => `<item>${LINKED}${time}</item>`).join('')}</channel></rss>`;
    expect(parse(document).counts).toEqual({ all: 4, unlinked: 0, beyond: 0, undated: 2, unreadable: 1 });
  });
});

describe('more entries than are read', () => {
  const entry = (n: number, time = true) =>
    `<item><link>https://a.example/${n}</link>${time ? `<pubDate>${new Date(Date.UTC(2026, 0, 1) + n * 3_600_000).toUTCString()}</pubDate>` : ''}</item>`;
  const feed = (...items: string[]) => `<rss version="2.0"><channel>${items.join('')}</channel></rss>`;
  const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
  const read = (document: string) =>
    parse(document).entries.map(({ link }) => Number(link.split('/').at(-1)));

  test.each(['oldest first', 'newest first', 'in no order'])('the newest are read, %s', (order) => {
    const all = numbers(1_000);
    const given =
      order === 'oldest first'
        ? all
        : order === 'newest first'
          ? all.toReversed()
          : all.map((n) => (n * 389) % 1_000);
    const document = feed(...given.map((n) => entry(n)));
    expect(read(document).sort((a, b) => a - b)).toEqual(numbers(200).map((n) => n + 800));
    expect(read(document)).toEqual(given.filter((n) => n >= 800));
    expect(parse(document).counts).toMatchObject({ all: 1_000, beyond: 800 });
  });

  test('of those without a time, the first and the last of the document', () => {
    const found = read(feed(...numbers(500).map((n) => entry(n, false))));
    expect(found).toEqual([...numbers(100), ...numbers(100).map((n) => n + 400)]);
    const mixed = read(feed(...numbers(500).map((n) => entry(n, n % 100 !== 50))));
    expect(mixed).toHaveLength(200);
    expect(mixed).toEqual(expect.arrayContaining([50, 150, 250, 350, 450, 499]));
  });
});

describe('characters', () => {
  const tables = new Map<string, ReadonlyMap<string, number[]>>();

  /** The bytes of each character of an encoding. */
  function listCharacters(label: string): ReadonlyMap<string, number[]> {
    const known = tables.get(label);
    if (known !== undefined) return known;
    const table = new Map<string, number[]>();
    const learn = (...bytes: number[]) => {
      const character = decodeBuffer(Buffer.from(bytes), { userEncoding: label });
      const isOne = Array.from(character).length === 1 && character !== '\ufffd';
      if (isOne && !table.has(character)) table.set(character, bytes);
    };
    for (let a = 0; a < 256; a += 1) learn(a);
    if (!/^(?:windows|koi8|iso-8859)/.test(label))
      for (let a = 0x81; a < 0xff; a += 1) for (let b = 0x40; b < 0xff; b += 1) learn(a, b);
    tables.set(label, table);
    return table;
  }

  function encode(text: string, label: string): Buffer {
    const table = listCharacters(label);
    return Buffer.from(Array.from(text).flatMap((character) => table.get(character) ?? [0x3f]));
  }
  const TEXTS: readonly (readonly [label: string, title: string, text: string])[] = [
    [
      'windows-1252',
      'Größe der Brücke',
      'Die neue Brücke über den Rhein wird für Fußgänger geöffnet, sagt Bürgermeister Möller – “endlich”.',
    ],
    [
      'windows-1252',
      'L’été à Paris',
      'Le maire a présenté le projet aux élèves, déjà très intéressés par la forêt.',
    ],
    ['windows-1251', 'Новый мост открыт', 'Мэр города открыл новый мост через реку для пешеходов.'],
    ['koi8-r', 'Новый мост открыт', 'Мэр города открыл новый мост через реку для пешеходов.'],
    ['shift_jis', '新しい橋が開通', '市長は歩行者のための新しい橋を開きました。'],
    ['euc-jp', '新しい橋が開通', '市長は歩行者のための新しい橋を開きました。'],
    ['euc-kr', '새 다리 개통', '시장은 보행자를 위한 새 다리를 열었습니다.'],
    ['gb18030', '新桥开通', '市长为行人开放了一座新桥，桥长三百米。'],
    ['big5', '新橋開通', '市長為行人開放了一座新橋，橋長三百米。'],
    ...['iso-8859-2', 'windows-1250'].flatMap((label) =>
      [
        ['Nowy most otwarty', 'Burmistrz otworzył nowy most dla pieszych; żółte łódki wróciły na rzekę.'],
        ['Nový most otevřen', 'Starosta města otevřel nový most pro chodce. Lidé říkají, že čekali dlouho.'],
        ['Nový most otvorený', 'Primátor mesta otvoril nový most, ľudia vraj čakali veľmi dlho a tešia sa.'],
        [
          'Megnyílt az új híd',
          'A polgármester megnyitotta az új hidat, akik régóta várták, és örülnek, jött erőt.',
        ],
        ['Otvoren novi most', 'Gradonačelnik je otvorio novi most za pješake, što su građani čekali.'],
      ].map(([title = '', text = '']) => [label, title, text] as const),
    ),
    [
      'windows-1254',
      'Yeni köprü açıldı',
      'Belediye başkanı yayalar için yeni köprüyü açtı, halk çok sevindi.',
    ],
    [
      'windows-1257',
      'Atidarytas naujas tiltas',
      'Miesto meras atidarė naują tiltą pėstiesiems, žmonės jo laukė.',
    ],
    ['windows-1253', 'Νέα γέφυρα', 'Ο δήμαρχος άνοιξε τη νέα γέφυρα για τους πεζούς.'],
    ['windows-1255', 'הגשר החדש נפתח', 'ראש העיר פתח את הגשר החדש להולכי רגל.'],
    ['windows-1256', 'افتتاح الجسر الجديد', 'افتتح رئيس البلدية الجسر الجديد للمشاة.'],
    ['koi8-u', 'Новий міст відкрито', 'Мер міста відкрив новий міст через річку для пішоходів.'],
    ['ibm866', 'Новый мост открыт', 'Мэр города открыл новый мост через реку для пешеходов.'],
    ['iso-8859-5', 'Новый мост открыт', 'Мэр города открыл новый мост через реку для пешеходов.'],
    ['windows-874', 'เปิดสะพานใหม่', 'นายกเทศมนตรีเปิดสะพานใหม่สำหรับคนเดินเท้า'],
    [
      'windows-1252',
      'Abren el nuevo puente',
      'El alcalde abrió ayer el puente; ¿quién lo pagó? La señora Núñez.',
    ],
    ['windows-1252', 'Ny bro åbnet', 'Borgmesteren åbnede den nye bro for fodgængere og cyklister på øen.'],
  ];
  const document = (title: string, text: string, declaration: string) =>
    `${declaration}<rss version="2.0"><channel><title>News</title><item><title>${title}</title><link>${A}</link><description>${text}</description></item></channel></rss>`;
  const declare = (label: string) => `<?xml version="1.0" encoding="${label}"?>`;

  test.each(TEXTS)('%s: %s', (label, title, text) => {
    const read = (declaration: string, contentType: string) => {
      const [entry] = parse(encode(document(title, text, declaration), label), contentType).entries;
      return [entry?.title, entry?.text];
    };
    const expected = [title, text];
    // By each clue alone, where another is wrong, and where there is none.
    expect(read(declare(label), 'text/xml')).toEqual(expected);
    expect(read('<?xml version="1.0"?>', `text/xml; charset="${label.toUpperCase()}"`)).toEqual(expected);
    expect(read(declare('utf-8'), `text/xml; charset=${label}`)).toEqual(expected);
    expect(read(declare(label), 'text/xml; charset=UTF-8')).toEqual(expected);
    expect(read(declare(label), 'text/xml; charset=ISO-8859-1')).toEqual(expected);
    expect(read(declare('x-nonsense'), 'text/xml; charset=none')).toEqual(expected);
    expect(read(declare('utf-8'), 'text/xml; charset=utf-8')).toEqual(expected);
    expect(read('', '')).toEqual(expected);
  });

  test('an encoding that only the declaration tells', () => {
    const bytes = encode(document('Żółć', 'źdźbło', declare('iso-8859-2')), 'iso-8859-2');
    expect(parse(bytes, 'text/xml').entries[0]).toMatchObject({ title: 'Żółć', text: 'źdźbło' });
  });

  test('another script is not what a server names for every document', () => {
    for (const [label, title, text] of TEXTS.filter((each) => !/[a-z]/i.test(each[1])))
      expect(
        parse(encode(document(title, text, ''), label), 'text/xml; charset=iso-8859-1').entries[0],
      ).toMatchObject({ title, text });
  });

  test('a title alone shows the encoding of another script', () => {
    for (const [label, title] of TEXTS.filter((each) => !/[a-z]/i.test(each[1])))
      expect(parse(encode(document(title, '', ''), label), '').entries[0]?.title).toBe(title);
  });

  test('Japanese in ASCII, between the sequences that switch to it', () => {
    const japanese = Buffer.from('GyRCPzckNyQkNjYbKEI=', 'base64').toString('latin1');
    for (const declaration of ['', declare('utf-8'), declare('iso-2022-jp')])
      for (const contentType of ['', 'text/xml; charset=utf-8'])
        expect(parse(document(japanese, 'x', declaration), contentType).entries[0]?.title).toBe('新しい橋');
  });

  test.each(['utf-16', 'utf-16le', 'utf-16be', 'iso-2022-kr', 'x-user-defined', 'unicode'])(
    'ASCII that is said to be %s',
    (label) => {
      expect(
        parse(document('Title', 'x', declare(label)), `text/xml; charset=${label}`).entries,
      ).toHaveLength(1);
    },
  );

  test.each(['', 'iso-8859-1', 'windows-1251', 'shift_jis', 'utf-16', 'us-ascii'])(
    'UTF-8 that is said to be %j',
    (label) => {
      for (const declaration of [declare(label), '<?xml version="1.0"?>'])
        for (const contentType of ['', `application/rss+xml; charset=${label}`])
          expect(
            parse(document('Größe, мост, 新しい橋', '😀 …', declaration), contentType).entries[0],
          ).toMatchObject({
            title: 'Größe, мост, 新しい橋',
            text: '😀 …',
          });
    },
  );

  test.each<[string, boolean, boolean]>([
    ['little-endian with a mark', true, true],
    ['big-endian with a mark', false, true],
    ['little-endian', true, false],
    ['big-endian', false, false],
  ])('UTF-16, %s', (_, isLittle, isMarked) => {
    for (const declaration of [declare('utf-16'), declare('utf-8'), '', '\n '])
      for (const contentType of ['', 'text/xml; charset=utf-8']) {
        const bytes = Buffer.from(
          (isMarked ? '\ufeff' : '') + document('Größe, мост', 'x', declaration),
          'utf16le',
        );
        expect(parse(isLittle ? bytes : bytes.swap16(), contentType).entries[0]?.title).toBe('Größe, мост');
      }
  });

  test('one broken character changes no other, and a text that is cut within one is read', () => {
    const bytes = Buffer.from(document('Größe der Brücke', 'Äpfel', ''));
    const broken = Buffer.concat([
      bytes.subarray(0, bytes.indexOf('News')),
      Buffer.from([0xe4]),
      bytes.subarray(bytes.indexOf('News')),
    ]);
    expect(parse(broken).entries[0]).toMatchObject({ title: 'Größe der Brücke', text: 'Äpfel' });
  });
});

// The same entries in four formats.

const SAFE = 'Tide ferry Größe мост 橋 & < > " \' 42 — …'.split(' ');
const words = array(constantFrom(...SAFE), { minLength: 1, maxLength: 8 }).map((some) => some.join(' '));
const drawnEntry = record({
  title: words,
  text: words,
  n: integer({ min: 1, max: 1e6 }),
  at: integer({ min: 1e9, max: 2e9 }),
  inSection: boolean(),
});
const prefix = string({ unit: constantFrom(...'abcxyz0-_.'.split('')), minLength: 1, maxLength: 6 }).map(
  (tail) => `p${tail}`,
);
const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

test('drawn entries are the same in RSS, RDF, Atom and JSON, under every prefix', () => {
  assert(
    property(
      array(drawnEntry, { minLength: 1, maxLength: 4 }),
      prefix,
      prefix,
      boolean(),
      (all, p, q, isDefault) => {
        const own = isDefault ? '' : `${p}:`;
        const xmlns = (uri: string) => (isDefault ? `xmlns="${uri}"` : `xmlns:${p}="${uri}"`);
        // Texts of RSS are HTML, where these characters are escaped as well.
        const html = (text: string, inSection: boolean) =>
          inSection ? `<![CDATA[${escape(text)}]]>` : escape(escape(text));
        const iso = (at: number) => new Date(at * 1_000).toISOString();
        const dc = `xmlns:d${q}="http://purl.org/dc/elements/1.1/"`;
        const item = ({ title, text, n, inSection }: (typeof all)[number], of: string, time: string) =>
          `<${of}title>${html(title, inSection)}</${of}title><${of}link>https://a.example/${n}</${of}link><${of}description>${html(text, inSection)}</${of}description>${time}`;
        const documents = [
          `<rss version="2.0" ${dc}><channel>${all.map((e) => `<item>${item(e, '', `<d${q}:date>${iso(e.at)}</d${q}:date>`)}</item>`).join('')}</channel></rss>`,
          `<r${q}:RDF xmlns:r${q}="http://www.w3.org/1999/02/22-rdf-syntax-ns#" ${xmlns('http://purl.org/rss/1.0/')} ${dc}><${own}channel/>${all.map((e) => `<${own}item>${item(e, own, `<d${q}:date>${iso(e.at)}</d${q}:date>`)}</${own}item>`).join('')}</r${q}:RDF>`,
          `<${own}feed ${xmlns('http://www.w3.org/2005/Atom')}>${all.map((e) => `<${own}entry><${own}title>${escape(e.title)}</${own}title><${own}link href="https://a.example/${e.n}"/><${own}summary type="html">${html(e.text, e.inSection)}</${own}summary><${own}published>${iso(e.at)}</${own}published></${own}entry>`).join('')}</${own}feed>`,
          JSON.stringify({
            version: 'https://jsonfeed.org/version/1.1',
            items: all.map(({ title, text, n, at }) => ({
              url: `https://a.example/${n}`,
              title,
              content_text: text,
              date_published: iso(at),
            })),
          }),
        ];
        const expected = all.map(({ title, text, n, at }) => ({
          title,
          link: `https://a.example/${n}`,
          text,
          publishedAt: iso(at),
        }));
        for (const document of documents)
          expect([document, parse(document).entries]).toEqual([document, expected]);
      },
    ),
    { numRuns: 150 },
  );
});
