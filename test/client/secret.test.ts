import { expect, test } from 'vitest';
import { conceal, concealInBytes } from '../../src/monitor/client/secret.ts';

const KEY = 'k$1/="x\\[nO';

test.each([
  ['as it is', KEY],
  ['as JSON', JSON.stringify(KEY)],
  ['as JSON with escaped slashes', JSON.stringify(KEY).replaceAll('/', '\\/')],
  ['as JSON with escaped signs', 'k\\u00241\\/\\u003D\\"x\\\\[nO'],
  ['as JSON with nothing but escapes', Array.from(KEY, (sign) => `\\u00${hexOf(sign)}`).join('')],
])('bytes that repeat the key %s are kept without it', (_, said) => {
  const kept = concealInBytes(Buffer.from(`{"a": ${said}, "b": "🌊"}`), KEY).toString();
  expect(kept).toContain('[key]');
  expect(kept).toContain('🌊');
  expect(kept).not.toContain('nO');
  expect(conceal(`said ${said}.`, KEY)).not.toContain('nO');
});

test('in UTF-16 too, whichever way its bytes stand', () => {
  const little = Buffer.from(`\uFEFF{"a": "${KEY}", "b": "🌊"}`, 'utf16le');
  const without = '\uFEFF{"a": "[key]", "b": "🌊"}';
  expect(concealInBytes(little, KEY).toString('utf16le')).toBe(without);
  expect(concealInBytes(Buffer.from(little).swap16(), KEY).swap16().toString('utf16le')).toBe(without);
});

test('any other bytes stay as they are', () => {
  const bytes = Buffer.from([0xff, 0x00, 0x6b, 0x24, 0x31]);
  expect(concealInBytes(bytes, KEY)).toBe(bytes);
  expect(concealInBytes(bytes, undefined)).toBe(bytes);
});

function hexOf(sign: string): string {
  return sign.charCodeAt(0).toString(16).padStart(2, '0');
}
