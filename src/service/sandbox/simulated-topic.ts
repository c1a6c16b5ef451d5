/** The schema of a simulated topic; topics.json contains the built-in ones. */

import type { Key } from './random.ts';
import { z } from 'zod';

/** Languages of the simulation. */
const language = z.enum(['en', 'de', 'fr', 'es', 'nl', 'pt', 'ja', 'ar']);
export type Language = z.infer<typeof language>;

const texts = z.array(z.string().min(1)).min(1).readonly();
const share = z.number().min(0).max(1);

/** Simulated topics. Everything in them is fictional. */
export const topicSchema = z.strictObject({
  /** Stable: part of every key in the topic. */
  slug: z.string().min(1),
  name: z.string().min(1),
  /** The subject in running text: "the harbour festival". */
  subject: z.string().min(1),
  /** A prompt matches if it contains all words of one of these phrases. */
  phrases: texts,
  /** Microblog posts on an average day, without planted events. */
  postsPerDay: z.number().positive(),
  /** Documents of all other sources on an average day. */
  documentsPerDay: z.number().positive(),
  /** Amplitude of the daily cycle, 0 (none) to 1 (silent at night), and the hour (UTC) of its peak. */
  daily: z.strictObject({ share, topHour: z.number().min(0).lt(24) }),
  /** Share of each language among the posts; the sum is 1. */
  languages: z.partialRecord(language, share).readonly(),
  hashtags: texts,
  /** Values of the slots {place}, {who} and {thing}. */
  places: texts,
  who: texts,
  things: texts,
  /** Sentences with slots: {place} {who} {thing} {n} {hour} {subject}. English is required. */
  sentences: z.intersection(z.partialRecord(language, texts), z.object({ en: texts })).readonly(),
});
export type Topic = z.infer<typeof topicSchema>;

/** A topic in a simulated world: with its key, and the number in its post ids. */
export type TopicInWorld = { topic: Topic; key: Key; code: number };

/** The topic for new users: one to three new posts a minute, so that there is always something new. */
export const SAMPLE_TOPIC = {
  slug: 'harbour-festival',
  name: 'Harbour festival',
  prompt: 'harbour festival',
} as const;
