/** The simulated microblog: which posts a prompt finds at a time. */
import type { MicroblogPost } from '../../contract/post.ts';
import { DAY } from '../../engine/clock.ts';
import { topicOf } from './match.ts';
import { attentionOf, NEVER_REFERRED, type PostWriter, type Referred, writePost } from './post.ts';
import { BEGINNING, CELL_MS, createSeedStore, numberOf, type PostSeed, REFERENCE_REACH_MS } from './seeds.ts';
import type { TopicInWorld } from './topic.ts';

/** Operation B looks back one day; seven where a topic has fewer posts than this a day. */
const SLOW_TOPIC = 60;
/** The share of an answer that goes to the newest posts; the rest to those that are most seen now. */
const NEWEST_SHARE = 0.6;
/** A search reads at most this many posts, the newest; it bounds the work of a busy topic and a long window. */
const CANDIDATES = 6_000;

export type Microblog = {
  /** The newest posts and the ones most seen now for a prompt, newest first. Times in ms since 1970. */
  find(prompt: string, window: { from: number | undefined; at: number }, limit: number): MicroblogPost[];
  /** Every post with `from <= its time <= at`, oldest first, as it looks at `at`. */
  all(prompt: string, window: { from: number; at: number }): MicroblogPost[];
};

/** @param seed the name of the world: another seed, other posts */
export function createMicroblog(seed: string): Microblog {
  const seeds = createSeedStore();

  function find(prompt: string, window: { from: number | undefined; at: number }, limit: number) {
    const topic = topicOf(seed, prompt);
    const reach = topic.topic.postsPerDay < SLOW_TOPIC ? 7 * DAY : DAY;
    const found = newestFirst(topic, window.from ?? window.at - reach, window.at, CANDIDATES);
    const newest = found.slice(0, Math.ceil(limit * NEWEST_SHARE));
    const seen = found
      .slice(newest.length)
      .map((one) => ({ one, weight: attentionOf(one, window.at) }))
      .sort((a, b) => b.weight - a.weight || b.one.at - a.one.at)
      .slice(0, limit - newest.length)
      .map(({ one }) => one);
    return write(
      topic,
      [...newest, ...seen].sort((a, b) => b.at - a.at || b.place - a.place),
      window.at,
    );
  }

  function all(prompt: string, window: { from: number; at: number }) {
    const topic = topicOf(seed, prompt);
    return write(
      topic,
      newestFirst(topic, window.from, window.at, Number.POSITIVE_INFINITY).toReversed(),
      window.at,
    );
  }

  function newestFirst(topic: TopicInWorld, from: number, at: number, most: number): PostSeed[] {
    const found: PostSeed[] = [];
    const first = Math.floor(Math.max(from, BEGINNING) / CELL_MS);
    for (let cell = Math.floor(at / CELL_MS); cell >= first && found.length < most; cell--) {
      const there = seeds.cell(topic, cell).filter((one) => one.at >= from && one.at <= at);
      found.push(...there.toSorted((a, b) => b.at - a.at || b.place - a.place));
    }
    return found;
  }

  function write(topic: TopicInWorld, chosen: readonly PostSeed[], at: number): MicroblogPost[] {
    const referred = countReferences(topic, chosen, at);
    const writer: PostWriter = {
      seeds,
      topic,
      at,
      referred: (one) => referred.get(numberOf(one)) ?? NEVER_REFERRED,
    };
    return chosen.map((one) => writePost(writer, one));
  }

  /** Counts the posts that refer to the chosen ones, up to a time. */
  function countReferences(topic: TopicInWorld, chosen: readonly PostSeed[], at: number) {
    const counts = new Map<number, Referred>();
    for (const one of chosen) counts.set(numberOf(one), { replies: 0, reposts: 0, quotes: 0 });
    for (const cell of cellsReferring(chosen, at)) {
      for (const one of seeds.cell(topic, cell)) {
        const to = one.at > at ? undefined : seeds.reference(topic, one);
        const count = to === undefined ? undefined : counts.get(numberOf(to));
        if (count === undefined) continue;
        if (one.wish === 'reply') count.replies += 1;
        else if (one.wish === 'repost') count.reposts += 1;
        else count.quotes += 1;
      }
    }
    return counts;
  }

  return { find, all };
}

/** The cells in which something can refer to one of the posts: those of the next twelve hours. */
function cellsReferring(posts: readonly PostSeed[], at: number): Set<number> {
  const cells = new Set<number>();
  const now = Math.floor(at / CELL_MS);
  for (const { cell } of posts) {
    const last = Math.min(now, cell + REFERENCE_REACH_MS / CELL_MS);
    for (let next = cell + 1; next <= last; next++) cells.add(next);
  }
  return cells;
}
