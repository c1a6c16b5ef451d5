/** What services said, as the model reads it: the log of all responses of a history. It imports nothing of the program. */

export const COUNTERS = [
  'reply_count',
  'repost_count',
  'like_count',
  'view_count',
  'quote_count',
  'impression_count',
  'bookmark_count',
] as const;
export type Counter = (typeof COUNTERS)[number];
/** Null is unknown, which is not zero. */
export type Counts = Readonly<Record<Counter, number | null>>;

/** The counters whose sum is the engagement. */
export const ENGAGEMENT = ['like_count', 'repost_count', 'reply_count', 'quote_count'] as const;

/** Likes + reposts + replies + quotes, as far as known; null if none is. */
export function sumEngagement(counts: Readonly<Partial<Record<Counter, number | null>>>): number | null {
  return sumKnown(ENGAGEMENT.map((counter) => counts[counter] ?? null));
}

export function sumKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

export type Author = { id: string; username: string; followers: number | null };

/** One post as one response said it. */
export type Copy = {
  id: string;
  /** Empty: the response only refers to it. */
  text: string;
  /** ms since 1970. */
  createdAt: number | null;
  lang: string | null;
  hashtags: readonly string[];
  urls: readonly string[];
  isRepost: boolean;
  author: Author;
  counts: Counts;
  /** A post that is nested in this one: a partial copy, which the search did not find. */
  quoted: Copy | null;
};

export type FoundLink = { url: string; title: string };

/** One response with HTTP 200, in the order in which services sent them. */
export type Response = {
  search: string;
  service: string;
  run: string;
  /** When it was received (ms since 1970); no two are equal. */
  at: number;
  posts: readonly Copy[];
  /** Posts that were nested in posts of a forgotten author: they stay. */
  orphans: readonly Copy[];
  /** How many posts it had, forgotten ones included. */
  returned: number;
  links: readonly FoundLink[];
  /** Whether it was not saved at once, so that later responses may have been saved before it. */
  isLate: boolean;
};

export type Pause = { from: number; until: number | null };

/** What the model knows of a search. */
export type WatchedSearch = {
  slug: string;
  topic: string;
  service: string;
  /** Kinds of services are never added together. */
  kind: string;
  operation: 'ai' | 'microblog';
  /** The interval in seconds; null if it is adaptive: then it is what `coverage` has. */
  everySeconds: number | null;
  /** Posts requested of a microblog search. */
  count: number | null;
  pauses: Pause[];
};

/** A history as it ended. */
export type History = {
  /** In the order in which they were created. */
  searches: readonly WatchedSearch[];
  responses: readonly Response[];
  /** Intervals of adaptive searches at the time of a run. */
  intervals: ReadonlyMap<string, number>;
};

export type Erased = { search: string | null; author: string | null };

/**
 * What is left when a person purges a search and forgets an author of the hosted service. Items that other searches found
 * stay with their history, so the responses of the search stay in the log. Of an author, nothing is left.
 */
export function withoutErased(history: History, erased: Erased): History {
  const isForgotten = ({ service }: Response, copy: Copy) =>
    service === 'hosted' && copy.author.id === erased.author;
  return {
    ...history,
    searches: history.searches.filter(({ slug }) => slug !== erased.search),
    responses: history.responses.map((response) => ({
      ...response,
      posts: response.posts
        .filter((post) => !isForgotten(response, post))
        .map((post) =>
          post.quoted !== null && isForgotten(response, post.quoted) ? { ...post, quoted: null } : post,
        ),
      orphans: response.posts.flatMap((post) =>
        isForgotten(response, post) && post.quoted !== null && !isForgotten(response, post.quoted)
          ? [post.quoted]
          : [],
      ),
    })),
  };
}

export type Figures = Readonly<Record<string, ReadonlyMap<string, unknown>>>;

export const SECOND = 1_000;
export const QUARTER = 15 * 60 * SECOND;
export const HOUR = 4 * QUARTER;
export const DAY = 24 * HOUR;

export const startOf = (span: number, at: number) => Math.floor(at / span) * span;
/** A time in the words of the views. */
export const timeText = (at: number) => new Date(at).toISOString();
