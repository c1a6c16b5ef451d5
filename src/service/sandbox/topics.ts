import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type Topic, topicSchema } from './topic.ts';

const FILE = new URL('topics.json', import.meta.url);

/**
 * The built-in topics. To add one, append it to the file: the order decides the number in its posts' ids, so a topic
 * that is moved or removed gives the ones behind it new ids.
 */
export const TOPICS: readonly Topic[] = readTopics();

/** @throws Error naming the file and each place in it that is not as a topic must be */
function readTopics(): readonly Topic[] {
  const parsed = z.array(topicSchema).safeParse(JSON.parse(readFileSync(FILE, 'utf8')));
  if (!parsed.success) throw new Error(`${FILE.pathname} is not valid:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
