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
