/**
 * The completion without a language model: sentences quoted from what was found, each with its link.
 * Nothing is written that no source said.
 */
import type { Source } from '../../contract/enumerations.ts';
import type { Findings } from '../retrieve.ts';
import { centralityOf } from './centrality.ts';
import { choose, type Scored } from './choose.ts';
import { withoutCopies } from './copies.ts';
import { type Draft, KEY_ITEMS, type Role, SECTIONS } from './draft.ts';
import { type Passage, passagesOf } from './passages.ts';

const SUMMARY = { most: 5, least: 3, perSource: 2 };
const OF_GROUP = { most: 4, least: 3, perSource: 4 };

/** Reads everything once; then writes any of the texts. */
export function createQuoter(
  findings: Findings,
  asked: { prompt: string; at: Date },
): { write(role: Role): Draft } {
  const passages = passagesOf(findings, asked);
  return {
    write(role) {
      const { reads, keyOf } = SECTIONS[role];
      const distinct = withoutCopies(reads.flatMap((source) => passages.get(source) ?? []));
      const centrality = centralityOf(distinct);
      const scored = distinct.map((passage, i) => ({ passage, score: (centrality[i] ?? 0) * passage.prior }));
      const chosen = oldestFirst(choose(scored, role === 'summary' ? SUMMARY : OF_GROUP));
      return {
        said: chosen.map(({ text, link }) => ({ text, links: [link] })),
        key: keyItems(scored, keyOf),
      };
    },
  };
}

/** What has no time comes before. */
function oldestFirst(passages: readonly Passage[]): Passage[] {
  return passages.toSorted((a, b) => (a.at ?? -Infinity) - (b.at ?? -Infinity) || (a.link < b.link ? -1 : 1));
}

/** The best items of each source in turn: no source drowns the others. */
function keyItems(scored: readonly Scored[], sources: readonly Source[]): Draft['key'] {
  const lists = sources.map((source) => bestOfEachItem(scored, source));
  const turns = Array.from({ length: KEY_ITEMS }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1)));
  return turns
    .flat()
    .slice(0, KEY_ITEMS)
    .map(({ title, text, link, source }) => ({
      // A post has no title of its own.
      text: title === '' || source === 'microblog' ? text : title,
      link,
    }));
}

/** At most as many as can be key items. */
function bestOfEachItem(scored: readonly Scored[], source: Source): Passage[] {
  const best = new Map<string, Passage>();
  const ofSource = scored.filter(({ passage }) => passage.source === source);
  for (const { passage } of ofSource.sort((a, b) => b.score - a.score)) {
    if (best.size === KEY_ITEMS) break;
    if (!best.has(passage.link)) best.set(passage.link, passage);
  }
  return [...best.values()];
}
