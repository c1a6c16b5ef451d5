/** Tables of runs, calls, responses and trials. */

import { RUN_STATUSES, RUN_TRIGGERS } from '../../model/closed-lists.ts';
import { RUN_CODE_NAMES } from '../../model/errors.ts';
import { instant, key, ref, strandline } from './schema.ts';
import { ofSearch, ofService } from './topic-tables.ts';
import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  customType,
  index,
  integer,
  jsonb,
  numeric,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';

/** The run of a row. */
export const ofRun = () =>
  ref()
    .notNull()
    .references(() => runs.id);

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/**
 * One row per due slot, even if it was not run, and one per manual or first run (no slot).
 *
 *   queued ──lease──▶ running ──▶ succeeded | failed | cancelled
 *     ▲                  │
 *     └── retry, release ┘          skipped: never queued (overlap, missed, capped)
 */
export const runs = strandline.table(
  'runs',
  {
    id: key(),
    search_id: ofSearch(),
    version: integer().notNull(),
    request_version: integer().notNull(),
    slot_at: instant(),
    /** A range of missed slots is one row: from `slot_at` to this slot, `span_slots` in total. */
    span_until: instant(),
    span_slots: integer(),
    trigger: text({ enum: RUN_TRIGGERS }).notNull(),
    status: text({ enum: RUN_STATUSES }).notNull(),
    /** Error code of a failed run, from a closed list. */
    code: text({ enum: RUN_CODE_NAMES }),
    /** Why it was skipped or cancelled, or the service's message if it failed. */
    reason: text(),
    /** A queued run is not leased before this time (retry). */
    not_before: instant(),
    /** When the scan enqueues a queued or abandoned run (again); null once it is leased or has ended. */
    offer_at: instant(),
    /** Counts leases. Only the holder of the highest fence may write. */
    fence: integer().notNull().default(0),
    /** Leases since the last orderly end: the number of workers that may have crashed on it. */
    leases: integer().notNull().default(0),
    /** By the database's clock, which all workers share. */
    lease_until: instant(),
    /**
     * Fence of the lease that was extended after an outage and not renewed since: it is not extended again.
     */
    lease_extended: integer(),
    worker: text(),
    created_at: instant().notNull(),
    started_at: instant(),
    ended_at: instant(),
    baseline: boolean().notNull().default(false),

    items_seen: integer(),
    items_new: integer(),
    rejected: integer(),
  },
  (t) => [
    // If two scans handle the same slot, the second insert conflicts.
    unique('runs_slot_key').on(t.search_id, t.slot_at),
    // Rejects a second lease while another run of the search is running.
    uniqueIndex('runs_one_running').on(t.search_id).where(sql`${t.status} = 'running'`),
    // For the scan, longest due first.
    index('runs_offer').on(t.offer_at).where(sql`${t.offer_at} is not null`),
    index('runs_open').on(t.search_id).where(sql`${t.status} in ('queued', 'running')`),
    index('runs_search').on(t.search_id, t.id),
    // Runs of a day, by BRIN; and skipped or failed runs, which are rare.
    index('runs_created').using('brin', t.created_at),
    index('runs_amiss').on(t.status, t.id).where(sql`${t.status} in ('failed', 'skipped', 'cancelled')`),
    // Recently ended runs of all searches, for event streams.
    index('runs_ended').on(t.ended_at),
    index('runs_search_ended').on(t.search_id, t.ended_at).where(sql`${t.ended_at} is not null`),
    check('runs_trigger', sql`${t.trigger} in ('schedule', 'manual', 'first')`),
    check(
      'runs_status',
      sql`${t.status} in ('queued', 'running', 'succeeded', 'failed', 'skipped', 'cancelled')`,
    ),
    check('runs_running', sql`(${t.status} = 'running') = (${t.lease_until} is not null)`),
    check('runs_ended', sql`(${t.status} in ('queued', 'running')) = (${t.ended_at} is null)`),
    check('runs_failed', sql`(${t.status} = 'failed') = (${t.code} is not null)`),
    check('runs_skipped', sql`${t.status} <> 'skipped' or ${t.reason} is not null`),
    check('runs_span', sql`(${t.span_until} is null) = (${t.span_slots} is null)`),
    // No row for a slot in the future of the database's clock.
    check('runs_slot_reached', sql`${t.slot_at} <= ${t.created_at} and ${t.span_until} <= ${t.created_at}`),
  ],
);

/** What became of a paid call, of a run or a trial. */
const callOutcome = () => ({
  /** `unknown`: the process ended, or the client of a trial disconnected, during the call; it counts as paid. */
  state: text().notNull(),
  http_status: integer(),
  /** Error code of a closed list; of a trial, also for a response that could not be parsed. */
  code: text(),
  bytes: integer(),
  latency_ms: integer(),
  cost_usd: numeric({ precision: 12, scale: 6 }),
  sent_at: instant().notNull(),
  received_at: instant(),
  /** Whether the request was certainly not sent: it counts in no day and no minute. */
  refunded: boolean().notNull().default(false),
});

/** The ledger of paid calls: the row is committed before the request is sent. */
export const calls = strandline.table(
  'calls',
  {
    run_id: ofRun(),
    n: integer().notNull(),
    service_id: ofService(),
    fence: integer().notNull(),
    ...callOutcome(),
  },
  (t) => [
    primaryKey({ columns: [t.run_id, t.n] }),
    index('calls_service').on(t.service_id, t.sent_at),
    // The last calls with a reported cost; most services report none.
    index('calls_cost').on(t.service_id, t.sent_at).where(sql`${t.cost_usd} is not null`),
    check('calls_state', sql`${t.state} in ('sent', 'received', 'failed', 'unknown')`),
  ],
);

/** Raw responses, stored before they are parsed; they expire (`ANSWER_DAYS`). */
export const responses = strandline.table(
  'responses',
  {
    run_id: ofRun(),
    n: integer().notNull(),
    http_status: integer().notNull(),
    content_type: text(),
    /** gzip of the decoded bytes. */
    body: bytea().notNull(),
    /** Of the decoded bytes. */
    sha256: bytea().notNull(),
    bytes: integer().notNull(),
    received_at: instant().notNull(),
    /** When its results were saved, or it was found to be unreadable; null: unread. */
    read_at: instant(),
    /** Attempts to read it after its run ended, and when the next one is due. */
    read_attempts: integer().notNull().default(0),
    next_read_at: instant(),
  },
  (t) => [
    primaryKey({ columns: [t.run_id, t.n] }),
    index('responses_received').on(t.received_at),
    index('responses_unread').on(t.run_id).where(sql`${t.read_at} is null`),
  ],
);

/** Posts and links returned by a run, in the order of the response. One row per run with a parsed response. */
export const run_results = strandline.table(
  'run_results',
  {
    run_id: ofRun().primaryKey(),
    post_ids: ref().array().notNull(),
    link_ids: ref().array().notNull(),
    /** Source group of each link, in the same order. */
    link_sources: text().array().notNull(),
    /** When the parsed response was received; null in rows of older releases. */
    observed_at: instant(),
  },
  // What was returned after a late response was received, which it must not undo.
  (t) => [index('run_results_observed').on(t.observed_at)],
);

/**
 * Coverage by tool: a row for each tool that the request of a run names, and for each other one of which the response has
 * results. A run that failed without a response has its code as the reason.
 */
export const run_tools = strandline.table(
  'run_tools',
  {
    run_id: ofRun(),
    tool: text().notNull(),
    search_id: ref().notNull(),
    /** Of the run: the limit of a tool is the most items that it ever returned to this request. */
    request_version: integer().notNull(),
    /** When the response was received; null without one. */
    observed_at: instant(),
    asked: boolean().notNull(),
    /** Null if the response does not say. */
    responded: boolean(),
    /** Null if the response does not say. */
    items: integer(),
    /** From a closed list (`model/tool-coverage.ts`); null if it responded. */
    reason: text(),
    /** The service's message. */
    detail: text(),
  },
  (t) => [
    primaryKey({ columns: [t.run_id, t.tool] }),
    // The last response of a tool, however long ago.
    index('run_tools_responded').on(t.search_id, t.tool, t.run_id).where(sql`${t.responded}`),
    // The most items that a tool returned.
    index('run_tools_items').on(t.search_id, t.request_version, t.tool, t.items).where(sql`${t.items} > 0`),
    check(
      'run_tools_reason',
      sql`(${t.responded} is true) = (${t.reason} is null or ${t.reason} = 'list_full')`,
    ),
  ],
);

/** Items of a response that could not be parsed: path, reason and a sample. */
export const rejects = strandline.table(
  'rejects',
  {
    id: key(),
    run_id: ofRun(),
    path: text().notNull(),
    code: text().notNull(),
    sample: text().notNull(),
  },
  (t) => [index('rejects_run').on(t.run_id)],
);

/**
 * Trial calls of a search before it is saved. They belong to no run, cost as much as any call, and their responses
 * are not stored. As in `calls`, the row is committed before the request is sent.
 */
export const trials = strandline.table(
  'trials',
  {
    id: key(),
    service_id: ofService(),
    operation: text().notNull(),
    prompt: text().notNull(),
    tools: text().array().notNull(),
    model: text().notNull(),
    date_filter: text(),
    streaming: boolean().notNull(),
    extra: jsonb().notNull(),
    ...callOutcome(),
    /** If it is still `sent` by then, its outcome will never be known. */
    deadline_at: instant().notNull(),
  },
  (t) => [
    index('trials_service').on(t.service_id, t.sent_at),
    index('trials_open').on(t.deadline_at).where(sql`${t.state} = 'sent'`),
    check('trials_operation', sql`${t.operation} in ('ai', 'microblog')`),
    check('trials_state', sql`${t.state} in ('sent', 'received', 'failed', 'unknown')`),
  ],
);
