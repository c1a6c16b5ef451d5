import { z } from 'zod';
import { completion } from './completion.ts';
import { resultGroup } from './result-item.ts';

/** The summary of the microblog posts in the pieces it was written in; joined they are the text. */
export const textChunks = z.object({ microblog_summary: z.array(z.string()) });

/** The answer of operation A. A group is there when its tool was selected, and may be empty. */
export const aiAnswer = z.object({
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
export type AiAnswer = z.infer<typeof aiAnswer>;

/** With the group that the specification does not show; answered only where it is switched on. */
export const aiAnswerWithWeb = aiAnswer.extend({ web_search_results: resultGroup.optional() });
