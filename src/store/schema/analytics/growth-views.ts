/** Engagement over time, as the SQL contract shows it. */
import { boolean, doublePrecision, integer, text } from 'drizzle-orm/pg-core';
import { SERVICE_KINDS } from '../../services.ts';
import { counter, instant, ref } from '../schema.ts';
import { analytics, id, tally } from './analytics-schema.ts';

export const postGrowthView = analytics
  .view('post_growth', {
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
    first_reply_count: counter(),
    reply_count: counter(),
    gained_reply_count: counter(),
    lost_reply_count: counter(),
    replies_fell: boolean().notNull(),
    first_repost_count: counter(),
    repost_count: counter(),
    gained_repost_count: counter(),
    lost_repost_count: counter(),
    reposts_fell: boolean().notNull(),
    first_like_count: counter(),
    like_count: counter(),
    gained_like_count: counter(),
    lost_like_count: counter(),
    likes_fell: boolean().notNull(),
    first_view_count: counter(),
    view_count: counter(),
    gained_view_count: counter(),
    lost_view_count: counter(),
    views_fell: boolean().notNull(),
    first_quote_count: counter(),
    quote_count: counter(),
    gained_quote_count: counter(),
    lost_quote_count: counter(),
    quotes_fell: boolean().notNull(),
    first_impression_count: counter(),
    impression_count: counter(),
    gained_impression_count: counter(),
    lost_impression_count: counter(),
    impressions_fell: boolean().notNull(),
    first_bookmark_count: counter(),
    bookmark_count: counter(),
    gained_bookmark_count: counter(),
    lost_bookmark_count: counter(),
    bookmarks_fell: boolean().notNull(),
    engagement: counter(),
    gained_engagement: counter(),
    likes_per_hour: doublePrecision(),
    engagement_per_hour: doublePrecision(),
    likes_per_hour_24h: doublePrecision(),
  })
  .existing();

export const typicalAtAgeView = analytics
  .view('typical_at_age', {
    search_id: id(),
    search: text().notNull(),
    topic: text().notNull(),
    service_kind: text({ enum: SERVICE_KINDS }).notNull(),
    hours: integer().notNull(),
    posts: tally().notNull(),
    reply_count: doublePrecision(),
    repost_count: doublePrecision(),
    like_count: doublePrecision(),
    view_count: doublePrecision(),
    quote_count: doublePrecision(),
    impression_count: doublePrecision(),
    bookmark_count: doublePrecision(),
    engagement: doublePrecision(),
  })
  .existing();

export const postAtAgeView = analytics
  .view('post_at_age', {
    search_id: id(),
    search: text().notNull(),
    topic: text().notNull(),
    service_kind: text({ enum: SERVICE_KINDS }).notNull(),
    post_id: id(),
    author_id: ref(),
    created_at: instant().notNull(),
    hours: integer().notNull(),
    reached_at: instant().notNull(),
    observed_before_at: instant().notNull(),
    observed_after_at: instant().notNull(),
    reply_count: doublePrecision(),
    repost_count: doublePrecision(),
    like_count: doublePrecision(),
    view_count: doublePrecision(),
    quote_count: doublePrecision(),
    impression_count: doublePrecision(),
    bookmark_count: doublePrecision(),
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
  })
  .existing();

/** Columns of a bucket of a search, and what its posts gained and lost in it. */
const ofBucket = {
  search_id: id(),
  search: text().notNull(),
  topic: text().notNull(),
  service_kind: text({ enum: SERVICE_KINDS }).notNull(),
  bucket_at: instant().notNull(),
};
const gains = {
  followed: tally().notNull(),
  changes: tally().notNull(),
  coverage: doublePrecision().notNull(),
  gained_reply_count: counter(),
  lost_reply_count: counter(),
  gained_repost_count: counter(),
  lost_repost_count: counter(),
  gained_like_count: counter(),
  lost_like_count: counter(),
  gained_view_count: counter(),
  lost_view_count: counter(),
  gained_quote_count: counter(),
  lost_quote_count: counter(),
  gained_impression_count: counter(),
  lost_impression_count: counter(),
  gained_bookmark_count: counter(),
  lost_bookmark_count: counter(),
  gained_engagement: counter(),
};

export const searchGrowthHourlyView = analytics
  .view('search_growth_hourly', { ...ofBucket, looks: integer().notNull(), ...gains })
  .existing();

export const searchGrowthDailyView = analytics
  .view('search_growth_daily', { ...ofBucket, looks: tally().notNull(), ...gains })
  .existing();

export const risingPostsView = analytics
  .view('rising_posts', {
    search_id: id(),
    search: text().notNull(),
    topic: text().notNull(),
    service_kind: text({ enum: SERVICE_KINDS }).notNull(),
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
    like_count: counter(),
    repost_count: counter(),
    reply_count: counter(),
    quote_count: counter(),
    view_count: counter(),
  })
  .existing();

export const searchPostGainsView = analytics
  .view('search_post_gains', {
    search_id: id(),
    search: text().notNull(),
    topic: text().notNull(),
    service_kind: text({ enum: SERVICE_KINDS }).notNull(),
    post_id: id(),
    first_seen_at: instant().notNull(),
    changed_at: instant().notNull(),
    gained_like_count: counter(),
    gained_repost_count: counter(),
    gained_reply_count: counter(),
    gained_quote_count: counter(),
    gained_view_count: counter(),
    gained_engagement: counter(),
  })
  .existing();
