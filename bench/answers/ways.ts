/** Ways to choose sentences, ours among the simplest that there are: in one run, on the same sentences. */
import { choosePassages, scoreCentrality } from '../../src/service/answering/extractive-writer.ts';
import { extractPassages, removeCopies } from '../../src/service/answering/passages.ts';
import type { FoundItem } from '../../src/service/sources/search-source.ts';

/** Sentences in the order given, with as many words as may be said. */
export type Way = { name: string; summarise(sentences: readonly string[], words: number): Promise<string[]> };

export const WAYS: readonly Way[] = [
  { name: 'ours', summarise: async (sentences, words) => within(words, await ours(sentences)) },
  { name: 'lead', summarise: async (sentences, words) => within(words, sentences) },
  // Twenty draws, as the figures of the literature have them.
  ...Array.from({ length: 20 }, (_, draw) => ({
    name: 'random',
    summarise: async (sentences: readonly string[], words: number) =>
      within(words, shuffled(sentences, draw)),
  })),
];

const NOON = new Date('2026-11-21T12:00:00.000Z');

/** All from one moment and place, and without a question, so that only what they say decides. */
async function ours(sentences: readonly string[]): Promise<string[]> {
  const items = sentences.map(
    (text, i): FoundItem => ({
      source: 'microblog',
      title: '',
      link: `https://a.example/${i}`,
      snippet: text,
      summaryDescription: '',
      publishedAt: NOON,
      place: 1,
    }),
  );
  const distinct = removeCopies(await extractPassages(new Map([['microblog', items]]), ''));
  const centrality = scoreCentrality(distinct);
  const scored = distinct.map((passage, i) => ({ passage, score: centrality[i] ?? 0 }));
  return choosePassages(scored, { most: 8, least: 1, perSource: 8 }).map(({ text }) => text);
}

/** Whole sentences as long as they fit; the first in any case. */
function within(most: number, sentences: readonly string[]): string[] {
  const chosen: string[] = [];
  let words = 0;
  for (const sentence of sentences) {
    const count = sentence.split(/\s+/).length;
    if (chosen.length > 0 && words + count > most) continue;
    chosen.push(sentence);
    words += count;
  }
  return chosen;
}

/** The same order for the same draw (mulberry32). */
function shuffled<T>(items: readonly T[], draw: number): T[] {
  let state = draw * 0x9e3779b9 + 1;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const left = [...items];
  return items.flatMap(() => left.splice(next() % left.length, 1));
}
