/** From what the sources of one tool found to one list, best first. Same lists, same answer. */
import { priorOver } from '../../relevance/prior.ts';
import type { Found } from '../source.ts';
import { agreementList } from './agreement.ts';
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

/**
 * Doubles are folded, the lists fused by reciprocal ranks together with one of how well the texts fit the
 * keywords, and the place of each thing weighed by the prior (docs/ranking.md).
 *
 * @param lists one of each source and each variant of the keywords, best first
 */
export function rank(lists: readonly (readonly Found[])[], asked: Ranking): Found[] {
  const { things, lists: places } = foldDoubles(lists);
  const fused = fuse([...places, agreementList(things, asked)], things.length);
  const worth = worthOfPlaces(fused);
  const most = things.reduce((high, { engagement = 0 }) => Math.max(high, engagement), 0);
  const prior = priorOver(asked, most);
  return things
    .map((found, i) => ({ found, fused: fused[i] ?? 0, score: (worth[i] ?? 0) * prior(found) }))
    .sort((a, b) => b.score - a.score || b.fused - a.fused || compareText(a.found.link, b.found.link))
    .slice(0, asked.limit)
    .map(({ found }) => found);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
