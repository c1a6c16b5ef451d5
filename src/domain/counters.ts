/** The counters of posts and authors, and which of them are engagement: the one place that says so. */

/** The members of a post that are counters. */
export const POST_COUNTERS = [
  'reply_count',
  'repost_count',
  'like_count',
  'view_count',
  'quote_count',
  'impression_count',
  'bookmark_count',
] as const;

/** The members of an author that are counters. */
export const AUTHOR_COUNTERS = [
  'favourites_count',
  'followers_count',
  'listed_count',
  'media_count',
  'statuses_count',
] as const;

/** Reactions to a post. Views are no reaction, and bookmarks are private. */
export const ENGAGEMENT_COUNTERS = ['like_count', 'repost_count', 'reply_count', 'quote_count'] as const;

type EngagementCounter = (typeof ENGAGEMENT_COUNTERS)[number];

/** Likes, reposts, replies and quotes of a post together, as far as they are known; undefined where none of them is. */
export function sumEngagement(post: Readonly<Record<EngagementCounter, number | null>>): number | undefined {
  const known = ENGAGEMENT_COUNTERS.map((counter) => post[counter]).filter((count) => count !== null);
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0);
}

/** The same in SQL; null where none of them is known. @param prefix of the columns, such as `p.` or `up_` */
export function engagementSql(prefix: string): string {
  const columns = ENGAGEMENT_COUNTERS.map((counter) => `${prefix}${counter}`);
  return `CASE WHEN coalesce(${columns.join(', ')}) IS NOT NULL THEN ${columns.map((column) => `coalesce(${column}, 0)`).join(' + ')} END`;
}
