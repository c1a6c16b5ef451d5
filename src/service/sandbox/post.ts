/** A post as the specification has it, at a time: its words never change, its counters only grow. */
import type { MicroblogPost } from '../../contract/post.ts';
import { HOUR } from '../../engine/clock.ts';
import { authorAt } from './author.ts';
import { countAt, ENGAGEMENT_PACE, VIEW_PACE } from './growth.ts';
import { drawsOf, logNormal, subkey } from './random.ts';
import { BEGINNING, type PostSeed, type SeedStore } from './seeds.ts';
import { firstSentence, languageOf, postText } from './text.ts';
import type { TopicInWorld } from './topic.ts';

type Counters = Pick<
  MicroblogPost,
  | 'reply_count'
  | 'repost_count'
  | 'like_count'
  | 'view_count'
  | 'quote_count'
  | 'impression_count'
  | 'bookmark_count'
>;

/** How often a post was referred to by posts of its topic that exist already. */
export type Referred = { replies: number; reposts: number; quotes: number };
export const NEVER_REFERRED: Referred = { replies: 0, reposts: 0, quotes: 0 };

const ID_TOPIC_BITS = 15n;
const ID_PLACE_BITS = 7n;
/** Ids count milliseconds from here (2010-11-04), as the best known snowflake ids do. */
const ID_BEGINNING = 1_288_834_974_657;

/** The 19 digits of a post: its time, its topic and its place in its cell; unique within a topic for certain. */
export function postId(topic: TopicInWorld, seed: PostSeed): string {
  const time = BigInt(Math.max(seed.at, BEGINNING) - ID_BEGINNING);
  return String((((time << ID_TOPIC_BITS) | BigInt(topic.code)) << ID_PLACE_BITS) | BigInt(seed.place));
}

/** A post's counters at a time; never below the replies, reposts and quotes that can be seen. */
export function countersAt(seed: PostSeed, at: number, referred: Referred): Counters {
  const draw = drawsOf(subkey(seed.key, 2));
  const age = at - seed.at;
  const grown = (share: number) => countAt(seed.views * share, ENGAGEMENT_PACE, age, seed.haste);
  // 1.5 % of those who see a post like it, more or less; the other shares are of the likes.
  const likes = Math.min(0.4, logNormal(draw, 0.015, 0.9));
  const views = countAt(seed.views, VIEW_PACE, age, seed.haste);
  return {
    reply_count: Math.max(grown(likes * 0.15), referred.replies),
    repost_count: Math.max(grown(likes * (0.2 + 0.1 * draw())), referred.reposts),
    like_count: grown(likes),
    view_count: views,
    quote_count: Math.max(grown(likes * 0.04), referred.quotes),
    impression_count: Math.floor(views * 1.2),
    bookmark_count: grown(likes * 0.1),
  };
}

/** What draws attention now: the views that a post got in the hour before a time. */
export function attentionOf(seed: PostSeed, at: number): number {
  const viewsAt = (time: number) => countAt(seed.views, VIEW_PACE, time - seed.at, seed.haste);
  return viewsAt(at) - viewsAt(at - HOUR);
}

export type PostWriter = {
  seeds: SeedStore;
  topic: TopicInWorld;
  /** The time of the look, ms since 1970. */
  at: number;
  referred(seed: PostSeed): Referred;
};

/** Writes a post out; `quote` is the text of the quoted post. */
export function writePost(writer: PostWriter, seed: PostSeed): MicroblogPost {
  const { seeds, topic, at } = writer;
  const reference = seeds.reference(topic, seed);
  const kind = reference === undefined ? 'original' : seed.wish;
  const user = authorAt(seed.author, at);
  const id = postId(topic, seed);
  const words = wordsOf(writer, seed);
  const quoted = kind === 'quote' ? reference : undefined;
  const repliedTo = kind === 'reply' ? reference : undefined;
  const repliedAuthor = repliedTo === undefined ? undefined : authorAt(repliedTo.author, at);
  return {
    user,
    id,
    text: words.text,
    ...countersAt(seed, at, writer.referred(seed)),
    url: `${user.url}/status/${id}`,
    created_at: new Date(seed.at).toISOString(),
    media: words.media,
    is_quote_post: kind === 'quote',
    is_repost: kind === 'repost',
    lang: words.lang,
    conversation_id: postId(topic, rootOf(writer, seed)),
    in_reply_to_screen_name: repliedAuthor?.username ?? null,
    in_reply_to_status_id: repliedTo === undefined ? null : postId(topic, repliedTo),
    in_reply_to_user_id: repliedAuthor?.id ?? null,
    quoted_status_id: quoted === undefined ? null : postId(topic, quoted),
    quote: quoted === undefined ? null : wordsOf(writer, quoted).text,
    entities: words.entities,
    summary_description: firstSentence(words.text),
  };
}

type Words = Pick<MicroblogPost, 'text' | 'lang' | 'media' | 'entities'>;

/** What a post says, without its counters; a repost says what it repeats, behind "RT @handle:". */
function wordsOf(writer: PostWriter, seed: PostSeed): Words {
  const { seeds, topic } = writer;
  const reference = seeds.reference(topic, seed);
  if (reference !== undefined && seed.wish === 'repost') {
    const repeated = wordsOf(writer, reference);
    return { ...repeated, text: `RT @${authorAt(reference.author, writer.at).username}: ${repeated.text}` };
  }
  const draw = drawsOf(subkey(seed.key, 3));
  const lang = languageOf(draw, topic.topic);
  const kind = reference === undefined || seed.wish === 'repost' ? 'original' : seed.wish;
  const { text, hashtags, links } = postText(draw, topic.topic, lang, kind);
  const picture = `https://images.chirp.example/posts/${postId(topic, seed)}.jpg`;
  return {
    text,
    lang,
    media: draw() < 0.15 ? [{ type: 'photo', media_url: picture }] : [],
    entities: {
      hashtags: hashtags.map((tag) => ({ text: tag })),
      urls: links.map((link) => ({ url: link, expanded_url: link })),
      user_mentions: [],
    },
  };
}

/** The post that a conversation began with. */
function rootOf({ seeds, topic }: PostWriter, seed: PostSeed): PostSeed {
  let root = seed;
  for (;;) {
    const above = root.wish === 'reply' ? seeds.reference(topic, root) : undefined;
    if (above === undefined) return root;
    root = above;
  }
}
