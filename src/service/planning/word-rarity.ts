/** How rare words are, by lists of the frequent words of a language. Each list names its source and license in its first line. */

import { readFileSync } from 'node:fs';

/** Languages for which a list exists whose license permits to ship the list with this program. */
const LISTED = new Set(['de', 'en', 'es', 'fr', 'it', 'pt']);

/** Words beyond this rank are equally rare: a plural is no better word than its singular. */
const MOST_RANKS = 8_192;
export const MAX_RARITY = Math.log2(MOST_RANKS);

const lists = new Map<string, ReadonlyMap<string, number> | null>();

/**
 * The logarithm of the rank of a word, from 0 (the most frequent) to {@link MAX_RARITY} (not among the frequent words).
 * @param word in lower case @param language ISO 639-1
 * @returns null for a language without a list
 */
export function findRarity(word: string, language: string | null): number | null {
  if (language === null) return null;
  let ranks = lists.get(language);
  if (ranks === undefined) {
    ranks = LISTED.has(language) ? readRanks(language) : null;
    lists.set(language, ranks);
  }
  if (ranks === null) return null;
  return Math.log2(ranks.get(word) ?? MOST_RANKS);
}

/** Read when the first question in that language is asked: some milliseconds. */
function readRanks(language: string): ReadonlyMap<string, number> {
  const [, ...words] = readFileSync(new URL(`frequencies/${language}.txt`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  return new Map(words.map((word, i) => [word, i + 1]));
}
