import { LRUCache } from 'lru-cache';

/**
 * Memoizes a pure function of a text: recurring searches mostly find the same texts. Evicts the least recently used.
 * @param limits.most maximum number of texts; `longest`: longer texts are not cached, so the product bounds memory
 */
export function memoizeByText<T extends {}>(
  { most, longest }: { most: number; longest: number },
  make: (text: string) => T,
): (text: string) => T {
  const known = new LRUCache<string, T>({ max: most, memoMethod: make });
  return (text) => (text.length > longest ? make(text) : known.memo(text));
}
