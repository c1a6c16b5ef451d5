/** Converts a Bluesky post view to the specification's members. Over 300 lines: labels, embeds and facets are one format. */

import type { MicroblogAuthor, MicroblogPost } from '../../../protocol/specification.ts';
import { optionalField } from '../parse/payload.ts';
import {
  addressOrNull,
  countField,
  extractFirstSentence,
  idField,
  parsePostTime,
  type PostEntities,
  textField,
  textOrNull,
  timeOrNull,
  toEntities,
  UNKNOWN_OF_AUTHOR,
} from '../parse/post-fields.ts';
import { z } from 'zod';

// Moderation labels of posts and accounts, and which of them hide a post.

/**
 * Labels that Bluesky's own site hides from signed-out users, as all our readers are. With `!no-unauthenticated`,
 * authors ask for that themselves.
 */
const HIDDEN_LABELS: ReadonlySet<string> = new Set([
  '!hide',
  '!takedown',
  '!suspend',
  '!no-unauthenticated',
  'graphic-media',
  'porn',
  'sexual',
  'spam',
]);

const moderationLabel = z.object({ val: z.string(), neg: optionalField(z.boolean()) });
const moderationLabels = optionalField(z.array(moderationLabel.nullable().catch(null)));

/** A label applies until it is negated (`neg`). */
function isHidden(...of: readonly z.infer<typeof moderationLabels>[]): boolean {
  return of.some((labels) => {
    const present = (labels ?? []).filter((label) => label !== null);
    const takenBack = new Set(present.filter(({ neg }) => neg === true).map(({ val }) => val));
    return present.some(({ val }) => HIDDEN_LABELS.has(val) && !takenBack.has(val));
  });
}

/** Relationship between the searching account and another. */
const viewerStanding = optionalField(
  z.object({ blockedBy: optionalField(z.boolean()), blocking: optionalField(z.string()) }),
);

function isBlocked(viewer: z.infer<typeof viewerStanding>): boolean {
  return viewer?.blockedBy === true || viewer?.blocking !== undefined;
}

/** Address of a post: the repository (DID) and its record key, which never change. */
const POST_URI = /^at:\/\/(did:[^\s\p{C}/]+)\/app\.bsky\.feed\.post\/([^\s\p{C}/]+)$/u;

/** Undefined if it is no post, but a list, feed or profile. */
function parsePostUri(uri: string | undefined): { did: string; key: string } | undefined {
  const match = uri === undefined || uri.length > 512 ? null : POST_URI.exec(uri);
  return match === null ? undefined : { did: match[1] ?? '', key: match[2] ?? '' };
}

/** `did:plc:abc:3kxyz`, the id of a post; unlike handles, these never change. Null if it is no post. */
function toPostId(uri: string | undefined): string | null {
  const place = parsePostUri(uri);
  return place === undefined ? null : `${place.did}:${place.key}`;
}

// Embeds: pictures, a video, a link card, another post.

/** Deleted, blocked or detached posts have an address but no `value`. What else a whole view has is kept. */
const quotedRecord = z.looseObject({
  uri: z.string(),
  value: optionalField(z.looseObject({ text: textField })),
  labels: moderationLabels,
  author: optionalField(z.looseObject({ labels: moderationLabels, viewer: viewerStanding })),
});
const attachedMedia = z.object({
  images: optionalField(z.array(z.object({ fullsize: addressOrNull }))),
  playlist: addressOrNull,
  external: optionalField(z.object({ uri: addressOrNull })),
});
const embedView = attachedMedia.extend({
  // With media, the quoted record is nested one level deeper.
  record: optionalField(
    z.union([quotedRecord, z.object({ record: quotedRecord }).transform(({ record }) => record)]),
  ),
  media: optionalField(attachedMedia),
});

type EmbeddedContent = {
  media: MicroblogPost['media'];
  isQuote: boolean;
  /** Null if the quoted post must not be shown. */
  quotedId: string | null;
  quote: string | null;
  links: string[];
};

function readEmbedded(view: z.infer<typeof embedView> | undefined): EmbeddedContent {
  const { record, media } = view ?? {};
  const parts = [view, media].filter((part) => part !== undefined);
  const quote = record === undefined || isGone(record) ? undefined : record;
  return {
    media: parts.flatMap(({ images = [], playlist }) => [
      ...images.flatMap(({ fullsize }) => toMedia('photo', fullsize)),
      ...toMedia('video', playlist),
    ]),
    isQuote: toPostId(record?.uri) !== null,
    quotedId: toPostId(quote?.uri),
    quote: toPostId(quote?.uri) === null ? null : (quote?.value?.text ?? null),
    links: parts.flatMap(({ external }) => (external?.uri ? [external.uri] : [])),
  };
}

function isGone({ value, labels, author }: z.infer<typeof quotedRecord>): boolean {
  return value === undefined || isHidden(labels, author?.labels) || isBlocked(author?.viewer);
}

function toMedia(type: string, address: string | null): MicroblogPost['media'] {
  return address === null ? [] : [{ type, media_url: address }];
}

// Facets: hashtags, mentions and links, marked by UTF-8 byte ranges.

const facetFeature = z.object({
  did: optionalField(idField),
  tag: optionalField(textField),
  uri: addressOrNull,
});
const textFacet = z.object({
  index: z.object({ byteStart: z.int().nonnegative(), byteEnd: z.int().nonnegative() }),
  features: z.array(facetFeature.nullable().catch(null)),
});
/** An invalid facet becomes null without affecting the others. */
const textFacets = optionalField(z.array(textFacet.nullable().catch(null)));

/** @param handleOf the handle of an account, if known */
function readFacetEntities(
  text: string,
  facets: z.infer<typeof textFacets>,
  handleOf: (did: string) => string | undefined,
): PostEntities {
  const bytes = Buffer.from(text, 'utf8');
  const entities: PostEntities = { hashtags: [], mentions: [], urls: [] };
  for (const facet of facets ?? []) {
    for (const feature of facet?.features ?? []) {
      if (facet === null || feature === null) continue;
      const { byteStart, byteEnd } = facet.index;
      if (feature.tag) entities.hashtags.push(feature.tag);
      if (feature.uri !== null) entities.urls.push(feature.uri);
      if (feature.did !== undefined) {
        const covered = bytes.toString('utf8', byteStart, byteEnd);
        entities.mentions.push(handleOf(feature.did) ?? parseHandle(covered) ?? feature.did);
      }
    }
  }
  return entities;
}

/** Authors control the text, so accept only what looks like a handle. */
function parseHandle(text: string): string | undefined {
  return /^@((?:[a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]{0,62})$/i.exec(text)?.[1];
}

const authorView = z.object({
  did: idField,
  handle: idField,
  displayName: textOrNull,
  avatar: addressOrNull,
  createdAt: timeOrNull,
  verification: optionalField(z.object({ verifiedStatus: z.string() })),
  labels: moderationLabels,
  viewer: viewerStanding,
});
const postReference = z.object({ uri: z.string() });
const postRecord = z.object({
  text: textField,
  createdAt: optionalField(z.string()),
  langs: optionalField(z.array(z.string().max(35))),
  facets: textFacets,
  tags: optionalField(z.array(textField)),
  reply: optionalField(z.object({ root: postReference, parent: postReference })),
});
export const blueskyView = z.object({
  uri: z.string().refine((uri) => parsePostUri(uri) !== undefined),
  author: authorView,
  record: postRecord,
  embed: optionalField(embedView),
  indexedAt: optionalField(z.string()),
  replyCount: countField,
  repostCount: countField,
  likeCount: countField,
  quoteCount: countField,
  bookmarkCount: countField,
  labels: moderationLabels,
});
type BlueskyView = z.infer<typeof blueskyView>;

/** Author details that a search lacks; profiles take another request. */
export const profileView = z.object({
  did: idField,
  handle: idField,
  createdAt: timeOrNull,
  description: textOrNull,
  followersCount: countField,
  postsCount: countField,
});
export type BlueskyProfiles = ReadonlyMap<string, z.infer<typeof profileView>>;

/** Accounts whose profiles complete a post: its author, and the author it replies to. */
export function listAccounts({ author: { did }, record: { reply } }: BlueskyView): string[] {
  const parent = parsePostUri(reply?.parent.uri);
  return parent === undefined ? [did] : [did, parent.did];
}

/** The post in an array; empty if it has no time or must not be shown. */
export function toBlueskyPost(view: BlueskyView, profiles: BlueskyProfiles): MicroblogPost[] {
  const { uri, record } = view;
  const at = chooseSortTime(view);
  const isOut = isHidden(view.labels, view.author.labels) || isBlocked(view.author.viewer);
  if (at === undefined || isOut) return [];
  const handleOf = (did: string) => profiles.get(did)?.handle;
  const marked = readFacetEntities(record.text, record.facets, handleOf);
  const { media, isQuote, quotedId, quote, links } = readEmbedded(view.embed);
  const parent = parsePostUri(record.reply?.parent.uri);
  return [
    {
      user: toAuthor(view, profiles),
      // The fallback is never used: views without a post address were dropped.
      id: toPostId(uri) ?? uri,
      text: record.text,
      reply_count: view.replyCount,
      repost_count: view.repostCount,
      like_count: view.likeCount,
      view_count: null,
      quote_count: view.quoteCount,
      impression_count: null,
      bookmark_count: view.bookmarkCount,
      url: `${buildProfileUrl(view)}/post/${parsePostUri(uri)?.key}`,
      created_at: at.toISOString(),
      media,
      is_quote_post: isQuote,
      is_repost: false,
      lang: record.langs?.[0] ?? null,
      conversation_id: toPostId(record.reply?.root.uri ?? uri),
      in_reply_to_screen_name: parent === undefined ? null : (handleOf(parent.did) ?? null),
      in_reply_to_status_id: toPostId(record.reply?.parent.uri),
      in_reply_to_user_id: parent?.did ?? null,
      quoted_status_id: quotedId,
      quote,
      entities: toEntities({
        hashtags: [...marked.hashtags, ...(record.tags ?? [])],
        mentions: marked.mentions,
        urls: [...marked.urls, ...links],
      }),
      summary_description: extractFirstSentence(record.text),
    },
  ];
}

/** The whole post that a view quotes, in an array; empty if it quotes none, or one that must not be shown. */
export function readQuotedPost({ embed }: BlueskyView, profiles: BlueskyProfiles): MicroblogPost[] {
  const quote = embed?.record;
  if (quote === undefined || isGone(quote)) return [];
  const view = blueskyView.safeParse({ ...quote, record: quote.value });
  return view.success ? toBlueskyPost(view.data, profiles) : [];
}

function toAuthor(view: BlueskyView, profiles: BlueskyProfiles): MicroblogAuthor {
  const { did, handle, displayName, avatar, createdAt, verification } = view.author;
  const profile = profiles.get(did);
  return {
    ...UNKNOWN_OF_AUTHOR,
    id: did,
    url: buildProfileUrl(view),
    name: displayName ?? handle,
    username: handle,
    // Some AppViews leave it out of posts.
    created_at: createdAt ?? profile?.createdAt ?? null,
    description: profile?.description ?? null,
    followers_count: profile?.followersCount ?? null,
    profile_image_url: avatar,
    statuses_count: profile?.postsCount ?? null,
    verified: verification?.verifiedStatus === 'valid',
  };
}

/** Uses the DID if the handle is invalid. */
function buildProfileUrl({ author: { did, handle } }: BlueskyView): string {
  return `https://bsky.app/profile/${handle === 'handle.invalid' ? did : handle}`;
}

/** `createdAt` comes from the author's client: never later than when the post was first indexed. */
function chooseSortTime({ record: { createdAt }, indexedAt }: BlueskyView): Date | undefined {
  const [said, seen] = [parsePostTime(createdAt), parsePostTime(indexedAt)];
  return said === undefined || (seen !== undefined && seen < said) ? seen : said;
}
