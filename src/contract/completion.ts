import { z } from 'zod';

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
