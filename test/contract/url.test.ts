import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isWebUrl, parseUrl, parseWebUrl } from '../../src/model/links/link.ts';

test('the same address in different spellings is one link', () => {
  const asked = (n: number) =>
    n % 2 === 0 ? 'http://b\u00fccher.example/' : 'https://m\u00e9t\u00e9o.example/a';
  const lost = Array.from({ length: 20_000 }, (_, n) => asked(n)).filter(
    (text) => parseUrl(text) === undefined || parseWebUrl(text) === null,
  );
  expect(lost).toEqual([]);
});

test('an invalid address is undefined', () => {
  for (const text of ['', 'b\u00fccher', 'http://', 'http://a b/', '/path'])
    expect(parseUrl(text), text).toBeUndefined();
  expect(parseUrl('/path', 'https://a.example/b')?.href).toBe('https://a.example/path');
});

test('an address is judged as if it were taken apart', () => {
  const label = fc.oneof(
    fc.constantFrom(
      'a',
      'www',
      '1',
      '0x1f',
      '256',
      'a--b',
      '-a',
      'xn--',
      'xn--a',
      'XN--nxasmq6b',
      'ex_ample',
      'm\u00fcller',
    ),
    fc.constantFrom(
      'c0m',
      'com',
      'COM',
      '[',
      '@',
      ' ',
      '%41',
      '\u00ad',
      '\ufb01',
      '\u0130',
      '\t',
      'a'.repeat(70),
      '',
    ),
    fc.string({ maxLength: 3 }),
  );
  const address = fc
    .tuple(
      fc.constantFrom('http://', 'https://', 'HTTPS://', 'https:/', 'https:///', 'http://u:p@', 'ftp://'),
      fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.')),
      fc.constantFrom('', '.', ':80', ':x', ':99999'),
      fc.constantFrom(
        '',
        '/',
        '?',
        '#',
        '/a b',
        '/%zz',
        '/@b:c',
        '\\x',
        '/\u0000',
        '/\ud800',
        '/a/b.c',
        '/a//b',
        '/.',
        '/a/..',
        '/A_1-2/',
      ),
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(address, (text) => {
      const url = parseWebUrl(text);
      expect(isWebUrl(text)).toBe(url !== null);
    }),
    { numRuns: 3_000 },
  );
});
