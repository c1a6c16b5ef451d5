/** Tables of volume, coverage, spikes, states and tallies. */

import { ofRun } from './run-tables.ts';
import { type DistinctName, SPIKE_REASONS, TREND_REASONS } from '../../model/closed-lists.ts';
import { instant, key, ref, strandline } from './schema.ts';
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  customType,
  doublePrecision,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
  unique,
} from 'drizzle-orm/pg-core';

/**
 * Readings: responses from which nothing was derived yet. Inserted by the save, deleted by the transaction that
 * writes the derived rows (`store/derive/`). Rows instead of a cursor, because runs commit in any order.
 */
export const pending_derivations = strandline.table(
  'pending_derivations',
  {
    id: key(),
    search_id: ref().notNull(),
    run_id: ref().notNull(),
    /** When the response was received. */
    at: instant().notNull(),
    /** Number of posts in the response, including forgotten ones; null if it is not the result of its run. */
    posts: integer(),
    /** The known interval between two slots, if it is derived again. */
    every_seconds: integer(),
    /** First sightings of its search. */
    new_posts: ref().array().notNull(),
    new_links: ref().array().notNull(),
    /** Existing posts whose counters changed. */
    changed_posts: ref().array().notNull(),
    /** Existing posts of which something changed that volume or frequent names count. */
    edited_posts: ref().array().notNull().default([]),
    /** Existing links that are counted for another search of the topic, because a search was purged. */
    edited_links: ref().array().notNull().default([]),
    /** Items of the previous read, and items whose first sighting was later. */
    touched_posts: ref().array().notNull(),
    touched_links: ref().array().notNull(),
    /** Whether it was checked for later readings that were derived without it. */
    checked: boolean().notNull(),
    /** Whether to detect spikes: true if it completed its run, false if it was read late or again. */
    notify: boolean().notNull(),
    /** Whether its run was counted, see `store/derive/counts.ts`. */
    counted: boolean().notNull().default(false),
    /** Duration of the transaction of its save so far. */
    saved_seconds: doublePrecision().default(
      sql`extract(epoch from clock_timestamp() - transaction_timestamp())`,
    ),
    /** How often it failed alone, with which code (of Postgres, or the kind of error), and when it is retried. */
    attempts: integer().notNull().default(0),
    code: text(),
    retry_at: instant(),
  },
  (t) => [
    index('pending_derivations_search').on(t.search_id, t.at),
    index('pending_derivations_at').on(t.at),
  ],
);

/** Ranges of milliseconds, as Postgres writes them. */
const milliseconds = customType<{ data: string }>({ dataType: () => 'int4multirange' });

/**
 * What a succeeded run observed of its search's posts. A search that never returned a post has no row, because its
 * empty responses prove nothing.
 */
export const coverage = strandline.table(
  'coverage',
  {
    run_id: ofRun().primaryKey(),
    search_id: ref().notNull(),
    /** Responses to different requests are not compared. */
    request_version: integer().notNull(),
    /** When the response was received. */
    observed_until: instant().notNull(),
    /** Every post from here on was in the response. */
    observed_from: instant().notNull(),
    /** How far back it would reach without its limit: from here to `observed_from`, some posts are missing. */
    reached_from: instant().notNull(),
    /** Between two slots, at that time. */
    every_seconds: integer().notNull(),
    posts: integer().notNull(),
    /** The most posts in a response to this request, up to this run. */
    most_posts: integer().notNull(),
    /**
     * When the previous response to this request was received, if at most two intervals before: gains are known between the two
     * responses. Otherwise this column and the columns below are null.
     */
    compared_from: instant(),
    /** Posts with known counters in both. If zero, the gains say nothing about growth. */
    compared_posts: integer(),
    /** Sum of the increases of their likes, reposts, replies and quotes. */
    gained: bigint({ mode: 'number' }),
    /** The post with the largest gain; null if none gained. */
    top_post_id: ref(),
    top_gained: bigint({ mode: 'number' }),
  },
  (t) => [
    index('coverage_search').on(t.search_id, t.observed_until),
    check(
      'coverage_order',
      sql`${t.reached_from} <= ${t.observed_from} and ${t.observed_from} <= ${t.observed_until}`,
    ),
    check(
      'coverage_compared',
      sql`${t.compared_from} < ${t.observed_until} and (${t.compared_from} is null) = (${t.compared_posts} is null)
        and (${t.compared_from} is null) = (${t.gained} is null)`,
    ),
    check('coverage_top', sql`(${t.top_post_id} is null) = (${t.top_gained} is null)`),
  ],
);

/**
 * Posts of a search per quarter-hour of publication, and which part of it was observed. No row: nothing found
 * and nothing observed, which is not zero.
 */
export const volume = strandline.table(
  'volume',
  {
    search_id: ref().notNull(),
    bucket_at: instant().notNull(),
    /** Each post once, on its first sighting. */
    posts: integer().notNull(),
    /** Of these, posts that no other search of its topic saw before: a sum over the topic counts each post once. */
    topic_posts: integer().notNull().default(0),
    /** Of `topic_posts`, those known to be reposts. */
    topic_reposts: integer().notNull().default(0),
    /**
     * A response that should have covered it was cut at its limit: if time is missing, `posts` is a lower bound.
     */
    cut: boolean().notNull(),
    /** Time that some response observed completely, in milliseconds from the start; and its length. */
    observed: milliseconds().notNull().default('{}'),
    exposure_ms: integer().notNull().default(0),
    /** Of `posts`, those published in the observed time: with the exposure, they measure the rate. */
    exposed_posts: integer().notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.search_id, t.bucket_at] }),
    // By hour, for `volume_hourly`: otherwise all quarter-hours of the search would be read.
    index('volume_hour').on(t.search_id, sql`date_bin('1 hour', ${t.bucket_at}, 'epoch')`),
  ],
);

/** A spike, with all inputs of its detection. */
export const spikes = strandline.table(
  'spikes',
  {
    id: key(),
    search_id: ref().notNull(),
    /** The run that revealed it. */
    run_id: ref().notNull(),
    measure: text().notNull(),
    window_start: instant().notNull(),
    window_end: instant().notNull(),
    /** Posts in the window, or their gains; as counted, not scaled up. */
    n: doublePrecision().notNull(),
    /** Whether it is a lower bound: a response was cut at its limit. */
    lower_bound: boolean().notNull(),
    /** Observed share of the window, 0 to 1. */
    coverage: doublePrecision().notNull(),
    /** Mean of the windows compared with. */
    mean: doublePrecision().notNull(),
    /** Standard deviation of windows that are as `usual`. */
    sd: doublePrecision().notNull(),
    /** Expected at this time of day, at the present level; with full coverage. */
    usual: doublePrecision().notNull(),
    /** How many days back the comparison goes. */
    days: integer().notNull(),
    /** Median of the windows around this time on this weekday; null if fewer than four weeks were observed. */
    weekday_usual: doublePrecision(),
    /** Number of hours compared with; hours without any observation are left out. */
    windows: integer().notNull(),
    /** How unlikely n is, as standard deviations of a normal distribution; and the threshold. */
    score: doublePrecision().notNull(),
    threshold: doublePrecision().notNull(),
    sensitivity: text().notNull(),
    /** Whether less than three days were observed. */
    provisional: boolean().notNull(),
    /** Time zone of the search, used in the sentence. */
    tz: text().notNull(),
    /** The sentence as sent; the other columns contain the same facts. */
    sentence: text().notNull(),
    /** For growth: the post with the largest gain, and its share of the gain, 0 to 1. */
    top_post_id: ref(),
    top_share: doublePrecision(),
    /** For posts: the author with the most, and their share of n, 0 to 1; null if no author is known. */
    top_author_id: ref(),
    author_share: doublePrecision(),
    /** What alone makes it a spike: the loudest author, or copies of one text; null if many do. */
    only_by: text(),
    at: instant().notNull(),
    /** What distinguishes its posts from those of the week before; for engagement, whether one post explains it; null in spikes of earlier versions. */
    reason: text({ enum: SPIKE_REASONS }),
    /** The domain, hashtag or word. */
    reason_name: text(),
    /** Share of the posts (text, author) or of the authors with it, 0 to 1, and of the authors of the week before. */
    reason_share: doublePrecision(),
    reason_share_before: doublePrecision(),
    /** The earliest post of the window with it, and when that counts. */
    reason_post_id: ref(),
    reason_post_at: instant(),
    /** What n would be without it; null where this cannot be told. */
    n_without_reason: doublePrecision(),
    /** Distinct authors of the window. */
    window_authors: integer(),
    /** Words, hashtags and domains that are more frequent than before: see `DistinctName`. */
    distinct_names: jsonb().$type<readonly DistinctName[]>(),
    /** All of this in a sentence or two, without names of people. */
    why: text(),
  },
  (t) => [
    // If two evaluations find the same window, the second insert conflicts.
    unique('spikes_window_key').on(t.search_id, t.measure, t.window_start, t.only_by).nullsNotDistinct(),
    index('spikes_search').on(t.search_id, t.measure, t.window_end),
    // For briefs, which are written of new spikes.
    index('spikes_at').on(t.at),
    check('spikes_measure', sql`${t.measure} in ('posts', 'engagement')`),
    check('spikes_top', sql`(${t.top_post_id} is null) = (${t.top_share} is null)`),
    check('spikes_author', sql`(${t.top_author_id} is null) = (${t.author_share} is null)`),
    check('spikes_only_by', sql`${t.only_by} in ('author', 'text')`),
    check(
      'spikes_reason',
      sql`${t.reason} in ('text', 'author', 'domain', 'hashtag', 'word', 'post', 'none')`,
    ),
  ],
);

/**
 * States of searches as they were reported, with all inputs of the decisions: a log, of which each row ends the state before it. A
 * search without a row is normal.
 */
export const trend_states = strandline.table(
  'trend_states',
  {
    id: key(),
    search_id: ref().notNull(),
    /** The run that revealed it. */
    run_id: ref().notNull(),
    state: text().notNull(),
    since: instant().notNull(),
    /** The state that it ends; null for the first. */
    previous_state: text(),
    previous_since: instant(),
    /** Days from here on are compared in what follows; null: all. */
    compared_since: instant(),
    /** Posts a day before the change, and then; null for silence, and if unknown. */
    rate_before: doublePrecision(),
    rate: doublePrecision(),
    /** For silence: observed hours without posts, and the posts expected in them. */
    observed_hours: doublePrecision(),
    expected: doublePrecision(),
    score: doublePrecision(),
    threshold: doublePrecision(),
    /** Days compared. */
    days: integer().notNull(),
    /** Time zone of the search, used in the sentence. */
    tz: text().notNull(),
    sentence: text().notNull(),
    at: instant().notNull(),
    /** What came with it, or what stopped; null if it is back to normal, and in states of earlier versions. */
    reason: text({ enum: TREND_REASONS }),
    /** The domain, hashtag, word or service. */
    reason_name: text(),
    /** Its share of the posts or authors since then, and before; of what stopped, of the posts before. 0 to 1. */
    reason_share: doublePrecision(),
    reason_share_before: doublePrecision(),
    /** The earliest post with it; of what stopped, the last one. */
    reason_post_id: ref(),
    reason_post_at: instant(),
    /** All of this in a sentence, without names of people. */
    why: text(),
  },
  (t) => [
    check(
      'trend_states_reason',
      sql`${t.reason} in ('text', 'author', 'domain', 'hashtag', 'word', 'post', 'none', 'service')`,
    ),
    unique('trend_states_key').on(t.search_id, t.state, t.since),
    index('trend_states_search').on(t.search_id, t.id),
    check('trend_states_state', sql`${t.state} in ('normal', 'rising', 'falling', 'new_level', 'silent')`),
    check(
      'trend_states_previous_state',
      sql`${t.previous_state} in ('normal', 'rising', 'falling', 'new_level', 'silent')`,
    ),
  ],
);

/**
 * Posts of a search per day (UTC) of publication, and how much of the day was observed. A post without a publication
 * time, or with a future one, counts on the day of its first sighting.
 */
export const search_days = strandline.table(
  'search_days',
  {
    search_id: ref().notNull(),
    day_at: instant().notNull(),
    posts: integer().notNull(),
    /** Of these, posts that no other search of its topic saw before: a sum over the topic counts each post once. */
    topic_posts: integer().notNull(),
    /** Of `topic_posts`, those known to be reposts. */
    topic_reposts: integer().notNull(),
    /** Whether a response that should have covered an unobserved part was cut at its limit. */
    cut: boolean().notNull(),
    /** Sums over the volume of the day. */
    exposure_ms: integer().notNull().default(0),
    exposed_posts: integer().notNull().default(0),
    /** Hours of which something was observed, 0 to 24. */
    hours: integer().notNull().default(0),
    /** Posts of the day when its names were last counted (`search_tops`). */
    named_posts: integer().notNull().default(0),
    /** Since when names of the day wait to be counted again; null: they are counted. */
    names_wait_since: instant(),
  },
  (t) => [
    primaryKey({ columns: [t.search_id, t.day_at] }),
    index('search_days_day').on(t.day_at),
    index('search_days_names').on(t.names_wait_since).where(sql`${t.names_wait_since} is not null`),
  ],
);

/** Frequent names in new posts and links of a search, per day as above. */
export const search_tops = strandline.table(
  'search_tops',
  {
    search_id: ref().notNull(),
    day_at: instant().notNull(),
    /** `domain`: of URLs in posts. `site`: of links found by the search, on the day they were found. */
    kind: text().notNull(),
    /** Key of the author; or the language, hashtag or domain itself, up to 255 characters. */
    name: text().notNull(),
    posts: integer().notNull(),
    topic_posts: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.search_id, t.kind, t.day_at, t.name] }),
    check('search_tops_kind', sql`${t.kind} in ('author', 'language', 'hashtag', 'domain', 'site')`),
  ],
);
