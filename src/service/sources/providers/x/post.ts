/** A post of X in the specification's members, joined with what its answer includes beside it. */
import type { z } from 'zod';
import type { MicroblogAuthor } from '../../../../contract/author.ts';
import type { MicroblogPost } from '../../../../contract/post.ts';
import { firstSentence } from '../../../first-sentence.ts';
import { entitiesOf } from '../../reading/post-of.ts';
import type { saying, xMedia, xPost, xReferred, xUser } from './answer.ts';

type XPost = z.infer<typeof xPost>;
type XUser = z.infer<typeof xUser>;
/** What stands beside the posts, by id. */
export type XIncluded = {
  users: ReadonlyMap<string, XUser>;
  media: ReadonlyMap<string, z.infer<typeof xMedia>>;
  posts: ReadonlyMap<string, z.infer<typeof xReferred>>;
};

/** In an array; empty where its author is not among what is included (suspended, or gone). */
export function microblogPostOf(post: XPost, included: XIncluded): MicroblogPost[] {
  const author = included.users.get(post.author_id);
  if (author === undefined) return [];
  const { text: said, entities: marked } = wholeOf(post);
  const referred = (type: string) => post.referenced_tweets?.find((one) => one.type === type)?.id;
  const quoted = referred('quoted');
  const quotedPost = quoted === undefined ? undefined : included.posts.get(quoted);
  const { public_metrics: counts } = post;
  return [
    {
      user: authorOf(author),
      id: post.id,
      text: said,
      reply_count: counts.reply_count ?? null,
      repost_count: counts.retweet_count ?? null,
      like_count: counts.like_count ?? null,
      view_count: counts.impression_count ?? null,
      quote_count: counts.quote_count ?? null,
      impression_count: counts.impression_count ?? null,
      bookmark_count: counts.bookmark_count ?? null,
      url: `https://x.com/${author.username}/status/${post.id}`,
      created_at: post.created_at.toISOString(),
      media: (post.attachments?.media_keys ?? []).flatMap((key) => mediaOf(included.media.get(key))),
      is_quote_post: quoted !== undefined,
      is_repost: referred('retweeted') !== undefined,
      lang: post.lang === null || NO_LANGUAGE.test(post.lang) ? null : post.lang,
      conversation_id: post.conversation_id ?? null,
      in_reply_to_screen_name: answeredName(post, author, included),
      in_reply_to_status_id: referred('replied_to') ?? null,
      in_reply_to_user_id: post.in_reply_to_user_id ?? null,
      quoted_status_id: quoted ?? null,
      quote: quotedPost === undefined ? null : wholeOf(quotedPost).text,
      entities: entitiesOf({
        hashtags: (marked?.hashtags ?? []).map(({ tag }) => tag),
        mentions: (marked?.mentions ?? []).map(({ username }) => username),
        // The address of an attached picture is the post's own.
        urls: (marked?.urls ?? [])
          .filter(({ media_key: key }) => key === undefined)
          .map(({ unwound_url: unwound, expanded_url: expanded }) => unwound ?? expanded)
          .filter((url) => url !== null),
      }),
      summary_description: firstSentence(said),
    },
  ];
}

/** Undetermined, without words, or of media, hashtags and the like alone. */
const NO_LANGUAGE = /^(?:und|zxx|q..)$/;

/** The whole of a long post stands in a member of its own. */
function wholeOf({ text: short, entities: marked, note_tweet: long }: z.infer<typeof saying>) {
  return long === undefined
    ? { text: short, entities: marked }
    : { text: long.text, entities: long.entities ?? marked };
}

function answeredName(post: XPost, author: XUser, { users }: XIncluded): string | null {
  const answered = post.in_reply_to_user_id;
  if (answered === undefined) return null;
  if (answered === author.id) return author.username;
  const mentioned = post.entities?.mentions?.find((one) => one.id === answered);
  return mentioned?.username ?? users.get(answered)?.username ?? null;
}

function authorOf(user: XUser): MicroblogAuthor {
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

function mediaOf(media: z.infer<typeof xMedia> | undefined): MicroblogPost['media'] {
  const address = media?.url ?? media?.preview_image_url ?? null;
  return media === undefined || address === null ? [] : [{ type: media.type, media_url: address }];
}
