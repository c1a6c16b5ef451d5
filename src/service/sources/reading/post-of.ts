/** What the microblogs have in common: members as they are read, and a post as something found. */
import { z } from 'zod';
import type { MicroblogPost } from '../../../contract/post.ts';
import { clean } from '../../../contract/text.ts';
import { firstSentence } from '../../first-sentence.ts';
import type { Found } from '../../source.ts';
import { publishedAt } from './published-at.ts';
import { optional } from './read-answer.ts';
import { shownLink } from './web-address.ts';

/** Text from outside, cleaned. */
export const words = z.string().transform((text) => clean(text));
/** An id: short, without white space or what cannot be seen; anything else is none. */
export const id = z.string().regex(/^[^\s\p{C}]{1,256}$/u);
/** A count as it is given; null where it is not, or is no count. */
export const count = z.int().nonnegative().nullable().catch(null);
/** The time of a post: without one it is none. Before 1970 and after 9999 is no time. */
export const time = z.string().transform((text, context) => {
  const at = timeOf(text);
  if (at === undefined) context.addIssue('not a time');
  return at ?? z.NEVER;
});
/** A text that may be absent, empty or of another kind: null then. */
export const wordsOrNull = optional(words).transform((text) => text || null);
/** An address that can be shown, otherwise null. */
export const addressOrNull = optional(z.string()).transform((text) => shownLink(text ?? '') ?? null);
/** ISO 8601 in UTC, otherwise null. */
export const timeOrNull = optional(z.string()).transform((text) => timeOf(text)?.toISOString() ?? null);

export function timeOf(text: string | undefined): Date | undefined {
  const at = publishedAt(text);
  return at !== undefined && at.getTime() >= 0 && at.getUTCFullYear() <= 9999 ? at : undefined;
}

export type Entities = { hashtags: string[]; mentions: string[]; urls: string[] };

/** Hashtags without `#`, handles without `@`, and addresses, in the members that the service writes; none twice. */
export function entitiesOf({ hashtags, mentions, urls }: Entities): MicroblogPost['entities'] {
  return {
    hashtags: [...new Set(hashtags)].map((text) => ({ text })),
    user_mentions: [...new Set(mentions)].map((name) => ({ screen_name: name })),
    urls: [...new Set(urls)].map((url) => ({ url, expanded_url: url })),
  };
}

/** A post as something found. What nobody can open is nothing: a post without an address is left out. */
export function foundOf(post: MicroblogPost): Found[] {
  if (post.url === null) return [];
  const engagement = engagementOf(post);
  const found: Found = {
    source: 'microblog',
    title: firstSentence(post.text) || `@${post.user.username}`,
    link: post.url,
    snippet: post.text,
    summaryDescription: post.summary_description,
    publishedAt: new Date(post.created_at),
    post,
  };
  return [engagement === undefined ? found : { ...found, engagement }];
}

/** The sum of the reactions that are counted; who only saw a post did not react. */
function engagementOf(post: MicroblogPost): number | undefined {
  const counts = [
    post.reply_count,
    post.repost_count,
    post.like_count,
    post.quote_count,
    post.bookmark_count,
  ].filter((one) => one !== null);
  return counts.length === 0 ? undefined : counts.reduce((sum, one) => sum + one, 0);
}
