/**
 * Turns results into quotable sentences with weighted terms, without copies. Words are numbers here: each text is split
 * once for all texts of a completion, and later steps compare numbers.
 */

import { sumEngagement } from '../../domain/counters.ts';
import type { Source } from '../../domain/enumerations.ts';
import { createPrior, splitIndexWords } from '../../domain/relevance.ts';
import { MAX_PROMPT_LENGTH } from '../../protocol/specification.ts';
import { toCitableLink } from '../citable-link.ts';
import type { Findings } from '../planning/retrieval.ts';
import type { FoundItem } from '../sources/search-source.ts';
import { containsInjection, cutBeforeInjection } from './injection.ts';
import { extractSentences } from './quotable-sentences.ts';
import { isQuotable, toVisibleLine, toVisibleLines } from './unsafe-markup.ts';
import { LRUCache } from 'lru-cache';

export type Passage = {
  text: string;
  source: Source;
  /** As cited. */
  link: string;
  /** Of the item; '' if it cannot be quoted. */
  title: string;
  /** Milliseconds since 1970; undefined if the source does not provide it. */
  at: number | undefined;
  /** Hashes of its word n-grams, to detect copies. */
  runs: readonly number[];
  /** Distinct terms with tf-idf weights, normalized to length 1. */
  terms: readonly number[];
  weights: readonly number[];
  /** Prior score above 0: relevance, recency and engagement. */
  prior: number;
};

const MAX_SNIPPET_LENGTH = 1_500;
const MAX_TITLE_LENGTH = 300;
/** Per item, so that a long page does not fill the whole summary. */
const MAX_SENTENCES_PER_ITEM = 8;
/** Minimum relevance: a sentence without any word of the prompt can still be about it. */
const RELEVANCE_BASE = 0.3;
/** Informal sources: lines without full stops, names without capitals. */
const LOOSE_SOURCES: ReadonlySet<Source> = new Set<Source>(['microblog', 'discussion_board', 'news_forum']);

/** @returns the passages of each source, in the order of its items */
export function extractPassages(
  findings: Findings,
  { prompt, at }: { prompt: string; at: Date },
): ReadonlyMap<Source, readonly Passage[]> {
  const vocabulary = createVocabulary();
  const promptTerms = new Set(vocabulary.read(toVisibleLine(prompt, MAX_PROMPT_LENGTH)));
  const drafts = [...findings].flatMap(([source, found]) =>
    found.flatMap((item) => draftPassages(source, item, vocabulary)),
  );
  const idf = computeIdf(drafts, vocabulary.size());
  const priorOf = createSourcePriors(findings, at);
  const passages = new Map<Source, Passage[]>([...findings.keys()].map((source) => [source, []]));
  for (const draft of drafts) {
    weighTerms(draft.terms, draft.weights, idf);
    const prior = priorOf(draft.source, draft.item);
    draft.prior = (RELEVANCE_BASE + scoreRelevance(draft, promptTerms)) * prior;
    passages.get(draft.source)?.push(draft);
  }
  return passages;
}

/** A passage before inverse document frequencies are known: weights are counts. */
type PassageDraft = Omit<Passage, 'weights' | 'prior'> & {
  item: FoundItem;
  weights: number[];
  prior: number;
};

/** The sentences of an item, or its title if it has none. */
function draftPassages(source: Source, item: FoundItem, vocabulary: Vocabulary): PassageDraft[] {
  const link = toCitableLink(item.link);
  if (link === undefined) return [];
  const title = readQuotableTitle(item.title);
  const sentences = readQuotableSentences(item.snippet, source);
  const texts = sentences.length > 0 || title === '' ? sentences : [title];
  return texts.map((text) => {
    const words = vocabulary.read(text);
    const terms: number[] = [];
    const weights: number[] = [];
    for (const word of words) {
      const known = terms.indexOf(word);
      if (known === -1) weights[terms.push(word) - 1] = 1;
      else weights[known] = (weights[known] ?? 0) + 1;
    }
    const at = item.publishedAt?.getTime();
    return { item, source, link, title, at, text, terms, weights, runs: hashRuns(words), prior: 0 };
  });
}

/** Text from the first injection on is ignored. */
function readQuotableSentences(text: string, source: Source): readonly string[] {
  return LOOSE_SOURCES.has(source) ? parseLooseSentences(text) : parseStrictSentences(text);
}

/** A few megabytes at most; fits what ten busy topics find in an hour. */
const MEMO_LIMITS = { most: 4_000, longest: MAX_SNIPPET_LENGTH };
const parseLooseSentences = memoizeByText(MEMO_LIMITS, (text) => parseSentences(text, true));
const parseStrictSentences = memoizeByText(MEMO_LIMITS, (text) => parseSentences(text, false));

function parseSentences(text: string, loose: boolean): readonly string[] {
  const sentences = extractSentences(cutBeforeInjection(toVisibleLines(text, MAX_SNIPPET_LENGTH)), loose);
  return sentences.filter(isQuotable).slice(0, MAX_SENTENCES_PER_ITEM);
}

/** The title in one line, or '' if it cannot be quoted. */
const readQuotableTitle = memoizeByText(MEMO_LIMITS, (title) => {
  const line = toVisibleLine(title, MAX_TITLE_LENGTH);
  return isQuotable(line) && !containsInjection(line) && /\p{L}/u.test(line) ? line : '';
});

/** Inverse document frequency of each term among the sentences. */
function computeIdf(drafts: readonly PassageDraft[], words: number): Float64Array {
  const holders = new Float64Array(words);
  for (const { terms } of drafts) for (const word of terms) holders[word] = (holders[word] ?? 0) + 1;
  return holders.map((count) => Math.log((1 + drafts.length) / Math.max(1, count)));
}

/** Converts counts to tf-idf weights, normalized to length 1. */
function weighTerms(terms: readonly number[], weights: number[], idf: Float64Array): void {
  let sum = 0;
  for (let i = 0; i < terms.length; i++) {
    const weight = (weights[i] ?? 0) * (idf[terms[i] ?? 0] ?? 0);
    weights[i] = weight;
    sum += weight * weight;
  }
  const length = Math.sqrt(sum) || 1;
  for (let i = 0; i < weights.length; i++) weights[i] = (weights[i] ?? 0) / length;
}

/** Cosine similarity to the prompt, with the sentence's weights. */
function scoreRelevance({ terms, weights }: PassageDraft, promptTerms: ReadonlySet<number>): number {
  let shared = 0;
  for (let i = 0; i < terms.length; i++)
    if (promptTerms.has(terms[i] ?? -1)) shared += (weights[i] ?? 0) ** 2;
  return Math.sqrt(shared);
}

/** Recency and engagement, scaled per source: points and likes are not comparable. */
function createSourcePriors(findings: Findings, at: Date): (source: Source, item: FoundItem) => number {
  const all = [...findings.values()].flat();
  const oldest = Math.min(
    at.getTime(),
    ...all.map(({ publishedAt }) => publishedAt?.getTime() ?? at.getTime()),
  );
  const window = { from: new Date(oldest), to: at };
  const priors = new Map(
    [...findings].map(([source, found]) => [
      source,
      createPrior(window, Math.max(0, ...found.map(countEngagement))),
    ]),
  );
  return (source, item) =>
    priors.get(source)?.({ publishedAt: item.publishedAt, engagement: countEngagement(item) }) ?? 1;
}

function countEngagement({ engagement, post }: FoundItem): number {
  return engagement ?? (post === undefined ? undefined : sumEngagement(post)) ?? 0;
}

// Removes copies and near-copies.

/** `runs`: the result of {@link hashRuns}. */
type Copyable = { runs: readonly number[]; prior: number };

/** Length of the n-grams, in words. */
const COPY_RUN_WORDS = 5;
/** A sentence that shares this part of its n-grams with another is a copy, even if it adds text around them. */
const COPY_SHARE = 0.7;

/** Keeps the sentence with the highest prior of each set of copies; preserves the order. */
export function removeCopies<T extends Copyable>(passages: readonly T[]): T[] {
  const best = passages
    .map((_, i) => i)
    .sort((a, b) => (passages[b]?.prior ?? 0) - (passages[a]?.prior ?? 0));
  const holders = new Map<number, number[]>();
  const sizes = new Map<number, number>();
  for (const i of best) {
    const runs = passages[i]?.runs ?? [];
    const shared = new Map<number, number>();
    for (const run of runs) {
      for (const holder of holders.get(run) ?? []) shared.set(holder, (shared.get(holder) ?? 0) + 1);
    }
    if (isCopy(shared, runs.length, sizes)) continue;
    sizes.set(i, runs.length);
    for (const run of runs) {
      const holding = holders.get(run);
      if (holding === undefined) holders.set(run, [i]);
      else holding.push(i);
    }
  }
  return passages.filter((_, i) => sizes.has(i));
}

function isCopy(
  shared: ReadonlyMap<number, number>,
  size: number,
  sizes: ReadonlyMap<number, number>,
): boolean {
  for (const [holder, count] of shared) {
    if (count >= COPY_SHARE * Math.min(size, sizes.get(holder) ?? 0)) return true;
  }
  return false;
}

/** Distinct n-gram hashes of a sentence; one hash of the whole if it is shorter than an n-gram. */
function hashRuns(words: readonly number[]): number[] {
  const runs: number[] = [];
  for (let from = 0; from === 0 || from + COPY_RUN_WORDS <= words.length; from++) {
    let hash = 0x811c9dc5;
    for (let i = from; i < from + COPY_RUN_WORDS && i < words.length; i++) {
      hash = Math.imul(hash ^ ((words[i] ?? 0) + 1), 0x01000193);
      hash ^= hash >>> 15;
    }
    if (!runs.includes(hash)) runs.push(hash);
  }
  return runs;
}

/** Maps each distinct word to a number. */
type Vocabulary = {
  read(text: string): number[];
  size(): number;
};

function createVocabulary(): Vocabulary {
  const numbers = new Map<string, number>();
  const numberOf = (word: string) => {
    const root = toSingular(word);
    const known = numbers.get(root);
    if (known !== undefined) return known;
    numbers.set(root, numbers.size);
    return numbers.size - 1;
  };
  return { read: (text) => splitIndexWords(text).map(numberOf), size: () => numbers.size };
}

/** The S-stemmer (Harman 1991): houses to house, cities to city; glass is unchanged. */
export function toSingular(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || word.endsWith('ss') || word.endsWith('us')) return word;
  return word.endsWith('ies') && word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1);
}

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
