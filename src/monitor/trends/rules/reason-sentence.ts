/** Says why a spike has so many posts. */
import type { SpikeReason } from '../../../model/closed-lists.ts';
import {
  type DateReader,
  formatMinute,
  formatPercent,
  formatTenths,
  nameZone,
} from '../../../lib/display-format.ts';

/** The smallest share of the gain of an engagement spike for which one post is its reason. */
export const MIN_POST_SHARE = 0.3;

export type ReasonFacts = {
  reason: SpikeReason | null;
  reason_name: string | null;
  reason_share: number | null;
  reason_share_before: number | null;
  reason_post_at: Date | null;
  /** Handle of the author of the earliest post with the reason; null if unknown, or if nobody may be named. */
  reason_author_username: string | null;
  /** The count of the window without the reason; null if unknown. */
  n_without_reason: number | null;
  window_authors: number | null;
  usual: number;
  /** IANA name of the search's time zone. */
  tz: string;
};

/**
 * `62 % of the posts repeat one text, first by @name on 20 Nov 2026, 00:47 UTC. Without it: 53 posts, 2.4x the usual 22.1.`
 * Null for a spike that was not examined: one of engagement, or of an earlier version.
 * @param reader whose zone times are in (default: that of the search, at any time)
 */
export function composeReason(
  facts: ReasonFacts,
  reader: DateReader = { zone: facts.tz, now: null },
): string | null {
  const author = facts.reason_author_username;
  const { reason, reason_name: name, reason_share: share, window_authors } = facts;
  if (reason === null) return null;
  if (reason === 'none' && window_authors === null)
    return `No single cause: no post accounts for ${formatPercent(MIN_POST_SHARE)} of the gain.`;
  if (reason === 'none' || share === null)
    return `No single cause: no text, author, domain, hashtag or word stands out among ${window_authors ?? 0} ${window_authors === 1 ? 'author' : 'authors'}.`;
  const part = share >= 0.995 ? 'All' : formatPercent(share);
  const before =
    facts.reason_share_before === null
      ? ''
      : `, ${formatPercent(facts.reason_share_before)} in the week before`;
  const first = describeFirst(facts, reader);
  const rest = describeRest(facts);
  switch (reason) {
    case 'text':
      return `${part} of the posts ${share >= 0.995 ? 'are' : 'repeat'} one text, first ${first}.${rest}`;
    case 'author':
      return `${part} of the posts are by one author${author === null ? '' : `, @${author}`}.${rest}`;
    case 'post':
      return `${part} of the gain is that of one post, published ${first}.${rest}`;
    case 'domain':
      return `${part} of the authors link to ${name}${before}; first ${first}.${rest}`;
    case 'hashtag':
      return `${part} of the authors use #${name}${before}; first ${first}.`;
    case 'word':
      return `${part} of the authors write “${name}”${before}; first ${first}.`;
  }
}

function describeFirst(
  { reason_post_at: at, reason_author_username: author }: ReasonFacts,
  reader: DateReader,
): string {
  const by = author === null ? '' : `by @${author} `;
  return at === null ? `${by}in this time` : `${by}on ${formatMinute(at, reader)} ${nameZone(reader.zone)}`;
}

function describeRest({ reason, n_without_reason: n, usual }: ReasonFacts): string {
  if (n === null) return '';
  const compared = usual < 1 ? '' : `, ${formatTenths(n / usual)}x the usual ${formatTenths(usual)}`;
  const noun =
    reason === 'post' ? 'likes, reposts, replies and quotes' : Math.round(n) === 1 ? 'post' : 'posts';
  return ` Without it: ${formatTenths(Math.round(n))} ${noun}${compared}.`;
}
