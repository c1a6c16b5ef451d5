/** What a topic of the simulation is; topics.json holds the built-in ones. */

import type { Key } from './random.ts';
import { z } from 'zod';

/** The languages that the simulation writes in. */
const language = z.enum(['en', 'de', 'fr', 'es', 'nl', 'pt', 'ja', 'ar']);
export type Language = z.infer<typeof language>;

const texts = z.array(z.string().min(1)).min(1).readonly();
const share = z.number().min(0).max(1);

/** Topics of the simulation. Everything in them is made up. */
export const topicSchema = z.strictObject({
  /** Stable: it is part of the key of everything in the topic. */
  slug: z.string().min(1),
  name: z.string().min(1),
  /** What posts, articles and papers are about, in running text: "the harbour festival". */
  subject: z.string().min(1),
  /** A prompt is about this topic when it holds all words of one of these phrases. */
  phrases: texts,
  /** Microblog posts on an average day, without planted events. */
  postsPerDay: z.number().positive(),
  /** Documents of all other sources on an average day. */
  documentsPerDay: z.number().positive(),
  /** Share of the daily cycle in the rate, 0 (none) to 1 (silent at night), and the hour (UTC) of its top. */
  daily: z.strictObject({ share, topHour: z.number().min(0).lt(24) }),
  /** Share of each language among the posts; they add up to 1. */
  languages: z.partialRecord(language, share).readonly(),
  hashtags: texts,
  /** What fills the slots {place}, {who} and {thing} of a sentence. */
  places: texts,
  who: texts,
  things: texts,
  /** What is said about it; slots: {place} {who} {thing} {n} {hour} {subject}. English must be there. */
  sentences: z.intersection(z.partialRecord(language, texts), z.object({ en: texts })).readonly(),
});
export type Topic = z.infer<typeof topicSchema>;

/** A topic within one simulated world: with its key, and the number that its post ids carry. */
export type TopicInWorld = { topic: Topic; key: Key; code: number };

/** The topic to show a new user: one to three new posts a minute, so that something is always new. */
export const SAMPLE_TOPIC = {
  slug: 'harbour-festival',
  name: 'Harbour festival',
  prompt: 'harbour festival',
} as const;
