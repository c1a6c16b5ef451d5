/**
 * What is true of the simulated world, for whoever scores a monitor or a search by it: planted bursts, the
 * first appearance of every link, which posts and links are relevant. A pure function of seed, prompt and
 * span.
 */
import { SOURCES, type Source } from '../../contract/enumerations.ts';
import { DAY } from '../../engine/clock.ts';
import { articleOf, entriesOf } from './article.ts';
import { burstsBetween, type TrueBurst } from './bursts.ts';
import { seedsWithin } from './documents.ts';
import { topicOf } from './match.ts';
import { postId } from './post.ts';
import { isRelevant, type Role } from './role.ts';
import { createSeedStore } from './seeds.ts';
import type { TopicInWorld } from './topic.ts';

/** Times are ISO 8601, ends of the span included. */
export type Truth = {
  seed: string;
  topic: string;
  from: string;
  to: string;
  /** Posts on an average day without any burst. */
  usual_posts_per_day: number;
  /** Planted bursts whose onset lies in the span: docs/sandbox.md says when a report of one is right. */
  bursts: (Omit<TrueBurst, 'onset' | 'peak' | 'end'> & { onset: string; peak: string; end: string })[];
  /** What the six other sources hold: links whose first appearance lies in the span, or has no time (null). */
  links: { source: Source; link: string; first_at: string | null; relevant: boolean }[];
  /** Every post of the span, oldest first; null where the span is longer than that of {@link truthOf}. */
  posts: TruePost[] | null;
};

/** `deleted_at` is null for a post that stays. A repost has the role of what it repeats. */
export type TruePost = { id: string; at: string; role: Role; relevant: boolean; deleted_at: string | null };

/**
 * @param prompt a topic is named by any prompt that is about it
 * @param postsMs the longest span whose posts are listed one by one
 */
export function truthOf(seed: string, prompt: string, from: Date, to: Date, postsMs = 7 * DAY): Truth {
  const topic = topicOf(seed, prompt);
  const span = { from: from.getTime(), at: to.getTime() };
  return {
    seed,
    topic: topic.topic.slug,
    from: from.toISOString(),
    to: to.toISOString(),
    usual_posts_per_day: topic.topic.postsPerDay,
    bursts: burstsBetween(topic, span.from, span.at + 1).map(({ onset, peak, end, ...burst }) => ({
      onset: iso(onset),
      peak: iso(peak),
      end: iso(end),
      ...burst,
    })),
    links: SOURCES.flatMap((source) => linksOf(topic, source, span)),
    posts: span.at - span.from > postsMs ? null : postsOf(topic, span),
  };
}

function linksOf(topic: TopicInWorld, source: Source, span: { from: number; at: number }): Truth['links'] {
  if (source === 'microblog') return [];
  if (source === 'encyclopedia')
    return entriesOf(topic).map(({ link }) => ({ source, link, first_at: null, relevant: true }));
  return seedsWithin(topic, source, span).map((one) => ({
    source,
    link: articleOf(topic.topic, source, one).link,
    first_at: iso(one.at),
    relevant: one.relevant,
  }));
}

function postsOf(topic: TopicInWorld, { from, at }: { from: number; at: number }): TruePost[] {
  const seeds = createSeedStore();
  return seeds.within(topic, from, at).map((seed) => {
    const said = seed.wish === 'repost' ? (seeds.reference(topic, seed) ?? seed) : seed;
    const copied = said.role === 'copy' ? (seeds.reference(topic, said)?.role ?? 'copy') : said.role;
    return {
      id: postId(topic, seed),
      at: iso(seed.at),
      role: said.role,
      relevant: isRelevant(copied),
      deleted_at: seed.goneAt === Number.POSITIVE_INFINITY ? null : iso(seed.goneAt),
    };
  });
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
