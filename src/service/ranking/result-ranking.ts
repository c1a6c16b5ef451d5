/** Ranks the results of one tool's sources in one list. Deterministic. */

import { createPrior } from '../../model/relevance.ts';
import type { FoundItem } from '../sources/search-source.ts';
import { foldDuplicates } from './deduplication.ts';
import { selectResults } from './result-selection.ts';
import { rankByText } from './text-relevance.ts';

export type RankingOptions = {
  /** Of the prompt, best first, in lower case. */
  keywords: readonly string[];
  prompt: string;
  /** Keywords of several words that must be found as they are. */
  phrases?: readonly string[] | undefined;
  /** Requested window; undefined if there is none. */
  from: Date | undefined;
  to: Date;
  /** Maximum number of results. */
  limit: number;
  /** Receives how many different results there are, if not all are returned. */
  onCut?: (all: number) => void;
};

/**
 * Removes duplicates, fuses the lists and a text-relevance list by reciprocal rank, and weighs each rank by the prior
 * (docs/internals/service.md, Ranking).
 * @param lists one for each source and wording, best first
 */
export function rankResults(lists: readonly (readonly FoundItem[])[], options: RankingOptions): FoundItem[] {
  const { things, lists: ranked } = foldDuplicates(lists);
  const fused = fuseRanks([...ranked, rankByText(things, options)], things.length);
  const places = rankPlaces(fused);
  const most = things.reduce((high, { engagement = 0 }) => Math.max(high, engagement), 0);
  const prior = createPrior(options, most);
  const scored = things.map((item, i) => {
    const place = places[i] ?? things.length;
    const score = (engagement?: number) =>
      discountPlace(place) * prior({ publishedAt: item.publishedAt, engagement });
    return { item: { ...item, place }, place, kept: score(), score: score(item.engagement) };
  });
  const byLink = (a: { item: FoundItem }, b: { item: FoundItem }) => compareText(a.item.link, b.item.link);
  // Counters change the order only: if they decided what is returned, items would come and go with them.
  const best = scored
    .sort((a, b) => b.kept - a.kept || a.place - b.place || byLink(a, b))
    .map(({ item }) => item);
  if (best.length > options.limit) options.onCut?.(best.length);
  const selected = new Set(selectResults(best, options));
  return scored
    .filter(({ item }) => selected.has(item))
    .sort((a, b) => b.score - a.score || a.place - b.place || byLink(a, b))
    .map(({ item }) => item);
}

/** The first of each list, then the second of each, and so on. */
export function interleaveLists<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat();
}

export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

// Reciprocal rank fusion: combines lists whose scores cannot be compared.

/** Cormack, Clarke and Büttcher, SIGIR 2009: a higher constant favors agreement over the top ranks of one list. */
const RRF_K = 60;
/** Sums are rounded so that the order of addition makes no difference. */
const SCORE_PRECISION = 1e12;

/**
 * @param lists item indexes, best first, each once per list
 * @param count number of items: indexes are 0 to `count - 1`
 * @returns the score of each item
 */
function fuseRanks(lists: readonly (readonly number[])[], count: number): number[] {
  const scores = Array.from({ length: count }, () => 0);
  for (const list of lists) {
    for (const [place, thing] of list.entries())
      scores[thing] = (scores[thing] ?? 0) + 1 / (RRF_K + place + 1);
  }
  return scores.map((score) => Math.round(score * SCORE_PRECISION));
}

/** The place of each score in descending order, from 1. Equal scores share their best place. */
function rankPlaces(scores: readonly number[]): number[] {
  const sorted = scores.toSorted((a, b) => b - a);
  const places = new Map<number, number>();
  for (const [i, score] of sorted.entries()) if (!places.has(score)) places.set(score, i + 1);
  return scores.map((score) => places.get(score) ?? scores.length);
}

/**
 * Value of a place from 1 down: 1 / log2(1 + place), as in nDCG. The fused scores are too close together: in a single
 * list, the first has 1.64 times the score of the fortieth, so any prior would dominate.
 */
export function discountPlace(place: number): number {
  return 1 / Math.log2(1 + place);
}
