/** Runs, their calls and rejects, and trials, as the SQL contract shows them. */
import { boolean, doublePrecision, integer, text } from 'drizzle-orm/pg-core';
import { OPERATIONS, TOOLS } from '../../../model/enumerations.ts';
import { REJECT_CODES, RUN_CODE_NAMES } from '../../../model/errors.ts';
import { TOOL_REASON_NAMES } from '../../../model/tool-coverage.ts';
import { instant } from '../schema.ts';
import { defineView, id, ofSearch, ofTopicSearch, requestColumns, tally, usd } from './analytics-schema.ts';

export const RUN_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'skipped', 'cancelled'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** What created a run: its schedule, a person, or the creation or edit of its search. */
export const RUN_TRIGGERS = ['schedule', 'manual', 'first'] as const;

/** State of a paid call, including trials: `unknown` if its process ended before the response. */
export const CALL_STATES = ['sent', 'received', 'failed', 'unknown'] as const;

export const runsView = defineView('runs', {
  id: id(),
  ...ofTopicSearch(),
  version: integer().notNull(),
  request_version: integer().notNull(),
  trigger: text({ enum: RUN_TRIGGERS }).notNull(),
  slot_at: instant(),
  span_until: instant(),
  span_slots: integer(),
  status: text({ enum: RUN_STATUSES }).notNull(),
  code: text({ enum: RUN_CODE_NAMES }),
  reason: text(),
  baseline: boolean().notNull(),
  items_seen: integer(),
  items_new: integer(),
  rejected: integer(),
  posts_seen: integer().notNull(),
  links_seen: integer().notNull(),
  calls: tally().notNull(),
  cost_usd: usd(),
  not_before: instant(),
  fence: integer().notNull(),
  worker: text(),
  created_at: instant().notNull(),
  started_at: instant(),
  ended_at: instant(),
  seconds: doublePrecision(),
  tools_asked: integer().notNull(),
  tools_responded: integer().notNull(),
  tools_silent: integer().notNull(),
  simulated: boolean().notNull(),
});

export const runToolsView = defineView('run_tools', {
  run_id: id(),
  ...ofTopicSearch(),
  request_version: integer().notNull(),
  tool: text({ enum: TOOLS }).notNull(),
  asked: boolean().notNull(),
  responded: boolean(),
  items: integer(),
  truncated: boolean(),
  reason: text({ enum: TOOL_REASON_NAMES }),
  detail: text(),
  last_responded_at: instant(),
  observed_at: instant(),
  due_at: instant().notNull(),
});

const callOutcome = () => ({
  state: text({ enum: CALL_STATES }).notNull(),
  http_status: integer(),
  code: text({ enum: RUN_CODE_NAMES }),
  bytes: integer(),
  latency_ms: integer(),
  cost_usd: usd(),
});

export const callsView = defineView('calls', {
  run_id: id(),
  n: integer().notNull(),
  ...ofSearch(),
  service: text().notNull(),
  ...callOutcome(),
  fence: integer().notNull(),
  sent_at: instant().notNull(),
  received_at: instant(),
});

export const trialsView = defineView('trials', {
  id: id(),
  service: text().notNull(),
  operation: text({ enum: OPERATIONS }).notNull(),
  ...requestColumns(),
  ...callOutcome(),
  sent_at: instant().notNull(),
  received_at: instant(),
});

export const rejectsView = defineView('rejects', {
  id: id(),
  run_id: id(),
  ...ofSearch(),
  path: text().notNull(),
  code: text({ enum: REJECT_CODES }).notNull(),
  sample: text().notNull(),
  at: instant().notNull(),
});
