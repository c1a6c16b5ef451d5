/** A status of Mastodon in the specification's members. */
import { z } from 'zod';
import type { MicroblogAuthor } from '../../../../contract/author.ts';
import type { MicroblogPost } from '../../../../contract/post.ts';
import { clean } from '../../../../contract/text.ts';
import { firstSentence } from '../../../first-sentence.ts';
import { contentOf } from './content.ts';
import {
  addressOrNull,
  count,
  entitiesOf,
  id,
  time,
  timeOrNull,
  words,
  wordsOrNull,
} from '../../reading/post-of.ts';
import { optional } from '../../reading/read-answer.ts';

const account = z.object({
  id,
  acct: id,
  display_name: wordsOrNull,
  note: optional(z.string()),
  url: addressOrNull,
  avatar: addressOrNull,
  created_at: timeOrNull,
  followers_count: count,
  statuses_count: count,
  fields: optional(z.array(z.object({ verified_at: optional(z.string()) }))),
});
const attachment = z.object({ type: z.string(), url: addressOrNull, remote_url: addressOrNull });
const quote = z.object({
  quoted_status: optional(
    z.object({ id, spoiler_text: optional(z.string()), content: z.string(), visibility: z.string() }),
  ),
  quoted_status_id: optional(id),
});

export const mastodonStatus = z.object({
  id,
  created_at: time,
  account,
  content: z.string(),
  spoiler_text: optional(z.string()),
  visibility: z.string(),
  language: wordsOrNull,
  url: addressOrNull,
  uri: addressOrNull,
  in_reply_to_id: optional(id),
  in_reply_to_account_id: optional(id),
  replies_count: count,
  reblogs_count: count,
  favourites_count: count,
  quotes_count: count,
  reblog: z.unknown().optional(),
  media_attachments: optional(z.array(attachment)),
  mentions: optional(z.array(z.object({ id, acct: id }))),
  tags: optional(z.array(z.object({ name: words }))),
  quote: optional(quote),
});
export type MastodonStatus = z.infer<typeof mastodonStatus>;

/** A search with a token also gives what only the token's owner may read; a boost repeats another's post. */
export function isPublic({ visibility, reblog }: MastodonStatus): boolean {
  return isOpen(visibility) && (reblog === undefined || reblog === null);
}

/** @param host of the server that was asked: ids of accounts are small numbers there, and mean nothing elsewhere */
export function mastodonPost(status: MastodonStatus, host: string): MicroblogPost {
  const { text, links } = sayingOf(status);
  const { account: author, mentions = [], in_reply_to_id: answered } = status;
  const answeredAccount = [author, ...mentions].find((one) => one.id === status.in_reply_to_account_id);
  const quoted = quotedBy(status);
  return {
    user: authorOf(author, host),
    id: status.id,
    text,
    reply_count: status.replies_count,
    repost_count: status.reblogs_count,
    like_count: status.favourites_count,
    view_count: null,
    quote_count: status.quotes_count,
    impression_count: null,
    bookmark_count: null,
    url: status.url ?? status.uri,
    created_at: status.created_at.toISOString(),
    media: (status.media_attachments ?? []).flatMap(mediaOf),
    is_quote_post: quoted.id !== null,
    is_repost: false,
    lang: status.language,
    // Which conversation a reply belongs to is not said.
    conversation_id: answered === undefined ? status.id : null,
    in_reply_to_screen_name: answeredAccount?.acct ?? null,
    in_reply_to_status_id: answered ?? null,
    in_reply_to_user_id:
      status.in_reply_to_account_id === undefined ? null : accountId(status.in_reply_to_account_id, host),
    quoted_status_id: quoted.id,
    quote: quoted.text,
    entities: entitiesOf({
      hashtags: (status.tags ?? []).map(({ name }) => name),
      mentions: mentions.map(({ acct }) => acct),
      urls: links,
    }),
    summary_description: firstSentence(text),
  };
}

function authorOf(account_: MastodonStatus['account'], host: string): MicroblogAuthor {
  return {
    id: accountId(account_.id, host),
    url: account_.url,
    name: account_.display_name ?? account_.acct,
    username: account_.acct,
    created_at: account_.created_at,
    description: account_.note === undefined ? null : contentOf(account_.note).text,
    favourites_count: null,
    followers_count: account_.followers_count,
    listed_count: null,
    media_count: null,
    profile_image_url: account_.avatar,
    statuses_count: account_.statuses_count,
    // A link of the profile leads back to it: the only proof of identity there is.
    verified: (account_.fields ?? []).some((field) => field.verified_at !== undefined),
    // There is no paid mark.
    is_blue_verified: false,
    can_dm: null,
    can_media_tag: null,
    location: null,
  };
}

function accountId(number: string, host: string): string {
  return `${number}@${host}`;
}

/** A warning stands before what it warns of. */
function sayingOf({
  spoiler_text: warning = '',
  content,
}: {
  spoiler_text?: string | undefined;
  content: string;
}) {
  const { text, links } = contentOf(content);
  const parts = [clean(warning).trim(), text].filter((part) => part !== '');
  return { text: clean(parts.join('\n\n')), links };
}

function quotedBy({ quote: given }: MastodonStatus): { id: string | null; text: string | null } {
  const status = given?.quoted_status;
  if (status === undefined) return { id: given?.quoted_status_id ?? null, text: null };
  return { id: status.id, text: isOpen(status.visibility) ? sayingOf(status).text : null };
}

function isOpen(visibility: string): boolean {
  return visibility === 'public' || visibility === 'unlisted';
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  image: 'photo',
  gifv: 'animated_gif',
  video: 'video',
  audio: 'audio',
};

function mediaOf({ type, url, remote_url: elsewhere }: z.infer<typeof attachment>): MicroblogPost['media'] {
  const address = url ?? elsewhere;
  return address === null ? [] : [{ type: MEDIA_TYPES[type] ?? 'unknown', media_url: address }];
}
