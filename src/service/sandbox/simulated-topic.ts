/** The schema of a simulated topic; topics.json contains the built-in ones. */

import type { Key } from './random.ts';
import { z } from 'zod';

/** Languages of the simulation. */
const language = z.enum(['en', 'de', 'fr', 'es', 'nl', 'pt', 'ja', 'ar']);
export type Language = z.infer<typeof language>;

const texts = z.array(z.string().min(1)).min(1).readonly();
const share = z.number().min(0).max(1);

/** What makes the volume of a topic unlike a constant rate with a daily cycle. */
const habits = z.strictObject({
  /** Volume of a Saturday or Sunday relative to other days, and of a holiday relative to its weekday. */
  weekend: z.number().positive().default(1),
  holiday: z.number().positive().default(1),
  /** Each week on this day (0 is Sunday) from this hour (UTC), for so many hours, the usual volume times a factor. */
  show: z
    .strictObject({
      weekday: z.int().min(0).max(6),
      hour: z.number().min(0).lt(24),
      hours: z.number().positive(),
      factor: z.number().positive(),
    })
    .optional(),
  /** Sigma of log-normal noise of hours. */
  noise: z.number().min(0).max(1).default(0),
  /** How many others a post brings on average. */
  branching: z.number().min(0).max(0.7).default(0),
  /** Whether floods by one author and campaigns of one text happen to it. */
  manipulated: z.boolean().default(false),
  /** Changes that last for days or weeks and happen to this topic every other month. */
  changes: z
    .array(z.enum(['level', 'drift', 'silence']))
    .readonly()
    .default([]),
});

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
  habits: habits.prefault({}),
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
