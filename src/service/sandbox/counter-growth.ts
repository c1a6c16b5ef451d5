/**
 * How the counters of a post grow: count(t) = floor(final x F(t - t0)) where F is a cumulative distribution. Counters
 * are integers, never decrease, and are the same for every request.
 *
 * Impressions follow a log-normal distribution with a median of 80 minutes and sigma 1.75: half of the views within 80
 * minutes, 95 % within a day (Pfeffer, Matter, Sargsyan: "The Half-Life of a Tweet", ICWSM 2023). Likes and reposts are
 * known to be faster; how much faster is our choice.
 */

import type { PostCounter } from '../../model/counters.ts';
import { normalCdf } from '../../lib/normal-distribution.ts';
import { HOUR, MINUTE } from '../../lib/time.ts';
import type { PostSeed } from './post-seeds.ts';
import { createDraw, deriveKey, drawLogNormal } from './random.ts';

type GrowthPace = { medianMs: number; sigma: number };

const VIEW_PACE: GrowthPace = { medianMs: 80 * MINUTE, sigma: 1.75 };
const ENGAGEMENT_PACE: GrowthPace = { medianMs: 35 * MINUTE, sigma: 1.6 };

/** The counter's value at an age. `haste` scales the speed of this post: 1 is normal, 2 twice as fast. */
function computeCount(final: number, pace: GrowthPace, ageMs: number, haste: number): number {
  if (ageMs <= 0) return 0;
  return Math.floor(final * normalCdf(Math.log((ageMs * haste) / pace.medianMs) / pace.sigma));
}

/** Number of existing posts of the topic that refer to a post. */
export type ReferenceCounts = { reply: number; repost: number; quote: number };

/** A post's counters at a time, at least the replies, reposts and quotes that exist. */
export function computeCounters(
  seed: PostSeed,
  at: number,
  referred: ReferenceCounts,
): Record<PostCounter, number> {
  const draw = createDraw(deriveKey(seed.key, 2));
  const age = at - seed.at;
  const grown = computeCount(1e9, ENGAGEMENT_PACE, age, seed.haste) / 1e9;
  // About 1.5 % of viewers like a post; the other shares are relative to likes.
  const likes = seed.views * Math.min(0.4, drawLogNormal(draw, 0.015, 0.9)) * grown;
  const views = computeCount(seed.views, VIEW_PACE, age, seed.haste);
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

/** Current attention: views in the hour before a time. */
export function computeAttention({ views, haste, at: born }: PostSeed, at: number): number {
  return (
    computeCount(views, VIEW_PACE, at - born, haste) - computeCount(views, VIEW_PACE, at - HOUR - born, haste)
  );
}

/** A cheap upper bound of {@link computeAttention}, to skip most posts. */
export function boundAttention({ views, at: born }: PostSeed, at: number): number {
  // Rounded to hours, so that posts of one hour share a factor.
  const hours = Math.floor(at / HOUR) - Math.floor(born / HOUR);
  return views * (MAX_HOURLY_SHARE[Math.min(hours, MAX_HOURLY_SHARE.length - 1)] ?? 1) + 1;
}

/** Maximum share of its views that a post can get in an hour, by age in hours. */
const MAX_HOURLY_SHARE = Array.from({ length: 48 }, (_, hours) => {
  // The curve is not monotone in the first hours; 1 is always an upper bound.
  if (hours < 3) return 1;
  const shares = Array.from({ length: 60 }, (__, i) => {
    const haste = 0.1 * 1.07 ** i;
    const seen = (age: number) => computeCount(1e9, VIEW_PACE, age, haste) / 1e9;
    return Math.max(
      seen(hours * HOUR) - seen((hours - 1) * HOUR),
      seen((hours + 1) * HOUR) - seen(hours * HOUR),
    );
  });
  return 1.1 * Math.max(...shares);
});
