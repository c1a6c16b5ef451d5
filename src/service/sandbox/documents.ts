/**
 * The simulated documents: what the six sources besides the microblog hold about a topic. Each document
 * appears at a time of its own, depends on its key only and keeps its address for ever.
 */
import type { Source } from '../../contract/enumerations.ts';
import { DAY, HOUR } from '../../engine/clock.ts';
import type { Found } from '../source.ts';
import { articleOf, type DatedSource, entriesOf } from './article.ts';
import { topicOf } from './match.ts';
import { type Draw, drawsOf, type Key, keyOfText, poisson, subkey } from './random.ts';
import { BEGINNING } from './seeds.ts';
import type { TopicInWorld } from './topic.ts';

const CELL_MS = 6 * HOUR;

/** Share of each source among the documents of a topic. Encyclopedia entries are always there. */
const SHARES: Record<DatedSource, number> = {
  web: 0.35,
  discussion_board: 0.3,
  news_forum: 0.15,
  video: 0.14,
  preprint: 0.06,
};

/** Of the documents that a search for a topic finds, this share is about something else. */
const DISTRACTOR_SHARE = 0.15;

export type DocumentSeed = { at: number; key: Key; quality: number; relevant: boolean };
/** Times in ms since 1970, both included. */
export type Window = { from: number; at: number };

export type Documents = {
  /** The best documents of one source for a prompt, best first: good and recent. Times in ms since 1970. */
  find(source: Exclude<Source, 'microblog'>, prompt: string, window: Window, limit: number): Found[];
  /** All of them, oldest first. */
  all(source: Exclude<Source, 'microblog'>, prompt: string, window: Window): Found[];
};

/** @param seed the name of the world: another seed, other documents */
export function createDocuments(seed: string): Documents {
  return {
    find(source, prompt, window, limit) {
      const topic = topicOf(seed, prompt);
      if (source === 'encyclopedia') return entriesOf(topic).slice(0, limit);
      // What is half as old as the window counts a third of what is new.
      const worth = (one: DocumentSeed) =>
        (0.5 + one.quality) * Math.exp((-2.2 * (window.at - one.at)) / (window.at - window.from));
      return seedsWithin(topic, source, window)
        .map((one) => ({ one, worth: worth(one) }))
        .sort((a, b) => b.worth - a.worth || b.one.at - a.one.at)
        .slice(0, limit)
        .map(({ one }) => articleOf(topic.topic, source, one));
    },
    all(source, prompt, window) {
      const topic = topicOf(seed, prompt);
      if (source === 'encyclopedia') return entriesOf(topic);
      return seedsWithin(topic, source, window).map((one) => articleOf(topic.topic, source, one));
    },
  };
}

/** The documents of a source that appear within a window, oldest first. */
export function seedsWithin(topic: TopicInWorld, source: DatedSource, { from, at }: Window): DocumentSeed[] {
  const key = subkey(topic.key, keyOfText(source)[0]);
  const mean = (topic.topic.documentsPerDay * SHARES[source] * CELL_MS) / DAY;
  const found: DocumentSeed[] = [];
  for (let cell = Math.floor(Math.max(from, BEGINNING) / CELL_MS); cell <= Math.floor(at / CELL_MS); cell++) {
    const cellKey = subkey(key, cell);
    const count = poisson(drawsOf(cellKey), mean, 60);
    for (let place = 0; place < count; place++) {
      const one = seedOf(subkey(cellKey, place + 1), cell);
      if (one.at >= from && one.at <= at) found.push(one);
    }
  }
  return found.sort((a, b) => a.at - b.at);
}

function seedOf(key: Key, cell: number): DocumentSeed {
  const draw: Draw = drawsOf(key);
  const at = Math.floor((cell + draw()) * CELL_MS);
  const quality = draw();
  const relevant = draw() >= DISTRACTOR_SHARE;
  // What is about something else matches less well.
  return { at, key, quality: relevant ? quality : quality / 3, relevant };
}
