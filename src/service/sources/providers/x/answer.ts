/** Posts, people and media as X's API gives them. */
import { z } from 'zod';
import { addressOrNull, count, id, time, timeOrNull, words, wordsOrNull } from '../../reading/post-of.ts';
import { optional } from '../../reading/read-answer.ts';

const handle = z.string().regex(/^\w{1,50}$/);
/** The service writes `&`, `<` and `>` as HTML does, and nothing else. */
const ESCAPES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };
const text = words.transform((escaped) => escaped.replace(/&(?:amp|lt|gt);/g, (one) => ESCAPES[one] ?? one));

const entities = optional(
  z.object({
    hashtags: optional(z.array(z.object({ tag: words }))),
    mentions: optional(z.array(z.object({ username: handle, id: optional(id) }))),
    urls: optional(
      z.array(
        z.object({
          expanded_url: addressOrNull,
          unwound_url: addressOrNull,
          media_key: optional(z.string()),
        }),
      ),
    ),
  }),
);
export const saying = z.object({ text, note_tweet: optional(z.object({ text, entities })), entities });

export const xPost = saying.extend({
  id,
  author_id: id,
  created_at: time,
  lang: wordsOrNull,
  conversation_id: optional(id),
  in_reply_to_user_id: optional(id),
  referenced_tweets: optional(z.array(z.object({ type: z.string(), id }))),
  attachments: optional(z.object({ media_keys: optional(z.array(z.string())) })),
  public_metrics: z
    .object({
      retweet_count: count,
      reply_count: count,
      like_count: count,
      quote_count: count,
      bookmark_count: count,
      impression_count: count,
    })
    .partial()
    .catch({}),
});
export const xUser = z.object({
  id,
  username: handle,
  name: wordsOrNull,
  created_at: timeOrNull,
  description: wordsOrNull,
  location: wordsOrNull,
  profile_image_url: addressOrNull,
  verified: optional(z.boolean()),
  verified_type: optional(z.string()),
  public_metrics: z
    .object({
      followers_count: count,
      tweet_count: count,
      listed_count: count,
      like_count: count,
      media_count: count,
    })
    .partial()
    .catch({}),
});
export const xMedia = z.object({
  media_key: z.string(),
  type: z.string().max(40),
  url: addressOrNull,
  preview_image_url: addressOrNull,
});
/** A post that another one refers to; only its words are of use. */
export const xReferred = saying.extend({ id });
