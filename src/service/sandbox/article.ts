/** How a document of each source looks: its title, address, excerpt and summary. */
import type { Source } from '../../contract/enumerations.ts';
import type { Found } from '../source.ts';
import { distraction } from './noise.ts';
import { type Draw, drawsOf, type Key, pick, subkey } from './random.ts';
import { sentence } from './text.ts';
import type { Topic, TopicInWorld } from './topic.ts';

/** The sources whose documents have a time of publication. */
export type DatedSource = Exclude<Source, 'microblog' | 'encyclopedia'>;

/** A document before it is written. `at`: when it appears, in ms since 1970. */
export type DocumentSeed = { at: number; key: Key; quality: number; relevant: boolean };

type Form = {
  title(draw: Draw, topic: Topic): string;
  link(name: string, title: string, at: Date): string;
  snippet(draw: Draw, topic: Topic): string;
};

const NEWSPAPERS = ['vellmar-post.example', 'tidings.example', 'lantern.example'];

const FORMS: Record<DatedSource, Form> = {
  web: {
    title: (draw, topic) =>
      pick(draw, [
        () => headline(sentence(draw, topic, 'en')),
        () => `What we know about ${topic.subject}`,
        () => `${capital(topic.subject)}: a look behind ${pick(draw, topic.things)}`,
        () => `${capital(pick(draw, topic.who))} on ${topic.subject}`,
      ])(),
    link: (name, title, at) =>
      `https://${NEWSPAPERS[name.length % NEWSPAPERS.length]}/${day(at)}/${slugOf(title)}-${name}`,
    snippet: (draw, topic) => twoSentences(draw, topic),
  },
  news_forum: {
    title: (draw, topic) =>
      pick(draw, [
        () => headline(sentence(draw, topic, 'en')),
        () => `Ask: who has experience with ${topic.subject}?`,
        () => `Show: a map of ${topic.subject} in ${minutes(draw)} lines`,
      ])(),
    link: (name) => `https://forum.example/item/${name}`,
    snippet: (draw, topic) => (draw() < 0.2 ? '' : twoSentences(draw, topic)),
  },
  discussion_board: {
    title: (draw, topic) =>
      pick(draw, [
        () => `What do you think: ${topic.subject}`,
        () => `Question about ${pick(draw, topic.things)}`,
        () => `My week with ${topic.subject}`,
        () => `Long read: ${topic.subject} and ${pick(draw, topic.who)}`,
        () => `Am I the only one who worries about ${pick(draw, topic.things)}?`,
      ])(),
    link: (name, title) => `https://board.example/t/${name}/${slugOf(title)}`,
    snippet: (draw, topic) => twoSentences(draw, topic),
  },
  video: {
    title: (draw, topic) =>
      pick(draw, [
        () => `${capital(topic.subject)} and ${pick(draw, topic.things)}, in ${minutes(draw)} minutes`,
        () => `I spent a day at ${pick(draw, topic.places)}`,
        () => `${capital(pick(draw, topic.who))}: the whole talk about ${topic.subject}`,
      ])(),
    link: (name) => `https://videos.example/watch/${name}`,
    snippet: (draw, topic) => sentence(draw, topic, 'en'),
  },
  preprint: {
    title: (draw, topic) =>
      `${pick(draw, ['Measuring', 'A model of', 'Notes on', 'Seasonal patterns in', 'The economics of'])} ${topic.subject}`,
    link: (name, _title, at) =>
      `https://preprints.example/abs/${day(at).slice(2, 4)}${day(at).slice(5, 7)}.${name}`,
    snippet: (draw, topic) =>
      `We study ${topic.subject} with ${minutes(draw)} observations from ${pick(draw, topic.places)}. ` +
      `The case of ${pick(draw, topic.things)} is treated in detail.`,
  },
};

/** The document of a seed. */
export function articleOf(topic: Topic, source: DatedSource, seed: DocumentSeed): Found {
  const draw = drawsOf(subkey(seed.key, 1));
  const form = FORMS[source];
  const publishedAt = new Date(seed.at);
  const title = seed.relevant ? form.title(draw, topic) : headline(distraction(draw, topic).text);
  const name = `${seed.key[0].toString(36)}${seed.key[1].toString(36)}`;
  return {
    source,
    title,
    link: form.link(name, title, publishedAt),
    snippet: seed.relevant ? form.snippet(draw, topic) : distraction(draw, topic).text,
    summaryDescription: draw() < 0.3 ? '' : title,
    publishedAt,
  };
}

/** The encyclopedia's entries about a topic: the thing itself, its history, and what belongs to it. */
export function entriesOf({ topic }: TopicInWorld): Found[] {
  const about = [
    { title: topic.name, text: `${topic.name} is an entry of this encyclopedia about ${topic.subject}.` },
    { title: `History of ${topic.subject}`, text: `How ${topic.subject} began and what became of it.` },
    ...topic.things.map((thing) => ({
      title: capital(thing),
      text: `${capital(thing)}: a part of the subject of ${topic.subject}.`,
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

function twoSentences(draw: Draw, topic: Topic): string {
  const first = sentence(draw, topic, 'en');
  const second = sentence(draw, topic, 'en');
  return first === second ? first : `${first} ${second}`;
}

function headline(text: string): string {
  return text.replace(/(?<![.?!])[.?!]+$/, '');
}

function minutes(draw: Draw): number {
  return 4 + Math.floor(draw() * 56);
}

/** 2026/11/21 */
function day(at: Date): string {
  return at.toISOString().slice(0, 10).replaceAll('-', '/');
}

function slugOf(title: string): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? ['page'];
  return words.slice(0, 6).join('-');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
