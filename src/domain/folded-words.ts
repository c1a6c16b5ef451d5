/** Words without case and accents, for exact matches in every script: `zurich` matches `Zürich`. */

import { UNSPACED_SCRIPTS } from './text.ts';

/** Letters that decompose into nothing simpler. */
const FOLDED_LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
  ς: 'σ',
};
const FOLDABLE = new RegExp(`[${Object.keys(FOLDED_LETTERS).join('')}]`, 'gu');
const ACCENTS = /[\u0300-\u036f]/gu;
/** A run of letters and digits; in scripts without spaces, each character is a word. */
const WORD = new RegExp(
  String.raw`(?:[${UNSPACED_SCRIPTS}]\p{M}*)|(?:(?![${UNSPACED_SCRIPTS}])[\p{L}\p{N}\p{M}])+`,
  'gu',
);

/** Longer runs are not searched for, in UTF-16 units: Postgres limits a lexeme to 2,046 bytes. */
export const MAX_FOLDED_WORD_LENGTH = 255;

/** The words of a text, folded: `Zürich's #Hafen` is `zurich`, `s`, `hafen`. */
export function splitFoldedWords(text: string): string[] {
  const folded = text
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .toLowerCase()
    .replace(FOLDABLE, (letter) => FOLDED_LETTERS[letter] ?? letter);
  return folded.match(WORD) ?? [];
}
