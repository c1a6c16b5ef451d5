/** Finds the words of a statement that another statement lacks, so that a page can mark them where it shows both. */
import { splitIndexWords } from '../relevance.ts';
import { readStatementWords } from './statement-words.ts';

/** Below this share of common words, two statements are about different things, and nothing is marked. */
const MIN_COMMON = 0.4;
/** Statements that each is compared with. */
const MAX_OTHERS = 60;

/** @returns of a statement, the most similar of these; undefined if none is similar */
export function createLikestFinder(others: readonly string[]): (text: string) => string | undefined {
  const known = others.slice(0, MAX_OTHERS).map((text) => ({ text, words: readStatementWords(text).words }));
  return (text) => {
    if (known.length === 0) return undefined;
    const { words } = readStatementWords(text);
    let best: { text: string; common: number } | undefined;
    for (const other of known) {
      const shared = [...words].filter((word) => other.words.has(word)).length;
      const common = shared / Math.max(words.size, other.words.size);
      if (common >= MIN_COMMON && common > (best?.common ?? 0)) best = { text: other.text, common };
    }
    return best?.text;
  };
}

/** @returns whether a word, as in the index, is missing from another statement; undefined if there is no other */
export function createChangedWords(other: string | undefined): ((word: string) => boolean) | undefined {
  if (other === undefined) return undefined;
  const known = new Set(splitIndexWords(other));
  return (word) => !known.has(word);
}
