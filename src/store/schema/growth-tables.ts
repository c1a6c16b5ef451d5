/** Tables of growth: gains of searches, counters at ages, newest results and dropped posts. */

import { AGES, ENGAGEMENT_COUNTERS, forCounters, POST_COUNTERS } from '../../model/counters.ts';
import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  check,
  doublePrecision,
  index,
  integer,
  primaryKey,
  text,
  unique,
} from 'drizzle-orm/pg-core';
import { counter, instant, key, ref, strandline } from './schema.ts';

type Counted = Record<(typeof ENGAGEMENT_COUNTERS)[number], AnyPgColumn>;

/** Like {@link engagementSql}, for indexes and Drizzle selections. */
export const sumEngagementColumns = (row: Counted) => {
  const columns = ENGAGEMENT_COUNTERS.map((name) => row[name]);
  const known = columns.map((column) => sql`coalesce(${column}, 0)`);
  return sql`case when coalesce(${sql.join(columns, sql`, `)}) is not null then ${sql.join(known, sql` + `)} end`;
};

/**
 * Counters of a post at an age, between the results of a search before and after it, each at most half the age away.
 * Ages that were not observed have no row.
 */
export const post_counters_at_age = strandline.table(
  'post_counters_at_age',
  {
    search_id: ref().notNull(),
    post_id: ref().notNull(),
    /** When the post reached this age. */
    at: instant().notNull(),
    before_at: instant().notNull(),
    after_at: instant().notNull(),
    ...forCounters(POST_COUNTERS, () => doublePrecision()),
    hours: integer().notNull(),
  },
  (t) => [
    // Typical values use the posts that reached an age last.
    primaryKey({ columns: [t.search_id, t.hours, t.at, t.post_id] }),
    index('post_counters_at_age_post').on(t.post_id),
    // Rows are never updated, so this index costs no updates. It includes the time, to skip rows outside a range.
    index('post_counters_at_age_most').on(
      t.search_id,
      t.hours,
      sql`(${sumEngagementColumns(t)}) desc nulls last`,
      t.post_id.desc().nullsFirst(),
      t.at,
    ),
    check('post_counters_at_age_hours', sql`${t.hours} in ${AGES}`.inlineParams()),
  ],
);

/**
 * Gains and losses of a search's posts per hour in which any search observed them. A post counts for searches that
 * had seen it before. No row: not observed. Null: nothing to compare with.
 */
export const search_gains = strandline.table(
  'search_gains',
  {
    search_id: ref().notNull(),
    hour_at: instant().notNull(),
    /** Results of the search itself. */
    looks: integer().notNull(),
    /** Posts in those results that it had seen before. */
    followed: bigint({ mode: 'number' }).notNull(),
    /** Number of changes of posts. */
    changes: bigint({ mode: 'number' }).notNull(),
    ...forCounters(POST_COUNTERS, counter, ['gained_*', 'lost_*']),
  },
  (t) => [primaryKey({ columns: [t.search_id, t.hour_at] })],
);

/** The newest result of each search. */
export const latest_results = strandline.table(
  'latest_results',
  {
    search_id: ref().primaryKey(),
    run_id: ref().notNull(),
    /** When the response was received. */
    at: instant().notNull(),
    /** The response as of which rising posts (`search_rising`) were last computed. */
    rising_at: instant(),
    /** Since when rising posts wait to be computed again; null: they are computed. */
    rising_waits_since: instant(),
  },
  (t) => [
    index('latest_results_rising').on(t.rising_waits_since).where(sql`${t.rising_waits_since} is not null`),
  ],
);

/** Posts that a search found and that its newest result does not contain. */
export const dropped_posts = strandline.table(
  'dropped_posts',
  {
    search_id: ref().notNull(),
    post_id: ref().notNull(),
    /** When the last response with it was received. */
    last_seen_at: instant().notNull(),
    /** Publication time. */
    created_at: instant(),
    /** Sum of known likes, reposts, replies and quotes, as last seen by any search. */
    engagement: counter(),
  },
  (t) => [
    // The post first, because whether any search returns it is queried as often.
    primaryKey({ columns: [t.post_id, t.search_id] }),
    index('dropped_posts_search').on(t.search_id, t.last_seen_at),
    // Posts with most engagement per day of publication. Counters of dropped posts rarely change, so this index costs
    // almost nothing.
    index('dropped_posts_most').on(
      t.search_id,
      sql`date_bin('1 day', ${t.created_at}, 'epoch')`,
      t.engagement.desc().nullsLast(),
      t.post_id,
      t.created_at,
    ),
  ],
);

/** Medians over the last 500 posts of a search that reached an age; null with fewer than five known values. */
export const search_typical = strandline.table(
  'search_typical',
  {
    search_id: ref().notNull(),
    posts: bigint({ mode: 'number' }).notNull(),
    ...forCounters(POST_COUNTERS, () => doublePrecision()),
    engagement: doublePrecision(),
    hours: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.search_id, t.hours] })],
);

/**
 * Posts whose growth met the condition of a rule, each with the response that first showed it: a log. In the feed, each is a
 * discovery of kind `growth`.
 */
export const growth_reports = strandline.table(
  'growth_reports',
  {
    id: key(),
    search_id: ref().notNull(),
    run_id: ref().notNull(),
    post_id: ref().notNull(),
    at: instant().notNull(),
    /** `likes>=1000` or `unusual`, see `model/growth-condition.ts`. */
    condition: text().notNull(),
    /** The counter, or the engagement, then. */
    value: doublePrecision().notNull(),
    /** For `unusual`: the age, the median engagement at that age, and the number of posts compared. */
    age_hours: doublePrecision(),
    usual: doublePrecision(),
    compared_with: integer(),
    /** The sentence as sent; it contains nothing of the post. */
    sentence: text().notNull(),
  },
  (t) => [
    unique('growth_reports_key').on(t.search_id, t.post_id, t.condition),
    index('growth_reports_post').on(t.post_id, t.condition),
  ],
);

/** Posts that gain more than is typical at their age, as of the search's newest compared response. */
export const search_rising = strandline.table(
  'search_rising',
  {
    search_id: ref().notNull(),
    post_id: ref().notNull(),
    as_of: instant().notNull(),
    age_hours: doublePrecision(),
    gained: bigint({ mode: 'number' }).notNull(),
    /** Hours over which the gain was observed. */
    observed_hours: doublePrecision().notNull(),
    typical_per_hour: doublePrecision(),
    /** Number of posts behind the typical gain; null if there is none. */
    compared_with: bigint({ mode: 'number' }),
  },
  (t) => [primaryKey({ columns: [t.search_id, t.post_id] }), index('search_rising_post').on(t.post_id)],
);
