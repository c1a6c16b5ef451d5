/** The scheduling state of a search under its row lock, and changes of it. */
import type { Id, Transaction } from '../db/database.ts';
import { execute, statement } from '../db/statement.ts';
import type { search_versions, searches } from '../schema/topic-tables.ts';
import type { ServiceKind } from '../../model/closed-lists.ts';

/** A schedule as stored: one of the first three members is set. */
export type ScheduleColumns = Pick<
  typeof search_versions.$inferSelect,
  'cron' | 'every_seconds' | 'auto' | 'tz'
>;

/** Scheduling state of a search, read under its row lock. */
export type LockedSearch = ScheduleColumns &
  Pick<
    typeof searches.$inferSelect,
    'id' | 'slug' | 'version' | 'state' | 'archived_at' | 'created_at' | 'service_id' | 'operation'
  > & {
    request_version: number;
    /** When its pauses end, in the past if the scan has not seen it yet; null: it is not paused, or until somebody resumes it. */
    pause_ends_at: Date | null;
    /** Of a fixed or an adaptive schedule. */
    next_due_at: Date | null;
    service_kind: ServiceKind;
    /** Of an adaptive schedule: the current interval, and until when its calls per day are spent. */
    interval_seconds: number | null;
    spent_until: Date | null;
  };

/** Columns of a {@link LockedSearch}, of rows `s` of searches, `v` of its version, `sv` of its service and `p` of its pace. */
export const SEARCH_COLUMNS = statement`s.id, s.slug, s.version, v.request_version, s.state, s.archived_at, s.created_at,
  nullif(s.pause_ends_at, 'infinity') AS pause_ends_at, coalesce(s.next_due_at, p.due_at) AS next_due_at,
  v.cron, v.every_seconds, v.auto, v.tz, s.service_id, sv.kind AS service_kind,
  s.operation, p.interval_seconds, p.spent_until`;

/**
 * Locks the search's row: serializes scan, pause, edit and remove of a search. Saves, whose foreign keys take `FOR KEY
 * SHARE`, are not blocked.
 */
export async function lockSearch(tx: Transaction, searchId: Id): Promise<LockedSearch | null> {
  const { rows } = await execute<LockedSearch>(
    tx,
    statement`SELECT ${SEARCH_COLUMNS}
      FROM strandline.searches s
      JOIN strandline.search_versions v ON v.search_id = s.id AND v.version = s.version
      JOIN strandline.services sv ON sv.id = s.service_id
      LEFT JOIN strandline.search_pace p ON p.search_id = s.id
      WHERE s.id = ${searchId} FOR NO KEY UPDATE OF s`,
    'lock_search',
  );
  return rows[0] ?? null;
}

/**
 * Sets the due time of a search with an adaptive interval, in `search_pace`. For a search with a fixed schedule, whose due time is
 * in `searches.next_due_at`, clears the due time there.
 * @param at null: the search is stopped and not due
 */
export async function setAdaptiveDue(tx: Transaction, searchId: Id, at: Date | null): Promise<void> {
  await execute(
    tx,
    statement`WITH fixed AS (
        UPDATE strandline.search_pace p SET due_at = NULL FROM strandline.searches s
        WHERE p.search_id = ${searchId} AND s.id = ${searchId} AND NOT s.adaptive AND p.due_at IS NOT NULL
      )
      INSERT INTO strandline.search_pace (search_id, due_at) SELECT id, ${at} FROM strandline.searches WHERE id = ${searchId} AND adaptive
      ON CONFLICT (search_id) DO UPDATE SET due_at = excluded.due_at`,
    'set_adaptive_due',
  );
}

/**
 * Changes the state of a search and records when, so that paused time is not mistaken for silence. Does nothing if state
 * and reason are the same. Its pauses end with the state `paused`.
 * @param nextDueAt next due time of a search that becomes active; null: unchanged. A stopped search is never due.
 */
export async function setSearchState(
  tx: Transaction,
  searchId: Id,
  state: LockedSearch['state'],
  reason: string | null,
  now: Date,
  nextDueAt: Date | null = null,
): Promise<void> {
  const { rowCount } = await execute(
    tx,
    statement`UPDATE strandline.searches SET state = ${state}, state_reason = ${reason}, state_since = ${now},
        next_due_at = CASE WHEN ${state} NOT IN ('paused', 'broken') AND NOT adaptive THEN coalesce(${nextDueAt}, next_due_at) END,
        paused_until = CASE WHEN ${state} = 'paused' THEN paused_until END,
        topic_paused_until = CASE WHEN ${state} = 'paused' THEN topic_paused_until END,
        all_paused_until = CASE WHEN ${state} = 'paused' THEN all_paused_until END
      WHERE id = ${searchId} AND (state, state_reason) IS DISTINCT FROM (${state}, ${reason})`,
  );
  if (rowCount === 0) return;
  const isStopped = state === 'paused' || state === 'broken';
  if (isStopped || nextDueAt !== null) await setAdaptiveDue(tx, searchId, isStopped ? null : nextDueAt);
  await execute(
    tx,
    statement`UPDATE strandline.search_states SET ended_at = ${now} WHERE search_id = ${searchId} AND ended_at IS NULL`,
  );
  await execute(
    tx,
    statement`INSERT INTO strandline.search_states (search_id, state, reason, began_at) VALUES (${searchId}, ${state}, ${reason}, ${now})`,
  );
}
