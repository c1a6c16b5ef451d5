/** Words as numbers: every text is read once, and everything after compares numbers. */
import { indexWords } from '../../relevance/words.ts';

/** Gives each word of any text a number: the same word, the same number. */
export type Vocabulary = {
  read(text: string): number[];
  size(): number;
};

export function createVocabulary(): Vocabulary {
  const numbers = new Map<string, number>();
  const numberOf = (word: string) => {
    const root = singular(word);
    const known = numbers.get(root);
    if (known !== undefined) return known;
    numbers.set(root, numbers.size);
    return numbers.size - 1;
  };
  return { read: (text) => indexWords(text).map(numberOf), size: () => numbers.size };
}

/** The S-stemmer (Harman 1991): houses, house; cities, city; glass stays. */
export function singular(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || word.endsWith('ss') || word.endsWith('us')) return word;
  return word.endsWith('ies') && word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1);
}
