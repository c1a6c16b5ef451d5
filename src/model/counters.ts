/**
 * The counters of posts and authors: their names, and which ones are engagement. A counter has the same name on the
 * wire, as a column and in outputs.
 */

/** Singular and plural. */
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

export const POST_COUNTERS = Object.keys(POST_COUNTER_NOUNS) as PostCounter[]; // Object.keys loses the key type

/** Author counters that the specification has. */
export const SPECIFIED_AUTHOR_COUNTERS = [
  'followers_count',
  'favourites_count',
  'listed_count',
  'media_count',
  'statuses_count',
] as const;

export const AUTHOR_COUNTERS = [...SPECIFIED_AUTHOR_COUNTERS, 'followings_count'] as const;

export type AuthorCounter = (typeof AUTHOR_COUNTERS)[number];

/** Reactions to a post, in the order of the indexes on their sum. Views are no reaction, and bookmarks are private. */
export const ENGAGEMENT_COUNTERS = ['like_count', 'repost_count', 'reply_count', 'quote_count'] as const;

type EngagementCounter = (typeof ENGAGEMENT_COUNTERS)[number];

/** Ages of posts at which their counters are compared, in hours after publication. */
export const AGES = [1, 3, 8, 24, 72] as const;

/** The counters shown in lists and messages and used for sorting, most significant first. */
export const MAIN_COUNTERS = [...ENGAGEMENT_COUNTERS, 'view_count'] as const;

export type MainCounter = (typeof MAIN_COUNTERS)[number];

/** The noun of a counter: `like` for 1, otherwise `likes`. */
export function nameCounted<C extends PostCounter>(counter: C, count: 1): (typeof POST_COUNTER_NOUNS)[C][0];
export function nameCounted<C extends PostCounter>(counter: C): (typeof POST_COUNTER_NOUNS)[C][1];
export function nameCounted(counter: PostCounter, count?: number): string;
export function nameCounted(counter: PostCounter, count?: number): string {
  return POST_COUNTER_NOUNS[counter][count === 1 ? 0 : 1];
}

/** The main counters by plural noun (`likes`), as used in options and parameters. */
export const COUNTER_BY_PLURAL = Object.fromEntries(
  MAIN_COUNTERS.map((counter) => [nameCounted(counter), counter]),
) as { [C in MainCounter as (typeof POST_COUNTER_NOUNS)[C][1]]: C }; // Object.fromEntries loses the key type

export type CounterPlural = keyof typeof COUNTER_BY_PLURAL;
export const COUNTER_PLURALS = Object.keys(COUNTER_BY_PLURAL) as CounterPlural[]; // Object.keys loses the key type

/** What posts can be listed by that gained most. */
export const GROWTH_ORDERS = ['engagement', ...COUNTER_PLURALS] as const;
export type GrowthOrder = (typeof GROWTH_ORDERS)[number];

/** A member name derived from a counter's name by a pattern such as `gained_*`. */
type Named<Pattern extends string, Name extends string> = Pattern extends `${infer Before}*${infer After}`
  ? `${Before}${Name}${After}`
  : never;

/** Builds members for each counter: one per pattern, in which `*` is its name. @param value the value of each member */
export function forCounters<Name extends string, Value, Pattern extends string = '*'>(
  counters: readonly Name[],
  value: (counter: Name) => Value,
  patterns: readonly Pattern[] = ['*' as Pattern], // the default of the type
): Record<Named<Pattern, Name>, Value> {
  const members = counters.flatMap((counter) =>
    patterns.map((pattern) => [pattern.replace('*', counter), value(counter)] as const),
  );
  return Object.fromEntries(members) as Record<Named<Pattern, Name>, Value>; // Object.fromEntries loses the key type
}

/** Total of the known likes, reposts, replies and quotes of a post; undefined if none is known. */
export function sumEngagement(post: Readonly<Record<EngagementCounter, number | null>>): number | undefined {
  const known = ENGAGEMENT_COUNTERS.map((counter) => post[counter]).filter((count) => count !== null);
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0);
}

/** {@link sumEngagement} in SQL; null if none is known. @param prefix of the columns, such as `p.` or `up_` */
export function engagementSql(prefix: string): string {
  const columns = ENGAGEMENT_COUNTERS.map((counter) => `${prefix}${counter}`);
  return `CASE WHEN coalesce(${columns.join(', ')}) IS NOT NULL THEN ${columns.map((column) => `coalesce(${column}, 0)`).join(' + ')} END`;
}
