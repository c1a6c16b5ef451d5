/** Reciprocal rank fusion: lists that cannot compare their scores agree on an order. */

/** Cormack, Clarke and Büttcher, SIGIR 2009: how little the first places of one list weigh against agreement. */
const K = 60;
/** Sums are rounded, so that the order in which they were added up makes no two of them differ. */
const GRAIN = 1e12;

/**
 * @param lists things by number, best first, each once in a list
 * @param count how many things there are: 0 to `count - 1`
 * @returns the score of each
 */
export function fuse(lists: readonly (readonly number[])[], count: number): number[] {
  const scores = Array.from({ length: count }, () => 0);
  for (const list of lists) {
    for (const [place, thing] of list.entries()) scores[thing] = (scores[thing] ?? 0) + 1 / (K + place + 1);
  }
  return scores.map((score) => Math.round(score * GRAIN));
}

/**
 * What a place in the fused order is worth, from 1 down: 1 / log2(1 + place), as nDCG discounts. The scores
 * themselves lie too close: of one list the first has 1.64 times the fortieth's, so that any liking beside
 * relevance would decide everything. Equal scores share the best of their places.
 */
export function worthOfPlaces(scores: readonly number[]): number[] {
  const sorted = scores.toSorted((a, b) => b - a);
  const places = new Map<number, number>();
  for (const [i, score] of sorted.entries()) if (!places.has(score)) places.set(score, i + 1);
  return scores.map((score) => 1 / Math.log2(1 + (places.get(score) ?? scores.length)));
}
