/** The topics of the simulation: built-in topics, and a generated topic for any other prompt. */

import { splitFoldedWords } from '../../lib/folded-words.ts';
import { splitWordRuns } from '../../model/relevance.ts';
import { cleanLine, cleanText } from '../../lib/text.ts';
import { deriveKey, hashKey, type Key } from './random.ts';
import { capitalize } from './simulated-text.ts';
import { type Topic, type TopicInWorld, topicSchema } from './simulated-topic.ts';
import { LRUCache } from 'lru-cache';
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const FILE = new URL('topics.json', import.meta.url);

/**
 * The built-in topics. Append new ones to the end of the file: the position determines the topic number in post ids, so
 * moving or removing a topic changes the ids of those after it.
 */
export const TOPICS: readonly Topic[] = readTopics();

/** @throws Error naming the file and each invalid member */
function readTopics(): readonly Topic[] {
  const parsed = z.array(topicSchema).safeParse(JSON.parse(readFileSync(FILE, 'utf8')));
  if (!parsed.success) throw new Error(`${FILE.pathname} is not valid:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** Ids have 15 bits for the topic: the first numbers are for built-in topics, the rest for prompts. */
const BUILT_IN_CODES = 1_024;
const TOPIC_CODES = 32_768;
const MAX_SUBJECT_LENGTH = 60;
const MAX_REMEMBERED_TOPICS = 500;

/**
 * The topic of a prompt in the world of a seed; prompts that match no built-in topic get their own. Words are folded.
 */
export function matchTopic(seed: string, prompt: string): TopicInWorld {
  const words = splitWordRuns(prompt.toLowerCase());
  const folded = splitFoldedWords(prompt);
  const index = TOPICS.findIndex((topic) =>
    topic.phrases.some((phrase) => splitFoldedWords(phrase).every((word) => folded.includes(word))),
  );
  const builtIn = TOPICS[index];
  if (builtIn !== undefined) {
    return { topic: builtIn, key: hashKey(`${seed}\n${builtIn.slug}`), code: index };
  }
  const topic = createPromptTopic(prompt, words);
  const key = hashKey(`${seed}\n${topic.slug}`);
  return { topic, key, code: BUILT_IN_CODES + (key[0] % (TOPIC_CODES - BUILT_IN_CODES)) };
}

/** {@link matchTopic} for one world, with a cache. */
export function createTopicMatcher(seed: string): (prompt: string) => TopicInWorld {
  const known = new LRUCache<string, TopicInWorld>({
    max: MAX_REMEMBERED_TOPICS,
    memoMethod: (prompt) => matchTopic(seed, prompt),
  });
  return (prompt) => known.memo(prompt);
}

/** Generates a topic from the prompt's own words, with 60 to 300 posts a day. */
function createPromptTopic(prompt: string, words: readonly string[]): Topic {
  const subject = toSubject(prompt);
  const slug = `prompt:${words.length > 0 ? words.join(' ') : subject}`;
  const size: Key = deriveKey(hashKey(slug), 0);
  const tag = cleanText(
    words
      .slice(0, 3)
      .map((word) => capitalize(word))
      .join(''),
    40,
  );
  return {
    slug,
    name: subject,
    subject,
    phrases: [],
    postsPerDay: 60 + (size[0] % 241),
    documentsPerDay: 6 + (size[1] % 9),
    daily: { share: 0.4, topHour: size[0] % 24 },
    habits: { weekend: 0.8, holiday: 0.7, noise: 0.2, branching: 0.3, manipulated: false, changes: [] },
    languages: { en: 1 },
    hashtags: tag === '' ? ['Today'] : [tag],
    places: ['Vellmar', 'the market square', 'the town library', 'Lenn', 'the evening meeting'],
    who: [
      'the local paper',
      'my neighbour Tove',
      'a reader from Karstheim',
      'the study group',
      'Ida Thorsund',
    ],
    things: ['the first report', 'the open question', 'the new guide', 'the old argument', 'the long thread'],
    sentences: {
      en: [
        'Everybody at {place} talks about {subject} today.',
        '{who} wrote about {subject}, {thing} is worth reading.',
        'I have {n} questions about {subject} and no answers.',
        'Two things I learned about {subject} this week, both from {who}.',
        '{who} changed my mind about {subject}.',
        'What is the best place to start with {subject}? Asking for {who}.',
        'The discussion about {subject} at {place} starts at {hour}:00.',
        '{thing} about {subject} has {n} replies and counting.',
        'Nobody told me that {subject} would take {n} hours.',
        'Unpopular opinion: {subject} is better than {thing}.',
      ],
    },
  };
}

/** The prompt as part of a sentence: one line, no control characters, cut between words. */
function toSubject(prompt: string): string {
  const line = cleanLine(cleanText(prompt));
  if (line.length <= MAX_SUBJECT_LENGTH) return line === '' ? 'this' : line;
  const cut = cleanText(line, MAX_SUBJECT_LENGTH);
  const space = cut.lastIndexOf(' ');
  return (space > 20 ? cut.slice(0, space) : cut).trim();
}
