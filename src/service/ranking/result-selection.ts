/** Which results are returned if there are more than fit. What order they have is another question. */

import { listBestWords } from '../sources/provider-query.ts';
import type { FoundItem, SourceQuery } from '../sources/search-source.ts';
import { containsEveryWord } from './text-relevance.ts';

/** Of the places of a request with a period, those of the most relevant results, however old they are. */
const RELEVANT_SHARE = 1 / 4;
/** Numbers of words that a result must contain to be one of the newest: the first with which any does. */
const WORD_ATTEMPTS = [3, 2, 1] as const;

/**
 * In a request with a period, somebody who repeats it must see what is new: a quarter of the places are those of the
 * most relevant results, and the others those of the newest that contain the best words. Without a period, all are
 * those of the most relevant ones.
 * @param ranked most relevant first
 * @returns in the same order
 */
export function selectResults<T extends FoundItem>(
  ranked: readonly T[],
  { from, limit, ...query }: Pick<SourceQuery, 'prompt' | 'keywords' | 'phrases' | 'from' | 'limit'>,
): T[] {
  if (ranked.length <= limit || from === undefined) return ranked.slice(0, limit);
  const selected = new Set(ranked.slice(0, Math.floor(limit * RELEVANT_SHARE)));
  for (const item of [...orderNewest(findMatching(ranked, query)), ...ranked]) {
    if (selected.size >= limit) break;
    selected.add(item);
  }
  return ranked.filter((item) => selected.has(item));
}

function findMatching<T extends FoundItem>(
  ranked: readonly T[],
  query: Pick<SourceQuery, 'prompt' | 'keywords' | 'phrases'>,
): T[] {
  for (const words of listBestWords(query, WORD_ATTEMPTS)) {
    const matching = ranked.filter((item) => containsEveryWord(item, words));
    if (matching.length > 0) return matching;
  }
  return [];
}

/** Newest first; items without a time may be new as well, and take every second place in their given order. */
export function orderNewest<T extends Pick<FoundItem, 'publishedAt'>>(items: readonly T[]): T[] {
  const dated = items
    .filter(({ publishedAt }) => publishedAt !== undefined)
    .sort((a, b) => (b.publishedAt?.getTime() ?? 0) - (a.publishedAt?.getTime() ?? 0));
  const undated = items.filter(({ publishedAt }) => publishedAt === undefined);
  return Array.from({ length: Math.max(dated.length, undated.length) }, (_, i) => [
    ...dated.slice(i, i + 1),
    ...undated.slice(i, i + 1),
  ]).flat();
}
