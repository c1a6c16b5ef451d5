import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildExcerpt, listExcerptWords } from '../../src/model/excerpt.ts';
import { splitIndexWords, locateWords } from '../../src/model/relevance.ts';

const sayings =
  (...words: string[]) =>
  (word: string) =>
    words.includes(word) ? 1 : 0;
const shown = (text: string, ...words: string[]) =>
  buildExcerpt(text, sayings(...words))
    .map(({ text: piece, match }) => (match ? `[${piece}]` : piece))
    .join('');

test('highlights only the words that match', () => {
  expect(shown('The crane at the Harbour, and the harbours', 'crane', 'harbour')).toBe(
    'The [crane] at the [Harbour], and the harbours',
  );
});

test.each([
  ['船が港に入る', '港に', '船が[港に]入る'],
  ['港に港に', '港に', '[港に][港に]'.replace('][', '')],
  ['ΟΔΟΣ και οδός', 'οδός', 'ΟΔΟΣ και [οδός]'],
  ['Café', 'café', '[Café]'],
  ['Cafe\u0301 noir', 'café', '[Café] noir'],
  ['<b>crane</b> & "crane"', 'crane', '<b>[crane]</b> & "[crane]"'],
])('%s, searched for %s', (text, word, marked) => {
  expect(shown(text, word)).toBe(marked);
});

test('shows the part of a long text with the most different words', () => {
  const sentence = 'nothing of note was seen on this day by anybody there. ';
  const filler = sentence.repeat(20);
  const text = `${filler}A crane. ${filler}The crane fell into the harbour. ${filler}`;
  expect(shown(text, 'crane', 'harbour')).toBe(
    `…${sentence}The [crane] fell into the [harbour]. ${sentence.repeat(3)}nothing of note was seen…`,
  );
});

test('cuts a text without spaces between its characters, and no word that is highlighted', () => {
  expect(shown(`${'😀'.repeat(200)}-crane${'😀'.repeat(200)}`, 'crane')).toBe(
    `…${'😀'.repeat(30)}-[crane]${'😀'.repeat(107)}…`,
  );
  expect(shown(`a${'港に'.repeat(200)}`, '港に')).toBe(`a[${'港に'.repeat(139)}]港…`);
});

test('shows the beginning of a long text without matches', () => {
  const text = 'One two three. '.repeat(100);
  expect(shown(text, 'harbour').startsWith('One two three.')).toBe(true);
});

const texts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 400 }),
  fc.string({
    unit: fc.constantFrom('a', 'B', ' ', '港', '船', 'ー', '\u0301', '😀', '\ud800', '\n', 'ß', '7'),
    maxLength: 600,
  }),
);

test('splits text into the same words as the index', () => {
  fc.assert(
    fc.property(texts, (given) => {
      const text = given.normalize('NFC');
      const places = locateWords(text);
      expect(places.map(({ word }) => word)).toEqual(splitIndexWords(text));
      for (const { word, start, end } of places) expect(text.slice(start, end).toLowerCase()).toBe(word);
    }),
  );
});

test('an excerpt is a contiguous part of the text, never half a character, and every highlight matches', () => {
  fc.assert(
    fc.property(texts, fc.nat(20), (text, n) => {
      const words = listExcerptWords(text);
      const asked = words[n % Math.max(1, words.length)] ?? 'none';
      const pieces = buildExcerpt(text, sayings(asked));
      const plain = text.toWellFormed().normalize('NFC').replace(/\s+/gu, ' ').trim();
      const whole = pieces.map((piece) => piece.text).join('');
      expect(whole.isWellFormed()).toBe(true);
      expect(plain.includes(whole.replace(/^…|…$/gu, ''))).toBe(true);
      expect(whole.length).toBeLessThanOrEqual(282);
      if (plain.length <= 280) expect(whole).toBe(plain);
      for (const { text: piece, match } of pieces) if (match) expect(splitIndexWords(piece)).toContain(asked);
    }),
  );
});
