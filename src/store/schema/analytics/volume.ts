/** Volume, what of it was observed, and spikes, as the SQL contract shows them. */
import { boolean, doublePrecision, integer, text } from 'drizzle-orm/pg-core';
import { instant, ref } from '../schema.ts';
import { SENSITIVITIES } from './topics.ts';
import { analytics, id, tally } from './schema.ts';

/** What a spike is counted in. */
export const SPIKE_MEASURES = ['posts', 'engagement'] as const;
export type SpikeMeasure = (typeof SPIKE_MEASURES)[number];

export const coverageView = analytics
  .view('coverage', {
    run_id: id(),
    search_id: id(),
    search: text().notNull(),
    observed_from: instant().notNull(),
    observed_until: instant().notNull(),
    reached_from: instant().notNull(),
    cut: boolean().notNull(),
    every_seconds: integer().notNull(),
    posts: integer().notNull(),
  })
  .existing();

const buckets = {
  search_id: id(),
  search: text().notNull(),
  bucket_at: instant().notNull(),
  posts: tally().notNull(),
  coverage: doublePrecision().notNull(),
  lower_bound: boolean().notNull(),
};

export const derivedUntilView = analytics
  .view('derived_until', {
    search_id: id(),
    search: text().notNull(),
    topic: text().notNull(),
    as_of: instant(),
    waiting: tally().notNull(),
  })
  .existing();

export const volumeHourlyView = analytics.view('volume_hourly', buckets).existing();

export const volumeDailyView = analytics.view('volume_daily', buckets).existing();

export const spikesView = analytics
  .view('spikes', {
    id: id(),
    at: instant().notNull(),
    search_id: id(),
    search: text().notNull(),
    topic: text().notNull(),
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
  })
  .existing();
