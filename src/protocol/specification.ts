/**
 * Requests and responses of both operations, in the specification's names. Which members are required is our choice.
 */

import { forCounters, POST_COUNTERS } from '../model/counters.ts';
import { DATE_FILTERS, MODELS, TOOLS } from '../model/enumerations.ts';
import { z } from 'zod';

/** Maximum prompt length in characters. The specification has no limit; see docs/internals/specification-choices.md. */
export const MAX_PROMPT_LENGTH = 2_000;

/** Operation A. */
export const aiSearchRequest = z.object({
  prompt: z.string().trim().min(1).max(MAX_PROMPT_LENGTH),
  tools: z.array(z.enum(TOOLS)).min(1),
  model: z.enum(MODELS).optional(),
  date_filter: z.enum(DATE_FILTERS).optional(),
  streaming: z.boolean().optional(),
});

/** Operation B. */
export const microblogSearchRequest = z.object({
  prompt: z.string().trim().min(1).max(MAX_PROMPT_LENGTH),
  model: z.enum(MODELS).optional(),
});

/** Members of a request to operation A, which include those of operation B. */
export const REQUEST_MEMBERS: ReadonlySet<string> = new Set(Object.keys(aiSearchRequest.shape));

/** An integer from 0; null if unknown, which is not the same as 0. */
const counter = z.int().nonnegative().nullable();

/** The author of a microblog post (`user`). The specification shows every member; unknown values are null. */
export const microblogAuthor = z.object({
  id: z.string().min(1),
  url: z.string().nullable(),
  name: z.string(),
  username: z.string(),
  created_at: z.string().nullable(),
  description: z.string().nullable(),
  favourites_count: counter,
  followers_count: counter,
  listed_count: counter,
  media_count: counter,
  profile_image_url: z.string().nullable(),
  statuses_count: counter,
  verified: z.boolean().nullable(),
  is_blue_verified: z.boolean().nullable(),
  can_dm: z.boolean().nullable(),
  can_media_tag: z.boolean().nullable(),
  location: z.string().nullable(),
});
export type MicroblogAuthor = z.infer<typeof microblogAuthor>;

/** A reference to a post or a person; null if there is none. */
const reference = z.string().nullable();

/**
 * A microblog post as our service writes it. The specification does not define the elements of `media` and the members
 * of `entities`; see docs/internals/specification-choices.md for ours. Times are ISO 8601 in UTC.
 */
export const microblogPost = z.object({
  user: microblogAuthor,
  id: z.string().min(1),
  text: z.string(),
  ...forCounters(POST_COUNTERS, () => counter),
  url: z.string().nullable(),
  created_at: z.string(),
  media: z.array(z.record(z.string(), z.json())),
  is_quote_post: z.boolean(),
  is_repost: z.boolean(),
  lang: z.string().nullable(),
  conversation_id: z.string().nullable(),
  in_reply_to_screen_name: reference,
  in_reply_to_status_id: reference,
  in_reply_to_user_id: reference,
  quoted_status_id: reference,
  quote: reference,
  entities: z.record(z.string(), z.json()),
  summary_description: z.string(),
});
export type MicroblogPost = z.infer<typeof microblogPost>;

export const microblogResponse = z.object({ miner_microblog_posts: z.array(microblogPost) });

/** An element of `organic_results`. */
export const resultItem = z.object({
  title: z.string(),
  link: z.url(),
  /** An excerpt; may be empty. */
  snippet: z.string(),
  /** May be empty. */
  summary_description: z.string(),
  /** Only on preprint and encyclopedia results. */
  with_metadata: z.boolean().optional(),
});

/** Results of one tool. */
export const resultGroup = z.object({ organic_results: z.array(resultItem) });
export type ResultGroup = z.infer<typeof resultGroup>;

/** An element of the completion's key lists. */
export const keyItem = z.object({ text: z.string(), url: z.url() });

/** The text about the results. A tool that was not selected has an empty list and an empty text. */
export const completion = z.object({
  key_posts: z.array(keyItem),
  key_microblog_posts: z.array(keyItem),
  key_news: z.array(keyItem),
  key_sources: z.array(keyItem),
  microblog_summary: z.string(),
  summary: z.string(),
  discussion_board_summary: z.string(),
  news_forum_summary: z.string(),
});
export type Completion = z.infer<typeof completion>;

/** The pieces of the microblog summary; joined they are its text. */
export const textChunks = z.object({ microblog_summary: z.array(z.string()) });

/** A group is present if its tool was selected, and may be empty. */
export const aiResponse = z.object({
  video_search_results: resultGroup.optional(),
  news_forum_search_results: resultGroup.optional(),
  discussion_board_search_results: resultGroup.optional(),
  preprint_search_results: resultGroup.optional(),
  encyclopedia_search_results: resultGroup.optional(),
  text_chunks: textChunks,
  /** Addresses of all results. */
  search_completion_links: z.array(z.url()),
  /** Addresses that the completion cites, in order of first citation. */
  completion_links: z.array(z.url()),
  completion,
});
export type AiResponse = z.infer<typeof aiResponse>;

/** With a group that the specification lacks; returned only if enabled. */
export const aiResponseWithWeb = aiResponse.extend({ web_search_results: resultGroup.optional() });
