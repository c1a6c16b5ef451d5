/** Share of voice, and who and what is spoken of most, as the SQL contract shows them. */
import { boolean, doublePrecision, integer, text } from 'drizzle-orm/pg-core';
import { SERVICE_KINDS } from '../../services.ts';
import { counter, instant, ref } from '../schema.ts';
import { analytics, id, tally } from './schema.ts';

export const shareOfVoiceView = analytics
  .view('share_of_voice', {
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
  })
  .existing();

/** A name of a search on a day. */
const ofDay = {
  search_id: id(),
  search: text().notNull(),
  topic: text().notNull(),
  service_kind: text({ enum: SERVICE_KINDS }).notNull(),
  bucket_at: instant().notNull(),
};
const posts = { posts: integer().notNull(), topic_posts: integer().notNull() };

export const topAuthorsView = analytics
  .view('top_authors', {
    ...ofDay,
    author_id: id(),
    author_username: text(),
    author_name: text(),
    followers_count: counter(),
    ...posts,
  })
  .existing();

export const topHashtagsView = analytics
  .view('top_hashtags', { ...ofDay, hashtag: text().notNull(), ...posts })
  .existing();

export const topLanguagesView = analytics
  .view('top_languages', { ...ofDay, lang: text().notNull(), ...posts })
  .existing();

export const topDomainsView = analytics
  .view('top_domains', {
    ...ofDay,
    domain: text().notNull(),
    posts: tally().notNull(),
    topic_posts: tally().notNull(),
    links: tally().notNull(),
    topic_links: tally().notNull(),
  })
  .existing();

/** A name that rises, of a topic or (where it is named) of a search. */
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
};

export const risingHashtagsView = analytics
  .view('rising_hashtags', { ...whose, hashtag: text().notNull(), ...rise })
  .existing();

export const risingDomainsView = analytics
  .view('rising_domains', { ...whose, domain: text().notNull(), ...rise })
  .existing();
