/** A post as the specification has it, at a time: its words never change, its counters only grow. */
import type { MicroblogPost } from '../../contract/post.ts';
import { HOUR } from '../../engine/clock.ts';
import { authorAt } from './author.ts';
import { countersAt, type Referred } from './counters.ts';
import { rememberQuoted } from './quoted.ts';
import { BEGINNING, type PostSeed, REFERENCE_REACH_MS, type SeedStore } from './seeds.ts';
import { firstSentence } from '../first-sentence.ts';
import type { TopicInWorld } from './topic.ts';
import { createWriter, type Words } from './words.ts';

const ID_TOPIC_BITS = 15n;
const ID_PLACE_BITS = 7n;
/** Ids count milliseconds from here (2010-11-04), as the best known snowflake ids do. */
const ID_BEGINNING = 1_288_834_974_657;

/** The 19 digits of a post: its time, its topic and its place; unique within a topic for certain. */
export function postId(topic: TopicInWorld, seed: PostSeed): string {
  const time = BigInt(Math.max(seed.at, BEGINNING) - ID_BEGINNING);
  return String((((time << ID_TOPIC_BITS) | BigInt(topic.code)) << ID_PLACE_BITS) | BigInt(seed.place));
}

export type Press = {
  /** Writes posts out as they look at a time, in the order given. */
  write(topic: TopicInWorld, chosen: readonly PostSeed[], at: number): MicroblogPost[];
};

/** What never changes about a post; made once. */
type Fixed = Words &
  Omit<MicroblogPost, 'user' | 'url' | 'text' | 'lang' | 'media' | 'entities' | `${string}_count`>;

export function createPress(seeds: SeedStore): Press {
  const known = new WeakMap<PostSeed, Fixed>();
  const tallies = new WeakMap<readonly PostSeed[], ReadonlyMap<number, Referred>>();
  const writer = createWriter(seeds, postId);

  function fixed(topic: TopicInWorld, seed: PostSeed): Fixed {
    const there = known.get(seed);
    if (there !== undefined) return there;
    const reference = seeds.reference(topic, seed);
    const kind = reference === undefined ? 'original' : seed.wish;
    const words = writer(topic, seed);
    const repliedTo = kind === 'reply' ? reference : undefined;
    const repliedAuthor = repliedTo === undefined ? undefined : authorAt(repliedTo.author, seed.at);
    const quoted = kind === 'quote' ? reference : undefined;
    const made: Fixed = {
      ...words,
      id: postId(topic, seed),
      created_at: new Date(seed.at + seed.skew).toISOString(),
      is_quote_post: kind === 'quote',
      is_repost: kind === 'repost',
      conversation_id: postId(topic, rootOf(topic, seed)),
      in_reply_to_screen_name: repliedAuthor?.username ?? null,
      in_reply_to_status_id: repliedTo === undefined ? null : postId(topic, repliedTo),
      in_reply_to_user_id: repliedAuthor?.id ?? null,
      quoted_status_id: quoted === undefined ? null : postId(topic, quoted),
      quote: quoted === undefined ? null : writer(topic, quoted).text,
      summary_description: firstSentence(words.text),
    };
    known.set(seed, made);
    return made;
  }

  /** The post that a conversation began with. */
  function rootOf(topic: TopicInWorld, seed: PostSeed): PostSeed {
    let root = seed;
    for (;;) {
      const above = root.wish === 'reply' ? seeds.reference(topic, root) : undefined;
      if (above === undefined) return root;
      root = above;
    }
  }

  function write(topic: TopicInWorld, chosen: readonly PostSeed[], at: number): MicroblogPost[] {
    const referred = countReferences(topic, chosen, at);
    return chosen.map((seed) => {
      const one = fixed(topic, seed);
      const user = authorAt(seed.author, at);
      const counts = countersAt(seed, at, referred.get(seed.number) ?? NEVER);
      const post: MicroblogPost = {
        user,
        id: one.id,
        text: one.text,
        reply_count: counts.reply_count,
        repost_count: counts.repost_count,
        like_count: counts.like_count,
        view_count: counts.view_count,
        quote_count: counts.quote_count,
        impression_count: counts.impression_count,
        bookmark_count: counts.bookmark_count,
        url: `${user.url}/status/${one.id}`,
        created_at: one.created_at,
        media: one.media,
        is_quote_post: one.is_quote_post,
        is_repost: one.is_repost,
        lang: one.lang,
        conversation_id: one.conversation_id,
        in_reply_to_screen_name: one.in_reply_to_screen_name,
        in_reply_to_status_id: one.in_reply_to_status_id,
        in_reply_to_user_id: one.in_reply_to_user_id,
        quoted_status_id: one.quoted_status_id,
        quote: one.quote,
        summary_description: one.summary_description,
        entities: one.entities,
      };
      const reference = one.is_quote_post ? seeds.reference(topic, seed) : undefined;
      if (reference !== undefined) rememberQuoted(post, () => write(topic, [reference], at)[0]);
      return post;
    });
  }

  /** Counts the posts that refer to the chosen ones, up to a time; also those that were deleted since. */
  function countReferences(topic: TopicInWorld, chosen: readonly PostSeed[], at: number) {
    const counts = new Map<number, Referred>();
    const now = Math.floor(at / HOUR);
    const unfinished = tally(topic, seeds.within(topic, now * HOUR, at));
    const whole = new Map<number, ReadonlyMap<number, Referred>>();
    const talliesOf = (hour: number) => {
      let made = hour === now ? unfinished : whole.get(hour);
      if (made === undefined) whole.set(hour, (made = tallyOf(topic, hour)));
      return made;
    };
    for (const { number, at: born } of chosen) {
      const count = { reply: 0, repost: 0, quote: 0 };
      const last = Math.min(now, Math.floor((born + REFERENCE_REACH_MS) / HOUR));
      for (let hour = Math.floor(born / HOUR); hour <= last; hour++) {
        const more = talliesOf(hour).get(number);
        if (more !== undefined) {
          count.reply += more.reply;
          count.repost += more.repost;
          count.quote += more.quote;
        }
      }
      counts.set(number, count);
    }
    return counts;
  }

  /** How often each post was referred to in a whole hour. */
  function tallyOf(topic: TopicInWorld, hour: number): ReadonlyMap<number, Referred> {
    const there = seeds.hour(topic, hour);
    let made = tallies.get(there);
    if (made === undefined) tallies.set(there, (made = tally(topic, there)));
    return made;
  }

  function tally(topic: TopicInWorld, posts: readonly PostSeed[]): ReadonlyMap<number, Referred> {
    const counts = new Map<number, Referred>();
    for (const one of posts) {
      const to = one.wish === 'original' ? undefined : seeds.reference(topic, one);
      if (to === undefined || one.wish === 'original') continue;
      let count = counts.get(to.number);
      if (count === undefined) counts.set(to.number, (count = { reply: 0, repost: 0, quote: 0 }));
      count[one.wish] += 1;
    }
    return counts;
  }

  return { write };
}

const NEVER: Referred = { reply: 0, repost: 0, quote: 0 };
