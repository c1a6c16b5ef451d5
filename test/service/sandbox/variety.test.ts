/**
 * What nobody planted as a copy is rarely near-equal: otherwise two weeks of a topic are one story. Of each topic, in full; of
 * the few with more than {@link MAX_POSTS_PER_DAY}, the first posts.
 */
import { describe, expect, test } from 'vitest';
import { DAY, HOUR } from '../../../src/lib/time.ts';
import { hashFoldedText } from '../../../src/model/folded-text.ts';
import { groupStories, type StoryItem } from '../../../src/model/stories.ts';
import { sketchText } from '../../../src/model/story-sketch.ts';
import { matchTopic, TOPICS } from '../../../src/service/sandbox/built-in-topics.ts';
import { createSeedStore } from '../../../src/service/sandbox/post-seeds.ts';
import { listDocumentSeeds, writeArticle } from '../../../src/service/sandbox/simulated-documents.ts';
import { createPostWriter } from '../../../src/service/sandbox/simulated-posts.ts';

const FROM = Date.parse('2026-11-16T00:00:00Z');
const DAYS = 14;
const MAX_POSTS_PER_DAY = 600;
const MAX_POSTS = 4_000;
const PLANTED = new Set(['copy', 'campaign', 'spam', 'injection']);
const PROMPTS = [...TOPICS.map(({ phrases }) => phrases[0] ?? ''), 'electric kettles'];

/** Texts that are near-equal to another, and those of the largest story of such. */
function measureStories(texts: readonly { at: number; text: string }[]): { largest: number; joined: number } {
  const items = texts.map(({ at, text }, i): StoryItem => {
    const name = hashFoldedText(text);
    return { id: BigInt(i), at, names: name === null ? [] : [name], sketch: sketchText(text), story: null };
  });
  const sizes = groupStories(items).map(({ members }) => members.length);
  return { largest: Math.max(1, ...sizes), joined: sizes.reduce((sum, size) => sum + size, 0) };
}

describe.each(PROMPTS)('two weeks of %s', (prompt) => {
  const world = matchTopic('variety', prompt);

  test('posts: the largest story has one in two hundred or five, and one post in twenty is in any', () => {
    const seeds = createSeedStore();
    const writer = createPostWriter(seeds);
    const texts: { at: number; text: string }[] = [];
    for (let from = FROM; from < FROM + DAYS * DAY && texts.length < MAX_POSTS; from += HOUR) {
      const at = from + HOUR - 1;
      const own = seeds
        .within(world, from, at)
        .filter(({ role, intendedKind }) => !PLANTED.has(role) && intendedKind !== 'repost');
      for (const { text } of writer.write(world, own, at)) texts.push({ at, text });
    }
    if (world.topic.postsPerDay > MAX_POSTS_PER_DAY) expect(texts.length).toBeGreaterThanOrEqual(MAX_POSTS);
    const { largest, joined } = measureStories(texts);
    expect(largest).toBeLessThanOrEqual(Math.max(5, texts.length / 200));
    expect(joined / texts.length).toBeLessThan(0.05);
  });

  test('documents: the largest story has one in twelve or eight', () => {
    const texts = (['web', 'discussion_board', 'news_forum', 'video', 'preprint'] as const).flatMap(
      (source) =>
        listDocumentSeeds(world, source, { from: FROM, at: FROM + DAYS * DAY }).map((seed) => ({
          at: seed.at,
          text: writeArticle(world.topic, source, seed).title,
        })),
    );
    expect(measureStories(texts).largest).toBeLessThanOrEqual(Math.max(8, texts.length / 12));
  });
});
