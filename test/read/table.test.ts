/** Tables: how each kind of wire value is parsed. */
import { readIdFromAddress } from '../../src/model/links/link.ts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runToEnd } from '../../src/lib/cooperative.ts';
import { parseCitations } from '../../src/monitor/parse/citations.ts';
import { readBoolean, readCounter, readId } from '../../src/monitor/parse/wire-values.ts';
import { readAddress, parseLink } from '../../src/monitor/parse/parse-links.ts';
import { readTime } from '../../src/monitor/parse/timestamps.ts';
import { watchProcessor } from '../processor.ts';

describe('times', () => {
  test.each([
    ['2025-06-11T23:41:09.000Z', '2025-06-11T23:41:09.000Z'],
    ['2026-04-02T13:27:04+00:00', '2026-04-02T13:27:04.000Z'],
    ['2026-04-02T13:27:04.123456-05:30', '2026-04-02T18:57:04.123Z'],
    ['2026-04-02T13:27:04+0200', '2026-04-02T11:27:04.000Z'],
    ['2026-04-02T13:27:04+02', '2026-04-02T11:27:04.000Z'],
    ['2023-01-01T00:00:00Z', '2023-01-01T00:00:00.000Z'],
    ['2018-10-10 20:19:24', '2018-10-10T20:19:24.000Z'],
    ['2018-10-10 20:19:24 UTC', '2018-10-10T20:19:24.000Z'],
    ['2018-10-10T20:19', '2018-10-10T20:19:00.000Z'],
    ['2018-10-10', '2018-10-10T00:00:00.000Z'],
    ['Wed Oct 10 20:19:24 +0000 2018', '2018-10-10T20:19:24.000Z'],
    ['Wed Oct 10 20:19:24 +0530 2018', '2018-10-10T14:49:24.000Z'],
    ['Wed Oct 3 20:19:24 -0800 2018', '2018-10-04T04:19:24.000Z'],
    [1_539_202_764, '2018-10-10T20:19:24.000Z'],
    [1_539_202_764_000, '2018-10-10T20:19:24.000Z'],
    [1_539_202_764.5, '2018-10-10T20:19:24.500Z'],
    ['1539202764', '2018-10-10T20:19:24.000Z'],
    ['1539202764000', '2018-10-10T20:19:24.000Z'],
    ['2029-11-21T00:00:00Z', '2029-11-21T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['2020-02-29T00:00:00Z', '2020-02-29T00:00:00.000Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
  ])('%s becomes %s', (given, expected) => {
    expect(readTime(given)).toBe(expected);
  });

  test.each([
    'Mi Okt 10 20:19:24 +0000 2018',
    '2018-02-30T00:00:00Z',
    '2019-02-29T00:00:00Z',
    '2018-13-01T00:00:00Z',
    '2018-10-10T25:00:00Z',
    '2018-10-10T23:59:60Z',
    '2018-10-10T20:19:24+25:00',
    'Wed Feb 30 20:19:24 +0000 2018',
    '0',
    '2018',
    '20181010',
    '',
    'null',
    '17 hours ago',
    '10/11/2018',
    '+275760-09-13T00:00:00Z',
    'infinity',
    '-infinity',
    '1969-12-31T23:59:59Z',
    '1970-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    `2018-10-10${' '.repeat(100_000)}`,
    0,
    -1,
    42,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e30,
    1_539_202_764_000_000,
    true,
    null,
    undefined,
    {},
    [],
  ])('%j is not a time', (given) => {
    expect(readTime(given)).toBeNull();
  });

  test('parsing a parsed time again gives the same time', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.double(),
          fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
        ),
        (given) => {
          const time = readTime(given);
          if (time === null) return;
          expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
          expect(readTime(time)).toBe(time);
        },
      ),
    );
  });
});

describe('counters', () => {
  test.each([
    [0, 0],
    [-0, 0],
    [3_000_000_000, 3_000_000_000],
    [2 ** 53 - 1, 2 ** 53 - 1],
    ['0', 0],
    ['12', 12],
    ['9007199254740991', 2 ** 53 - 1],
  ])('%j becomes %d', (given, expected) => {
    expect(readCounter(given)).toBe(expected);
  });

  test.each([
    -1,
    1.5,
    1e30,
    2 ** 53,
    '9007199254740992',
    '1,234',
    '12K',
    ' 12',
    '-1',
    '1.0',
    '',
    'null',
    null,
    undefined,
    true,
    [],
    {},
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ])('%j is unknown', (given) => {
    expect(readCounter(given)).toBeNull();
  });
});

describe('ids', () => {
  test.each([
    ['1790000000000000001', '1790000000000000001'],
    ['9223372036854775808', '9223372036854775808'],
    ['00123', '00123'],
    [' 123 ', '123'],
    [123, '123'],
    [0, '0'],
    [9_007_199_254_740_991, '9007199254740991'],
    ['at://did:plc:z72i7/app.bsky.feed.post/3l6o', 'at://did:plc:z72i7/app.bsky.feed.post/3l6o'],
    ['名前', '名前'],
    ['caf\u00e9', 'caf\u00e9'],
    ['cafe\u0301', 'cafe\u0301'],
  ])('%j is %s', (given, id) => {
    expect(readId(given)).toEqual({ id });
  });

  test.each([
    [undefined, 'no_id'],
    [null, 'no_id'],
    ['', 'bad_id'],
    ['  ', 'bad_id'],
    ['1\0', 'bad_id'],
    ['1 2', 'bad_id'],
    ['1\u200b', 'bad_id'],
    ['\ud800', 'bad_id'],
    ['9'.repeat(10_000), 'bad_id'],
    [true, 'bad_id'],
    [{ $oid: '1' }, 'bad_id'],
    [['1'], 'bad_id'],
    [-5, 'bad_id'],
    [1.5, 'bad_id'],
    [1.79e18, 'unsafe_number_id'],
    [2 ** 53, 'unsafe_number_id'],
  ])('%j is refused: %s', (given, code) => {
    expect(readId(given)).toEqual({ code });
  });

  test.each([
    ['https://x.com/user/status/123', '123'],
    ['https://x.com/user/status/123?s=20', '123'],
    ['https://m.host/@user/statuses/123/', '123'],
    ['https://x.com/user/status/123abc', null],
    ['https://x.com/?next=/status/123', null],
    ['/status/123', null],
    [123, null],
  ])('the address %s contains the id %s', (address, id) => {
    expect(readIdFromAddress(address)).toBe(id);
  });
});

describe('booleans', () => {
  test.each([
    [true, true],
    [false, false],
    ['true', true],
    ['False', false],
    ['', null],
    ['yes', null],
    [1, null],
    [0, null],
    [null, null],
    [undefined, null],
  ])('%j is %s', (given, expected) => {
    expect(readBoolean(given)).toBe(expected);
  });
});

describe('links', () => {
  const ONE = 'https://example.com/a/b?x=1&y=2';

  test.each([
    ONE,
    'http://example.com/a/b?x=1&y=2',
    'HTTPS://EXAMPLE.COM/a/b?x=1&y=2',
    'https://example.com:443/a/b?x=1&y=2',
    'http://example.com:80/a/b?x=1&y=2',
    'http://example.com:443/a/b?x=1&y=2',
    'https://example.com./a/b?x=1&y=2',
    'https://example.com/a/b/?x=1&y=2',
    'https://example.com/a/b//?x=1&y=2',
    'https://example.com/a/./c/../b?x=1&y=2',
    'https://example.com/a/b?x=1&y=2#part',
    'https://example.com/a/b?utm_source=n&x=1&UTM_Medium=m&y=2&fbclid=3',
    'https://example.com/a/b?&x=1&&y=2&gclid=1&ref_src=twsrc',
    `  ${ONE}\n`,
  ])('%s is the same link', (address) => {
    expect(parseLink(address).link).toEqual({ canonical: ONE, address: address.trim(), site: 'example.com' });
  });

  test.each([
    ['https://example.com/', 'https://example.com', 'example.com'],
    ['https://www.example.com/?utm_source=x', 'https://example.com', 'example.com'],
    ['https://example.com/a%2Fb', 'https://example.com/a%2Fb', 'example.com'],
    ['https://example.com/?b=2&a=1', 'https://example.com?b=2&a=1', 'example.com'],
    ['https://example.com/?utm=1&source=2', 'https://example.com?utm=1&source=2', 'example.com'],
    ['http://example.com:8080/a', 'https://example.com:8080/a', 'example.com'],
    ['https://example.com:80/a', 'https://example.com/a', 'example.com'],
    ['https://EXAMPLE.com/A', 'https://example.com/A', 'example.com'],
    ['http://b\u00fccher.example/\u00fc', 'https://xn--bcher-kva.example/%C3%BC', 'xn--bcher-kva.example'],
    ['http://[::1]/x', 'https://[::1]/x', '[::1]'],
    // Whoever writes the first letter in Cyrillic is not who they seem, and not the same.
    ['http://\u0430pple.com', 'https://xn--pple-43d.com', 'xn--pple-43d.com'],
    ['http://2130706433/', 'https://127.0.0.1', '127.0.0.1'],
    // A path is not normalised: two spellings of a word are two links.
    ['https://a.example/caf\u00e9', 'https://a.example/caf%C3%A9', 'a.example'],
    ['https://a.example/cafe\u0301', 'https://a.example/cafe%CC%81', 'a.example'],
  ])('%s becomes %s', (address, canonical, site) => {
    expect(parseLink(address).link).toEqual({ canonical, address, site });
  });

  test.each([
    [undefined, 'no_link'],
    [null, 'no_link'],
    ['', 'no_link'],
    ['   ', 'no_link'],
    ['/a', 'bad_link'],
    ['//e.example/a', 'bad_link'],
    ['example.com', 'bad_link'],
    ['https:example.com', 'bad_link'],
    ['ftp://example.com/a', 'bad_link'],
    ['mailto:a@example.com', 'bad_link'],
    ['javascript:alert(1)', 'bad_link'],
    ['data:text/html,x', 'bad_link'],
    ['file:///etc/passwd', 'bad_link'],
    ['https://user:pass@example.com/', 'bad_link'],
    ['https://user@example.com/', 'bad_link'],
    ['https://', 'bad_link'],
    ['https:///path', 'bad_link'],
    ['https://exa mple.com', 'bad_link'],
    [7, 'bad_link'],
    [{}, 'bad_link'],
    [`https://example.com/${'a'.repeat(2_048)}`, 'link_too_long'],
    [`https://example.com/${'ü'.repeat(1_000)}`, 'link_too_long'],
    ['x'.repeat(65_536), 'link_too_long'],
  ])('%s is refused: %s', (address, code) => {
    expect(parseLink(address)).toEqual({ code });
  });

  test('canonicalizing twice changes nothing', () => {
    const word = fc.stringMatching(/^[a-zA-Z0-9%._~!$'()*+,;:@ü/-]{0,12}$/);
    fc.assert(
      fc.property(
        fc.oneof(
          fc.webUrl({ withFragments: true, withQueryParameters: true }),
          fc
            .tuple(word, word, word)
            .map(([host, path, query]) => `http://${host}.example/${path}?${query}&a=b`),
        ),
        (address) => {
          const { link } = parseLink(address);
          if (link === undefined) return;
          expect(parseLink(link.canonical).link).toEqual({ ...link, address: link.canonical });
        },
      ),
    );
  });

  test('a displayed address is a web address as received', () => {
    expect(readAddress('http://Example.com/A#b')).toBe('http://Example.com/A#b');
    expect(readAddress('javascript:alert(1)')).toBeNull();
  });
});

describe('citations in a text', () => {
  test.each([
    [
      'as said [8](https://a.example/x), and [9](https://b.example).',
      ['https://a.example/x', 'https://b.example'],
    ],
    ['[a](https://a.example/x_(y)) [b](https://a.example/x_(y)/)', ['https://a.example/x_(y)']],
    [
      '[source: arXiv](https://arxiv.org/abs/1) as (https://c.example) says',
      ['https://arxiv.org/abs/1', 'https://c.example'],
    ],
    ['bare: see https://a.example/x.', ['https://a.example/x']],
    ['[1] so.\n\n[1]: https://a.example\n[2]: https://b.example', ['https://a.example', 'https://b.example']],
    ['`https://code.example`\n```\nhttps://block.example\n```', []],
    ['# Title [1](https://a.example)', ['https://a.example']],
    ['only numbers [8, 17] and [3]', []],
    ['![](https://evil.example/?q=secret) [x](javascript:alert(1)) [y](/z)', []],
    ['[cut](https://a.example/x', ['https://a.example/x']],
    ['[t](https://a.example "title")', ['https://a.example']],
    ['', []],
  ])('%s', (text, cited) => {
    expect(runToEnd(parseCitations(text)).map((link) => link.canonical)).toEqual(cited);
  });

  test('parses hostile text in linear time', () => {
    const computed = watchProcessor();
    for (const part of ['[', '[](', '[x](https://', '](http', '[x](https://a.example/(((']) {
      runToEnd(parseCitations(part.repeat(100_000)));
    }
    expect(computed()).toBeLessThan(5_000);
  });
});
