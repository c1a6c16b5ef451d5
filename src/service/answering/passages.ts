/**
 * Weighs the pieces of the evidence: how relevant each is to the prompt, which terms it has, which others it repeats.
 * Words are numbers here: each text is split once for all texts of a completion, and later steps compare numbers.
 */

import { addToGroup, type Groups } from '../../domain/group-by.ts';
import { getOrMake } from '../../domain/get-or-make.ts';
import { foldLetters } from '../../domain/folded-words.ts';
import { createPrior, splitIndexWords } from '../../domain/relevance.ts';
import { extractSubjectWords } from '../planning/keywords.ts';
import { discountPlace } from '../ranking/result-ranking.ts';
import { cutEnding } from '../ranking/text-relevance.ts';
import { createSlices } from '../event-loop-turns.ts';
import type { Findings } from '../planning/retrieval.ts';
import { type EvidenceItem, type Piece, readEvidence } from './evidence.ts';

export type Passage = Piece & {
  item: EvidenceItem;
  /** Hashes of its word n-grams, to detect copies. */
  runs: readonly number[];
  /** Distinct terms with tf-idf weights, normalized to length 1. */
  terms: readonly number[];
  weights: readonly number[];
  /** Share of the prompt's words that its item contains: 0 to 1; 1 for a prompt without words. */
  relevance: number;
  /** Whether its item has a word that separates the results: see {@link createTelling}. */
  telling: boolean;
  /** Prior score above 0: relevance, place and recency. Never engagement: see evidence.ts. */
  prior: number;
};

/**
 * The passages about the prompt, best place first: the sentences with a word of it (also as a tag of the item), and
 * each title with more of its words than any sentence of its item.
 */
export async function extractPassages(findings: Findings, prompt: string): Promise<readonly Passage[]> {
  const vocabulary = createVocabulary();
  const slices = createSlices();
  const drafts = [];
  for (const item of await readEvidence(findings)) {
    await slices();
    drafts.push({
      item,
      words: vocabulary.read(`${item.words} ${item.tags}`),
      tags: vocabulary.read(item.tags),
      pieces: item.pieces.map((piece) => ({ ...piece, item, ...countTerms(vocabulary.read(piece.text)) })),
    });
  }
  await slices();
  const subject = vocabulary.match(extractSubjectWords(prompt)).map(toTest);
  const measure = createRelevance(subject);
  const isTelling = createTelling(
    subject,
    drafts.map(({ words }) => words),
  );
  const recency = createRecency(drafts.map(({ item }) => item));
  const passages = drafts.flatMap(({ item, words, tags, pieces }) => {
    const relevance = measure(words);
    const telling = isTelling(words);
    const measured = pieces.map((piece) => ({ ...piece, own: measure([...piece.terms, ...tags]) }));
    const sentences = measured.filter(({ kind, own }) => kind === 'text' && own > 0);
    const most = Math.max(0, ...sentences.map(({ own }) => own));
    const titles = measured.filter(({ kind, own }) => kind !== 'text' && own > most);
    return [...titles, ...sentences].map(({ own, ...piece }) => ({
      ...piece,
      relevance,
      telling,
      prior: ((relevance + own) / 2) * discountPlace(item.place) * recency(item),
    }));
  });
  const idf = computeIdf(passages, vocabulary.size());
  for (const { terms, weights } of passages) weighTerms(terms, weights, idf);
  return passages;
}

/** Recency among the items, not by the clock: the same items say the same an hour later. */
function createRecency(items: readonly EvidenceItem[]): ReturnType<typeof createPrior> {
  const times = items.flatMap(({ publishedAt }) => (publishedAt ? [publishedAt.getTime()] : []));
  const newest = Math.max(0, ...times);
  return createPrior({ from: new Date(Math.min(newest, ...times)), to: new Date(newest) }, 0);
}

/** Distinct terms with their counts, and the runs of the text. */
function countTerms(words: readonly number[]): { terms: number[]; weights: number[]; runs: number[] } {
  const terms: number[] = [];
  const weights: number[] = [];
  for (const word of words) {
    const known = terms.indexOf(word);
    if (known === -1) weights[terms.push(word) - 1] = 1;
    else weights[known] = (weights[known] ?? 0) + 1;
  }
  return { terms, weights, runs: hashRuns(words) };
}

/** Inverse document frequency of each term among the passages. */
function computeIdf(passages: readonly Pick<Passage, 'terms'>[], words: number): Float64Array {
  const holders = new Float64Array(words);
  for (const { terms } of passages) for (const word of terms) holders[word] = (holders[word] ?? 0) + 1;
  return holders.map((count) => Math.log((1 + passages.length) / Math.max(1, count)));
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

/** Whether a text contains a word of the prompt, in any form. */
type Test = (words: readonly number[]) => boolean;

/** @param matches the numbers of the words that match a word of the prompt */
function toTest(matches: ReadonlySet<number>): Test {
  return (words) => words.some((word) => matches.has(word));
}

/** Measures which share of the prompt's words a text contains. */
function createRelevance(subject: readonly Test[]): (words: readonly number[]) => number {
  if (subject.length === 0) return () => 1;
  return (words) => subject.filter((test) => test(words)).length / subject.length;
}

/**
 * Tests whether a text contains a word of the prompt that fewer than half of the results have, but more than one, which
 * may be chance: where most have "Hello World", only `film` separates those about "Hello World film" from the others.
 */
function createTelling(tests: readonly Test[], texts: readonly (readonly number[])[]): Test {
  const telling = tests.filter((test) => {
    const holders = texts.filter(test).length;
    return holders > 1 && holders < texts.length / 2;
  });
  return (words) => telling.some((test) => test(words));
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
  const holders: Groups<number, number> = new Map();
  const sizes = new Map<number, number>();
  for (const i of best) {
    const runs = passages[i]?.runs ?? [];
    const shared = new Map<number, number>();
    for (const run of runs) {
      for (const holder of holders.get(run) ?? []) shared.set(holder, (shared.get(holder) ?? 0) + 1);
    }
    if (isCopy(shared, runs.length, sizes)) continue;
    sizes.set(i, runs.length);
    for (const run of runs) addToGroup(holders, run, i);
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
  /** For each of some words, the numbers of its forms among all words that were read. */
  match(words: readonly string[]): ReadonlySet<number>[];
  size(): number;
};

function createVocabulary(): Vocabulary {
  const numbers = new Map<string, number>();
  const nextNumber = () => numbers.size;
  const numberOf = (word: string) => getOrMake(numbers, toSingular(word), nextNumber);
  return {
    read: (text) => splitIndexWords(text).map(numberOf),
    match: (words) => {
      const stems = [...new Set(words.flatMap(splitIndexWords).map(stripEnding))];
      const known = Array.from(numbers, ([word, number]) => ({ word, number, stem: stripEnding(word) }));
      return stems.map((stem) => {
        const forms = known.filter((form) => isFormOf(form, stem));
        const near = forms.length > 0 ? forms : known.filter(({ word }) => isNearForm(word, stem));
        return new Set(near.map(({ number }) => number));
      });
    },
    size: () => numbers.size,
  };
}

/** Surfing and surfer to surf: enough to compare a word of the prompt with words of a text. */
function stripEnding(word: string): string {
  const stem = toSingular(word).replace(/(?:ing|ed|er|e)$/, '');
  return stem.length < 4 ? toSingular(word) : stem;
}

/** From this length of a stem on, longer words contain it as a part: harbour in `harbourfestival`. */
const MIN_PREFIX_LENGTH = 5;

function isFormOf({ word, stem }: { word: string; stem: string }, of: string): boolean {
  return stem === of || (of.length >= MIN_PREFIX_LENGTH && word.startsWith(of));
}

/** After decomposition, where a Korean syllable has two letters or three. */
const MIN_NEAR_LENGTH = 4;

/** Forms of other languages, and accents. They may be other words, so only a word that has no closer form has them. */
function isNearForm(word: string, of: string): boolean {
  const beginning = foldLetters(cutEnding(of));
  return beginning.length >= MIN_NEAR_LENGTH && foldLetters(word).startsWith(beginning);
}

/** The S-stemmer (Harman 1991): houses to house, cities to city; glass is unchanged. */
export function toSingular(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || word.endsWith('ss') || word.endsWith('us')) return word;
  return word.endsWith('ies') && word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1);
}
