/** Fields that the microblogs share, and posts as results. */

import { sumEngagement } from '../../../model/counters.ts';
import { splitSentences } from '../../../lib/sentences.ts';
import { cleanLine, cleanText } from '../../../lib/text.ts';
import type { MicroblogPost } from '../../../protocol/specification.ts';
import type { FoundItem } from '../search-source.ts';
import { optionalField } from './payload.ts';
import { toShownLink } from './provider-addresses.ts';
import { parsePublishedAt } from './published-at.ts';
import { z } from 'zod';

export const textField = z.string().transform((text) => cleanText(text));
/** An id: short, without white space or invisible characters. */
export const idField = z.string().regex(/^[^\s\p{C}]{1,256}$/u);
/** A counter; null if it is missing or invalid. */
export const countField = z.int().nonnegative().nullable().catch(null);
/** The time of a post; required, between 1970 and 9999. */
export const timeField = z.string().transform((text, context) => {
  const at = parsePostTime(text);
  if (at === undefined) context.addIssue('not a time');
  return at ?? z.NEVER;
});
/** Null if it is missing, empty or no text. */
export const textOrNull = optionalField(textField).transform((text) => text || null);
/** An address that can be displayed; otherwise null. */
export const addressOrNull = optionalField(z.string()).transform((text) => toShownLink(text ?? '') ?? null);
/** ISO 8601 in UTC; otherwise null. */
export const timeOrNull = optionalField(z.string()).transform(
  (text) => parsePostTime(text)?.toISOString() ?? null,
);

export function parsePostTime(text: string | undefined): Date | undefined {
  const at = parsePublishedAt(text);
  return at !== undefined && at.getTime() >= 0 && at.getUTCFullYear() <= 9999 ? at : undefined;
}

/** Members of an author that no source but X knows. */
export const UNKNOWN_OF_AUTHOR = {
  favourites_count: null,
  listed_count: null,
  media_count: null,
  can_dm: null,
  can_media_tag: null,
  location: null,
  // Paid verification is X's.
  is_blue_verified: false,
} as const;

export type PostEntities = { hashtags: string[]; mentions: string[]; urls: string[] };

/** Hashtags without `#`, handles without `@`, and addresses, in the format of the specification, without duplicates. */
export function toEntities({ hashtags, mentions, urls }: PostEntities): MicroblogPost['entities'] {
  return {
    hashtags: [...new Set(hashtags)].map((text) => ({ text })),
    user_mentions: [...new Set(mentions)].map((name) => ({ screen_name: name })),
    urls: [...new Set(urls)].map((url) => ({ url, expanded_url: url })),
  };
}

/**
 * A post as a result. Posts without an address are dropped, since nobody could open them.
 * @param quoted the post it quotes, if the source returns it whole
 */
export function toFoundPost(post: MicroblogPost, quoted?: MicroblogPost): FoundItem[] {
  if (post.url === null) return [];
  const engagement = sumEngagement(post);
  const item: FoundItem = {
    source: 'microblog',
    title: extractFirstSentence(post.text) || `@${post.user.username}`,
    link: post.url,
    snippet: post.text,
    summaryDescription: post.summary_description,
    publishedAt: new Date(post.created_at),
    post,
    ...(quoted && { quoted }),
  };
  return [engagement === undefined ? item : { ...item, engagement }];
}

/** The first sentence without links, hashtags and control characters, at most 140 characters. */
export function extractFirstSentence(text: string): string {
  const plain = cleanLine(text.replace(/https?:\/\/\S+|#[\p{L}\p{N}_]+/gu, ''));
  const [first = ''] = splitSentences(plain);
  return first.length <= 140 ? first : `${cleanText(first, 137)}...`;
}
