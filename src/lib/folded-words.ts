/**
 * Letters and words without case and accents, in every script: `zurich` matches `Zürich`. The one rule for `find`, rules and
 * lists, and for the prompts of sources that we match ourselves.
 */

import { INVISIBLES, UNSPACED_SCRIPTS } from './text.ts';

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
/** A soft hyphen, or another character without width, is inside a word and no part of it. */
const HIDDEN = new RegExp(String.raw`[\u00ad${INVISIBLES}]`, 'gu');
const ACCENTS = /[\u0300-\u036f]/gu;
const ASCII = /^\p{ASCII}*$/u;
/** A run of letters and digits; in scripts without spaces, each character is a word. */
const WORD = new RegExp(
  String.raw`(?:[${UNSPACED_SCRIPTS}]\p{M}*)|(?:(?![${UNSPACED_SCRIPTS}])[\p{L}\p{N}\p{M}])+`,
  'gu',
);

/** Longer runs are not searched for, in UTF-16 units: Postgres limits a lexeme to 2,046 bytes. */
export const MAX_FOLDED_WORD_LENGTH = 255;

/**
 * A text whose letters are folded and whose signs stay: without case, accents, ligatures and width, `ß` as `ss`, the
 * Turkish `İ` and `ı` as `i`. Composed or decomposed, a text folds to the same one, which is decomposed.
 */
export function foldLetters(text: string): string {
  // Nearly every text of many languages, and a tenth of the time.
  if (ASCII.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(HIDDEN, '')
    .replace(ACCENTS, '')
    .toLowerCase()
    .replace(FOLDABLE, (letter) => FOLDED_LETTERS[letter] ?? letter);
}

/** The words of a text, folded: `Zürich's #Hafen` is `zurich`, `s`, `hafen`. */
export function splitFoldedWords(text: string): string[] {
  return foldLetters(text).match(WORD) ?? [];
}
