/**
 * What was found, as sentences that can be quoted, with the weights of their words and without copies. Words are
 * numbers here: every text is split once for all texts of a completion, and everything after compares numbers.
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
  /** As it is cited. */
  link: string;
  /** Of the item; '' where it cannot be quoted. */
  title: string;
  /** Milliseconds since 1970; undefined where the source does not say. */
  at: number | undefined;
  /** Hashes of its runs of words; for comparing with what may be a copy. */
  runs: readonly number[];
  /** Each word once, with its weight: tf-idf, the whole of length 1. */
  terms: readonly number[];
  weights: readonly number[];
  /** How much it is worth: by what was asked, for being new and for being noticed; above 0. */
  prior: number;
};

const MAX_SNIPPET_LENGTH = 1_500;
const MAX_TITLE_LENGTH = 300;
/** Of one item; a long page shall not be the whole of a summary. */
const MAX_SENTENCES_PER_ITEM = 8;
/** Even a sentence without a word of the prompt may be about it. */
const RELEVANCE_BASE = 0.3;
/** Where people write as they speak: lines without full stops, names without capitals. */
const LOOSE_SOURCES: ReadonlySet<Source> = new Set<Source>(['microblog', 'discussion_board', 'news_forum']);

/** @returns the passages of each source, best item first, as the sources gave them */
export function extractPassages(
  findings: Findings,
  { prompt, at }: { prompt: string; at: Date },
): ReadonlyMap<Source, readonly Passage[]> {
  const vocabulary = createVocabulary();
  const asked = new Set(vocabulary.read(toVisibleLine(prompt, MAX_PROMPT_LENGTH)));
  const drafts = [...findings].flatMap(([source, found]) =>
    found.flatMap((item) => draftPassages(source, item, vocabulary)),
  );
  const idf = computeIdf(drafts, vocabulary.size());
  const priorOf = createSourcePriors(findings, at);
  const passages = new Map<Source, Passage[]>([...findings.keys()].map((source) => [source, []]));
  for (const draft of drafts) {
    weighTerms(draft.terms, draft.weights, idf);
    const prior = priorOf(draft.source, draft.item);
    draft.prior = (RELEVANCE_BASE + scoreRelevance(draft, asked)) * prior;
    passages.get(draft.source)?.push(draft);
  }
  return passages;
}

/** A passage before it is known how rare its words are: their weights are counts. */
type PassageDraft = Omit<Passage, 'weights' | 'prior'> & {
  item: FoundItem;
  weights: number[];
  prior: number;
};

/** The sentences of an item; its title where it has none. */
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

/** From the first order to a machine on, a text is not read: what follows it serves it. */
function readQuotableSentences(text: string, source: Source): readonly string[] {
  return LOOSE_SOURCES.has(source) ? parseLooseSentences(text) : parseStrictSentences(text);
}

/** Some megabytes at the most, for what ten busy topics find in an hour. */
const MEMO_LIMITS = { most: 4_000, longest: MAX_SNIPPET_LENGTH };
const parseLooseSentences = memoizeByText(MEMO_LIMITS, (text) => parseSentences(text, true));
const parseStrictSentences = memoizeByText(MEMO_LIMITS, (text) => parseSentences(text, false));

function parseSentences(text: string, loose: boolean): readonly string[] {
  const said = extractSentences(cutBeforeInjection(toVisibleLines(text, MAX_SNIPPET_LENGTH)), loose);
  return said.filter(isQuotable).slice(0, MAX_SENTENCES_PER_ITEM);
}

/** The title in one line, or '' where it may not be quoted. */
const readQuotableTitle = memoizeByText(MEMO_LIMITS, (title) => {
  const line = toVisibleLine(title, MAX_TITLE_LENGTH);
  return isQuotable(line) && !containsInjection(line) && /\p{L}/u.test(line) ? line : '';
});

/** Inverse frequency of each word among the sentences: what nearly all say tells little. */
function computeIdf(drafts: readonly PassageDraft[], words: number): Float64Array {
  const holders = new Float64Array(words);
  for (const { terms } of drafts) for (const word of terms) holders[word] = (holders[word] ?? 0) + 1;
  return holders.map((count) => Math.log((1 + drafts.length) / Math.max(1, count)));
}

/** Counts become weights: tf-idf, the whole of length 1. */
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

/** The cosine with the words of the prompt, each of them weighed as the sentence weighs it. */
function scoreRelevance({ terms, weights }: PassageDraft, asked: ReadonlySet<number>): number {
  let shared = 0;
  for (let i = 0; i < terms.length; i++) if (asked.has(terms[i] ?? -1)) shared += (weights[i] ?? 0) ** 2;
  return Math.sqrt(shared);
}

/** New and noticed, each source by its own measure: points and likes are not the same coin. */
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

// Copies and near-copies: what the same words in the same order say again is said once.

/** `runs`: what {@link hashRuns} gives. */
type Copyable = { runs: readonly number[]; prior: number };

/** Runs of so many words are compared. */
const COPY_RUN_WORDS = 5;
/** A sentence that shares this part of its runs with another is a copy of it, also where it says more around it. */
const COPY_SHARE = 0.7;

/** The one with the highest prior of each set of copies, in the order given. */
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

/** Hashes of the runs of a sentence, each once; of a shorter one the hash of the whole. */
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

/** Gives each word of any text a number: the same word, the same number. */
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

/** The S-stemmer (Harman 1991): houses, house; cities, city; glass stays. */
export function toSingular(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || word.endsWith('ss') || word.endsWith('us')) return word;
  return word.endsWith('ies') && word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1);
}

/**
 * A pure function of a text, with its results kept: searches run again and again, and most of what they find
 * is what they found before. What was not asked for longest goes first.
 * @param limits.most how many texts; `longest`: a longer one is not kept, so that their product bounds memory
 */
export function memoizeByText<T extends {}>(
  { most, longest }: { most: number; longest: number },
  make: (text: string) => T,
): (text: string) => T {
  const known = new LRUCache<string, T>({ max: most, memoMethod: make });
  return (text) => (text.length > longest ? make(text) : known.memo(text));
}
