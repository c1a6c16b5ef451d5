/** From a prompt to the topic it is about; a prompt that no built-in topic knows gets one of its own. */
import { clean } from '../../contract/text.ts';
import { keyOfText, type Key, subkey } from './random.ts';
import type { Topic, TopicInWorld } from './topic.ts';
import { TOPICS } from './topics.ts';

/** Ids hold 15 bits for the topic: the first numbers are the built-in topics', the rest the prompts'. */
const BUILT_IN_CODES = 1_024;
const CODES = 32_768;
const SUBJECT_MAX = 60;
const REMEMBERED = 500;

/** The topic of a prompt in the world of a seed. The same words in another case are the same topic. */
export function topicOf(seed: string, prompt: string): TopicInWorld {
  const words = wordsOf(prompt);
  const known = TOPICS.findIndex((topic) => topic.phrases.some((phrase) => holds(words, phrase)));
  const builtIn = TOPICS[known];
  if (builtIn !== undefined) {
    return { topic: builtIn, key: keyOfText(`${seed}\n${builtIn.slug}`), code: known };
  }
  const topic = topicFor(prompt, words);
  const key = keyOfText(`${seed}\n${topic.slug}`);
  return { topic, key, code: BUILT_IN_CODES + (key[0] % (CODES - BUILT_IN_CODES)) };
}

/** The same, remembering the prompts that were asked lately. */
export function rememberedTopics(seed: string): (prompt: string) => TopicInWorld {
  const known = new Map<string, TopicInWorld>();
  return (prompt) => {
    const there = known.get(prompt);
    if (there !== undefined) return there;
    const topic = topicOf(seed, prompt);
    if (known.size >= REMEMBERED) known.clear();
    known.set(prompt, topic);
    return topic;
  };
}

/** Letters and digits of any script, lower case, in order. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

function holds(words: readonly string[], phrase: string): boolean {
  return phrase.split(' ').every((word) => words.includes(word));
}

/** A topic that talks about the prompt's own words: 60 to 300 posts a day, by the prompt. */
function topicFor(prompt: string, words: readonly string[]): Topic {
  const subject = subjectOf(prompt);
  const slug = `prompt:${words.length > 0 ? words.join(' ') : subject}`;
  const size: Key = subkey(keyOfText(slug), 0);
  const tag = clean(words.slice(0, 3).map(capital).join(''), 40);
  return {
    slug,
    name: subject,
    subject,
    phrases: [],
    postsPerDay: 60 + (size[0] % 241),
    documentsPerDay: 6 + (size[1] % 9),
    daily: { share: 0.4, topHour: size[0] % 24 },
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

/** The prompt as it can stand in a sentence: one line, no control characters, cut between two words. */
function subjectOf(prompt: string): string {
  const line = clean(prompt)
    .replace(/[\p{Cc}\p{Cf}\p{Z}\s]+/gu, ' ')
    .trim();
  if (line.length <= SUBJECT_MAX) return line === '' ? 'this' : line;
  const cut = clean(line, SUBJECT_MAX);
  const space = cut.lastIndexOf(' ');
  return (space > 20 ? cut.slice(0, space) : cut).trim();
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
