/** Relevance of titles and snippets to a prompt: a list of its own beside those of the sources. */

import { foldLetters } from '../../lib/folded-words.ts';
import { hasUnspacedScript, inverseDocumentFrequency, termSaturation } from '../../model/relevance.ts';
import { hasLetterOrDigit } from '../../lib/text.ts';
import type { FoundItem } from '../sources/search-source.ts';

/** More occurrences of a word do not raise its score. */
const MAX_OCCURRENCES = 4;
/** From this length on, words match without their last two letters: `elections` matches `election`. */
const MIN_STEMMED_LENGTH = 6;
/** A prompt up to this length is also matched as a phrase. */
const MAX_PHRASE_LENGTH = 60;

/** What is compared: title and snippet. */
type Text = Pick<FoundItem, 'title' | 'snippet'>;

/** @returns item indexes, best match first, without items that do not match */
export function rankByText(
  things: readonly Text[],
  { keywords, prompt }: { keywords: readonly string[]; prompt: string },
): number[] {
  const terms = buildTerms(keywords, prompt);
  const texts = things.map(joinText);
  const averageLength = texts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, texts.length);
  const scores = texts.map(() => 0);
  for (const term of terms) {
    const times = texts.map((text) => countOccurrences(text, term));
    const rare = inverseDocumentFrequency(times.filter((n) => n > 0).length, texts.length);
    for (const [i, n] of times.entries()) {
      if (n > 0)
        scores[i] = (scores[i] ?? 0) + rare * termSaturation(n, texts[i]?.length ?? 0, averageLength);
    }
  }
  return Array.from(scores.keys())
    .filter((i) => (scores[i] ?? 0) > 0)
    .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
}

function buildTerms(keywords: readonly string[], prompt: string): string[] {
  const whole = foldText(prompt).trim();
  // A pair of neighbors counts with each of its words, and once more where they stand together.
  const terms = keywords
    .flatMap((keyword) => [keyword, ...keyword.split(' ')])
    .map(toTerm)
    .filter((term) => term !== '');
  return [...new Set(whole.includes(' ') && whole.length <= MAX_PHRASE_LENGTH ? [...terms, whole] : terms)];
}

/** The beginning that forms of a word share, roughly: of many languages, and of other words as well. */
export function cutEnding(word: string): string {
  return word.length >= MIN_STEMMED_LENGTH && !/[\s\p{N}]/u.test(word) && !hasUnspacedScript(word)
    ? word.slice(0, -2)
    : word;
}

function joinText({ title, snippet }: Text): string {
  return foldText(snippet.startsWith(title) ? snippet : `${title} ${snippet}`);
}

/**
 * Folded letters, as `find` compares them, with one hyphen and one apostrophe for all: `covid‑19` is `covid 19`. Signs stay,
 * since `c++` is no `c`; syllables are whole, since one of them is not the beginning of another.
 */
function foldText(text: string): string {
  return foldLetters(text)
    .normalize('NFC')
    .replace(/[‘’ʼ′`]/gu, "'")
    .replace(/[\s\p{Pd}−]+/gu, ' ');
}

/** What stands at the beginning of each form of a word in a folded text. */
function toTerm(word: string): string {
  return foldText(cutEnding(word.normalize('NFC'))).trim();
}

/** Whether a text contains every word, by the same rules as {@link rankByText}. */
export function containsEveryWord(thing: Text, words: readonly string[]): boolean {
  const text = joinText(thing);
  return words.every((word) => countOccurrences(text, toTerm(word)) > 0);
}

/** Number of words that start with a term; of occurrences, in scripts without spaces. */
function countOccurrences(text: string, term: string): number {
  let count = 0;
  for (
    let at = text.indexOf(term);
    at !== -1 && count < MAX_OCCURRENCES;
    at = text.indexOf(term, at + term.length)
  ) {
    const before = text[at - 1];
    if (before === undefined || !hasLetterOrDigit(before) || hasUnspacedScript(term)) count += 1;
  }
  return count;
}
