/** Renders a post at a time, in the specification's members: its text never changes, its counters only grow. */

import { getOrMake } from '../../lib/get-or-make.ts';
import { HOUR } from '../../lib/time.ts';
import type { MicroblogPost } from '../../protocol/specification.ts';
import { extractFirstSentence } from '../sources/parse/post-fields.ts';
import { computeCounters, type ReferenceCounts } from './counter-growth.ts';
import { type PostSeed, REFERENCE_REACH_MS, type SeedStore, WORLD_START } from './post-seeds.ts';
import { createDraw, deriveKey } from './random.ts';
import { renderAuthor } from './simulated-authors.ts';
import {
  drawLanguage,
  rewordCopy,
  type SimulatedText,
  writeDistractingPost,
  writeInjection,
  writeLongText,
  writePostText,
  writeSarcasm,
  writeSpam,
} from './simulated-text.ts';
import type { TopicInWorld } from './simulated-topic.ts';

const ID_TOPIC_BITS = 15n;
const ID_PLACE_BITS = 7n;
/** Epoch of the ids (2010-11-04), the same as that of the best-known snowflake ids. */
const ID_EPOCH = 1_288_834_974_657;

/** The 19-digit id of a post: time, topic and position; unique within a topic. */
export function computePostId(topic: TopicInWorld, seed: PostSeed): string {
  const time = BigInt(Math.max(seed.at, WORLD_START) - ID_EPOCH);
  return String((((time << ID_TOPIC_BITS) | BigInt(topic.code)) << ID_PLACE_BITS) | BigInt(seed.place));
}

type PostWriter = {
  /** Renders posts at a time, in the given order. */
  write(topic: TopicInWorld, chosen: readonly PostSeed[], at: number): MicroblogPost[];
};

/** The fixed properties of a post; computed once. */
type FixedPost = Omit<MicroblogPost, 'user' | 'url' | `${string}_count`>;

export function createPostWriter(seeds: SeedStore): PostWriter {
  const known = new WeakMap<PostSeed, FixedPost>();
  const tallies = new WeakMap<readonly PostSeed[], ReadonlyMap<number, ReferenceCounts>>();
  const writer = createWordWriter(seeds);

  function writeFixed(topic: TopicInWorld, seed: PostSeed): FixedPost {
    const reference = seeds.reference(topic, seed);
    const kind = reference === undefined ? 'original' : seed.intendedKind;
    const repliedTo = kind === 'reply' ? reference : undefined;
    const repliedAuthor = repliedTo === undefined ? undefined : renderAuthor(repliedTo.author, seed.at);
    const quoted = kind === 'quote' ? reference : undefined;
    const words = writer(topic, seed);
    return {
      ...words,
      id: computePostId(topic, seed),
      created_at: new Date(seed.at + seed.skew).toISOString(),
      is_quote_post: kind === 'quote',
      is_repost: kind === 'repost',
      conversation_id: computePostId(topic, rootOf(topic, seed)),
      in_reply_to_screen_name: repliedAuthor?.username ?? null,
      in_reply_to_status_id: repliedTo === undefined ? null : computePostId(topic, repliedTo),
      in_reply_to_user_id: repliedAuthor?.id ?? null,
      quoted_status_id: quoted === undefined ? null : computePostId(topic, quoted),
      quote: quoted === undefined ? null : writer(topic, quoted).text,
      summary_description: extractFirstSentence(words.text),
    };
  }

  /** The first post of a conversation. */
  function rootOf(topic: TopicInWorld, seed: PostSeed): PostSeed {
    let root = seed;
    for (;;) {
      const above = root.intendedKind === 'reply' ? seeds.reference(topic, root) : undefined;
      if (above === undefined) return root;
      root = above;
    }
  }

  function write(topic: TopicInWorld, chosen: readonly PostSeed[], at: number): MicroblogPost[] {
    const referred = countReferences(topic, chosen, at);
    return chosen.map((seed) => {
      const unchanging = getOrMake(known, seed, () => writeFixed(topic, seed));
      const user = renderAuthor(seed.author, at);
      const counts = computeCounters(seed, at, referred.get(seed.number) ?? NO_REFERENCES);
      // In the order of responses. Written out, since spreading so many members takes several times as long.
      const post: MicroblogPost = {
        user,
        id: unchanging.id,
        text: unchanging.text,
        ...counts,
        url: `${user.url}/status/${unchanging.id}`,
        created_at: unchanging.created_at,
        media: unchanging.media,
        is_quote_post: unchanging.is_quote_post,
        is_repost: unchanging.is_repost,
        lang: unchanging.lang,
        conversation_id: unchanging.conversation_id,
        in_reply_to_screen_name: unchanging.in_reply_to_screen_name,
        in_reply_to_status_id: unchanging.in_reply_to_status_id,
        in_reply_to_user_id: unchanging.in_reply_to_user_id,
        quoted_status_id: unchanging.quoted_status_id,
        quote: unchanging.quote,
        summary_description: unchanging.summary_description,
        entities: unchanging.entities,
      };
      const reference = unchanging.is_quote_post ? seeds.reference(topic, seed) : undefined;
      if (reference !== undefined) quotedPosts.set(post, () => write(topic, [reference], at)[0]);
      return post;
    });
  }

  /** Counts references to the posts, up to a time, including those deleted since. */
  function countReferences(topic: TopicInWorld, chosen: readonly PostSeed[], at: number) {
    const counts = new Map<number, ReferenceCounts>();
    const now = Math.floor(at / HOUR);
    const unfinished = tally(topic, seeds.within(topic, now * HOUR, at));
    const whole = new Map<number, ReadonlyMap<number, ReferenceCounts>>();
    const talliesOf = (hour: number) =>
      hour === now ? unfinished : getOrMake(whole, hour, () => tallyOf(topic, hour));
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

  /** Number of references to each post in a whole hour. */
  function tallyOf(topic: TopicInWorld, hour: number): ReadonlyMap<number, ReferenceCounts> {
    const there = seeds.hour(topic, hour);
    return getOrMake(tallies, there, () => tally(topic, there));
  }

  function tally(topic: TopicInWorld, posts: readonly PostSeed[]): ReadonlyMap<number, ReferenceCounts> {
    const counts = new Map<number, ReferenceCounts>();
    for (const post of posts) {
      const to = post.intendedKind === 'original' ? undefined : seeds.reference(topic, post);
      if (to === undefined || post.intendedKind === 'original') continue;
      let count = counts.get(to.number);
      if (count === undefined) counts.set(to.number, (count = { reply: 0, repost: 0, quote: 0 }));
      count[post.intendedKind] += 1;
    }
    return counts;
  }

  return { write };
}

const NO_REFERENCES: ReferenceCounts = { reply: 0, repost: 0, quote: 0 };

// The text of a post: depends on its role, its kind, and what it refers to.

/** Members of a post that never change. */
type PostWords = Pick<MicroblogPost, 'text' | 'lang' | 'media' | 'entities'>;

/** @returns a deterministic generator of post texts */
function createWordWriter(seeds: SeedStore): (topic: TopicInWorld, seed: PostSeed) => PostWords {
  const known = new WeakMap<PostSeed, PostWords>();

  function words(topic: TopicInWorld, seed: PostSeed): PostWords {
    return getOrMake(known, seed, () => write(topic, seed));
  }

  function write(topic: TopicInWorld, seed: PostSeed): PostWords {
    const reference = seeds.reference(topic, seed);
    const draw = createDraw(deriveKey(seed.key, 3));
    if (reference !== undefined && seed.intendedKind === 'repost') {
      const repeated = words(topic, reference);
      return {
        ...repeated,
        text: `RT @${renderAuthor(reference.author, seed.at).username}: ${repeated.text}`,
      };
    }
    if (reference !== undefined && seed.role === 'copy') {
      const copied = words(topic, reference);
      return { ...copied, text: rewordCopy(draw, copied.text) };
    }
    const lang = drawLanguage(draw, topic.topic);
    const said = says();
    const picture = `https://images.chirp.example/posts/${computePostId(topic, seed)}.jpg`;
    return {
      text: said.text,
      lang: said.lang ?? lang,
      media: draw() < 0.15 ? [{ type: 'photo', media_url: picture }] : [],
      entities: {
        hashtags: said.hashtags.map((tag) => ({ text: tag })),
        urls: said.links.map((link) => ({ url: link, expanded_url: link })),
        user_mentions: [],
      },
    };

    function says(): SimulatedText {
      switch (seed.role) {
        case 'sarcasm':
          return writeSarcasm(draw, topic.topic, seed.author);
        case 'long':
          return writeLongText(draw, topic.topic, { language: lang, author: seed.author });
        case 'distractor':
          return writeDistractingPost(draw, topic.topic, seed.author);
        case 'spam':
          return writeSpam(draw, topic.topic);
        case 'campaign':
          return writeSpam(createDraw(seed.campaign ?? seed.key), topic.topic);
        case 'injection':
          return writeInjection(draw, topic.topic);
        case 'plain':
        case 'copy':
          return writePostText(
            draw,
            topic.topic,
            { language: lang, author: seed.author },
            resolveKind(seed, reference),
          );
      }
    }
  }

  return words;
}

function resolveKind(seed: PostSeed, reference: PostSeed | undefined): 'original' | 'reply' | 'quote' {
  return reference === undefined || seed.intendedKind === 'repost' ? 'original' : seed.intendedKind;
}

/**
 * The quoted post of a quote, generated on demand. The specification returns only its text; some servers return the
 * whole post, which a fault simulates.
 */
const quotedPosts = new WeakMap<MicroblogPost, () => MicroblogPost | undefined>();

/** The whole post that this post quotes; undefined if it quotes no post. */
export function findQuotedPost(post: MicroblogPost): MicroblogPost | undefined {
  return quotedPosts.get(post)?.();
}
