/** The counters of a post at a time. */
import type { MicroblogPost } from '../../contract/post.ts';
import { HOUR } from '../../engine/clock.ts';
import { countAt, ENGAGEMENT_PACE, VIEW_PACE } from './growth.ts';
import { drawsOf, logNormal, subkey } from './random.ts';
import type { PostSeed } from './seeds.ts';

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
export type Referred = { reply: number; repost: number; quote: number };

/** A post's counters at a time; never below the replies, reposts and quotes that could be seen. */
export function countersAt(seed: PostSeed, at: number, referred: Referred): Counters {
  const draw = drawsOf(subkey(seed.key, 2));
  const age = at - seed.at;
  const grown = countAt(1e9, ENGAGEMENT_PACE, age, seed.haste) / 1e9;
  // 1.5 % of those who see a post like it, more or less; the other shares are of the likes.
  const likes = seed.views * Math.min(0.4, logNormal(draw, 0.015, 0.9)) * grown;
  const views = countAt(seed.views, VIEW_PACE, age, seed.haste);
  return {
    reply_count: Math.max(Math.floor(likes * 0.15), referred.reply),
    repost_count: Math.max(Math.floor(likes * (0.2 + 0.1 * draw())), referred.repost),
    like_count: Math.floor(likes),
    view_count: views,
    quote_count: Math.max(Math.floor(likes * 0.04), referred.quote),
    impression_count: Math.floor(views * 1.2),
    bookmark_count: Math.floor(likes * 0.1),
  };
}

/** What draws attention now: the views that a post got in the hour before a time. */
export function attentionOf({ views, haste, at: born }: PostSeed, at: number): number {
  return countAt(views, VIEW_PACE, at - born, haste) - countAt(views, VIEW_PACE, at - HOUR - born, haste);
}

/** No less than {@link attentionOf}, and cheap to know: most posts need no closer look. */
export function attentionMost({ views, at: born }: PostSeed, at: number): number {
  // By the hour in which it was posted: posts of one hour share one factor.
  const hours = Math.floor(at / HOUR) - Math.floor(born / HOUR);
  return views * (SHARE_MOST[Math.min(hours, SHARE_MOST.length - 1)] ?? 1) + 1;
}

/** The largest share of its views that a post can get in an hour, by the hours between. */
const SHARE_MOST = Array.from({ length: 48 }, (_, hours) => {
  // In the first hours the curve rises and falls; a share that nothing exceeds will do.
  if (hours < 3) return 1;
  const shares = Array.from({ length: 60 }, (__, i) => {
    const haste = 0.1 * 1.07 ** i;
    const seen = (age: number) => countAt(1e9, VIEW_PACE, age, haste) / 1e9;
    return Math.max(
      seen(hours * HOUR) - seen((hours - 1) * HOUR),
      seen((hours + 1) * HOUR) - seen(hours * HOUR),
    );
  });
  return 1.1 * Math.max(...shares);
});
