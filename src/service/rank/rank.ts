/** From what the sources of one tool found to one list, best first. Same lists, same answer. */
import { priorOver } from '../../relevance/prior.ts';
import type { Found } from '../source.ts';
import { foldDoubles } from './doubles.ts';
import { fuse, worthOfPlaces } from './fusion.ts';

export type Ranking = {
  /** Of the prompt, best first, in lower case. */
  keywords: readonly string[];
  prompt: string;
  /** The window that was asked for; undefined where there is none. */
  from: Date | undefined;
  to: Date;
  /** The most items of use. */
  limit: number;
};

/** @param lists one of each source and each variant of the keywords, best first */
export function rank(lists: readonly (readonly Found[])[], { from, to, limit }: Ranking): Found[] {
  const folded = foldDoubles(lists);
  const fused = fuse(folded.lists, folded.things.length);
  const worth = worthOfPlaces(fused);
  const most = Math.max(0, ...folded.things.map(({ engagement }) => engagement ?? 0));
  const prior = priorOver({ from, to }, most);
  return folded.things
    .map((found, i) => ({ found, fused: fused[i] ?? 0, score: (worth[i] ?? 0) * prior(found) }))
    .sort((a, b) => b.score - a.score || b.fused - a.fused || compareText(a.found.link, b.found.link))
    .slice(0, limit)
    .map(({ found }) => found);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
