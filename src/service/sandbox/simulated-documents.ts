/**
 * Simulated documents of the six sources other than the microblog. Each document has its own time of appearance,
 * depends only on its key, and never changes its address.
 */

import type { Source } from '../../model/enumerations.ts';
import { DAY, HOUR } from '../../lib/time.ts';
import { createSlices, takeTurn } from '../event-loop-turns.ts';
import type { FoundItem } from '../sources/search-source.ts';
import { createTopicMatcher } from './built-in-topics.ts';
import { WORLD_START } from './post-seeds.ts';
import { createDraw, deriveKey, type Draw, drawPoisson, hashKey, type Key, pickOne } from './random.ts';
import { drawName } from './simulated-asides.ts';
import { capitalize, writeDistraction, writeSentence } from './simulated-text.ts';
import type { Topic, TopicInWorld } from './simulated-topic.ts';

const DOCUMENT_CELL_MS = 6 * HOUR;
const READ_AT_ONCE_MS = 60 * DAY;

/** Share of each source among a topic's documents. Encyclopedia entries always exist. */
const SOURCE_SHARES: Record<DatedSource, number> = {
  web: 0.35,
  discussion_board: 0.3,
  news_forum: 0.15,
  video: 0.14,
  preprint: 0.06,
};

/** Share of a topic's search results that are about something else. */
const DISTRACTOR_SHARE = 0.15;

/** Times in ms since 1970, inclusive. */
type DocumentWindow = { from: number; at: number };

export type Documents = {
  /** The best documents of a source for a prompt, by quality and recency. Times in ms since 1970. */
  find(
    source: Exclude<Source, 'microblog'>,
    prompt: string,
    window: DocumentWindow,
    limit: number,
  ): Promise<FoundItem[]>;
};

/** @param seed name of the world */
export function createDocuments(seed: string): Documents {
  const topicNamed = createTopicMatcher(seed);

  return {
    async find(source, prompt, window, limit) {
      await takeTurn();
      const topic = topicNamed(prompt);
      if (source === 'encyclopedia') return writeEncyclopediaEntries(topic).slice(0, limit);
      // At half the age of the window, a document has a third of the value of a new document.
      const worth = (document: DocumentSeed) =>
        (0.5 + document.quality) * Math.exp((-2.2 * (window.at - document.at)) / (window.at - window.from));
      const slices = createSlices();
      const seeds: DocumentSeed[] = [];
      for (let from = Math.max(window.from, WORLD_START); from <= window.at; from += READ_AT_ONCE_MS) {
        await slices();
        seeds.push(
          ...listDocumentSeeds(topic, source, { from, at: Math.min(window.at, from + READ_AT_ONCE_MS - 1) }),
        );
      }
      const best = seeds
        .map((document) => ({ document, worth: worth(document) }))
        .sort((a, b) => b.worth - a.worth || b.document.at - a.document.at)
        .slice(0, limit);
      const articles: FoundItem[] = [];
      for (const { document } of best) {
        await slices();
        articles.push(writeArticle(topic.topic, source, document));
      }
      return articles;
    },
  };
}

/** The documents of a source that appear in a window, oldest first. Not cached: a year of them takes 2 ms. */
export function listDocumentSeeds(
  topic: TopicInWorld,
  source: DatedSource,
  { from, at }: DocumentWindow,
): DocumentSeed[] {
  const key = deriveKey(topic.key, hashKey(source)[0]);
  const mean = (topic.topic.documentsPerDay * SOURCE_SHARES[source] * DOCUMENT_CELL_MS) / DAY;
  const seeds: DocumentSeed[] = [];
  for (
    let cell = Math.floor(Math.max(from, WORLD_START) / DOCUMENT_CELL_MS);
    cell <= Math.floor(at / DOCUMENT_CELL_MS);
    cell++
  ) {
    for (const seed of createDocumentCell(deriveKey(key, cell), cell, mean))
      if (seed.at >= from && seed.at <= at) seeds.push(seed);
  }
  return seeds;
}

function createDocumentCell(key: Key, cell: number, mean: number): readonly DocumentSeed[] {
  const count = drawPoisson(createDraw(key), mean, 60);
  const made = Array.from({ length: count }, (_, place) =>
    createDocumentSeed(deriveKey(key, place + 1), cell),
  );
  return made.sort((a, b) => a.at - b.at);
}

function createDocumentSeed(key: Key, cell: number): DocumentSeed {
  const draw: Draw = createDraw(key);
  const at = Math.floor((cell + draw()) * DOCUMENT_CELL_MS);
  const quality = draw();
  const relevant = draw() >= DISTRACTOR_SHARE;
  // Off-topic documents match less well.
  return { at, key, quality: relevant ? quality : quality / 3, relevant };
}

// Format of each source's documents: title, address, excerpt and summary.

/** Sources whose documents have a publication time. */
type DatedSource = Exclude<Source, 'microblog' | 'encyclopedia'>;

/** A document before its text is generated. `at`: time of appearance, in ms since 1970. */
type DocumentSeed = { at: number; key: Key; quality: number; relevant: boolean };

type DocumentForm = {
  title(draw: Draw, topic: Topic): string;
  link(name: string, title: string, at: Date): string;
  snippet(draw: Draw, topic: Topic): string;
};

const NEWSPAPERS = ['vellmar-post.example', 'tidings.example', 'lantern.example'];

const DOCUMENT_FORMS: Record<DatedSource, DocumentForm> = {
  web: {
    title: (draw, topic) =>
      pickOne(draw, [
        () => toHeadline(writeSentence(draw, topic, 'en')),
        () => `What we know about ${topic.subject}`,
        () => `${capitalize(topic.subject)}: a look behind ${pickOne(draw, topic.things)}`,
        () => `${capitalize(pickOne(draw, topic.who))} on ${topic.subject}`,
      ])(),
    link: (name, title, at) =>
      `https://${NEWSPAPERS[name.length % NEWSPAPERS.length]}/${formatDayPath(at)}/${toSlug(title)}-${name}`,
    snippet: (draw, topic) => writeTwoSentences(draw, topic),
  },
  news_forum: {
    title: (draw, topic) =>
      pickOne(draw, [
        () => toHeadline(writeSentence(draw, topic, 'en')),
        () => `Ask: who has experience with ${topic.subject}?`,
        () => `Show: a map of ${topic.subject} in ${drawMinutes(draw)} lines`,
      ])(),
    link: (name) => `https://forum.example/item/${name}`,
    snippet: (draw, topic) => (draw() < 0.2 ? '' : writeTwoSentences(draw, topic)),
  },
  discussion_board: {
    title: (draw, topic) =>
      pickOne(draw, [
        () => `What do you think: ${topic.subject}`,
        () => `Question about ${pickOne(draw, topic.things)}`,
        () => `My week with ${topic.subject}`,
        () => `Long read: ${topic.subject} and ${pickOne(draw, topic.who)}`,
        () => `Am I the only one who worries about ${pickOne(draw, topic.things)}?`,
      ])(),
    link: (name, title) => `https://board.example/t/${name}/${toSlug(title)}`,
    snippet: (draw, topic) => writeTwoSentences(draw, topic),
  },
  video: {
    title: (draw, topic) =>
      pickOne(draw, [
        () =>
          `${capitalize(topic.subject)} and ${pickOne(draw, topic.things)}, in ${drawMinutes(draw)} minutes`,
        () => `I spent a day at ${pickOne(draw, topic.places)}`,
        () => `${capitalize(pickOne(draw, topic.who))}: the whole talk about ${topic.subject}`,
      ])(),
    link: (name) => `https://videos.example/watch/${name}`,
    snippet: (draw, topic) => writeSentence(draw, topic, 'en'),
  },
  preprint: {
    title: (draw, topic) =>
      `${pickOne(draw, ['Measuring', 'A model of', 'Notes on', 'Seasonal patterns in', 'The economics of'])} ${topic.subject}`,
    link: (name, _title, at) =>
      `https://preprints.example/abs/${formatDayPath(at).slice(2, 4)}${formatDayPath(at).slice(5, 7)}.${name}`,
    snippet: (draw, topic) =>
      `We study ${topic.subject} with ${drawMinutes(draw)} observations from ${pickOne(draw, topic.places)}. ` +
      `The case of ${pickOne(draw, topic.things)} is treated in detail.`,
  },
};

export function writeArticle(topic: Topic, source: DatedSource, seed: DocumentSeed): FoundItem {
  const draw = createDraw(deriveKey(seed.key, 1));
  const form = DOCUMENT_FORMS[source];
  const publishedAt = new Date(seed.at);
  const headline = seed.relevant ? form.title(draw, topic) : toHeadline(writeDistraction(draw, topic));
  // Headlines are few: with who wrote it, different documents are different stories.
  const title = `${headline} | ${drawName(draw)}`;
  const name = `${seed.key[0].toString(36)}${seed.key[1].toString(36)}`;
  return {
    source,
    title,
    link: form.link(name, title, publishedAt),
    snippet: seed.relevant ? form.snippet(draw, topic) : writeDistraction(draw, topic),
    summaryDescription: draw() < 0.3 ? '' : title,
    publishedAt,
  };
}

/** Encyclopedia entries about a topic: the subject, its history, and related subjects. */
export function writeEncyclopediaEntries({ topic }: TopicInWorld): FoundItem[] {
  const about = [
    { title: topic.name, text: `This article is an overview of ${topic.subject}.` },
    { title: `History of ${topic.subject}`, text: `How ${topic.subject} began and what became of it.` },
    ...topic.things.map((thing) => ({
      title: capitalize(thing),
      text: `An article about ${thing} and ${topic.subject}.`,
    })),
  ];
  return about.map(({ title, text }) => ({
    source: 'encyclopedia' as const,
    title,
    link: `https://encyclopedia.example/wiki/${encodeURIComponent(title.replaceAll(' ', '_'))}`,
    snippet: text,
    summaryDescription: title,
    publishedAt: undefined,
  }));
}

function writeTwoSentences(draw: Draw, topic: Topic): string {
  const first = writeSentence(draw, topic, 'en');
  const second = writeSentence(draw, topic, 'en');
  return first === second ? first : `${first} ${second}`;
}

function toHeadline(text: string): string {
  return text.replace(/(?<![.?!])[.?!]+$/, '');
}

function drawMinutes(draw: Draw): number {
  return 4 + Math.floor(draw() * 56);
}

/** 2026/11/21 */
function formatDayPath(at: Date): string {
  return at.toISOString().slice(0, 10).replaceAll('-', '/');
}

function toSlug(title: string): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? ['page'];
  return words.slice(0, 6).join('-');
}
