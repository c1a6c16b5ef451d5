/** The words that a search with a language of its own is asked for. */
import type { Query } from '../../source.ts';
import { bestWords } from './words.ts';

/**
 * The best few words and phrases, all of which must occur, in the order of the prompt; empty where it has none.
 * @param asPhrase what stands in quotes, so that it is not read as several words or as an operator
 */
export function searchWords(
  query: Pick<Query, 'prompt' | 'keywords'>,
  most: number,
  asPhrase = /\s/u,
): string {
  return bestWords(query, most)
    .map((word) => (asPhrase.test(word) ? `"${word.replaceAll('"', ' ')}"` : word))
    .join(' ');
}
