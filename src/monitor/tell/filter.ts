/**
 * The text filter of a rule: words that must appear, words that must not, phrases in quotes. Words are compared
 * without case and accents, whole, and never as patterns. Pure.
 */
import { InvalidInput } from '../../errors.ts';

/** Words in a row; a single word is a phrase of one. */
type Phrase = readonly string[];

export type Filter = { must: readonly Phrase[]; mustNot: readonly Phrase[] };

export const FILTER_MAX = 500;
const TERMS_MAX = 50;

/** Letters that decompose into nothing simpler. */
const PLAIN: Readonly<Record<string, string>> = {
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
const ODD = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'gu');
const ACCENTS = /[\u0300-\u036f]/gu;
/** A run of letters and digits; where a script puts no space between words, each character is a word. */
const WORD =
  /(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]\p{M}*)|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー])[\p{L}\p{N}\p{M}])+/gu;

/** The words of a text, folded: `Zürich's #Hafen` is `zurich`, `s`, `hafen`. */
export function wordsIn(text: string): string[] {
  const folded = text
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .toLowerCase()
    .replace(ODD, (letter) => PLAIN[letter] ?? letter);
  return folded.match(WORD) ?? [];
}

/** A term as it is written: perhaps a minus, then a phrase in quotes or what stands up to the next space. */
const TERM = /\s*(-?)(?:"([^"]*)"|([^\s"]+))(?=\s|$)/y;

/**
 * Reads a filter such as `harbour ferry -cancelled "night line"`.
 * @throws InvalidInput with what cannot be read, and where
 */
export function parseFilter(text: string, path = 'filter'): Filter {
  const refuse = (expected: string, given = text) => new InvalidInput([{ path, given, expected }]);
  const written = text
    .normalize('NFC')
    .replace(/[“”„«»]/gu, '"')
    .trim();
  if (written.length > FILTER_MAX) throw refuse(`at most ${FILTER_MAX} characters`);
  const must: Phrase[] = [];
  const mustNot: Phrase[] = [];
  TERM.lastIndex = 0;
  for (let at = 0; at < written.length; at = TERM.lastIndex) {
    TERM.lastIndex = at;
    const [whole, minus, quoted, bare = ''] = TERM.exec(written) ?? [];
    if (whole === undefined) throw refuse(whatIsWrong(written, at), written.slice(at).trim());
    if (bare === 'OR' || bare === 'AND' || bare === 'NOT')
      throw refuse(
        `words, all of which must appear, and -words that must not; ${bare} is not understood (to look for the word itself, write it small)`,
        bare,
      );
    if (bare.includes('*')) throw refuse('whole words; * is not understood', bare);
    const phrase = wordsIn(quoted ?? bare);
    if (phrase.length === 0) throw refuse('a word with at least one letter or digit', whole.trim());
    (minus === '-' ? mustNot : must).push(phrase);
  }
  if (must.length + mustNot.length > TERMS_MAX) throw refuse(`at most ${TERMS_MAX} words and phrases`);
  return { must, mustNot };
}

function whatIsWrong(written: string, at: number): string {
  const quotes = written.slice(at).split('"').length - 1;
  return quotes % 2 === 1
    ? 'a second " at the end of the phrase'
    : 'a space before and after each phrase in quotes';
}

/** Whether a text passes: everything that must appear does, and nothing that must not. Takes as long as the text. */
export function passes({ must, mustNot }: Filter, parts: readonly (string | null)[]): boolean {
  if (must.length === 0 && mustNot.length === 0) return true;
  // No phrase reaches from one part into the next.
  const words = parts.flatMap((part) => (part === null ? [] : [...wordsIn(part), '']));
  const places = new Map<string, number[]>();
  for (const [i, word] of words.entries()) {
    const known = places.get(word);
    if (known === undefined) places.set(word, [i]);
    else known.push(i);
  }
  const appears = (phrase: Phrase) =>
    (places.get(phrase[0] ?? '') ?? []).some((i) => phrase.every((word, n) => words[i + n] === word));
  return must.every(appears) && !mustNot.some(appears);
}
