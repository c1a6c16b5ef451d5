/** Ranks the results of one tool's sources in one list. Deterministic. */

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
  /** Requested window; undefined if there is none. */
  from: Date | undefined;
  to: Date;
  /** Maximum number of results. */
  limit: number;
};

/**
 * Removes duplicates, fuses the lists and a text-relevance list by reciprocal rank, and weighs each rank by the prior
 * (docs/internals/ranking.md).
 * @param lists one for each source and wording, best first
 */
export function rankResults(lists: readonly (readonly FoundItem[])[], options: RankingOptions): FoundItem[] {
  const { things, lists: places } = foldDuplicates(lists);
  const fused = fuseRanks([...places, rankByText(things, options)], things.length);
  const worth = discountPlaces(fused);
  const most = things.reduce((high, { engagement = 0 }) => Math.max(high, engagement), 0);
  const prior = createPrior(options, most);
  return things
    .map((found, i) => ({ found, fused: fused[i] ?? 0, score: (worth[i] ?? 0) * prior(found) }))
    .sort((a, b) => b.score - a.score || b.fused - a.fused || compareText(a.found.link, b.found.link))
    .slice(0, options.limit)
    .map(({ found }) => found);
}

function compareText(a: string, b: string): number {
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

/**
 * Value of a rank in the fused order, from 1 down: 1 / log2(1 + rank), as in nDCG. The scores are too close together:
 * in a single list, the first has 1.64 times the score of the fortieth, so any prior would dominate. Equal scores share
 * their best rank.
 */
function discountPlaces(scores: readonly number[]): number[] {
  const sorted = scores.toSorted((a, b) => b - a);
  const places = new Map<number, number>();
  for (const [i, score] of sorted.entries()) if (!places.has(score)) places.set(score, i + 1);
  return scores.map((score) => 1 / Math.log2(1 + (places.get(score) ?? scores.length)));
}

// Text relevance: one more list beside those of the sources.

/** More occurrences of a word do not raise its score. */
const MAX_OCCURRENCES = 4;
/** From this length on, words match without their last two letters: `elections` matches `election`. */
const MIN_STEMMED_LENGTH = 6;
/** A prompt up to this length is also matched as a phrase. */
const MAX_PHRASE_LENGTH = 60;
const LETTER = /[\p{L}\p{N}]/u;

/** @returns item indexes, best match first, without items that do not match */
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

/** Number of words that start with a term; of occurrences, in scripts without spaces. */
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
