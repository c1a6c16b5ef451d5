/** Tables of volume, coverage, spikes and tallies. */

import { runs } from './run-tables.ts';
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
  primaryKey,
  text,
  unique,
} from 'drizzle-orm/pg-core';

/**
 * Readings of responses that nothing was derived from yet: written by the save, deleted by the transaction that writes what
 * they yield (`store/derive/`). Runs commit in any order, therefore rows and no cursor.
 */
export const pending_derivations = strandline.table(
  'pending_derivations',
  {
    id: key(),
    search_id: ref().notNull(),
    run_id: ref().notNull(),
    /** When the response was received. */
    at: instant().notNull(),
    /** How many posts it held, also those that were left out; null where it is not the result of its run. */
    posts: integer(),
    /** Between two slots, where that was known before: it is derived again. */
    every_seconds: integer(),
    /** What it was the first of its search to hold. */
    new_posts: ref().array().notNull(),
    new_links: ref().array().notNull(),
    /** Posts that were known before and have other counters since. */
    changed_posts: ref().array().notNull(),
    /** What it held when it was read before, and what it was found to have held first: known before by a later one. */
    touched_posts: ref().array().notNull(),
    touched_links: ref().array().notNull(),
    /** It is known what was derived from later readings without it. */
    checked: boolean().notNull(),
    /** It made its run succeed: spikes are looked for when it is derived; false for what was read late, or again. */
    notify: boolean().notNull(),
    /** Its run was counted, see `store/counts.ts`. */
    counted: boolean().notNull().default(false),
    /** From the beginning of the transaction of its save. */
    saved_seconds: doublePrecision().default(
      sql`extract(epoch from clock_timestamp() - transaction_timestamp())`,
    ),
    /** How often it failed alone, with which code (of Postgres, or the kind of error), and when it is tried again. */
    attempts: integer().notNull().default(0),
    code: text(),
    retry_at: instant(),
  },
  (t) => [
    index('pending_derivations_search').on(t.search_id, t.at),
    index('pending_derivations_at').on(t.at),
  ],
);

/** One bit a minute, the first minute first: 0 and 1. */
const minutesOfBucket = customType<{ data: string }>({ dataType: () => 'bit(15)' });

/**
 * What a succeeded run could see of its search's posts. Only where an answer says something of time passing
 * in silence: a search that never got a post has no row.
 */
export const coverage = strandline.table(
  'coverage',
  {
    run_id: ref()
      .primaryKey()
      .references(() => runs.id),
    search_id: ref().notNull(),
    /** A new request sees other posts: nothing before it is compared with it. */
    request_version: integer().notNull(),
    /** Up to the time of the answer. */
    observed_until: instant().notNull(),
    /** Every post from here on was in the answer. */
    observed_from: instant().notNull(),
    /** How far back it would have seen without its limit: from here to `observed_from` some posts are missing. */
    reached_from: instant().notNull(),
    /** Between two slots, as it was then. */
    every_seconds: integer().notNull(),
    posts: integer().notNull(),
    /** The most posts that an answer to this request ever held, up to this run. */
    most_posts: integer().notNull(),
  },
  (t) => [
    index('coverage_search').on(t.search_id, t.observed_until),
    check(
      'coverage_order',
      sql`${t.reached_from} <= ${t.observed_from} and ${t.observed_from} <= ${t.observed_until}`,
    ),
  ],
);

/**
 * Posts of a search per quarter of an hour of their own time, and which of its minutes were observed. No row
 * means: nothing found and nothing observed, which is not zero.
 */
export const volume = strandline.table(
  'volume',
  {
    search_id: ref().notNull(),
    bucket_at: instant().notNull(),
    /** Each post once, when its sighting is new. */
    posts: integer().notNull(),
    /** Minutes that an answer saw in full. */
    minutes: minutesOfBucket().notNull(),
    /** An answer that should have reached it was cut at its limit: where minutes are missing, `posts` is a lower bound. */
    cut: boolean().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.search_id, t.bucket_at] }),
    // A time in hours, as `volume_hourly` is asked for one, in place of all quarters of the search.
    index('volume_hour').on(t.search_id, sql`date_bin('1 hour', ${t.bucket_at}, 'epoch')`),
  ],
);

/**
 * What the posts that a run and the run before it both returned gained in between: likes, reposts, replies and
 * quotes together, only what rose. Runs that lie further apart than two intervals have no row.
 */
export const run_gains = strandline.table(
  'run_gains',
  {
    run_id: ref()
      .primaryKey()
      .references(() => runs.id),
    search_id: ref().notNull(),
    /** The times of the two answers. */
    from_at: instant().notNull(),
    until_at: instant().notNull(),
    /** How many posts both held, with counters that are known. Where there is none, the row says nothing of growth. */
    posts: integer().notNull(),
    gained: bigint({ mode: 'number' }).notNull(),
    /** The post that gained most of it; null where none gained. */
    top_post_id: ref(),
    top_gained: bigint({ mode: 'number' }),
  },
  (t) => [
    index('run_gains_search').on(t.search_id, t.until_at),
    check('run_gains_order', sql`${t.from_at} < ${t.until_at}`),
    check('run_gains_top', sql`(${t.top_post_id} is null) = (${t.top_gained} is null)`),
  ],
);

/** More than usual, with everything that it was decided on. */
export const spikes = strandline.table(
  'spikes',
  {
    id: key(),
    search_id: ref().notNull(),
    /** The run that brought it to light. */
    run_id: ref().notNull(),
    measure: text().notNull(),
    window_start: instant().notNull(),
    window_end: instant().notNull(),
    /** Posts in the window, or what they gained in it; as counted, not scaled up. */
    n: doublePrecision().notNull(),
    /** It may have been more: an answer was cut at its limit. */
    lower_bound: boolean().notNull(),
    /** Share of the window that was observed, 0 to 1. */
    coverage: doublePrecision().notNull(),
    /** Of the windows it is compared with. */
    mean: doublePrecision().notNull(),
    sd: doublePrecision().notNull(),
    /** The middle of the windows around this time of day. */
    usual: doublePrecision().notNull(),
    /** How many days back the comparison goes. */
    days: integer().notNull(),
    /** The middle of the windows around this time on this weekday; null where fewer than four weeks were observed. */
    weekday_usual: doublePrecision(),
    /** How many windows of full or nearly full coverage were compared with. */
    windows: integer().notNull(),
    /** How far n, over coverage, lies from the mean of this time of day, in sd; and what it had to reach. */
    score: doublePrecision().notNull(),
    threshold: doublePrecision().notNull(),
    sensitivity: text().notNull(),
    /** Less than three days were observed. */
    provisional: boolean().notNull(),
    /** Of the search: the sentence speaks in it. */
    tz: text().notNull(),
    /** As it was said; the other columns give it again. */
    sentence: text().notNull(),
    /** For growth: the post that gained most, and its share of the gain, 0 to 1. */
    top_post_id: ref(),
    top_share: doublePrecision(),
    at: instant().notNull(),
  },
  (t) => [
    // Two evaluations of one window: the second finds the first.
    unique('spikes_window_key').on(t.search_id, t.measure, t.window_start),
    index('spikes_search').on(t.search_id, t.measure, t.window_end),
    check('spikes_measure', sql`${t.measure} in ('posts', 'engagement')`),
    check('spikes_top', sql`(${t.top_post_id} is null) = (${t.top_share} is null)`),
  ],
);

/**
 * Posts of a search per day (UTC) of their own time, and how much of the day was observed. A post without a time
 * of its own, or with one that had not come yet, stands on the day on which it was first seen.
 */
export const search_days = strandline.table(
  'search_days',
  {
    search_id: ref().notNull(),
    day_at: instant().notNull(),
    posts: integer().notNull(),
    /** Of them, those that no other search of its topic had seen before: summed over the topic, each post once. */
    topic_posts: integer().notNull(),
    /** Of `topic_posts`, those that are known to repeat another post. */
    topic_reposts: integer().notNull(),
    /** Minutes that answers saw in full, 0 to 1440. */
    minutes: integer().notNull(),
    /** An answer that should have reached a part that nobody saw was cut at its limit. */
    cut: boolean().notNull(),
  },
  (t) => [primaryKey({ columns: [t.search_id, t.day_at] }), index('search_days_day').on(t.day_at)],
);

/** Who and what the new posts of a search, and the links it found, speak of: per day as above. */
export const search_tops = strandline.table(
  'search_tops',
  {
    search_id: ref().notNull(),
    day_at: instant().notNull(),
    /** `domain`: of addresses inside posts. `site`: of links that the search found, on the day they were found. */
    kind: text().notNull(),
    /** Key of the author; the language, the hashtag or the domain itself, its first 255 characters. */
    name: text().notNull(),
    posts: integer().notNull(),
    topic_posts: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.search_id, t.kind, t.day_at, t.name] }),
    check('search_tops_kind', sql`${t.kind} in ('author', 'language', 'hashtag', 'domain', 'site')`),
  ],
);
