import { z } from 'zod';

/** An element of `organic_results`. */
export const resultItem = z.object({
  title: z.string(),
  link: z.url(),
  /** An excerpt; may be empty. */
  snippet: z.string(),
  /** May be empty. */
  summary_description: z.string(),
  /** Present on preprint and encyclopedia results only. */
  with_metadata: z.boolean().optional(),
});
export type ResultItem = z.infer<typeof resultItem>;

/** What was found by one tool. */
export const resultGroup = z.object({ organic_results: z.array(resultItem) });
export type ResultGroup = z.infer<typeof resultGroup>;

/** An element of the completion's key lists. */
export const keyItem = z.object({ text: z.string(), url: z.url() });

/** What was written about the results. A tool that was not selected has an empty list and an empty text. */
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

/** The summary of the microblog posts in the pieces it was written in; joined they are the text. */
export const textChunks = z.object({ microblog_summary: z.array(z.string()) });

/** The answer of operation A. A group is there when its tool was selected, and may be empty. */
export const aiResponse = z.object({
  video_search_results: resultGroup.optional(),
  news_forum_search_results: resultGroup.optional(),
  discussion_board_search_results: resultGroup.optional(),
  preprint_search_results: resultGroup.optional(),
  encyclopedia_search_results: resultGroup.optional(),
  text_chunks: textChunks,
  /** Addresses of everything that was found. */
  search_completion_links: z.array(z.url()),
  /** Addresses that the completion cites, in the order of their first citation. */
  completion_links: z.array(z.url()),
  completion,
});
export type AiResponse = z.infer<typeof aiResponse>;

/** With the group that the specification does not show; answered only where it is switched on. */
export const aiResponseWithWeb = aiResponse.extend({ web_search_results: resultGroup.optional() });
