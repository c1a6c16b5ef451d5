/** The simulated microblog: the posts that match a prompt at a time. */
import type { MicroblogPost } from '../../protocol/specification.ts';
import { getOrMake } from '../../lib/get-or-make.ts';
import { DAY, HOUR } from '../../lib/time.ts';
import { createSlices, takeTurn } from '../event-loop-turns.ts';
import { createTopicMatcher } from './built-in-topics.ts';
import { createPostWriter } from './simulated-posts.ts';
import { boundAttention, computeAttention } from './counter-growth.ts';
import { WORLD_START, createSeedStore, type PostSeed } from './post-seeds.ts';
import type { TopicInWorld } from './simulated-topic.ts';

/** Operation B looks back one day, or seven for topics with fewer posts a day than this. */
const SLOW_TOPIC_POSTS_PER_DAY = 60;
/** Most viewed older posts, of a full answer: 11 of 40. */
const POPULAR_SHARE = 2 / 7;
/** Maximum number of posts read per search, newest first; bounds the work for busy topics and long windows. */
const MAX_CANDIDATES = 6_000;
const WRITTEN_AT_ONCE = 20;

export type SimulatedMicroblog = {
  /**
   * At most `limit` posts for a prompt: all of them, or the newest without gaps and older ones that are viewed most now; each
   * newest first. Times in ms since 1970.
   */
  find(
    prompt: string,
    window: { from: number | undefined; at: number },
    limit: number,
  ): Promise<{ newest: MicroblogPost[]; popular: MicroblogPost[] }>;
};

/** Default window without a date filter, in ms. */
function computeReach({ topic }: TopicInWorld): number {
  return topic.postsPerDay < SLOW_TOPIC_POSTS_PER_DAY ? 7 * DAY : DAY;
}

/** @param seed name of the world */
export function createMicroblog(seed: string): SimulatedMicroblog {
  const seeds = createSeedStore();
  const topicOf = createTopicMatcher(seed);
  const writer = createPostWriter(seeds);
  /** The posts of an hour, by final views. */
  const loudest = new WeakMap<readonly PostSeed[], readonly PostSeed[]>();

  return {
    async find(prompt, { from, at }, limit) {
      await takeTurn();
      const topic = topicOf(prompt);
      const { newest, popular } = await choose(topic, from ?? at - computeReach(topic), at, limit);
      const chosen = [...newest, ...popular];
      const slices = createSlices();
      const posts: MicroblogPost[] = [];
      for (let first = 0; first < chosen.length; first += WRITTEN_AT_ONCE) {
        await slices();
        posts.push(...writer.write(topic, chosen.slice(first, first + WRITTEN_AT_ONCE), at));
      }
      return { newest: posts.slice(0, newest.length), popular: posts.slice(newest.length) };
    },
  };

  /** Reads hour by hour, newest first, so that a long window costs no more than a busy topic's day. */
  async function choose(topic: TopicInWorld, from: number, at: number, limit: number): Promise<ChosenPosts> {
    const slices = createSlices();
    const popularCount = Math.floor(limit * POPULAR_SHARE);
    const newest: PostSeed[] = [];
    /** The next ones, as far as the limit goes: part of the newest if there are no more. */
    const next: PostSeed[] = [];
    const seen = createMostSeenList(at, popularCount);
    let read = 0;
    const first = Math.floor(Math.max(from, WORLD_START) / HOUR);
    for (let number = Math.floor(at / HOUR); number >= first && read < MAX_CANDIDATES; number--) {
      await slices();
      const posts = seeds.hour(topic, number);
      read += posts.length;
      const free = limit - popularCount - newest.length;
      const listsNext = next.length <= popularCount;
      if (free > 0 || listsNext) {
        const shown = posts.filter((post) => post.at >= from && post.at <= at && post.goneAt > at);
        if (free > 0) newest.push(...shown.splice(-free));
        if (listsNext) next.push(...shown);
        for (const post of shown) seen.offer(post);
      } else {
        seen.offerHour(
          getOrMake(loudest, posts, () => posts.toSorted((a, b) => b.views - a.views)),
          from,
        );
      }
    }
    if (next.length <= popularCount)
      return { newest: [...newest, ...next].sort(compareNewestFirst), popular: [] };
    return { newest: newest.sort(compareNewestFirst), popular: seen.best().sort(compareNewestFirst) };
  }
}

type ChosenPosts = { newest: PostSeed[]; popular: PostSeed[] };

function compareNewestFirst(a: PostSeed, b: PostSeed): number {
  return b.at - a.at || b.place - a.place;
}

/** Keeps the posts with most views in the last hour. */
function createMostSeenList(at: number, count: number) {
  const kept: { post: PostSeed; weight: number }[] = [];
  const worst = () => (kept.length < count ? -1 : (kept.at(-1)?.weight ?? Number.POSITIVE_INFINITY));
  const offer = (post: PostSeed) => {
    if (boundAttention(post, at) <= worst()) return;
    const weight = computeAttention(post, at);
    if (weight <= worst()) return;
    kept.splice(kept.findLastIndex((other) => other.weight >= weight) + 1, 0, { post, weight });
    if (kept.length > count) kept.pop();
  };
  return {
    offer,
    /** Offers the posts of an hour, sorted by views; stops when no further post can qualify. */
    offerHour(loudest: readonly PostSeed[], from: number): void {
      for (const post of loudest) {
        if (boundAttention(post, at) <= worst()) return;
        if (post.at >= from && post.goneAt > at) offer(post);
      }
    },
    best: () => kept.map(({ post }) => post),
  };
}
