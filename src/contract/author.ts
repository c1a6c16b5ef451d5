import { z } from 'zod';

/** A whole number from 0; null where it is not known, which is not the same as 0. */
export const counter = z.int().nonnegative().nullable();

/** Its members that are counters. */
export const AUTHOR_COUNTERS = [
  'favourites_count',
  'followers_count',
  'listed_count',
  'media_count',
  'statuses_count',
] as const;

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
