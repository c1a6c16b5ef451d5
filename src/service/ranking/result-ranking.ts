/** From what the sources of one tool found to one list, best first. Same lists, same answer. */

import {
  createPrior,
  hasUnspacedScript,
  inverseDocumentFrequency,
  termSaturation,
} from '../../domain/relevance.ts';
import type { FoundItem } from '../sources/search-source.ts';
import { foldDuplicates } from './deduplication.ts';

export type RankingOptions = {
  /** Of the prompt, best first, in lower case. */
  keywords: readonly string[];
  prompt: string;
  /** The window that was asked for; undefined where there is none. */
  from: Date | undefined;
  to: Date;
  /** The most items of use. */
  limit: number;
};

/**
 * Doubles are folded, the lists fused by reciprocal ranks together with one of how well the texts fit the
 * keywords, and the place of each thing weighed by the prior (docs/internals/ranking.md).
 *
 * @param lists one of each source and each variant of the keywords, best first
 */
export function rankResults(lists: readonly (readonly FoundItem[])[], asked: RankingOptions): FoundItem[] {
  const { things, lists: places } = foldDuplicates(lists);
  const fused = fuseRanks([...places, rankByText(things, asked)], things.length);
  const worth = discountPlaces(fused);
  const most = things.reduce((high, { engagement = 0 }) => Math.max(high, engagement), 0);
  const prior = createPrior(asked, most);
  return things
    .map((found, i) => ({ found, fused: fused[i] ?? 0, score: (worth[i] ?? 0) * prior(found) }))
    .sort((a, b) => b.score - a.score || b.fused - a.fused || compareText(a.found.link, b.found.link))
    .slice(0, asked.limit)
    .map(({ found }) => found);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

// Reciprocal rank fusion: lists that cannot compare their scores agree on an order.

/** Cormack, Clarke and Büttcher, SIGIR 2009: how little the first places of one list weigh against agreement. */
const RRF_K = 60;
/** Sums are rounded, so that the order in which they were added up makes no two of them differ. */
const SCORE_PRECISION = 1e12;

/**
 * @param lists things by number, best first, each once in a list
 * @param count how many things there are: 0 to `count - 1`
 * @returns the score of each
 */
function fuseRanks(lists: readonly (readonly number[])[], count: number): number[] {
  const scores = Array.from({ length: count }, () => 0);
  for (const list of lists) {
    for (const [place, thing] of list.entries())
      scores[thing] = (scores[thing] ?? 0) + 1 / (RRF_K + place + 1);
  }
  return scores.map((score) => Math.round(score * SCORE_PRECISION));
}

/**
 * What a place in the fused order is worth, from 1 down: 1 / log2(1 + place), as nDCG discounts. The scores
 * themselves lie too close: of one list the first has 1.64 times the fortieth's, so that any liking beside
 * relevance would decide everything. Equal scores share the best of their places.
 */
function discountPlaces(scores: readonly number[]): number[] {
  const sorted = scores.toSorted((a, b) => b - a);
  const places = new Map<number, number>();
  for (const [i, score] of sorted.entries()) if (!places.has(score)) places.set(score, i + 1);
  return scores.map((score) => 1 / Math.log2(1 + (places.get(score) ?? scores.length)));
}

// How well the found texts themselves fit: one more list, beside those of the sources.

/** More of the same word in one text says nothing more. */
const MAX_OCCURRENCES = 4;
/** Words of this length or more fit when all but their last two letters do: `elections` fits `election`. */
const MIN_STEMMED_LENGTH = 6;
/** A whole prompt is looked for as a phrase when it is no longer than this. */
const MAX_PHRASE_LENGTH = 60;
const LETTER = /[\p{L}\p{N}]/u;

/** @returns things by number, best fit first; those that do not fit at all are left out */
function rankByText(
  things: readonly FoundItem[],
  { keywords, prompt }: { keywords: readonly string[]; prompt: string },
): number[] {
  const terms = buildTerms(keywords, prompt);
  const texts = things.map(({ title, snippet }) =>
    (snippet.startsWith(title) ? snippet : `${title} ${snippet}`).toLowerCase(),
  );
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
  const whole = prompt.toLowerCase().replace(/\s+/gu, ' ').trim();
  const terms = keywords.map((word) =>
    word.length >= MIN_STEMMED_LENGTH && !/[\s\p{N}]/u.test(word) && !hasUnspacedScript(word)
      ? word.slice(0, -2)
      : word,
  );
  return [...new Set(whole.includes(' ') && whole.length <= MAX_PHRASE_LENGTH ? [...terms, whole] : terms)];
}

/** How often a term begins a word of a text; in scripts without spaces, how often it stands there. */
function countOccurrences(text: string, term: string): number {
  let count = 0;
  for (
    let at = text.indexOf(term);
    at !== -1 && count < MAX_OCCURRENCES;
    at = text.indexOf(term, at + term.length)
  ) {
    const before = text[at - 1];
    if (before === undefined || !LETTER.test(before) || hasUnspacedScript(term)) count += 1;
  }
  return count;
}
