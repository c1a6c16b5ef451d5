/** Slots of searches: which searches are due, and one row per slot with its result. */
import type { CancelReason, SkipReason } from '../../model/errors.ts';
import { SECOND } from '../../lib/time.ts';
import { givenRows } from '../db/batches.ts';
import { type Id, onlyRow, type Queryable, type Transaction } from '../db/database.ts';
import { type LockedSearch, SEARCH_COLUMNS } from '../topics/search-states.ts';
import { execute, rowsOf, selectIds, statement } from '../db/statement.ts';

/** Locks searches that are due, and those whose pause is over, longest due first. Skips locked rows until the next scan. */
export async function lockDueSearches(
  tx: Transaction,
  { now, limit }: { now: Date; limit: number },
): Promise<LockedSearch[]> {
  return rowsOf<LockedSearch>(
    tx,
    statement`WITH fixed AS MATERIALIZED (
       SELECT * FROM strandline.searches WHERE next_due_at <= ${now}
       ORDER BY next_due_at LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED
     ), paced AS MATERIALIZED (
       SELECT p.search_id FROM strandline.search_pace p WHERE p.due_at <= ${now} ORDER BY p.due_at LIMIT ${limit}
     ), adaptive AS MATERIALIZED (
       SELECT * FROM strandline.searches WHERE id = ANY (ARRAY(SELECT search_id FROM paced)) FOR NO KEY UPDATE SKIP LOCKED
     ), rested AS MATERIALIZED (
       SELECT * FROM strandline.searches WHERE pause_ends_at <= ${now}
       ORDER BY pause_ends_at LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED
     )
     SELECT ${SEARCH_COLUMNS}
     FROM (SELECT * FROM fixed UNION ALL SELECT * FROM adaptive UNION ALL SELECT * FROM rested) s CROSS JOIN LATERAL (
       SELECT request_version, cron, every_seconds, auto, tz FROM strandline.search_versions
       WHERE search_id = s.id AND version = s.version OFFSET 0
     ) v JOIN strandline.services sv ON sv.id = s.service_id
     LEFT JOIN LATERAL (
       SELECT due_at, interval_seconds, spent_until FROM strandline.search_pace
       WHERE search_id = s.id AND s.next_due_at IS NULL OFFSET 0
     ) p ON true`,
    'lock_due_searches',
  );
}

/**
 * When the next search is due or its pause ends, or since when the longest overdue one is; null if none is active or will be by
 * itself.
 */
export async function readEarliestDue(db: Queryable): Promise<Date | null> {
  const rows = await rowsOf<{ next_due_at: Date | null }>(
    db,
    statement`SELECT least(
       (SELECT next_due_at FROM strandline.searches WHERE next_due_at IS NOT NULL ORDER BY next_due_at LIMIT 1),
       (SELECT due_at FROM strandline.search_pace p WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1),
       (SELECT nullif(pause_ends_at, 'infinity') FROM strandline.searches WHERE pause_ends_at IS NOT NULL
        ORDER BY pause_ends_at LIMIT 1)
     ) AS next_due_at`,
    'earliest_due',
  );
  return onlyRow(rows).next_due_at;
}

/** The searches among these that have a run queued or running. */
export async function listSearchesWithOpenRun(tx: Transaction, searchIds: readonly Id[]): Promise<Set<Id>> {
  const ids = await selectIds(
    tx,
    statement`SELECT u.id FROM unnest(${searchIds}::bigint[]) u(id)
      WHERE EXISTS (SELECT FROM strandline.runs WHERE search_id = u.id AND status IN ('queued', 'running') OFFSET 0)`,
    'searches_with_open_run',
  );
  return new Set(ids);
}

export type SlotRow = {
  search: Pick<LockedSearch, 'id' | 'version' | 'request_version'>;
  slotAt: Date;
  status: 'queued' | 'skipped';
  reason: SkipReason | null;
  /** The last slot of a span, and how many slots it has; null for a single slot. */
  spanUntil: Date | null;
  spanSlots: number | null;
};

/** A run that was queued for a due slot. */
export type QueuedSlot = { id: Id; search_id: Id };

/** A run that was enqueued but not leased is enqueued again after this long. */
export const OFFER_AGAIN_MS = 30 * SECOND;

/**
 * Writes the run row of each due slot, in one statement. Existing rows are kept: UNIQUE (search_id, slot_at) decides
 * between two scans of the same slot.
 * @returns queued rows, for the caller to enqueue
 */
export async function insertSlots(
  tx: Transaction,
  slots: readonly SlotRow[],
  now: Date,
): Promise<QueuedSlot[]> {
  if (slots.length === 0) return [];
  const rows = givenRows('u', {
    search_id: ['bigint', slots.map(({ search }) => search.id)],
    version: ['int', slots.map(({ search }) => search.version)],
    request_version: ['int', slots.map(({ search }) => search.request_version)],
    slot_at: ['timestamptz', slots.map(({ slotAt }) => slotAt)],
    status: ['text', slots.map(({ status }) => status)],
    reason: ['text', slots.map(({ reason }) => reason)],
    span_until: ['timestamptz', slots.map(({ spanUntil }) => spanUntil)],
    span_slots: ['int', slots.map(({ spanSlots }) => spanSlots)],
  });
  const offerAgainAt = new Date(now.getTime() + OFFER_AGAIN_MS);
  const inserted = await rowsOf<{ id: Id; search_id: Id; status: string }>(
    tx,
    statement`INSERT INTO strandline.runs (search_id, version, request_version, trigger, status, reason, slot_at, span_until, span_slots,
        created_at, ended_at, offer_at)
      SELECT u.search_id, u.version, u.request_version, 'schedule', u.status, u.reason, u.slot_at, u.span_until, u.span_slots,
        ${now}, CASE WHEN u.status = 'skipped' THEN ${now}::timestamptz END, CASE WHEN u.status = 'queued' THEN ${offerAgainAt}::timestamptz END
      FROM ${rows}
      ORDER BY u.search_id, u.slot_at
      ON CONFLICT (search_id, slot_at) DO NOTHING
      RETURNING id, search_id, status`,
    'insert_slots',
  );
  return inserted.filter(({ status }) => status === 'queued');
}

/** Sets when searches with a fixed schedule are due next. */
export async function setNextDue(tx: Transaction, due: readonly { searchId: Id; at: Date }[]): Promise<void> {
  if (due.length === 0) return;
  const ids = due.map(({ searchId }) => searchId);
  const times = due.map(({ at }) => at);
  await execute(
    tx,
    statement`UPDATE strandline.searches s SET next_due_at = u.at
      FROM unnest(${ids}::bigint[], ${times}::timestamptz[]) u(id, at) WHERE s.id = u.id`,
    'set_next_due',
  );
}

/** The slot that an adaptive search has used, and its next due time. */
export type UsedSlot = { searchId: Id; slot: Date; at: Date; spentUntil: Date | null };

/** Sets when searches with an adaptive schedule are due next, unless another scan has used the same slot. */
export async function setNextAdaptive(tx: Transaction, used: readonly UsedSlot[]): Promise<void> {
  if (used.length === 0) return;
  await execute(
    tx,
    statement`UPDATE strandline.search_pace p SET due_at = u.at, spent_until = coalesce(u.spent_until, p.spent_until)
      FROM unnest(
        ${used.map(({ searchId }) => searchId)}::bigint[], ${used.map(({ slot }) => slot)}::timestamptz[],
        ${used.map(({ at }) => at)}::timestamptz[], ${used.map(({ spentUntil }) => spentUntil)}::timestamptz[]
      ) u(id, slot, at, spent_until)
      WHERE p.search_id = u.id AND p.due_at = u.slot`,
    'set_next_adaptive',
  );
}

/** Cancels queued runs, as a pause or a removal does. */
export async function cancelQueued(
  tx: Transaction,
  searchId: Id,
  reason: CancelReason,
  now: Date,
): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.runs SET status = 'cancelled', reason = ${reason}, ended_at = ${now}, offer_at = NULL
      WHERE search_id = ${searchId} AND status = 'queued'`,
  );
}
