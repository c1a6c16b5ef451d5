import { expect, test } from 'vitest';
import { redactKey, redactKeyInBytes } from '../../src/monitor/client/key-redaction.ts';

const KEY = 'k$1/="x\\[nO';

const SPELLINGS: [how: string, said: string][] = [
  ['verbatim', KEY],
  ['as JSON', JSON.stringify(KEY)],
  ['as JSON with escaped slashes', JSON.stringify(KEY).replaceAll('/', '\\/')],
  ['as JSON with escaped signs', 'k\\u00241\\/\\u003D\\"x\\\\[nO'],
  ['as JSON with every character escaped', Array.from(KEY, (sign) => `\\u00${hexOf(sign)}`).join('')],
  ['in a URL', encodeURIComponent(KEY)],
  ['in HTML', KEY.replaceAll('"', '&quot;')],
  ['in base64', Buffer.from(KEY).toString('base64')],
];

test.each(SPELLINGS)('masks the key %s in echoed text', (_, said) => {
  expect(redactKey(`said ${said}.`, KEY)).toMatch(/^said "?\[key]"?\.$/);
});

test.each(SPELLINGS)('masks the key %s in echoed bytes', (_, said) => {
  const kept = redactKeyInBytes(Buffer.from(`{"a": ${said}, "b": "🌊"}`), KEY).toString();
  expect(kept).toMatch(/^\{"a": "?\[key]"?, "b": "🌊"}$/);
});

test.each(SPELLINGS)('masks the key %s in UTF-16 bytes of either byte order', (_, said) => {
  const little = Buffer.from(`\uFEFF{"a": ${said}, "b": "🌊"}`, 'utf16le');
  const without = /^\uFEFF\{"a": "?\[key]"?, "b": "🌊"}$/;
  expect(redactKeyInBytes(little, KEY).toString('utf16le')).toMatch(without);
  expect(redactKeyInBytes(Buffer.from(little).swap16(), KEY).swap16().toString('utf16le')).toMatch(without);
});

test('keeps the bytes around a masked key, even if they are not valid text', () => {
  const around = Buffer.from([0xff, 0xfe, 0x00, 0xc3]);
  const kept = redactKeyInBytes(Buffer.concat([around, Buffer.from(KEY), around]), KEY);
  expect(kept).toEqual(Buffer.concat([around, Buffer.from('[key]'), around]));
});

test('leaves all other bytes unchanged', () => {
  const bytes = Buffer.from([0xff, 0x00, 0x6b, 0x24, 0x31]);
  expect(redactKeyInBytes(bytes, KEY)).toBe(bytes);
  expect(redactKeyInBytes(bytes, undefined)).toBe(bytes);
});

test('masks in one pass: never a part of what it put there, and no key as short as parts of words', () => {
  expect(redactKey('said [key] and [ke', '[key]')).toBe('said [key] and [ke');
  expect(redactKey('a keyed key] of keyed key', 'key]')).toBe('a keyed [key] of keyed key');
  expect(redactKey('from keys/1 to keys/1', 'keys/1')).toBe('from [key] to [key]');
  expect(redactKey('it says keys', 'keys/1')).toBe('it says [key]');
  expect(redactKey('the key', 'k')).toBe('the key');
});

function hexOf(sign: string): string {
  return sign.charCodeAt(0).toString(16).padStart(2, '0');
}
