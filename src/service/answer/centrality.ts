/**
 * How much of what all say a sentence says. LexRank (Erkan and Radev 2004) where every sentence can be
 * compared with every other, the centroid above that: its work grows with the number of sentences alone.
 */
import type { Passage } from './passages.ts';

/** Up to so many sentences are compared with each other. */
const LEXRANK_MOST = 300;
/** Two sentences are neighbours from this cosine on; LexRank's own figure. */
const NEIGHBOURS = 0.1;
const DAMPING = 0.85;
const ROUNDS = 30;
const SETTLED = 1e-4;

type Vector = Pick<Passage, 'terms' | 'weights'>;

/** @returns for each sentence a number from 0 to 1; 1 for the most central */
export function centralityOf(sentences: readonly Vector[]): Float64Array {
  const scores = sentences.length <= LEXRANK_MOST ? lexRank(sentences) : nearCentroid(sentences);
  const most = scores.reduce((a, b) => Math.max(a, b), 0) || 1;
  return scores.map((score) => score / most);
}

function lexRank(sentences: readonly Vector[]): Float64Array {
  const count = sentences.length;
  const neighbours = neighboursOf(sentences);
  let scores = new Float64Array(count).fill(1 / count);
  for (let round = 0; round < ROUNDS; round++) {
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
    if (change < SETTLED) break;
  }
  return scores;
}

/** For each sentence those that are like it, by an index of who says which word. */
function neighboursOf(sentences: readonly Vector[]): number[][] {
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
      if ((cosines[j] ?? 0) < NEIGHBOURS) continue;
      neighbours[i]?.push(j);
      neighbours[j]?.push(i);
    }
  }
  return neighbours;
}

function nearCentroid(sentences: readonly Vector[]): Float64Array {
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
