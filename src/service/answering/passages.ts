/**
 * Weighs the pieces of the evidence: how relevant each is to the prompt, which terms it has, which others it repeats.
 * Words are numbers here: each text is split once for all texts of a completion, and later steps compare numbers.
 */

import { addToGroup, type Groups } from '../../lib/group-by.ts';
import { createPrior } from '../../model/relevance.ts';
import { discountPlace } from '../ranking/result-ranking.ts';
import { createSlices } from '../event-loop-turns.ts';
import type { Findings } from '../planning/retrieval.ts';
import { readAnswerSign, isDefinition } from './answer-signs.ts';
import { isSubjectOf } from './antecedents.ts';
import { type EvidenceItem, type Piece, readEvidence } from './evidence.ts';
import { createTelling, readSubject } from './prompt-subject.ts';
import { createVocabulary } from './vocabulary.ts';

export type Passage = Piece & {
  item: EvidenceItem;
  /** Hashes of its word n-grams, to detect copies. */
  runs: readonly number[];
  /** Distinct terms with tf-idf weights, normalized to length 1. */
  terms: readonly number[];
  weights: readonly number[];
  /** Share of the prompt's words that its item contains, by their weights: 0 to 1; 1 for a prompt without words. */
  relevance: number;
  /** Whether its item has a word that separates the results: see {@link createTelling}. */
  telling: boolean;
  /** Which of the prompt's words it contains, with its title where that stands in front: the thing that it is about. */
  thing: string;
  /** Whether the passage looks like an answer; null if answers to this question have no known look. */
  answers: boolean | null;
  /** How well it fits the prompt alone: its share of the words, and more if it looks like an answer or a definition. */
  fit: number;
  /** Prior score above 0: relevance, place, recency, and whether it looks like an answer. Never engagement: see evidence.ts. */
  prior: number;
};

/** What a sentence that looks like an answer counts more, and one that defines the subject. */
const ANSWER_BONUS = 1.5;
const DEFINITION_BONUS = 1.3;
/** A title says less than a sentence. */
const TITLE_SHARE = 0.8;
/** A sentence that says nothing of the subject itself counts less than one that does, even with the title in front. */
const TITLED_SHARE = 0.9;
const UNNAMED_SHARE = 0.5;

/**
 * The passages about the prompt, best place first: the sentences with a word of it (also as a tag of the item), those that
 * look like an answer below a title with its words, and each title with more of its words than any sentence of its item.
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
      lead: vocabulary.read(item.lead),
      pieces: item.pieces.map((piece) => ({
        ...piece,
        item,
        context: piece.before.flatMap(({ text }) => vocabulary.read(text)),
        ...countTerms(vocabulary.read(piece.text)),
      })),
    });
  }
  await slices();
  const subject = readSubject(prompt, vocabulary);
  const isTelling = createTelling(
    subject.things,
    drafts.map(({ words }) => words),
  );
  const sign = readAnswerSign(prompt);
  const recency = createRecency(drafts.map(({ item }) => item));
  const passages = drafts.flatMap(({ item, words, tags, lead, pieces }) => {
    const relevance = subject.measure(words);
    if (!subject.isAbout(words)) return [];
    const telling = isTelling(words);
    const titled = subject.measure(lead);
    const measured = pieces.map((piece) => {
      const said = [...piece.terms, ...tags, ...piece.context];
      const own = subject.measure(piece.needsTitle ? [...said, ...lead] : said);
      const answers = piece.kind !== 'label' && sign?.test(piece.text) === true;
      const isLeadSentence = item.source === 'web' && piece.position === 1;
      // All of an article is about its title.
      const isArticle = item.source === 'encyclopedia' && answers;
      const isBelowTitle =
        piece.kind === 'text' &&
        (answers || isLeadSentence) &&
        titled > own &&
        !isSubjectOf(item.lead, piece.text);
      return {
        ...piece,
        answers,
        needsTitle: piece.needsTitle || (isBelowTitle && piece.before.length === 0),
        own: isBelowTitle
          ? (own > 0 || isLeadSentence || isArticle ? TITLED_SHARE : UNNAMED_SHARE) *
            subject.measure([...said, ...lead])
          : own,
        thing: subject.name([...said, ...lead]),
      };
    });
    const sentences = measured.filter(({ kind, own }) => kind === 'text' && own > 0);
    const most = Math.max(0, ...sentences.map(({ own }) => own));
    const titles = measured.filter(({ kind, own }) => kind !== 'text' && own > most);
    return [...titles, ...sentences].map(({ own, answers, ...piece }) => {
      // A question about who, when or why needs no definition of its subject.
      const defines =
        piece.position === 1 &&
        (sign === undefined || answers) &&
        isSubjectOf(item.lead, piece.text) &&
        isDefinition(piece.text);
      const bonus = (answers ? ANSWER_BONUS : 1) * (defines && titled === 1 ? DEFINITION_BONUS : 1);
      return {
        ...piece,
        relevance,
        telling,
        answers: sign?.isStrict === true ? answers : null,
        fit: own * bonus * (piece.kind === 'title' ? TITLE_SHARE : 1),
        prior:
          ((relevance + own) / 2) *
          Math.sqrt(discountPlace(item.place)) *
          recency(item) *
          bonus *
          (piece.kind === 'title' ? TITLE_SHARE : 1),
      };
    });
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
