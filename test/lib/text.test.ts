/** What each function that cleans text does with each kind of special character. */
import { expect, test } from 'vitest';
import { oneLine } from '../../src/cli/terminal-text.ts';
import { cleanLine, escapeUnsafe, removeUnsafe } from '../../src/lib/text.ts';
import { toVisibleLine } from '../../src/service/answering/unsafe-markup.ts';
import { toPlainText } from '../../src/service/sources/parse/plain-text.ts';
import { shortenText } from '../../src/web/components/untrusted-text.tsx';

const CLEANERS = {
  cleanLine,
  terminal: oneLine,
  source: toPlainText,
  completion: (text: string) => toVisibleLine(text, 1_000),
  remove: removeUnsafe,
  escape: escapeUnsafe,
  page: shortenText,
};
const SAME = 'as it came';

/** What is left of `a?b`: of one line, in a completion, where characters are removed, and on a page. */
test.each<[string, string, { line: string; completion?: string; remove: string; page: string }]>([
  ['tab', '\t', { line: 'a b', remove: SAME, page: SAME }],
  ['line feed', '\n', { line: 'a b', remove: SAME, page: SAME }],
  ['carriage return', '\r', { line: 'a b', remove: 'ab', page: SAME }],
  ['next line', '\u0085', { line: 'a b', remove: 'ab', page: SAME }],
  ['line separator', '\u2028', { line: 'a b', remove: 'ab', page: SAME }],
  ['right to left override', '\u202e', { line: 'ab', remove: 'ab', page: 'a\u2423b' }],
  ['isolate', '\u2067', { line: 'ab', remove: 'ab', page: 'a\u2423b' }],
  ['right to left mark', '\u200f', { line: 'ab', remove: 'ab', page: 'a\u2423b' }],
  ['Arabic letter mark', '\u061c', { line: 'ab', remove: 'ab', page: 'a\u2423b' }],
  ['zero-width space', '\u200b', { line: 'ab', remove: 'ab', page: SAME }],
  ['word joiner', '\u2060', { line: 'ab', remove: 'ab', page: SAME }],
  ['byte order mark', '\ufeff', { line: 'ab', remove: 'ab', page: SAME }],
  ['annotation', '\ufff9', { line: 'ab', remove: 'ab', page: SAME }],
  ['tag', '\u{e0041}', { line: 'ab', remove: 'ab', page: SAME }],
  ['joiner', '\u200d', { line: SAME, completion: 'ab', remove: SAME, page: SAME }],
  ['non-joiner', '\u200c', { line: SAME, completion: 'ab', remove: SAME, page: SAME }],
  ['soft hyphen', '\u00ad', { line: SAME, completion: 'ab', remove: SAME, page: SAME }],
  ['filler', '\u3164', { line: SAME, completion: 'ab', remove: SAME, page: SAME }],
  ['variation selector', '\u{e0100}', { line: SAME, completion: 'ab', remove: SAME, page: SAME }],
])('%s', (_, sign, { line, completion = line, remove, page }) => {
  const text = `a${sign}b`;
  const left = (kept: string) => (kept === SAME ? text : kept);
  expect(Object.fromEntries(Object.entries(CLEANERS).map(([name, clean]) => [name, clean(text)]))).toEqual({
    cleanLine: left(line),
    terminal: left(line),
    source: left(line),
    completion: left(completion),
    remove: left(remove),
    escape: remove === SAME ? text : `a${escapeUnits(sign)}b`,
    page: left(page),
  });
  expect(JSON.parse(`"${escapeUnsafe(JSON.stringify(text).slice(1, -1))}"`)).toBe(text);
});

function escapeUnits(sign: string): string {
  return Array.from(
    { length: sign.length },
    (_, i) => `\\u${sign.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('');
}

test.each(['👩‍👩‍👧‍👦', '👩🏽‍🚀', '🏳️‍🌈', '❤️‍🔥', 'می‌خواهم', 'नमस्ते', 'e\u0301'])(
  '%s is the same wherever text for people is stored',
  (text) => {
    const { completion: _, ...others } = CLEANERS;
    for (const clean of Object.values(others)) expect(clean(text)).toBe(text);
  },
);

test('keeps joiners of emoji in a completion, and removes invisible characters between letters', () => {
  for (const emoji of ['👩‍👩‍👧‍👦', '👩🏽‍🚀', '🏳️‍🌈', '❤️‍🔥']) expect(CLEANERS.completion(emoji)).toBe(emoji);
  expect(CLEANERS.completion('ig\u200dno\u200cre')).toBe('ignore');
});
