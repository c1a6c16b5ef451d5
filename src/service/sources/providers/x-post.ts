/** Converts posts, users and media of X's API to the specification's members. */

import type { MicroblogAuthor, MicroblogPost } from '../../../protocol/specification.ts';
import { optionalField } from '../parse/payload.ts';
import {
  addressOrNull,
  countField,
  extractFirstSentence,
  idField,
  textField,
  textOrNull,
  timeField,
  timeOrNull,
  toEntities,
} from '../parse/post-fields.ts';
import { z } from 'zod';

const userHandle = z.string().regex(/^\w{1,50}$/);
/** X escapes only these three characters. */
const HTML_ESCAPES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };
const unescapedText = textField.transform((escaped) =>
  escaped.replace(/&(?:amp|lt|gt);/g, (escape) => HTML_ESCAPES[escape] ?? escape),
);

const markedEntities = optionalField(
  z.object({
    hashtags: optionalField(z.array(z.object({ tag: textField }))),
    mentions: optionalField(z.array(z.object({ username: userHandle, id: optionalField(idField) }))),
    urls: optionalField(
      z.array(
        z.object({
          expanded_url: addressOrNull,
          unwound_url: addressOrNull,
          media_key: optionalField(z.string()),
        }),
      ),
    ),
  }),
);
const writtenText = z.object({
  text: unescapedText,
  note_tweet: optionalField(z.object({ text: unescapedText, entities: markedEntities })),
  entities: markedEntities,
});

export const xPost = writtenText.extend({
  id: idField,
  author_id: idField,
  created_at: timeField,
  lang: textOrNull,
  conversation_id: optionalField(idField),
  in_reply_to_user_id: optionalField(idField),
  referenced_tweets: optionalField(z.array(z.object({ type: z.string(), id: idField }))),
  attachments: optionalField(z.object({ media_keys: optionalField(z.array(z.string())) })),
  public_metrics: z
    .object({
      retweet_count: countField,
      reply_count: countField,
      like_count: countField,
      quote_count: countField,
      bookmark_count: countField,
      impression_count: countField,
    })
    .partial()
    .catch({}),
});
export const xUser = z.object({
  id: idField,
  username: userHandle,
  name: textOrNull,
  created_at: timeOrNull,
  description: textOrNull,
  location: textOrNull,
  profile_image_url: addressOrNull,
  verified: optionalField(z.boolean()),
  verified_type: optionalField(z.string()),
  public_metrics: z
    .object({
      followers_count: countField,
      tweet_count: countField,
      listed_count: countField,
      like_count: countField,
      media_count: countField,
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
/** A referenced post; only its text is used. */
export const xReferred = writtenText.extend({ id: idField });

type XPost = z.infer<typeof xPost>;
type XUser = z.infer<typeof xUser>;
/** Expansions of a response, by id. */
type XIncludes = {
  users: ReadonlyMap<string, XUser>;
  media: ReadonlyMap<string, z.infer<typeof xMedia>>;
  posts: ReadonlyMap<string, z.infer<typeof xReferred>>;
};

/**
 * Joins a post with the expansions of its response, in an array; empty if its author is missing (suspended or deleted).
 */
export function toMicroblogPost(post: XPost, included: XIncludes): MicroblogPost[] {
  const author = included.users.get(post.author_id);
  if (author === undefined) return [];
  const { text, entities: marked } = readWholeText(post);
  const referred = (type: string) => post.referenced_tweets?.find((reference) => reference.type === type)?.id;
  const quoted = referred('quoted');
  const quotedPost = quoted === undefined ? undefined : included.posts.get(quoted);
  const { public_metrics: counts } = post;
  return [
    {
      user: toAuthor(author),
      id: post.id,
      text,
      reply_count: counts.reply_count ?? null,
      repost_count: counts.retweet_count ?? null,
      like_count: counts.like_count ?? null,
      view_count: counts.impression_count ?? null,
      quote_count: counts.quote_count ?? null,
      impression_count: counts.impression_count ?? null,
      bookmark_count: counts.bookmark_count ?? null,
      url: `https://x.com/${author.username}/status/${post.id}`,
      created_at: post.created_at.toISOString(),
      media: (post.attachments?.media_keys ?? []).flatMap((key) => toMedia(included.media.get(key))),
      is_quote_post: quoted !== undefined,
      is_repost: referred('retweeted') !== undefined,
      lang: post.lang === null || NO_LANGUAGE_CODE.test(post.lang) ? null : post.lang,
      conversation_id: post.conversation_id ?? null,
      in_reply_to_screen_name: findAnsweredName(post, author, included),
      in_reply_to_status_id: referred('replied_to') ?? null,
      in_reply_to_user_id: post.in_reply_to_user_id ?? null,
      quoted_status_id: quoted ?? null,
      quote: quotedPost === undefined ? null : readWholeText(quotedPost).text,
      entities: toEntities({
        hashtags: (marked?.hashtags ?? []).map(({ tag }) => tag),
        mentions: (marked?.mentions ?? []).map(({ username }) => username),
        // For an attached picture, this is the post's own address.
        urls: (marked?.urls ?? [])
          .filter(({ media_key: key }) => key === undefined)
          .map(({ unwound_url: unwound, expanded_url: expanded }) => unwound ?? expanded)
          .filter((url) => url !== null),
      }),
      summary_description: extractFirstSentence(text),
    },
  ];
}

/** Undetermined, no linguistic content, or X's codes for posts of only media, hashtags and the like. */
const NO_LANGUAGE_CODE = /^(?:und|zxx|q..)$/;

/** The full text of a long post is a separate member. */
function readWholeText({ text: short, entities: marked, note_tweet: long }: z.infer<typeof writtenText>) {
  return long === undefined
    ? { text: short, entities: marked }
    : { text: long.text, entities: long.entities ?? marked };
}

function findAnsweredName(post: XPost, author: XUser, { users }: XIncludes): string | null {
  const answered = post.in_reply_to_user_id;
  if (answered === undefined) return null;
  if (answered === author.id) return author.username;
  const mentioned = post.entities?.mentions?.find((mention) => mention.id === answered);
  return mentioned?.username ?? users.get(answered)?.username ?? null;
}

function toAuthor(user: XUser): MicroblogAuthor {
  const { public_metrics: counts } = user;
  return {
    id: user.id,
    url: `https://x.com/${user.username}`,
    name: user.name ?? user.username,
    username: user.username,
    created_at: user.created_at,
    description: user.description,
    favourites_count: counts.like_count ?? null,
    followers_count: counts.followers_count ?? null,
    listed_count: counts.listed_count ?? null,
    media_count: counts.media_count ?? null,
    profile_image_url: user.profile_image_url,
    statuses_count: counts.tweet_count ?? null,
    verified: user.verified ?? null,
    is_blue_verified: user.verified_type === undefined ? null : user.verified_type === 'blue',
    can_dm: null,
    can_media_tag: null,
    location: user.location,
  };
}

function toMedia(media: z.infer<typeof xMedia> | undefined): MicroblogPost['media'] {
  const address = media?.url ?? media?.preview_image_url ?? null;
  return media === undefined || address === null ? [] : [{ type: media.type, media_url: address }];
}
