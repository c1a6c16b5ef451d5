/** Exportable resources: every view of the SQL contract is a resource, or is in {@link EXCLUDED_VIEWS} with the reason. */

import { SCHEMA } from '../db/schema-state.ts';
import { postTimeSql } from '../volume/post-time.ts';

/** What `--search` and `--topic` select by. */
type Scope = 'search' | 'topic' | 'post' | 'link' | 'author';

export type ResourceSource = Readonly<{
  /** In `strandline_analytics`. Default: the name of the resource. */
  view?: string;
  /** Columns that identify a row; also the sort key. */
  key: readonly [string, ...string[]];
  /** Whether the key can be a primary key, which must be unique and without nulls. Default: true. */
  isPrimary?: false;
  /** Time that a range selects by, of row `v`. Without it, the resource is exported whole whatever the range. */
  time?: string;
  /** Column with what the results are selected by. Without it, the resource is exported whole whatever the search. */
  of?: Readonly<{ column: string; scope: Scope }>;
  /**
   * When a response first contained what row `v` says, which is when it was received. Without it, rows change or are derived
   * later, and an export that continues another has all of them.
   */
  firstSeen?: string;
}>;

const BY_SEARCH = { column: 'search_id', scope: 'search' } as const;
const BY_POST = { column: 'post_id', scope: 'post' } as const;

/** Rows that have the time of their response, and keep it. */
const seenAt = (time: string) => ({ time, firstSeen: time });
/** Tops of a search per day. */
const topsBy = (name: string) =>
  ({
    key: ['search_id', 'bucket_at', name],
    time: 'v.bucket_at',
    of: BY_SEARCH,
  }) as const;

const SOURCES = {
  posts: {
    key: ['id'],
    time: postTimeSql('v'),
    firstSeen: 'v.first_seen_at',
    of: { column: 'id', scope: 'post' },
  },
  engagement: {
    key: ['post_id', 'observed_at'],
    view: 'post_engagement',
    ...seenAt('v.observed_at'),
    of: BY_POST,
  },
  links: { key: ['id'], ...seenAt('v.first_seen_at'), of: { column: 'id', scope: 'link' } },
  completions: { key: ['id'], ...seenAt('v.observed_at'), of: BY_SEARCH },
  discoveries: { key: ['id'], ...seenAt('v.at'), of: BY_SEARCH },
  volume: {
    view: 'volume_hourly',
    key: ['search_id', 'bucket_at'],
    time: 'v.bucket_at',
    of: BY_SEARCH,
  },
  authors: {
    key: ['id'],
    ...seenAt('v.first_seen_at'),
    of: { column: 'id', scope: 'author' },
  },
  author_snapshots: {
    key: ['author_id', 'observed_at'],
    ...seenAt('v.observed_at'),
    of: { column: 'author_id', scope: 'author' },
  },
  post_versions: {
    key: ['post_id', 'valid_from'],
    ...seenAt('v.valid_from'),
    of: BY_POST,
  },
  author_versions: {
    key: ['author_id', 'valid_from'],
    ...seenAt('v.valid_from'),
    of: { column: 'author_id', scope: 'author' },
  },
  post_links: { key: ['post_id', 'link_id'], of: BY_POST },
  link_addresses: {
    key: ['url'],
    of: { column: 'link_id', scope: 'link' },
  },
  post_sightings: {
    key: ['search_id', 'post_id'],
    ...seenAt('v.first_seen_at'),
    of: BY_SEARCH,
  },
  link_sightings: {
    key: ['search_id', 'link_id'],
    ...seenAt('v.first_seen_at'),
    of: BY_SEARCH,
  },
  link_sources: {
    key: ['link_id', 'search_id'],
    ...seenAt('v.first_seen_at'),
    of: BY_SEARCH,
  },
  link_ranks: {
    key: ['run_id', 'place'],
    ...seenAt('v.observed_at'),
    of: BY_SEARCH,
  },
  key_items: {
    key: ['completion_id', 'list', 'position'],
    ...seenAt(`(SELECT o.observed_at FROM ${SCHEMA}.completions o WHERE o.id = v.completion_id)`),
    of: BY_SEARCH,
  },
  claims: {
    key: ['id'],
    ...seenAt('v.first_seen_at'),
    of: BY_SEARCH,
  },
  completion_claims: {
    key: ['completion_id', 'position'],
    ...seenAt('v.observed_at'),
    of: BY_SEARCH,
  },
  post_growth: { key: ['post_id'], time: postTimeSql('v'), of: BY_POST },
  post_at_age: { key: ['search_id', 'post_id', 'hours'], time: 'v.reached_at', of: BY_SEARCH },
  typical_at_age: { key: ['search_id', 'hours'], of: BY_SEARCH },
  posts_in_sight: { key: ['search_id', 'post_id'], of: BY_SEARCH },
  unseen_posts: { key: ['search_id', 'post_id'], of: BY_SEARCH },
  volume_daily: {
    key: ['search_id', 'bucket_at'],
    time: 'v.bucket_at',
    of: BY_SEARCH,
  },
  search_growth_hourly: { key: ['search_id', 'bucket_at'], time: 'v.bucket_at', of: BY_SEARCH },
  search_growth_daily: { key: ['search_id', 'bucket_at'], time: 'v.bucket_at', of: BY_SEARCH },
  share_of_voice: {
    key: ['topic_id', 'service_kind', 'bucket_at'],
    time: 'v.bucket_at',
    of: { column: 'topic_id', scope: 'topic' },
  },
  top_authors: topsBy('author_id'),
  top_domains: topsBy('domain'),
  top_hashtags: topsBy('hashtag'),
  top_languages: topsBy('lang'),
  stories: { key: ['id'], of: { column: 'topic_id', scope: 'topic' } },
  story_items: { key: ['discovery_id'], of: { column: 'topic_id', scope: 'topic' } },
  judgements: { key: ['discovery_id'], of: { column: 'topic_id', scope: 'topic' } },
  briefs: { key: ['id'], time: 'v.written_at', of: { column: 'topic_id', scope: 'topic' } },
  rising_posts: { key: ['search_id', 'post_id'], of: BY_SEARCH },
  // The rows of a topic have no search.
  rising_domains: {
    key: ['topic_id', 'service_kind', 'search_id', 'domain'],
    isPrimary: false,
    of: BY_SEARCH,
  },
  rising_hashtags: {
    key: ['topic_id', 'service_kind', 'search_id', 'hashtag'],
    isPrimary: false,
    of: BY_SEARCH,
  },
  spikes: { key: ['id'], time: 'v.at', of: BY_SEARCH },
  trend_states: { key: ['id'], time: 'v.at', of: BY_SEARCH },
  coverage: { key: ['run_id'], time: 'v.observed_until', of: BY_SEARCH },
  derived_until: { key: ['search_id'], of: BY_SEARCH },
  runs: {
    key: ['id'],
    time: 'coalesce(v.slot_at, v.created_at)',
    of: BY_SEARCH,
  },
  run_tools: { key: ['run_id', 'tool'], time: 'v.due_at', of: BY_SEARCH },
  calls: { key: ['run_id', 'n'], time: 'v.sent_at', of: BY_SEARCH },
  rejects: { key: ['id'], ...seenAt('v.at'), of: BY_SEARCH },
  searches: { key: ['id'], of: { column: 'id', scope: 'search' } },
  search_versions: { key: ['search_id', 'version'], of: BY_SEARCH },
  // A state may begin and end within a millisecond.
  search_states: { key: ['search_id', 'began_at', 'ended_at', 'state'], isPrimary: false, of: BY_SEARCH },
  interval_changes: { key: ['id'], time: 'v.at', of: BY_SEARCH },
  topics: { key: ['id'], of: { column: 'id', scope: 'topic' } },
} as const satisfies Readonly<Record<string, ResourceSource>>;

export type Resource = keyof typeof SOURCES;
export const RESOURCE_SOURCES: Readonly<Record<Resource, ResourceSource>> = SOURCES;
// Object.keys has lost the type of the keys.
export const RESOURCES = Object.keys(SOURCES) as [Resource, ...Resource[]];

/** Views that are not exported, and why. */
export const EXCLUDED_VIEWS: Readonly<Record<string, string>> = {
  contract: 'describes the views, not results',
  contract_columns: 'describes the views; a manifest has the descriptions of its columns',
  discovery_times: 'columns of discoveries',
  new_today: 'rows of discoveries, chosen by the time of the query',
  story_hours: 'counts of rows of story_items, by hour',
  translations: 'texts of rows of other views, in another language',
  topic_names: 'which names to look for, which is not a result',
  topic_notes: 'what people wrote, which is not a result',
  names_in_answers: 'counts of answers that named a name, by day, computed from completions',
  name_changes: 'rows of discoveries of the kind name',
  search_post_gains: 'columns of post_growth and post_sightings',
  search_status: 'how each search is doing now, computed from runs',
  trials: 'calls for searches that were never saved, without results',
  audit_log: 'who administers this installation, which is not a result',
  channels: 'who is notified, which is not a result',
  rules: 'who is notified of what, which is not a result',
  deliveries: 'who was notified, which is not a result',
  system_events: 'problems of this installation, which are not results',
  model_calls: 'what a language model cost, which is not a result',
};

export const viewName = (resource: Resource): string => RESOURCE_SOURCES[resource].view ?? resource;

/** Values of a column that results of searches have. @param searchIds SQL of a `bigint[]` @param of rows of sightings `g` */
export function selectFound(scope: Scope, searchIds: string, condition = 'true'): string {
  const sightings = (kind: 'post' | 'link') =>
    `${SCHEMA}.${kind}_sightings g WHERE g.search_id = ANY (${searchIds}) AND ${condition}`;
  switch (scope) {
    case 'search':
      return `SELECT unnest(${searchIds})`;
    case 'topic':
      return `SELECT s.topic_id FROM ${SCHEMA}.searches s WHERE s.id = ANY (${searchIds})`;
    case 'post':
      return `SELECT g.post_id FROM ${sightings('post')}`;
    case 'link':
      return `SELECT g.link_id FROM ${sightings('link')}`;
    case 'author':
      return `SELECT p.author_id FROM ${SCHEMA}.posts p WHERE p.id IN (SELECT g.post_id FROM ${sightings('post')})`;
  }
}
