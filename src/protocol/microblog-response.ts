import { z } from 'zod';

/** A whole number from 0; null where it is not known, which is not the same as 0. */
export const counter = z.int().nonnegative().nullable();

/** The author of a microblog post (`user`). The specification shows every member; what is unknown is null. */
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

/** The answer of operation B. */
export const microblogResponse = z.object({ miner_microblog_posts: z.array(microblogPost) });
