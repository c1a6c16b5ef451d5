/** Tables of growth: gains of posts and searches, counters at ages, and what is in sight. */

import { ENGAGEMENT_COUNTERS, forCounters, POST_COUNTERS } from '../../domain/counters.ts';
import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  check,
  doublePrecision,
  index,
  integer,
  primaryKey,
} from 'drizzle-orm/pg-core';
import { counter, instant, ref, strandline } from './schema.ts';

/**
 * What the counters of a post gained and lost since they were first known: sums of the steps up and of the steps
 * down. Only posts of which a counter changed have a row; what it has now is first + gained - lost.
 */
export const post_gains = strandline.table('post_gains', {
  post_id: ref().primaryKey(),
  /** The last change, and the one before it (or the first observation). */
  changed_at: instant().notNull(),
  changed_before_at: instant().notNull(),
  /** What the last change added; null where it is not known. */
  step_like_count: counter(),
  step_engagement: counter(),
  ...forCounters(POST_COUNTERS, counter, ['first_*', 'gained_*', 'lost_*']),
});

type Counted = Record<(typeof ENGAGEMENT_COUNTERS)[number], AnyPgColumn>;

/** As {@link engagementSql}, for indexes and for what Drizzle selects. */
export const sumEngagementColumns = (row: Counted) => {
  const columns = ENGAGEMENT_COUNTERS.map((name) => row[name]);
  const known = columns.map((column) => sql`coalesce(${column}, 0)`);
  return sql`case when coalesce(${sql.join(columns, sql`, `)}) is not null then ${sql.join(known, sql` + `)} end`;
};

/**
 * Counters of a post at an age, between the two looks of a search around it; at most half the age lies between
 * the age and either look. An age that was not observed has no row.
 */
export const post_counters_at_age = strandline.table(
  'post_counters_at_age',
  {
    search_id: ref().notNull(),
    post_id: ref().notNull(),
    /** When the post was of this age. */
    at: instant().notNull(),
    before_at: instant().notNull(),
    after_at: instant().notNull(),
    ...forCounters(POST_COUNTERS, () => doublePrecision()),
    hours: integer().notNull(),
  },
  (t) => [
    // What is typical is asked of the posts that reached an age last.
    primaryKey({ columns: [t.search_id, t.hours, t.at, t.post_id] }),
    index('post_counters_at_age_post').on(t.post_id),
    // Rows are written once: an index over what they hold costs no update. With the time, what lies outside a range is passed
    // over without its row.
    index('post_counters_at_age_most').on(
      t.search_id,
      t.hours,
      sql`(${sumEngagementColumns(t)}) desc nulls last`,
      t.post_id.desc().nullsFirst(),
      t.at,
    ),
    check('post_counters_at_age_hours', sql`${t.hours} in (1, 3, 8, 24, 72)`),
  ],
);

/**
 * What the posts of a search gained and lost, per hour in which it was observed, by whichever search. A post counts for the
 * searches that had seen it before that. No row: not observed. Null: nothing to compare with.
 */
export const search_gains = strandline.table(
  'search_gains',
  {
    search_id: ref().notNull(),
    hour_at: instant().notNull(),
    /** Answers of the search itself. */
    looks: integer().notNull(),
    /** Posts in those answers that it had seen before. */
    followed: bigint({ mode: 'number' }).notNull(),
    /** Changes of posts. */
    changes: bigint({ mode: 'number' }).notNull(),
    ...forCounters(POST_COUNTERS, counter, ['gained_*', 'lost_*']),
  },
  (t) => [primaryKey({ columns: [t.search_id, t.hour_at] })],
);

/** The newest answer of each search: what it held is in sight. */
export const latest_results = strandline.table('latest_results', {
  search_id: ref().primaryKey(),
  run_id: ref().notNull(),
  /** When the answer came. */
  at: instant().notNull(),
});

/** Posts that a search had and that its newest answer does not hold. */
export const dropped_posts = strandline.table(
  'dropped_posts',
  {
    search_id: ref().notNull(),
    post_id: ref().notNull(),
    /** When the last answer came that held it. */
    last_seen_at: instant().notNull(),
    /** The post's own time. */
    created_at: instant(),
    /** Likes, reposts, replies and quotes together, as far as they are known: as last seen, by whichever search. */
    engagement: counter(),
  },
  (t) => [
    // The post first: whether any search has it is asked as often.
    primaryKey({ columns: [t.post_id, t.search_id] }),
    index('dropped_posts_search').on(t.search_id, t.last_seen_at),
    // Posts with most engagement, per day of their own time. Counters of what is out of sight stand still, unless another search
    // has it: an index over them costs next to nothing.
    index('dropped_posts_most').on(
      t.search_id,
      sql`date_bin('1 day', ${t.created_at}, 'epoch')`,
      t.engagement.desc().nullsLast(),
      t.post_id,
      t.created_at,
    ),
  ],
);

/** Medians over the 500 posts of a search that reached an age last; null where fewer than five are known. */
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

/** Posts that gain more than is typical at their age, as of the search's newest compared response. */
export const search_rising = strandline.table(
  'search_rising',
  {
    search_id: ref().notNull(),
    post_id: ref().notNull(),
    as_of: instant().notNull(),
    age_hours: doublePrecision(),
    gained: bigint({ mode: 'number' }).notNull(),
    /** Over which it was gained. */
    observed_hours: doublePrecision().notNull(),
    typical_per_hour: doublePrecision(),
    /** Posts that typical is the median of; null where typical is. */
    compared_with: bigint({ mode: 'number' }),
  },
  (t) => [primaryKey({ columns: [t.search_id, t.post_id] }), index('search_rising_post').on(t.post_id)],
);
