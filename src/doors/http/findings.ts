/** What was found, as replies show it: rows of the SQL contract's views, each under its name in the document. */
import { z } from 'zod';
import { timeShape } from '../../store/shapes.ts';
import { row, rowWith } from './shapes.ts';

export const Post = row('Post', 'posts');
export const PostEngagement = row('PostEngagement', 'post_engagement');
export const PostGrowth = row('PostGrowth', 'post_growth');
export const PostAtAge = row('PostAtAge', 'post_at_age');
export const TypicalAtAge = row('TypicalAtAge', 'typical_at_age');
export const Author = row('Author', 'authors');
export const AuthorSnapshot = row('AuthorSnapshot', 'author_snapshots');
export const Link = row('Link', 'links');
export const LinkRank = row('LinkRank', 'link_ranks');
export const LinkSource = row('LinkSource', 'link_sources');
export const Completion = row('Completion', 'completions');
export const KeyItem = row('KeyItem', 'key_items');
export const CompletionClaim = row('CompletionClaim', 'completion_claims');
export const Claim = row('Claim', 'claims');
export const Discovery = row('Discovery', 'discoveries');
export const Spike = row('Spike', 'spikes');
export const RisingPost = row('RisingPost', 'rising_posts');
export const RisingHashtag = row('RisingHashtag', 'rising_hashtags');
export const RisingDomain = row('RisingDomain', 'rising_domains');
export const SearchGrowth = row('SearchGrowth', 'search_growth_daily');
export const VoiceDay = row('VoiceDay', 'share_of_voice');
/** A completion with what stands beside it. */
export const WholeCompletion = rowWith('WholeCompletion', 'completions', {
  key_items: z.array(KeyItem).describe('Its key items, list by list, in their order.'),
  links: z.array(Link).describe('The links it cites, in its order.'),
});

/** A stretch of time, in the words of `volume_hourly` and `volume_daily`. */
export const Bucket = z
  .object({
    bucket_at: timeShape.describe('When it begins (UTC).'),
    posts: z.int().describe('As counted, by their own time.'),
    coverage: z
      .number()
      .describe('Share of it that was observed, 0 to 1: what was not is a gap, which is not zero.'),
    lower_bound: z.boolean().describe('An answer was cut at its limit: there may have been more.'),
  })
  .meta({ id: 'Bucket' });
