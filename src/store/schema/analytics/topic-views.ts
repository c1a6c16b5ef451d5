/** Topics, searches and their versions, as the SQL contract shows them. */
import { boolean, doublePrecision, integer, text } from 'drizzle-orm/pg-core';
import { INTERVAL_REASONS, OPERATIONS } from '../../../model/enumerations.ts';
import { RUN_CODE_NAMES } from '../../../model/errors.ts';
import { SERVICE_KINDS } from '../../services/services.ts';
import { instant, ref } from '../schema.ts';
import { defineView, id, ofTopicSearch, requestColumns, tally } from './analytics-schema.ts';

/** Sensitivity of spike detection. */
export const SENSITIVITIES = ['low', 'normal', 'high', 'off'] as const;
export type Sensitivity = (typeof SENSITIVITIES)[number];

/** Only active searches are run; a capped one is due again on the next day. */
export const SEARCH_STATES = ['active', 'paused', 'broken', 'capped'] as const;
export type SearchState = (typeof SEARCH_STATES)[number];

/**
 * How a search is doing, worst first, but for those that do not run because a person or a limit says so. The view decides all
 * but `silent` (`monitor/status/search-status.ts`).
 */
export const SEARCH_STATUSES = [
  'broken',
  'failing',
  'silent',
  'nothing_coming',
  'waiting_for_source',
  'capped',
  'waiting',
  'ok',
  'paused',
  'removed',
] as const;
export type SearchStatusName = (typeof SEARCH_STATUSES)[number];

/** What was paused: the search alone, its topic, or all searches. */
export const PAUSE_SCOPES = ['search', 'topic', 'all'] as const;
export type PauseScope = (typeof PAUSE_SCOPES)[number];

const pauseColumns = () => ({
  paused_until: instant(),
  pauses: text({ enum: PAUSE_SCOPES }).array().notNull(),
});

export const topicsView = defineView('topics', {
  id: id(),
  slug: text().notNull(),
  name: text().notNull(),
  sample: boolean().notNull(),
  created_at: instant().notNull(),
  archived_at: instant(),
  searches: tally().notNull(),
  successor: text(),
  simulated: boolean().notNull(),
  muted_until: instant(),
});

export const searchesView = defineView('searches', {
  id: id(),
  slug: text().notNull(),
  topic_id: id(),
  topic: text().notNull(),
  service: text().notNull(),
  service_kind: text({ enum: SERVICE_KINDS }).notNull(),
  operation: text({ enum: OPERATIONS }).notNull(),
  version: integer().notNull(),
  request_version: integer().notNull(),
  ...requestColumns(),
  cron: text(),
  every_seconds: integer(),
  tz: text().notNull(),
  labels: text().array().notNull(),
  state: text({ enum: SEARCH_STATES }).notNull(),
  state_reason: text(),
  state_since: instant().notNull(),
  next_due_at: instant(),
  created_at: instant().notNull(),
  archived_at: instant(),
  sensitivity: text({ enum: SENSITIVITIES }).notNull(),
  simulated: boolean().notNull(),
  auto: text(),
  ...pauseColumns(),
});

export const searchVersionsView = defineView('search_versions', {
  ...ofTopicSearch(),
  version: integer().notNull(),
  request_version: integer().notNull(),
  created_at: instant().notNull(),
  ...requestColumns(),
  cron: text(),
  every_seconds: integer(),
  tz: text().notNull(),
  auto: text(),
});

export const searchStatesView = defineView('search_states', {
  ...ofTopicSearch(),
  state: text({ enum: SEARCH_STATES }).notNull(),
  reason: text(),
  began_at: instant().notNull(),
  ended_at: instant(),
  seconds: doublePrecision(),
});

export const searchStatusView = defineView('search_status', {
  ...ofTopicSearch(),
  status: text({ enum: SEARCH_STATUSES }).notNull(),
  since: instant(),
  reason: text(),
  last_run_id: ref(),
  last_run_status: text({ enum: ['succeeded', 'failed'] }),
  last_run_code: text({ enum: RUN_CODE_NAMES }),
  last_run_reason: text(),
  last_run_at: instant(),
  last_success_at: instant(),
  empty_runs: integer(),
  usual_results: doublePrecision(),
  no_success_since: instant().notNull(),
  next_due_at: instant(),
  last_run_http_status: integer(),
  ...pauseColumns(),
});

export const intervalChangesView = defineView('interval_changes', {
  id: id(),
  at: instant().notNull(),
  ...ofTopicSearch(),
  seconds_before: doublePrecision(),
  seconds: doublePrecision().notNull(),
  reason: text({ enum: INTERVAL_REASONS }).notNull(),
  per_hour: doublePrecision(),
  room: doublePrecision(),
  new_items: integer(),
  waited_seconds: doublePrecision(),
  calls_per_day: integer(),
});
