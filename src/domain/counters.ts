/**
 * The counters of posts and authors: what each is called, and which of them are engagement. The one place that says so.
 * A counter has the same name on the wire, as a column and in outputs.
 */

/** One of it, and several. */
const POST_COUNTER_NOUNS = {
  reply_count: ['reply', 'replies'],
  repost_count: ['repost', 'reposts'],
  like_count: ['like', 'likes'],
  view_count: ['view', 'views'],
  quote_count: ['quote', 'quotes'],
  impression_count: ['impression', 'impressions'],
  bookmark_count: ['bookmark', 'bookmarks'],
} as const;

export type PostCounter = keyof typeof POST_COUNTER_NOUNS;
export type PostCounterPlural = (typeof POST_COUNTER_NOUNS)[PostCounter][1];

/** The members of a post that are counters. */
export const POST_COUNTERS = Object.keys(POST_COUNTER_NOUNS) as PostCounter[]; // keys forgets the names

/** The members of an author that are counters. */
export const AUTHOR_COUNTERS = [
  'followers_count',
  'favourites_count',
  'listed_count',
  'media_count',
  'statuses_count',
] as const;

export type AuthorCounter = (typeof AUTHOR_COUNTERS)[number];

/** Reactions to a post, in the order of the indexes over their sum. Views are no reaction, and bookmarks are private. */
export const ENGAGEMENT_COUNTERS = ['like_count', 'repost_count', 'reply_count', 'quote_count'] as const;

type EngagementCounter = (typeof ENGAGEMENT_COUNTERS)[number];

/** What lists, messages and orders have of a post, the one that says most first. */
export const MAIN_COUNTERS = [...ENGAGEMENT_COUNTERS, 'view_count'] as const;

export type MainCounter = (typeof MAIN_COUNTERS)[number];

/** What a counter counts: `like` for 1, otherwise `likes`. */
export function nameCounted<C extends PostCounter>(counter: C, count: 1): (typeof POST_COUNTER_NOUNS)[C][0];
export function nameCounted<C extends PostCounter>(counter: C): (typeof POST_COUNTER_NOUNS)[C][1];
export function nameCounted(counter: PostCounter, count?: number): string;
export function nameCounted(counter: PostCounter, count?: number): string {
  return POST_COUNTER_NOUNS[counter][count === 1 ? 0 : 1];
}

/** The main counters by what they count (`likes`), as options and parameters say which is meant. */
export const COUNTER_BY_PLURAL = Object.fromEntries(
  MAIN_COUNTERS.map((counter) => [nameCounted(counter), counter]),
) as { [C in MainCounter as (typeof POST_COUNTER_NOUNS)[C][1]]: C }; // fromEntries forgets the names

export type CounterPlural = keyof typeof COUNTER_BY_PLURAL;
export const COUNTER_PLURALS = Object.keys(COUNTER_BY_PLURAL) as CounterPlural[]; // keys forgets the names

/** The name of a member that is made of a counter's, by a pattern such as `gained_*`. */
type Named<Pattern extends string, Name extends string> = Pattern extends `${infer Before}*${infer After}`
  ? `${Before}${Name}${After}`
  : never;

/**
 * A member for each counter, or several: one for each pattern, in which `*` stands for the counter's name.
 * @param value what such a member has
 */
export function forCounters<Name extends string, Value, Pattern extends string = '*'>(
  counters: readonly Name[],
  value: (counter: Name) => Value,
  patterns: readonly Pattern[] = ['*' as Pattern], // the default of the type
): Record<Named<Pattern, Name>, Value> {
  const members = counters.flatMap((counter) =>
    patterns.map((pattern) => [pattern.replace('*', counter), value(counter)] as const),
  );
  return Object.fromEntries(members) as Record<Named<Pattern, Name>, Value>; // fromEntries forgets the names
}

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
