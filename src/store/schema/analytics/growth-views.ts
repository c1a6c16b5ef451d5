/** Engagement over time, as the SQL contract shows it. */
import {
  forCounters,
  MAIN_COUNTERS,
  nameCounted,
  POST_COUNTERS,
  type PostCounter,
  type PostCounterPlural,
} from '../../../model/counters.ts';
import { boolean, doublePrecision, integer, text } from 'drizzle-orm/pg-core';
import { SERVICE_KINDS } from '../../services/services.ts';
import { counter, instant, ref } from '../schema.ts';
import { defineView, id, ofServiceSearch, tally } from './analytics-schema.ts';

const growthCounters = <Name extends PostCounter>(names: readonly Name[]) =>
  forCounters(names, counter, ['first_*', '*', 'gained_*', 'lost_*']);
const fell = () => boolean().notNull();
type GrowthColumns = ReturnType<typeof growthCounters<PostCounter>> &
  Record<`${PostCounterPlural}_fell`, ReturnType<typeof fell>>;

/** The columns of each counter, in the view's order. */
const growthColumns = Object.fromEntries(
  POST_COUNTERS.flatMap((name) => [
    ...Object.entries(growthCounters([name])),
    [`${nameCounted(name)}_fell`, fell()],
  ]),
) as GrowthColumns; // fromEntries forgets the names

export const postGrowthView = defineView('post_growth', {
  post_id: id(),
  service: text().notNull(),
  service_kind: text({ enum: SERVICE_KINDS }).notNull(),
  author_id: ref(),
  author_username: text(),
  text: text().notNull(),
  url: text(),
  created_at: instant(),
  first_seen_at: instant().notNull(),
  last_seen_at: instant(),
  last_seen_by: text(),
  not_seen_since: instant(),
  changed_at: instant(),
  ...growthColumns,
  engagement: counter(),
  gained_engagement: counter(),
  likes_per_hour: doublePrecision(),
  engagement_per_hour: doublePrecision(),
  likes_per_hour_24h: doublePrecision(),
});

export const typicalAtAgeView = defineView('typical_at_age', {
  ...ofServiceSearch(),
  hours: integer().notNull(),
  posts: tally().notNull(),
  ...forCounters(POST_COUNTERS, () => doublePrecision()),
  engagement: doublePrecision(),
});

export const postAtAgeView = defineView('post_at_age', {
  ...ofServiceSearch(),
  post_id: id(),
  author_id: ref(),
  created_at: instant().notNull(),
  hours: integer().notNull(),
  reached_at: instant().notNull(),
  observed_before_at: instant().notNull(),
  observed_after_at: instant().notNull(),
  ...forCounters(POST_COUNTERS, () => doublePrecision()),
  engagement: doublePrecision(),
  compared_with: tally().notNull(),
  typical_like_count: doublePrecision(),
  typical_view_count: doublePrecision(),
  typical_engagement: doublePrecision(),
  like_ratio: doublePrecision(),
  view_ratio: doublePrecision(),
  engagement_ratio: doublePrecision(),
  author_compared_with: tally().notNull(),
  author_typical_engagement: doublePrecision(),
  author_engagement_ratio: doublePrecision(),
});

/** Gains and losses of a search's posts in a bucket. */
const ofBucket = {
  ...ofServiceSearch(),
  bucket_at: instant().notNull(),
};
const gains = {
  followed: tally().notNull(),
  changes: tally().notNull(),
  coverage: doublePrecision().notNull(),
  ...forCounters(POST_COUNTERS, counter, ['gained_*', 'lost_*']),
  gained_engagement: counter(),
};

export const searchGrowthHourlyView = defineView('search_growth_hourly', {
  ...ofBucket,
  looks: integer().notNull(),
  ...gains,
});

export const searchGrowthDailyView = defineView('search_growth_daily', {
  ...ofBucket,
  looks: tally().notNull(),
  ...gains,
});

export const risingPostsView = defineView('rising_posts', {
  ...ofServiceSearch(),
  post_id: id(),
  author_id: ref(),
  author_username: text(),
  text: text().notNull(),
  url: text(),
  created_at: instant(),
  as_of: instant().notNull(),
  age_hours: doublePrecision(),
  gained_engagement: counter().notNull(),
  observed_hours: doublePrecision().notNull(),
  per_hour: doublePrecision().notNull(),
  typical_per_hour: doublePrecision(),
  compared_with: tally(),
  ahead_per_hour: doublePrecision(),
  ratio: doublePrecision(),
  ...forCounters(MAIN_COUNTERS, counter),
});

export const searchPostGainsView = defineView('search_post_gains', {
  ...ofServiceSearch(),
  post_id: id(),
  first_seen_at: instant().notNull(),
  changed_at: instant().notNull(),
  ...forCounters(MAIN_COUNTERS, counter, ['gained_*']),
  gained_engagement: counter(),
});
