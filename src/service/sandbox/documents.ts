/**
 * The simulated documents: what the six sources besides the microblog hold about a topic. Each document
 * appears at a time of its own, depends on its key only and keeps its address for ever.
 */
import type { Source } from '../../contract/enumerations.ts';
import { DAY, HOUR } from '../../engine/clock.ts';
import type { Found } from '../source.ts';
import { articleOf, type DatedSource, type DocumentSeed, entriesOf } from './article.ts';
import { rememberedTopics } from './match.ts';
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

/** Times in ms since 1970, both included. */
export type Window = { from: number; at: number };

export type Documents = {
  /** The best documents of one source for a prompt, best first: good and recent. Times in ms since 1970. */
  find(source: Exclude<Source, 'microblog'>, prompt: string, window: Window, limit: number): Found[];
  /** All of them, oldest first. */
  all(source: Exclude<Source, 'microblog'>, prompt: string, window: Window): Found[];
};

/** How many stretches of six hours are remembered; one holds a few documents at most. */
const REMEMBERED = 200_000;

/** @param seed the name of the world: another seed, other documents */
export function createDocuments(seed: string): Documents {
  const topicNamed = rememberedTopics(seed);
  const stretches = new Map<string, Stretches>();
  let held = 0;

  /** As {@link seedsWithin}, remembering what was made. */
  function within(topic: TopicInWorld, source: DatedSource, window: Window): DocumentSeed[] {
    const name = `${topic.key[0]}.${topic.key[1]}.${source}`;
    let known = stretches.get(name);
    if (known === undefined) stretches.set(name, (known = new Map()));
    const before = known.size;
    const found = seedsWithin(topic, source, window, known);
    held += known.size - before;
    if (held > REMEMBERED) {
      stretches.clear();
      held = 0;
    }
    return found;
  }

  return {
    find(source, prompt, window, limit) {
      const topic = topicNamed(prompt);
      if (source === 'encyclopedia') return entriesOf(topic).slice(0, limit);
      // What is half as old as the window counts a third of what is new.
      const worth = (one: DocumentSeed) =>
        (0.5 + one.quality) * Math.exp((-2.2 * (window.at - one.at)) / (window.at - window.from));
      return within(topic, source, window)
        .map((one) => ({ one, worth: worth(one) }))
        .sort((a, b) => b.worth - a.worth || b.one.at - a.one.at)
        .slice(0, limit)
        .map(({ one }) => articleOf(topic.topic, source, one));
    },
    all(source, prompt, window) {
      const topic = topicNamed(prompt);
      if (source === 'encyclopedia') return entriesOf(topic);
      return within(topic, source, window).map((one) => articleOf(topic.topic, source, one));
    },
  };
}

/** What appears in each stretch of six hours, by its number. */
type Stretches = Map<number, readonly DocumentSeed[]>;

/** The documents of a source that appear within a window, oldest first. */
export function seedsWithin(
  topic: TopicInWorld,
  source: DatedSource,
  { from, at }: Window,
  known: Stretches = new Map(),
): DocumentSeed[] {
  const key = subkey(topic.key, keyOfText(source)[0]);
  const mean = (topic.topic.documentsPerDay * SHARES[source] * CELL_MS) / DAY;
  const found: DocumentSeed[] = [];
  for (let cell = Math.floor(Math.max(from, BEGINNING) / CELL_MS); cell <= Math.floor(at / CELL_MS); cell++) {
    let there = known.get(cell);
    if (there === undefined) known.set(cell, (there = makeCell(subkey(key, cell), cell, mean)));
    for (const one of there) if (one.at >= from && one.at <= at) found.push(one);
  }
  return found;
}

function makeCell(key: Key, cell: number, mean: number): readonly DocumentSeed[] {
  const count = poisson(drawsOf(key), mean, 60);
  const made = Array.from({ length: count }, (_, place) => seedOf(subkey(key, place + 1), cell));
  return made.sort((a, b) => a.at - b.at);
}

function seedOf(key: Key, cell: number): DocumentSeed {
  const draw: Draw = drawsOf(key);
  const at = Math.floor((cell + draw()) * CELL_MS);
  const quality = draw();
  const relevant = draw() >= DISTRACTOR_SHARE;
  // What is about something else matches less well.
  return { at, key, quality: relevant ? quality : quality / 3, relevant };
}
