/** A post of Bluesky, from the view that a search gives to the specification's members. */
import { z } from 'zod';
import type { MicroblogAuthor } from '../../../../contract/author.ts';
import type { MicroblogPost } from '../../../../contract/post.ts';
import { firstSentence } from '../../../first-sentence.ts';
import { embed, embeddedIn } from './embed.ts';
import { entitiesIn, facets } from './facet.ts';
import { isBlocked, isHidden, labels, standing } from './label.ts';
import type { BlueskyProfiles } from './profile.ts';
import { postId, postPlace } from './uri.ts';
import {
  addressOrNull,
  count,
  entitiesOf,
  id,
  timeOf,
  timeOrNull,
  words,
  wordsOrNull,
} from '../../reading/post-of.ts';
import { optional } from '../../reading/read-answer.ts';

const author = z.object({
  did: id,
  handle: id,
  displayName: wordsOrNull,
  avatar: addressOrNull,
  createdAt: timeOrNull,
  verification: optional(z.object({ verifiedStatus: z.string() })),
  labels,
  viewer: standing,
});
const reference = z.object({ uri: z.string() });
const record = z.object({
  text: words,
  createdAt: optional(z.string()),
  langs: optional(z.array(z.string().max(35))),
  facets,
  tags: optional(z.array(words)),
  reply: optional(z.object({ root: reference, parent: reference })),
});
export const blueskyView = z.object({
  uri: z.string().refine((uri) => postPlace(uri) !== undefined),
  author,
  record,
  embed: optional(embed),
  indexedAt: optional(z.string()),
  replyCount: count,
  repostCount: count,
  likeCount: count,
  quoteCount: count,
  bookmarkCount: count,
  labels,
});
export type BlueskyView = z.infer<typeof blueskyView>;

/** The accounts whose profiles say more of a post: its author, and whom it answers. */
export function accountsOf({ author: { did }, record: { reply } }: BlueskyView): string[] {
  const parent = postPlace(reply?.parent.uri);
  return parent === undefined ? [did] : [did, parent.did];
}

/** In an array; empty where the post has no time, or is not to be shown. */
export function blueskyPost(view: BlueskyView, profiles: BlueskyProfiles): MicroblogPost[] {
  const { uri, record: said } = view;
  const at = sortedAt(view);
  const isOut = isHidden(view.labels, view.author.labels) || isBlocked(view.author.viewer);
  if (at === undefined || isOut) return [];
  const handleOf = (did: string) => profiles.get(did)?.handle;
  const marked = entitiesIn(said.text, said.facets, handleOf);
  const { media, isQuote, quotedId, quote, links } = embeddedIn(view.embed);
  const parent = postPlace(said.reply?.parent.uri);
  return [
    {
      user: authorOf(view, profiles),
      // Never the second: the view was read only because its address is a post's.
      id: postId(uri) ?? uri,
      text: said.text,
      reply_count: view.replyCount,
      repost_count: view.repostCount,
      like_count: view.likeCount,
      view_count: null,
      quote_count: view.quoteCount,
      impression_count: null,
      bookmark_count: view.bookmarkCount,
      url: `${profileUrl(view)}/post/${postPlace(uri)?.key}`,
      created_at: at.toISOString(),
      media,
      is_quote_post: isQuote,
      is_repost: false,
      lang: said.langs?.[0] ?? null,
      conversation_id: postId(said.reply?.root.uri ?? uri),
      in_reply_to_screen_name: parent === undefined ? null : (handleOf(parent.did) ?? null),
      in_reply_to_status_id: postId(said.reply?.parent.uri),
      in_reply_to_user_id: parent?.did ?? null,
      quoted_status_id: quotedId,
      quote,
      entities: entitiesOf({
        hashtags: [...marked.hashtags, ...(said.tags ?? [])],
        mentions: marked.mentions,
        urls: [...marked.urls, ...links],
      }),
      summary_description: firstSentence(said.text),
    },
  ];
}

function authorOf(view: BlueskyView, profiles: BlueskyProfiles): MicroblogAuthor {
  const { did, handle, displayName, avatar, createdAt, verification } = view.author;
  const profile = profiles.get(did);
  return {
    id: did,
    url: profileUrl(view),
    name: displayName ?? handle,
    username: handle,
    created_at: createdAt,
    description: profile?.description ?? null,
    favourites_count: null,
    followers_count: profile?.followersCount ?? null,
    listed_count: null,
    media_count: null,
    profile_image_url: avatar,
    statuses_count: profile?.postsCount ?? null,
    verified: verification?.verifiedStatus === 'valid',
    // There is no paid mark.
    is_blue_verified: false,
    can_dm: null,
    can_media_tag: null,
    location: null,
  };
}

/** An account whose handle does not hold is reached by its DID. */
function profileUrl({ author: { did, handle } }: BlueskyView): string {
  return `https://bsky.app/profile/${handle === 'handle.invalid' ? did : handle}`;
}

/** `createdAt` is whatever the author's program says: a post is never newer than when it was first seen. */
function sortedAt({ record: { createdAt }, indexedAt }: BlueskyView): Date | undefined {
  const [said, seen] = [timeOf(createdAt), timeOf(indexedAt)];
  return said === undefined || (seen !== undefined && seen < said) ? seen : said;
}
