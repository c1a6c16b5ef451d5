/** Volume, coverage, spikes, share of voice, and frequent or rising names, as the SQL contract shows them. */

import { TREND_STATES } from '../../../model/enumerations.ts';
import { SERVICE_KINDS } from '../../services/services.ts';
import { counter, instant, ref } from '../schema.ts';
import { defineView, id, ofSearch, ofServiceSearch, ofTopicSearch, tally } from './analytics-schema.ts';
import { SENSITIVITIES } from './topic-views.ts';
import { boolean, doublePrecision, integer, text } from 'drizzle-orm/pg-core';

export const SPIKE_MEASURES = ['posts', 'engagement'] as const;
export type SpikeMeasure = (typeof SPIKE_MEASURES)[number];

/** What alone makes a spike: its loudest author, or copies of one text. */
export const SPIKE_CAUSES = ['author', 'text'] as const;
export type SpikeCause = (typeof SPIKE_CAUSES)[number];

export const coverageView = defineView('coverage', {
  run_id: id(),
  ...ofSearch(),
  observed_from: instant().notNull(),
  observed_until: instant().notNull(),
  reached_from: instant().notNull(),
  cut: boolean().notNull(),
  every_seconds: integer().notNull(),
  posts: integer().notNull(),
});

const buckets = {
  ...ofSearch(),
  bucket_at: instant().notNull(),
  posts: tally().notNull(),
  coverage: doublePrecision().notNull(),
  lower_bound: boolean().notNull(),
  observed_posts: tally().notNull(),
  per_hour: doublePrecision(),
  topic_posts: tally().notNull(),
};

export const derivedUntilView = defineView('derived_until', {
  ...ofTopicSearch(),
  as_of: instant(),
  waiting: tally().notNull(),
});

export const volumeHourlyView = defineView('volume_hourly', buckets);

export const volumeDailyView = defineView('volume_daily', buckets);

export const spikesView = defineView('spikes', {
  id: id(),
  at: instant().notNull(),
  ...ofTopicSearch(),
  run_id: id(),
  measure: text({ enum: SPIKE_MEASURES }).notNull(),
  window_start: instant().notNull(),
  window_end: instant().notNull(),
  sentence: text().notNull(),
  n: doublePrecision().notNull(),
  lower_bound: boolean().notNull(),
  coverage: doublePrecision().notNull(),
  usual: doublePrecision().notNull(),
  ratio: doublePrecision(),
  mean: doublePrecision().notNull(),
  sd: doublePrecision().notNull(),
  score: doublePrecision().notNull(),
  threshold: doublePrecision().notNull(),
  sensitivity: text({ enum: SENSITIVITIES }).notNull(),
  days: integer().notNull(),
  windows: integer().notNull(),
  provisional: boolean().notNull(),
  tz: text().notNull(),
  top_post_id: ref(),
  top_share: doublePrecision(),
  weekday_usual: doublePrecision(),
  top_author_id: ref(),
  author_share: doublePrecision(),
  only_by: text({ enum: SPIKE_CAUSES }),
});

export const trendStatesView = defineView('trend_states', {
  id: id(),
  at: instant().notNull(),
  ...ofTopicSearch(),
  run_id: id(),
  state: text({ enum: TREND_STATES }).notNull(),
  since: instant().notNull(),
  until: instant(),
  sentence: text().notNull(),
  previous_state: text({ enum: TREND_STATES }),
  previous_since: instant(),
  rate_before: doublePrecision(),
  rate: doublePrecision(),
  observed_hours: doublePrecision(),
  expected: doublePrecision(),
  score: doublePrecision(),
  threshold: doublePrecision(),
  days: integer().notNull(),
  compared_since: instant(),
  tz: text().notNull(),
});

export const shareOfVoiceView = defineView('share_of_voice', {
  topic_id: id(),
  topic: text().notNull(),
  service_kind: text({ enum: SERVICE_KINDS }).notNull(),
  bucket_at: instant().notNull(),
  posts: tally().notNull(),
  reposts: tally().notNull(),
  searches: tally().notNull(),
  coverage: doublePrecision().notNull(),
  lower_bound: boolean().notNull(),
  normalised_posts: doublePrecision(),
  share: doublePrecision(),
  topics: tally().notNull(),
});

/** A name of a search on a day. */
const ofDay = {
  ...ofServiceSearch(),
  bucket_at: instant().notNull(),
};
const posts = { posts: integer().notNull(), topic_posts: integer().notNull() };

export const topAuthorsView = defineView('top_authors', {
  ...ofDay,
  author_id: id(),
  author_username: text(),
  author_name: text(),
  followers_count: counter(),
  ...posts,
});

export const topHashtagsView = defineView('top_hashtags', { ...ofDay, hashtag: text().notNull(), ...posts });

export const topLanguagesView = defineView('top_languages', { ...ofDay, lang: text().notNull(), ...posts });

export const topDomainsView = defineView('top_domains', {
  ...ofDay,
  domain: text().notNull(),
  posts: tally().notNull(),
  topic_posts: tally().notNull(),
  links: tally().notNull(),
  topic_links: tally().notNull(),
});

/** A rising name of a topic or, if set, of a search. */
const whose = {
  topic_id: id(),
  topic: text().notNull(),
  service_kind: text({ enum: SERVICE_KINDS }).notNull(),
  search_id: ref(),
  search: text(),
  as_of: instant().notNull(),
};
const rise = {
  posts: tally().notNull(),
  posts_before: tally().notNull(),
  observed_days: doublePrecision().notNull(),
  observed_days_before: doublePrecision().notNull(),
  per_day: doublePrecision().notNull(),
  per_day_before: doublePrecision().notNull(),
  ratio: doublePrecision(),
  score: doublePrecision().notNull(),
  authors: tally().notNull(),
};

export const risingHashtagsView = defineView('rising_hashtags', {
  ...whose,
  hashtag: text().notNull(),
  ...rise,
});

export const risingDomainsView = defineView('rising_domains', {
  ...whose,
  domain: text().notNull(),
  ...rise,
});
