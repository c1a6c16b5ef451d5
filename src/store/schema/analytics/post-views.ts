/** Posts, authors and links, their sightings and ranks, as the SQL contract shows them. */

import {
  AUTHOR_COUNTERS,
  forCounters,
  POST_COUNTERS,
  SPECIFIED_AUTHOR_COUNTERS,
} from '../../../model/counters.ts';
import { KEY_LISTS, SOURCES } from '../../../model/enumerations.ts';
import { TIME_PRECISIONS } from '../../../lib/time.ts';
import { counter, instant, ref } from '../schema.ts';
import { defineView, id, ofSearch, ofServiceSearch } from './analytics-schema.ts';
import { boolean, doublePrecision, integer, jsonb, text } from 'drizzle-orm/pg-core';

export const postsView = defineView('posts', {
  id: id(),
  external_id: text().notNull(),
  service: text().notNull(),
  author_id: ref(),
  author_username: text(),
  author_name: text(),
  text: text().notNull(),
  url: text(),
  created_at: instant(),
  lang: text(),
  ...forCounters(POST_COUNTERS, counter),
  conversation_id: text(),
  in_reply_to_screen_name: text(),
  in_reply_to_status_id: text(),
  in_reply_to_user_id: text(),
  quoted_status_id: text(),
  reposted_status_id: text(),
  quote: text(),
  is_quote_post: boolean(),
  is_repost: boolean(),
  summary_description: text(),
  hashtags: text().array().notNull(),
  mentions: text().array().notNull(),
  urls: text().array().notNull(),
  media: jsonb().notNull(),
  entities: jsonb().notNull(),
  first_seen_at: instant().notNull(),
  observed_at: instant().notNull(),
  display_text_range: jsonb(),
  simulated: boolean().notNull(),
});

export const postEngagementView = defineView('post_engagement', {
  post_id: id(),
  observed_at: instant().notNull(),
  ...forCounters(POST_COUNTERS, counter),
});

export const authorsView = defineView('authors', {
  id: id(),
  external_id: text().notNull(),
  service: text().notNull(),
  username: text(),
  name: text(),
  url: text(),
  description: text(),
  location: text(),
  profile_image_url: text(),
  created_at: instant(),
  verified: boolean(),
  is_blue_verified: boolean(),
  can_dm: boolean(),
  can_media_tag: boolean(),
  ...forCounters(SPECIFIED_AUTHOR_COUNTERS, counter),
  first_seen_at: instant().notNull(),
  observed_at: instant().notNull(),
  followings_count: counter(),
  profile_banner_url: text(),
  pinned_post_ids: text().array(),
  professional: jsonb(),
  entities: jsonb(),
  simulated: boolean().notNull(),
});

export const authorSnapshotsView = defineView('author_snapshots', {
  author_id: id(),
  observed_at: instant().notNull(),
  ...forCounters(AUTHOR_COUNTERS, counter),
});

export const postVersionsView = defineView('post_versions', {
  post_id: id(),
  valid_from: instant().notNull(),
  valid_until: instant(),
  run_id: ref(),
  search: text(),
  text: text().notNull(),
  created_at: instant(),
  lang: text(),
  hashtags: text().array(),
  mentions: text().array(),
  urls: text().array(),
  entities: jsonb(),
});

export const authorVersionsView = defineView('author_versions', {
  author_id: id(),
  valid_from: instant().notNull(),
  valid_until: instant(),
  run_id: ref(),
  search: text(),
  username: text(),
  name: text(),
  description: text(),
  location: text(),
  url: text(),
});

export const postSightingsView = defineView('post_sightings', {
  ...ofSearch(),
  post_id: id(),
  first_run_id: id(),
  first_seen_at: instant().notNull(),
  post_created_at: instant(),
});

export const unseenPostsView = defineView('unseen_posts', {
  ...ofServiceSearch(),
  post_id: id(),
  not_seen_since: instant().notNull(),
  seen_elsewhere: boolean().notNull(),
  created_at: instant(),
  bucket_at: instant(),
  engagement: counter(),
});

export const postsInSightView = defineView('posts_in_sight', {
  ...ofServiceSearch(),
  post_id: id(),
  last_seen_at: instant().notNull(),
  created_at: instant(),
  engagement: counter(),
});

export const linksView = defineView('links', {
  id: id(),
  url: text().notNull(),
  site: text().notNull(),
  title: text(),
  snippet: text(),
  summary_description: text(),
  with_metadata: boolean(),
  published_at: instant(),
  first_seen_at: instant().notNull(),
  observed_at: instant().notNull(),
  published_precision: text({ enum: TIME_PRECISIONS }),
  publisher: text(),
  highlights: text().array(),
  simulated: boolean().notNull(),
});

export const linkAddressesView = defineView('link_addresses', { link_id: id(), url: text().notNull() });

export const postLinksView = defineView('post_links', {
  post_id: id(),
  link_id: id(),
  url: text().notNull(),
  site: text().notNull(),
});

export const linkSightingsView = defineView('link_sightings', {
  ...ofSearch(),
  link_id: id(),
  first_run_id: id(),
  first_seen_at: instant().notNull(),
  source: text({ enum: SOURCES }).notNull(),
});

export const keyItemsView = defineView('key_items', {
  completion_id: id(),
  run_id: id(),
  search_id: id(),
  list: text({ enum: KEY_LISTS }).notNull(),
  position: integer().notNull(),
  text: text().notNull(),
  url: text(),
  link_id: ref(),
});

export const linkRanksView = defineView('link_ranks', {
  ...ofSearch(),
  link_id: id(),
  url: text().notNull(),
  run_id: id(),
  observed_at: instant().notNull(),
  source: text({ enum: SOURCES }).notNull(),
  rank: integer().notNull(),
  place: integer().notNull(),
});

export const linkSourcesView = defineView('link_sources', {
  link_id: id(),
  url: text().notNull(),
  site: text().notNull(),
  ...ofSearch(),
  service: text().notNull(),
  source: text({ enum: SOURCES }).notNull(),
  first_run_id: id(),
  first_seen_at: instant().notNull(),
  baseline: boolean(),
  nth: integer().notNull(),
  searches: integer().notNull(),
  lead_seconds: doublePrecision(),
});
