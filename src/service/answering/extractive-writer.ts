/**
 * The completion without a language model: sentences quoted from what was found, each with its link.
 * Nothing is written that no source said.
 */

import type { Source } from '../../domain/enumerations.ts';
import type { Findings } from '../planning/retrieval.ts';
import {
  COMPLETION_SECTIONS,
  type CompletionRole,
  MAX_KEY_ITEMS,
  type SectionDraft,
} from './completion-draft.ts';
import { extractPassages, type Passage, removeCopies } from './passages.ts';

const SUMMARY_BOUNDS = { most: 5, least: 3, perSource: 2 };
const GROUP_BOUNDS = { most: 4, least: 3, perSource: 4 };

/** Reads everything once; then writes any of the texts. */
export function createExtractiveWriter(
  findings: Findings,
  asked: { prompt: string; at: Date },
): { write(role: CompletionRole): SectionDraft } {
  const passages = extractPassages(findings, asked);
  return {
    write(role) {
      const { reads, keyOf } = COMPLETION_SECTIONS[role];
      const distinct = removeCopies(reads.flatMap((source) => passages.get(source) ?? []));
      const centrality = scoreCentrality(distinct);
      const scored = distinct.map((passage, i) => ({ passage, score: (centrality[i] ?? 0) * passage.prior }));
      const chosen = sortOldestFirst(
        choosePassages(scored, role === 'summary' ? SUMMARY_BOUNDS : GROUP_BOUNDS),
      );
      return {
        sentences: chosen.map(({ text, link }) => ({ text, links: [link] })),
        key: chooseKeyItems(scored, keyOf),
      };
    },
  };
}

/** What has no time comes before. */
function sortOldestFirst(passages: readonly Passage[]): Passage[] {
  return passages.toSorted((a, b) => (a.at ?? -Infinity) - (b.at ?? -Infinity) || (a.link < b.link ? -1 : 1));
}

/** The best items of each source in turn: no source drowns the others. */
function chooseKeyItems(scored: readonly ScoredPassage[], sources: readonly Source[]): SectionDraft['key'] {
  const lists = sources.map((source) => listBestPassages(scored, source));
  const turns = Array.from({ length: MAX_KEY_ITEMS }, (_, i) =>
    lists.flatMap((list) => list.slice(i, i + 1)),
  );
  return turns
    .flat()
    .slice(0, MAX_KEY_ITEMS)
    .map(({ title, text, link, source }) => ({
      // A post has no title of its own.
      text: title === '' || source === 'microblog' ? text : title,
      link,
    }));
}

/** At most as many as can be key items. */
function listBestPassages(scored: readonly ScoredPassage[], source: Source): Passage[] {
  const best = new Map<string, Passage>();
  const ofSource = scored.filter(({ passage }) => passage.source === source);
  for (const { passage } of ofSource.sort((a, b) => b.score - a.score)) {
    if (best.size === MAX_KEY_ITEMS) break;
    if (!best.has(passage.link)) best.set(passage.link, passage);
  }
  return [...best.values()];
}

/*
 * Which sentences make a summary: maximal marginal relevance (Carbonell and Goldstein 1998), so that each
 * next one adds something. The same input gives the same choice.
 */

/** What the worth of a sentence weighs against its likeness to those chosen already. */
const WORTH_SHARE = 0.6;
/** From this cosine on a sentence says what a chosen one said. */
const SAME_COSINE = 0.5;

type ScoredPassage = { passage: Passage; score: number };

type SelectionBounds = {
  most: number;
  /** Below this many, a second sentence of the same item is better than none. */
  least: number;
  /** The most sentences of one source, as long as others have any. */
  perSource: number;
};

/** @returns chosen sentences, in the order in which they were chosen: the best first */
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
    links.add(next.link);
    bySource.set(next.source, (bySource.get(next.source) ?? 0) + 1);
    raiseLikeness(next, scored, likeness);
  };
  const take = (count: number, may: (passage: Passage) => boolean) => {
    while (chosen.length < count) {
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
  take(most, (passage) => !links.has(passage.link) && (bySource.get(passage.source) ?? 0) < perSource);
  take(most, (passage) => !links.has(passage.link));
  take(least, () => true);
  return chosen;
}

/** Raises each sentence's likeness to what is chosen. */
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
 * How central a sentence is: how much of what all say it says. LexRank (Erkan and Radev 2004) where every sentence can be
 * compared with every other, the centroid above that: its work grows with the number of sentences alone.
 */

/** Up to so many sentences are compared with each other. */
const MAX_LEXRANK_SENTENCES = 300;
/** Two sentences are neighbours from this cosine on; LexRank's own figure. */
const NEIGHBOR_COSINE = 0.1;
const DAMPING = 0.85;
const MAX_LEXRANK_ROUNDS = 30;
const SETTLED_CHANGE = 1e-4;

type TermVector = Pick<Passage, 'terms' | 'weights'>;

/** @returns for each sentence a number from 0 to 1; 1 for the most central */
export function scoreCentrality(sentences: readonly TermVector[]): Float64Array {
  const scores =
    sentences.length <= MAX_LEXRANK_SENTENCES ? scoreByLexRank(sentences) : scoreByCentroid(sentences);
  const most = scores.reduce((a, b) => Math.max(a, b), 0) || 1;
  return scores.map((score) => score / most);
}

function scoreByLexRank(sentences: readonly TermVector[]): Float64Array {
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
  return scores;
}

/** For each sentence those that are like it, by an index of who says which word. */
function findNeighbors(sentences: readonly TermVector[]): number[][] {
  const sayers = new Map<number, { who: number[]; weights: number[] }>();
  const neighbours: number[][] = sentences.map(() => []);
  const cosines = new Float64Array(sentences.length);
  for (const [i, { terms, weights }] of sentences.entries()) {
    cosines.fill(0, 0, i);
    for (let t = 0; t < terms.length; t++) {
      const term = terms[t] ?? 0;
      const weight = weights[t] ?? 0;
      const said = sayers.get(term);
      if (said === undefined) {
        sayers.set(term, { who: [i], weights: [weight] });
        continue;
      }
      for (let k = 0; k < said.who.length; k++) {
        const j = said.who[k] ?? 0;
        cosines[j] = (cosines[j] ?? 0) + weight * (said.weights[k] ?? 0);
      }
      said.who.push(i);
      said.weights.push(weight);
    }
    for (let j = 0; j < i; j++) {
      if ((cosines[j] ?? 0) < NEIGHBOR_COSINE) continue;
      neighbours[i]?.push(j);
      neighbours[j]?.push(i);
    }
  }
  return neighbours;
}

function scoreByCentroid(sentences: readonly TermVector[]): Float64Array {
  const centroid = new Map<number, number>();
  for (const { terms, weights } of sentences) {
    for (let t = 0; t < terms.length; t++) {
      const term = terms[t] ?? 0;
      centroid.set(term, (centroid.get(term) ?? 0) + (weights[t] ?? 0));
    }
  }
  return Float64Array.from(sentences, ({ terms, weights }) =>
    terms.reduce((sum, term, t) => sum + (weights[t] ?? 0) * (centroid.get(term) ?? 0), 0),
  );
}
