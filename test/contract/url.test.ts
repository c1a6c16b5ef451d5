import { expect, test } from 'vitest';
import { webUrl } from '../../src/contract/link.ts';
import { urlOf } from '../../src/contract/url.ts';

test('an address is one however often it was asked', () => {
  const asked = (n: number) =>
    n % 2 === 0 ? 'http://b\u00fccher.example/' : 'https://m\u00e9t\u00e9o.example/a';
  const lost = Array.from({ length: 20_000 }, (_, n) => asked(n)).filter(
    (text) => urlOf(text) === undefined || webUrl(text) === null,
  );
  expect(lost).toEqual([]);
});

test('what is none is undefined', () => {
  for (const text of ['', 'b\u00fccher', 'http://', 'http://a b/', '/path'])
    expect(urlOf(text), text).toBeUndefined();
  expect(urlOf('/path', 'https://a.example/b')?.href).toBe('https://a.example/path');
});
