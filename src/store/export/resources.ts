/** What can be exported: a view of the SQL contract each, with its order, its time, and how a search finds its rows. */

export const RESOURCES = ['posts', 'engagement', 'links', 'completions', 'discoveries', 'volume'] as const;
export type Resource = (typeof RESOURCES)[number];

type Source = Readonly<{
  title: string;
  /** In `strandline_analytics`. */
  view: string;
  /** Columns that name a row, and its place in the order. */
  key: readonly [string, ...string[]];
  /** What a time range goes by: a column, or the first of two that is known. */
  time: readonly [string, ...string[]];
  /** Column that holds the search, or a thing that the search sighted, and where that is written down. */
  of: Readonly<{ column: string; sightings?: Readonly<{ view: string; column: string }> }>;
}>;

const OF_SEARCH = { column: 'search_id' } as const;
const POST_SIGHTINGS = { view: 'post_sightings', column: 'post_id' } as const;

export const SOURCES: Readonly<Record<Resource, Source>> = {
  posts: {
    title: 'Posts as last seen',
    view: 'posts',
    key: ['id'],
    time: ['created_at', 'first_seen_at'],
    of: { column: 'id', sightings: POST_SIGHTINGS },
  },
  engagement: {
    title: 'Counters of posts over time',
    view: 'post_engagement',
    key: ['post_id', 'observed_at'],
    time: ['observed_at'],
    of: { column: 'post_id', sightings: POST_SIGHTINGS },
  },
  links: {
    title: 'Links by their canonical address',
    view: 'links',
    key: ['id'],
    time: ['first_seen_at'],
    of: { column: 'id', sightings: { view: 'link_sightings', column: 'link_id' } },
  },
  completions: {
    title: 'AI-written completions',
    view: 'completions',
    key: ['id'],
    time: ['observed_at'],
    of: OF_SEARCH,
  },
  discoveries: {
    title: 'What each run saw for the first time',
    view: 'discoveries',
    key: ['id'],
    time: ['at'],
    of: OF_SEARCH,
  },
  volume: {
    title: 'Posts of a search per hour, with coverage',
    view: 'volume_hourly',
    key: ['search_id', 'bucket_at'],
    time: ['bucket_at'],
    of: OF_SEARCH,
  },
};
