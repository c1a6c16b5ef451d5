/** Every post of a simulated topic, which no response has: what the responses are compared with. */
import type { MicroblogPost } from '../../../src/protocol/specification.ts';
import { createTopicMatcher } from '../../../src/service/sandbox/built-in-topics.ts';
import { createSeedStore } from '../../../src/service/sandbox/post-seeds.ts';
import { createPostWriter } from '../../../src/service/sandbox/simulated-posts.ts';

/** @returns lists the posts of a prompt with `from <= time <= at`, oldest first, as of `at` */
export function createPostLister(
  seed: string,
): (prompt: string, window: { from: number; at: number }) => MicroblogPost[] {
  const seeds = createSeedStore();
  const topicOf = createTopicMatcher(seed);
  const writer = createPostWriter(seeds);
  return (prompt, { from, at }) => {
    const topic = topicOf(prompt);
    const posts = seeds.within(topic, from, at).filter(({ goneAt }) => goneAt > at);
    return writer.write(topic, posts, at);
  };
}
