/** The filters of rules as they were before the query language: what stored ones must still mean. */
import { InvalidInput } from '../../src/model/errors.ts';
import { splitFoldedWords } from '../../src/lib/folded-words.ts';

/** Required and excluded words and phrases. */
export type Filter = { must: readonly Phrase[]; mustNot: readonly Phrase[] };

/** Words in a row; a single word is a phrase of one. */
type Phrase = readonly string[];

const MAX_FILTER_LENGTH = 500;
const MAX_TERMS = 50;

/** A term of a filter: an optional minus, then a phrase in quotes or a word up to the next space. */
const TERM = /\s*(-?)(?:"([^"]*)"|([^\s"]+))(?=\s|$)/y;

/**
 * Parses a filter such as `harbour ferry -cancelled "night line"`.
 * @throws InvalidInput naming the part that cannot be parsed
 */
export function parseFilter(text: string, path = 'filter'): Filter {
  const refuse = (expected: string, given = text) => new InvalidInput([{ path, given, expected }]);
  const written = text
    .normalize('NFC')
    .replace(/[“”„«»]/gu, '"')
    .trim();
  if (written.length > MAX_FILTER_LENGTH) throw refuse(`at most ${MAX_FILTER_LENGTH} characters`);
  const must: Phrase[] = [];
  const mustNot: Phrase[] = [];
  TERM.lastIndex = 0;
  for (let at = 0; at < written.length; at = TERM.lastIndex) {
    TERM.lastIndex = at;
    const [whole, minus, quoted, bare = ''] = TERM.exec(written) ?? [];
    if (whole === undefined) throw refuse(explainSyntaxError(written, at), written.slice(at).trim());
    if (bare === 'OR' || bare === 'AND' || bare === 'NOT')
      throw refuse(
        `required words and -excluded words; ${bare} is not supported (to match the word itself, write it in lowercase)`,
        bare,
      );
    if (bare.includes('*')) throw refuse('whole words; * is not supported', bare);
    const phrase = splitFoldedWords(quoted ?? bare);
    if (phrase.length === 0) throw refuse('a word with at least one letter or digit', whole.trim());
    (minus === '-' ? mustNot : must).push(phrase);
  }
  if (must.length + mustNot.length > MAX_TERMS) throw refuse(`at most ${MAX_TERMS} words and phrases`);
  return { must, mustNot };
}

function explainSyntaxError(written: string, at: number): string {
  const quotes = written.slice(at).split('"').length - 1;
  return quotes % 2 === 1
    ? 'a closing " at the end of the phrase'
    : 'a space before and after each phrase in quotes';
}

/** Whether all required phrases appear and no excluded one does. Linear in the length of the text. */
export function matchesFilter({ must, mustNot }: Filter, parts: readonly (string | null)[]): boolean {
  if (must.length === 0 && mustNot.length === 0) return true;
  // The empty word keeps phrases from matching across parts.
  const words = parts.flatMap((part) => (part === null ? [] : [...splitFoldedWords(part), '']));
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
