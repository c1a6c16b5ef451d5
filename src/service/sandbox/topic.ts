import type { Key } from './random.ts';

/** The languages that the simulation writes in. */
export type Language = 'en' | 'de' | 'fr' | 'es' | 'nl' | 'pt' | 'ja' | 'ar';

/** What people in the simulation talk about. Everything in it is invented. */
export type Topic = {
  /** Stable: it is part of the key of everything in the topic. */
  slug: string;
  name: string;
  /** What posts, articles and papers are about, in running text: "the harbour festival". */
  subject: string;
  /** A prompt is about this topic when it holds all words of one of these phrases. */
  phrases: readonly string[];
  /** Microblog posts on an average day, before stirs. */
  postsPerDay: number;
  /** Documents of all other sources on an average day. */
  documentsPerDay: number;
  /** Share of the daily cycle in the rate, 0 (none) to 1 (silent at night), and the hour (UTC) of its top. */
  daily: { share: number; topHour: number };
  /** Share of each language among the posts; they add up to 1. */
  languages: Readonly<Partial<Record<Language, number>>>;
  hashtags: readonly string[];
  /** What fills the slots {place}, {who} and {thing} of a sentence. */
  places: readonly string[];
  who: readonly string[];
  things: readonly string[];
  /** What is said about it; slots: {place} {who} {thing} {n} {hour} {subject}. English must be there. */
  sentences: Readonly<Partial<Record<Language, readonly string[]>>> & { en: readonly string[] };
};

/** A topic within one simulated world: with its key, and the number that its post ids carry. */
export type TopicInWorld = { topic: Topic; key: Key; code: number };
