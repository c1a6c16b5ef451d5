/**
 * Which sentences make a summary: maximal marginal relevance (Carbonell and Goldstein 1998), so that each
 * next one adds something. Same input, same choice.
 */
import type { Source } from '../../contract/enumerations.ts';
import type { Passage } from './passages.ts';

/** What the worth of a sentence weighs against its likeness to those chosen already. */
const LAMBDA = 0.6;
/** From this cosine on a sentence says what a chosen one said. */
const SAME = 0.5;

export type Scored = { passage: Passage; score: number };

export type Bounds = {
  most: number;
  /** Below this many, a second sentence of the same item is better than none. */
  least: number;
  /** The most sentences of one source, as long as others have any. */
  perSource: number;
};

/** @returns chosen sentences, in the order in which they were chosen: the best first */
export function choose(scored: readonly Scored[], { most, least, perSource }: Bounds): Passage[] {
  const chosen: Passage[] = [];
  const likeness = new Float64Array(scored.length);
  const highest = scored.reduce((top, { score }) => Math.max(top, score), 0) || 1;
  const bySource = new Map<Source, number>();
  const links = new Set<string>();
  const isNew = (i: number) => (likeness[i] ?? 0) < SAME;
  const add = (next: Passage) => {
    chosen.push(next);
    links.add(next.link);
    bySource.set(next.source, (bySource.get(next.source) ?? 0) + 1);
    compare(next, scored, likeness);
  };
  const take = (count: number, may: (one: Passage) => boolean) => {
    while (chosen.length < count) {
      let best: Passage | undefined;
      let highestWorth = -Infinity;
      for (const [i, { passage, score }] of scored.entries()) {
        const worth = (LAMBDA * score) / highest - (1 - LAMBDA) * (likeness[i] ?? 0);
        if (worth <= highestWorth || !isNew(i) || !may(passage)) continue;
        best = passage;
        highestWorth = worth;
      }
      if (best === undefined) return;
      add(best);
    }
  };
  take(most, (one) => !links.has(one.link) && (bySource.get(one.source) ?? 0) < perSource);
  take(most, (one) => !links.has(one.link));
  take(least, () => true);
  return chosen;
}

/** Raises each sentence's likeness to what is chosen. */
function compare(chosen: Passage, scored: readonly Scored[], likeness: Float64Array): void {
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
