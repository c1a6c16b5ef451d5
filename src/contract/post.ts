import { z } from 'zod';
import { counter, microblogAuthor } from './author.ts';

/** Its members that are counters. */
export const POST_COUNTERS = [
  'reply_count',
  'repost_count',
  'like_count',
  'view_count',
  'quote_count',
  'impression_count',
  'bookmark_count',
] as const;

/** A reference to a post or a person: null where there is none. */
const reference = z.string().nullable();

/**
 * A microblog post, as our service writes it. The shape of a `media` element and the members of
 * `entities` are not shown; ours are in docs/specification-choices.md. Times are ISO 8601 in UTC.
 */
export const microblogPost = z.object({
  user: microblogAuthor,
  id: z.string().min(1),
  text: z.string(),
  reply_count: counter,
  repost_count: counter,
  like_count: counter,
  view_count: counter,
  quote_count: counter,
  impression_count: counter,
  bookmark_count: counter,
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
