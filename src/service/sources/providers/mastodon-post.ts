/** Converts a Mastodon status, with HTML, to the specification's members. */

import { cleanText, MAX_TEXT_LENGTH } from '../../../lib/text.ts';
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
  UNKNOWN_OF_AUTHOR,
} from '../parse/post-fields.ts';
import { toShownLink } from '../parse/provider-addresses.ts';
import { decodeHTML } from 'entities';
import { z } from 'zod';

const accountView = z.object({
  id: idField,
  acct: idField,
  display_name: textOrNull,
  note: optionalField(z.string()),
  url: addressOrNull,
  avatar: addressOrNull,
  created_at: timeOrNull,
  followers_count: countField,
  statuses_count: countField,
  fields: optionalField(z.array(z.object({ verified_at: optionalField(z.string()) }))),
});
const attachmentView = z.object({ type: z.string(), url: addressOrNull, remote_url: addressOrNull });
const quoteView = z.object({
  quoted_status: optionalField(
    // The rest of a whole status is kept.
    z.looseObject({
      id: idField,
      spoiler_text: optionalField(z.string()),
      content: z.string(),
      visibility: z.string(),
    }),
  ),
  quoted_status_id: optionalField(idField),
});

export const mastodonStatus = z.object({
  id: idField,
  created_at: timeField,
  account: accountView,
  content: z.string(),
  spoiler_text: optionalField(z.string()),
  visibility: z.string(),
  language: textOrNull,
  url: addressOrNull,
  uri: addressOrNull,
  in_reply_to_id: optionalField(idField),
  in_reply_to_account_id: optionalField(idField),
  replies_count: countField,
  reblogs_count: countField,
  favourites_count: countField,
  quotes_count: countField,
  reblog: z.unknown().optional(),
  media_attachments: optionalField(z.array(attachmentView)),
  mentions: optionalField(z.array(z.object({ id: idField, acct: idField }))),
  tags: optionalField(z.array(z.object({ name: textField }))),
  quote: optionalField(quoteView),
});
export type MastodonStatus = z.infer<typeof mastodonStatus>;

/** Authenticated search includes posts that only the token's owner may read; boosts repeat another's post. */
export function isPublicStatus({ visibility, reblog }: MastodonStatus): boolean {
  return isOpenVisibility(visibility) && (reblog === undefined || reblog === null);
}

/** @param host the queried server: its account ids are small numbers, unique only there */
export function toMastodonPost(status: MastodonStatus, host: string): MicroblogPost {
  const { text, links } = readStatusText(status);
  const { account: author, mentions = [], in_reply_to_id: answered } = status;
  const answeredAccount = [author, ...mentions].find(
    (candidate) => candidate.id === status.in_reply_to_account_id,
  );
  const quoted = readQuote(status);
  return {
    user: toAuthor(author, host),
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
    media: (status.media_attachments ?? []).flatMap(toMedia),
    is_quote_post: quoted.id !== null,
    is_repost: false,
    lang: status.language,
    // The API does not return the conversation of a reply.
    conversation_id: answered === undefined ? status.id : null,
    in_reply_to_screen_name: answeredAccount?.acct ?? null,
    in_reply_to_status_id: answered ?? null,
    in_reply_to_user_id:
      status.in_reply_to_account_id === undefined ? null : toAccountId(status.in_reply_to_account_id, host),
    quoted_status_id: quoted.id,
    quote: quoted.text,
    entities: toEntities({
      hashtags: (status.tags ?? []).map(({ name }) => name),
      mentions: mentions.map(({ acct }) => acct),
      urls: links,
    }),
    summary_description: extractFirstSentence(text),
  };
}

function toAuthor(account: MastodonStatus['account'], host: string): MicroblogAuthor {
  return {
    ...UNKNOWN_OF_AUTHOR,
    id: toAccountId(account.id, host),
    url: account.url,
    name: account.display_name ?? account.acct,
    username: account.acct,
    created_at: account.created_at,
    description: account.note === undefined ? null : parseContent(account.note).text,
    followers_count: account.followers_count,
    profile_image_url: account.avatar,
    statuses_count: account.statuses_count,
    // A profile link that links back is Mastodon's only proof of identity.
    verified: (account.fields ?? []).some((field) => field.verified_at !== undefined),
  };
}

function toAccountId(number: string, host: string): string {
  return `${number}@${host}`;
}

/** The content warning precedes the text. */
function readStatusText({
  spoiler_text: warning = '',
  content,
}: {
  spoiler_text?: string | undefined;
  content: string;
}) {
  const { text, links } = parseContent(content);
  const parts = [cleanText(warning).trim(), text].filter((part) => part !== '');
  return { text: cleanText(parts.join('\n\n')), links };
}

function readQuote({ quote }: MastodonStatus): { id: string | null; text: string | null } {
  const status = quote?.quoted_status;
  if (status === undefined) return { id: quote?.quoted_status_id ?? null, text: null };
  return { id: status.id, text: isOpenVisibility(status.visibility) ? readStatusText(status).text : null };
}

/** The whole post that a status quotes; undefined if the server does not return it, or it is not public. */
export function readQuotedPost({ quote }: MastodonStatus, host: string): MicroblogPost | undefined {
  const status = mastodonStatus.safeParse(quote?.quoted_status).data;
  return status !== undefined && isPublicStatus(status) ? toMastodonPost(status, host) : undefined;
}

function isOpenVisibility(visibility: string): boolean {
  return visibility === 'public' || visibility === 'unlisted';
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  image: 'photo',
  gifv: 'animated_gif',
  video: 'video',
  audio: 'audio',
};

function toMedia({
  type,
  url,
  remote_url: elsewhere,
}: z.infer<typeof attachmentView>): MicroblogPost['media'] {
  const address = url ?? elsewhere;
  return address === null ? [] : [{ type: MEDIA_TYPES[type] ?? 'unknown', media_url: address }];
}

// Converts the HTML of a status to text and links. Tags contain no `<`: an unclosed one is text, and is scanned once.
/** Elements that a browser does not render as text. */
const UNSEEN_ELEMENT = /<(script|style|template)\b[^<>]*>[\s\S]*?(?:<\/\1\s*>|$)|<!--[\s\S]*?(?:-->|$)/gi;
const LINE_BREAK = /<br\b[^<>]*>|<\/(?:li|tr|div|h[1-6])\s*>/gi;
const PARAGRAPH_END = /<\/(?:p|pre|blockquote|[uo]l|table)\s*>/gi;
const HTML_TAG = /<\/?[a-z][^<>]*>/gi;
const ANCHOR_TAG = /<a\b([^<>]*)>/gi;

type StatusContent = { text: string; links: string[] };

/**
 * Paragraphs become blank lines, breaks become line ends. Shortened addresses are complete in the text, since the
 * server hides the rest with CSS. Links of hashtags and mentions are not returned.
 */
export function parseContent(html: string): StatusContent {
  const visible = cleanText(html).replace(UNSEEN_ELEMENT, '').replace(/\s+/g, ' ');
  const text = visible.replace(LINE_BREAK, '\n').replace(PARAGRAPH_END, '\n\n').replace(HTML_TAG, '');
  const lines = decodeHTML(text.replace(/ ?\n ?/g, '\n')).replace(/\n{3,}/g, '\n\n');
  return { text: cleanText(lines, MAX_TEXT_LENGTH).trim(), links: extractLinks(visible) };
}

function extractLinks(html: string): string[] {
  return Array.from(html.matchAll(ANCHOR_TAG), ([, attributes = '']) => attributes)
    .filter((attributes) => !/\b(?:mention|hashtag)\b/.test(readAttribute(attributes, 'class')))
    .map((attributes) => toShownLink(decodeHTML(readAttribute(attributes, 'href'))))
    .filter((link) => link !== undefined);
}

/** Servers use double quotes; other forms are ignored. */
function readAttribute(attributes: string, name: 'class' | 'href'): string {
  const pattern = name === 'class' ? /\sclass="([^"]*)"/i : /\shref="([^"]*)"/i;
  return pattern.exec(attributes)?.[1] ?? '';
}
