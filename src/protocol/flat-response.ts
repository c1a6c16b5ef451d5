/**
 * What a service answers in a flat dialect (`named-2026`), in neutral names: groups are lists of items, posts are whole
 * and quote whole posts, the completion is a text, and unknown optional members are null. The public clients of 2026
 * require these types (test/service/named-2026.test.ts).
 */
import { z } from 'zod';
import { COMPLETION_WRITERS, popularMark, searchPlan, unknownCounters, warning } from './extensions.ts';
import { ownSourceReport } from './own-sources.ts';
import { microblogPost } from './specification.ts';

const count = z.int().nonnegative();
/** Counters that a flat post must have as numbers; unknown ones are 0 and named in `unknown_counters`. */
const requiredCounters = z.object({
  reply_count: count,
  repost_count: count,
  like_count: count,
  quote_count: count,
  bookmark_count: count,
});
export const REQUIRED_COUNTERS = requiredCounters.keyof().options;
/** First character and the one after the last, in code points; empty if the text does not show the entity. */
const indices = z.array(count);

const flatEntities = z.object({
  hashtags: z.array(z.object({ text: z.string(), indices })),
  urls: z.array(z.object({ url: z.string(), expanded_url: z.string(), display_url: z.string(), indices })),
  /** `id_str` is empty if the source does not report it. */
  user_mentions: z.array(
    z.object({ id_str: z.string(), name: z.string(), screen_name: z.string(), indices }),
  ),
});
export type FlatEntities = z.infer<typeof flatEntities>;

/** The hosted service no longer returns the omitted members. */
const withoutQuote = microblogPost.omit({ impression_count: true, summary_description: true }).extend({
  ...requiredCounters.shape,
  entities: flatEntities,
  quote: z.null(),
  unknown_counters: unknownCounters,
});
/** A post and the post it quotes; a quoted post has no further one. */
const flatPost = withoutQuote.extend({ quote: withoutQuote.nullable(), popular: popularMark });
export type FlatPost = z.infer<typeof flatPost>;

const flatItem = z.object({
  title: z.string(),
  link: z.url(),
  snippet: z.string(),
  /** ISO 8601 in UTC; absent if unknown. */
  published_date: z.string().optional(),
});
export type FlatItem = z.infer<typeof flatItem>;

const flatGroup = z.array(flatItem).optional();
const warnings = z.array(warning).min(1).optional();

/** Operation A. A group is present if its tool was selected. */
export const flatAiResponse = z.object({
  web: flatGroup,
  video: flatGroup,
  news_forum: flatGroup,
  discussion_board: flatGroup,
  preprint: flatGroup,
  encyclopedia: flatGroup,
  microblog: z.array(flatPost).optional(),
  /** The summary of the posts; null if there is none. */
  text: z.string().nullable(),
  /** The summary with citations `[1](address)`; null if only links were requested. */
  completion: z.string().nullable(),
  completion_writer: z.enum(COMPLETION_WRITERS),
  warnings,
  plan: searchPlan,
  /** Present if the request names sources of its own. */
  own_sources: z.array(ownSourceReport).optional(),
});
export type FlatAiResponse = z.infer<typeof flatAiResponse>;

/** Operation B. */
export const flatMicroblogResponse = z.object({
  miner_microblog_posts: z.array(flatPost),
  warnings,
  plan: searchPlan,
});
