/** Writes a completion without a language model: quoted sentences, each with its link. */

import type { Source } from '../../model/enumerations.ts';
import type { Findings } from '../planning/retrieval.ts';
import { compareText, interleaveLists } from '../ranking/result-ranking.ts';
import {
  COMPLETION_SECTIONS,
  type CompletionRole,
  MAX_KEY_ITEMS,
  type SectionDraft,
} from './completion-draft.ts';
import { readAnswerSign } from './answer-signs.ts';
import { findCompletionWords } from './completion-words.ts';
import { extractPassages, type Passage, removeCopies } from './passages.ts';

const SUMMARY_BOUNDS = { most: 5, least: 3, perSource: 2 };
const GROUP_BOUNDS = { most: 4, least: 3, perSource: 4 };

/** An item is written about if it has more than this share of the relevance of the best: of two rare words of a prompt, both. */
const RELEVANCE_FLOOR = 0.6;
/** In the summary of all, a sentence that fits the question much less than the best only distracts from it. */
const FIT_FLOOR = 0.6;
/** Weight of a sentence that has nothing in common with others. */
const ALONE_WEIGHT = 0.7;
const ANSWER_ALONE_WEIGHT = 0.85;

/** Reads all results once. @returns writes any of the texts */
export async function createExtractiveWriter(
  findings: Findings,
  prompt: string,
): Promise<(role: CompletionRole) => SectionDraft> {
  const passages = await extractPassages(findings, prompt);
  const { title: titleWord } = findCompletionWords(prompt);
  // Of a topic, all sides are worth reading; of a question, what answers it.
  const asks = readAnswerSign(prompt) !== undefined;
  const aloneWeight = asks ? ANSWER_ALONE_WEIGHT : ALONE_WEIGHT;
  return (role) => {
    const { reads, keyOf } = COMPLETION_SECTIONS[role];
    const read = passages.filter(({ item }) => reads.includes(item.source));
    // What cannot be quoted, or only heads a text, keeps out nothing that answers.
    const texts = read.filter(({ kind }) => kind === 'text');
    const measured = texts.length > 0 ? texts : read;
    const best = Math.max(0, ...measured.map(({ relevance }) => relevance));
    // A word that separates the results is required if each of the best results has such a word.
    const mustTell = measured.every(({ relevance, telling }) => telling || relevance < best);
    const relevant = read.filter(
      ({ relevance, telling }) => relevance > RELEVANCE_FLOOR * best && (telling || !mustTell),
    );
    const distinct = removeCopies(relevant).slice(0, MAX_PASSAGES);
    const centrality = scoreCentrality(distinct);
    const scored = distinct.map((passage, i) => ({
      passage,
      score: (aloneWeight + (1 - aloneWeight) * (centrality[i] ?? 0)) * passage.prior,
    }));
    const quotable = scored.filter(({ passage }) => passage.kind !== 'label');
    // Only a text with a price or a date answers a question about a price or a date. The statement of a group is worth reading
    // nevertheless.
    const isAnswered =
      role !== 'summary' ||
      read.every(({ answers }) => answers !== false) ||
      quotable.some(({ passage }) => passage.answers === true);
    const fittest = Math.max(0, ...quotable.map(({ passage }) => passage.fit));
    const sentences = isAnswered
      ? quotable.filter(({ passage }) => role !== 'summary' || !asks || passage.fit >= FIT_FLOOR * fittest)
      : [];
    const chosen = choosePassages(sentences, role === 'summary' ? SUMMARY_BOUNDS : GROUP_BOUNDS);
    return {
      sentences: orderByThing(sentences, chosen).flatMap((of) => quoteItem(of, titleWord)),
      key: chooseKeyItems(scored, keyOf),
    };
  };
}

/**
 * What fits the question best first, then what is about the same thing, then the others in their order.
 * @param scored all that could be chosen @returns the passages of one item each
 */
function orderByThing(scored: readonly ScoredPassage[], chosen: readonly Passage[]): Passage[][] {
  const scores = new Map(scored.map(({ passage, score }) => [passage, score]));
  const scoreOf = (passage: Passage) => scores.get(passage) ?? 0;
  const left = chosen.toSorted(
    (a, b) =>
      b.fit - a.fit ||
      scoreOf(b) - scoreOf(a) ||
      a.item.place - b.item.place ||
      compareText(a.item.link, b.item.link),
  );
  const ordered: Passage[][] = [];
  let thing: string | undefined;
  while (left.length > 0) {
    const next = left.find((passage) => passage.thing === thing) ?? left[0];
    if (next === undefined) break;
    ordered.push(left.filter(({ item }) => item === next.item));
    left.splice(0, left.length, ...left.filter(({ item }) => item !== next.item));
    thing = next.thing;
  }
  return ordered;
}

/** What is chosen of an item, in its order, with what its sentences hang on; a title is marked as a title. */
function quoteItem(passages: readonly Passage[], titleWord: string): SectionDraft['sentences'] {
  const parts = new Map<number, Pick<Passage, 'kind' | 'text' | 'position' | 'needsTitle'>>();
  for (const passage of passages) {
    for (const each of passage.before) parts.set(each.position, { ...each, kind: 'text' });
    parts.set(passage.position, passage);
  }
  const [{ item } = { item: undefined }] = passages;
  if (item === undefined) return [];
  const inOrder = [...parts.values()].toSorted((a, b) => a.position - b.position);
  return inOrder.map(({ kind, text, position, needsTitle }, i) => {
    const last = inOrder[i - 1];
    const isAfter = last !== undefined && (last.kind === 'title' || last.position === position - 1);
    const front = kind === 'title' ? titleWord : item.lead;
    const isMarked = kind === 'title' || (needsTitle && !isAfter);
    return { text: isMarked ? `${front}: ${text}` : text, links: [item.link] };
  });
}

/** The best items of each source in turn, so that no source dominates. */
function chooseKeyItems(scored: readonly ScoredPassage[], sources: readonly Source[]): SectionDraft['key'] {
  return interleaveLists(sources.map((source) => listBestPassages(scored, source)))
    .slice(0, MAX_KEY_ITEMS)
    .map(({ text, item }) => ({ text: item.title === '' ? text : item.title, link: item.link }));
}

/** At most as many as there can be key items. */
function listBestPassages(scored: readonly ScoredPassage[], source: Source): Passage[] {
  const best = new Map<string, Passage>();
  const ofSource = scored.filter(({ passage }) => passage.item.source === source);
  for (const { passage } of ofSource.sort((a, b) => b.score - a.score)) {
    if (best.size === MAX_KEY_ITEMS) break;
    if (!best.has(passage.item.link)) best.set(passage.item.link, passage);
  }
  return [...best.values()];
}

/*
 * Selects the sentences of a summary by maximal marginal relevance (Carbonell and Goldstein 1998), so that each adds
 * something. Deterministic.
 */

/** Weight of a sentence's score against its similarity to those already chosen. */
const WORTH_SHARE = 0.6;
/** A sentence with at least this cosine similarity to a chosen sentence repeats it. */
const SAME_COSINE = 0.5;

type ScoredPassage = { passage: Passage; score: number };

type SelectionBounds = {
  most: number;
  /** Below this count, allow a second sentence of the same item. */
  least: number;
  /** Maximum per source, while other sources have sentences left. */
  perSource: number;
};

/** @returns the sentences in order of selection, best first */
export function choosePassages(
  scored: readonly ScoredPassage[],
  { most, least, perSource }: SelectionBounds,
): Passage[] {
  const chosen: Passage[] = [];
  const likeness = new Float64Array(scored.length);
  const highest = scored.reduce((top, { score }) => Math.max(top, score), 0) || 1;
  const bySource = new Map<Source, number>();
  const links = new Set<string>();
  const isNew = (i: number) => (likeness[i] ?? 0) < SAME_COSINE;
  const add = (next: Passage) => {
    chosen.push(next);
    links.add(next.item.link);
    bySource.set(next.item.source, (bySource.get(next.item.source) ?? 0) + 1);
    raiseLikeness(next, scored, likeness);
  };
  const take = (count: number, may: (passage: Passage) => boolean) => {
    while (countSentences(chosen) < count) {
      let best: Passage | undefined;
      let highestWorth = -Infinity;
      for (const [i, { passage, score }] of scored.entries()) {
        const worth = (WORTH_SHARE * score) / highest - (1 - WORTH_SHARE) * (likeness[i] ?? 0);
        if (worth <= highestWorth || !isNew(i) || !may(passage)) continue;
        best = passage;
        highestWorth = worth;
      }
      if (best === undefined) return;
      add(best);
    }
  };
  take(
    most,
    (passage) => !links.has(passage.item.link) && (bySource.get(passage.item.source) ?? 0) < perSource,
  );
  take(most, (passage) => !links.has(passage.item.link));
  // What fits best may need two sentences.
  const [best] = chosen.toSorted((a, b) => b.fit - a.fit);
  take(
    Math.min(most, countSentences(chosen) + 1),
    ({ item, fit }) => item === best?.item && fit >= 0.75 * best.fit,
  );
  take(least, () => true);
  return chosen;
}

/** With those that they hang on. */
function countSentences(passages: readonly Passage[]): number {
  return passages.reduce((sum, { before }) => sum + 1 + before.length, 0);
}

/** Updates each sentence's maximum similarity to the chosen ones. */
function raiseLikeness(chosen: Passage, scored: readonly ScoredPassage[], likeness: Float64Array): void {
  const weightOf = new Map(chosen.terms.map((term, t) => [term, chosen.weights[t] ?? 0]));
  for (const [i, { passage }] of scored.entries()) {
    const { terms, weights } = passage;
    let cosine = 0;
    for (let t = 0; t < terms.length; t++) {
      cosine += (weights[t] ?? 0) * (weightOf.get(terms[t] ?? -1) ?? 0);
    }
    if (cosine > (likeness[i] ?? 0)) likeness[i] = cosine;
  }
}

/*
 * Centrality: how much of what all sentences say one sentence covers (LexRank, Erkan and Radev 2004).
 */

/** Maximum number of sentences, since every pair may be compared; of more, the ones with the best places. */
const MAX_PASSAGES = 300;
/** Two sentences are neighbors from this cosine on; the threshold of the LexRank paper. */
const NEIGHBOR_COSINE = 0.1;
const DAMPING = 0.85;
const MAX_LEXRANK_ROUNDS = 30;
const SETTLED_CHANGE = 1e-4;

type TermVector = Pick<Passage, 'terms' | 'weights'>;

/** @returns a score from 0 to 1 for each sentence; the most central has 1 */
export function scoreCentrality(sentences: readonly TermVector[]): Float64Array {
  const count = sentences.length;
  const neighbours = findNeighbors(sentences);
  let scores = new Float64Array(count).fill(1 / count);
  for (let round = 0; round < MAX_LEXRANK_ROUNDS; round++) {
    const next = new Float64Array(count).fill((1 - DAMPING) / count);
    let alone = 0;
    for (let i = 0; i < count; i++) {
      const near = neighbours[i] ?? [];
      const score = scores[i] ?? 0;
      if (near.length === 0) alone += score;
      const share = (DAMPING * score) / near.length;
      for (const j of near) next[j] = (next[j] ?? 0) + share;
    }
    let change = 0;
    for (let i = 0; i < count; i++) {
      next[i] = (next[i] ?? 0) + (DAMPING * alone) / count;
      change += Math.abs((next[i] ?? 0) - (scores[i] ?? 0));
    }
    scores = next;
    if (change < SETTLED_CHANGE) break;
  }
  const most = scores.reduce((a, b) => Math.max(a, b), 0) || 1;
  return scores.map((score) => score / most);
}

/** Finds similar sentences with an inverted index. */
function findNeighbors(sentences: readonly TermVector[]): number[][] {
  const postings = new Map<number, { indexes: number[]; weights: number[] }>();
  const neighbors: number[][] = sentences.map(() => []);
  const cosines = new Float64Array(sentences.length);
  for (const [i, { terms, weights }] of sentences.entries()) {
    cosines.fill(0, 0, i);
    for (let t = 0; t < terms.length; t++) {
      const term = terms[t] ?? 0;
      const weight = weights[t] ?? 0;
      const posting = postings.get(term);
      if (posting === undefined) {
        postings.set(term, { indexes: [i], weights: [weight] });
        continue;
      }
      for (let k = 0; k < posting.indexes.length; k++) {
        const j = posting.indexes[k] ?? 0;
        cosines[j] = (cosines[j] ?? 0) + weight * (posting.weights[k] ?? 0);
      }
      posting.indexes.push(i);
      posting.weights.push(weight);
    }
    for (let j = 0; j < i; j++) {
      if ((cosines[j] ?? 0) < NEIGHBOR_COSINE) continue;
      neighbors[i]?.push(j);
      neighbors[j]?.push(i);
    }
  }
  return neighbors;
}
