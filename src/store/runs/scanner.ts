/** The scanner row, and the work that the scan enqueues. */
import { SECOND } from '../../lib/time.ts';
import { type Database, type Id, onlyRow, type Queryable, type Transaction } from '../db/database.ts';
import { execute, rowsOf, statement, verbatim } from '../db/statement.ts';
import type { runs } from '../schema/run-tables.ts';
import { LEASE_IS_OVER, mayStart } from './run-leases.ts';
import type { ServiceKind } from '../../model/closed-lists.ts';
import { OFFER_AGAIN_MS } from './slots.ts';

/** If no scan began for this long, any worker's timer scans. */
const TAKE_OVER_AFTER_MS = 2 * SECOND;
/** Clock setbacks up to this are ignored. */
const MIN_SETBACK_MS = 5 * SECOND;

export type ScanStart = {
  now: Date;
  /** Time since the last scan began. Negative: the database's clock was set back. */
  sinceLastMs: number;
};

/**
 * Records the start of a scan, by the database's clock.
 * @param takeOver scan only if the last scan is too long ago, or in the future
 * @returns null if another process scans
 */
export async function beginScan(tx: Transaction, takeOver: boolean): Promise<ScanStart | null> {
  const { rows } = await execute<{ now: Date; last: Date }>(
    tx,
    statement`UPDATE strandline.scanner s SET scanned_at = o.now
     FROM (
       SELECT scanned_at AS last, c.now
       FROM strandline.scanner, (SELECT date_trunc('milliseconds', clock_timestamp()) AS now) c
       WHERE NOT ${takeOver} OR scanned_at NOT BETWEEN c.now - ${TAKE_OVER_AFTER_MS} * interval '1 ms' AND c.now + ${MIN_SETBACK_MS} * interval '1 ms'
       FOR UPDATE OF scanner
     ) o
     RETURNING o.now, o.last`,
    'begin_scan',
  );
  const [row] = rows;
  if (row === undefined) return null;
  return { now: row.now, sinceLastMs: row.now.getTime() - row.last.getTime() };
}

/** Whether the database's clock was set back so far that schedules must be reset. */
export function wasPutBack({ sinceLastMs }: ScanStart): boolean {
  return sinceLastMs < -MIN_SETBACK_MS;
}

/**
 * Repairs all due times after the database's clock was set back:
 * - fixed schedules: due now, so that the scan computes slots again from the first deleted `missed` row on;
 * - adaptive intervals: keep the rest of their wait;
 * - digests: their next slot is computed again;
 * - messages: decided again;
 * - recurring work: due now.
 *
 * Rows of future slots are deleted if skipped or missed; runs of future slots stay, without the slot. Other waits end by
 * themselves (`isOver`).
 * @returns number of deleted missed slots, and of searches made due
 */
export async function resetSchedules(
  tx: Transaction,
  { now, sinceLastMs }: ScanStart,
): Promise<{ missed: number; searches: number }> {
  // A row is never older than its slot, and the BRIN index is on the creation time of rows.
  const { rows } = await execute<{ missed: number; searches: number }>(
    tx,
    statement`WITH missed AS (
       DELETE FROM strandline.runs WHERE status = 'skipped' AND created_at > ${now} AND coalesce(span_until, slot_at) > ${now}
       RETURNING search_id, slot_at
     ), detached AS (
       UPDATE strandline.runs SET slot_at = NULL WHERE status <> 'skipped' AND created_at > ${now} AND slot_at > ${now}
     ), due AS (
       UPDATE strandline.searches s SET created_at = least(created_at, ${now}), next_due_at = CASE WHEN next_due_at > ${now}
         THEN least(${now}, (SELECT min(slot_at) FROM missed WHERE search_id = s.id)) ELSE next_due_at END
       WHERE next_due_at > ${now} OR created_at > ${now} RETURNING id
     ), paced AS (
       UPDATE strandline.search_pace SET learned_at = least(learned_at, ${now}), spent_until = spent_until - ${-sinceLastMs} * interval '1 ms',
         due_at = CASE WHEN due_at > ${now} THEN greatest(due_at - ${-sinceLastMs} * interval '1 ms', ${now}) ELSE due_at END
       WHERE due_at > ${now} OR spent_until > ${now} OR learned_at > ${now}
     ), planned AS (
       UPDATE strandline.rules SET digest_due_at = NULL WHERE digest_due_at > ${now}
     ), messages AS (
       UPDATE strandline.deliveries SET next_attempt_at = ${now} WHERE next_attempt_at > ${now} AND state IN ('gathering', 'pending')
     ), work AS (
       UPDATE strandline.recurring_work SET next_due_at = ${now} WHERE next_due_at > ${now}
     )
     SELECT (SELECT count(*) FROM missed)::int AS missed, (SELECT count(*) FROM due)::int AS searches`,
  );
  return onlyRow(rows);
}

/** A run to enqueue. */
export type OfferedRun = Pick<typeof runs.$inferSelect, 'id' | 'fence' | 'trigger'> & {
  service_id: Id;
  service_kind: ServiceKind;
};

/** Priority of runs, as in the queue: see PRIORITY in `platform/queue/queue.ts`. */
const inOfferOrder = (run: 'r' | 't') =>
  statement`ORDER BY CASE ${verbatim(run)}.trigger WHEN 'manual' THEN 0 WHEN 'schedule' THEN 1 ELSE 2 END`;

/**
 * Returns unleased runs: queued ones that are due, and those with an expired lease. The caller enqueues them; they are
 * returned again after {@link OFFER_AGAIN_MS} if nobody leases them.
 * @returns manual runs before slots, and slots before first runs
 */
export async function takeOffers(
  tx: Queryable,
  { now, limit }: { now: Date; limit: number },
): Promise<OfferedRun[]> {
  return rowsOf<OfferedRun>(
    tx,
    statement`WITH queued AS MATERIALIZED (
       SELECT id FROM strandline.runs r WHERE offer_at <= ${now} AND status = 'queued'
       ${inOfferOrder('r')}, offer_at, id LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED
     ), abandoned AS MATERIALIZED (
       SELECT id FROM strandline.runs r
       WHERE status = 'running' AND ${LEASE_IS_OVER} AND coalesce(offer_at <= ${now}, true)
       LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED
     ), taken AS (
       UPDATE strandline.runs r SET offer_at = ${now}::timestamptz + ${OFFER_AGAIN_MS} * interval '1 ms'
       FROM (SELECT id FROM queued UNION ALL SELECT id FROM abandoned) o
       JOIN LATERAL (SELECT search_id FROM strandline.runs WHERE id = o.id OFFSET 0) u ON true
       JOIN LATERAL (SELECT service_id FROM strandline.searches WHERE id = u.search_id OFFSET 0) s ON true
       JOIN strandline.services v ON v.id = s.service_id
       WHERE r.id = o.id
       RETURNING r.id, r.fence, r.trigger, s.service_id, v.kind AS service_kind
     )
     SELECT * FROM taken t ${inOfferOrder('t')}, id`,
    'take_offers',
  );
}

/** Makes all queued and abandoned runs due for enqueueing again: the queue may have lost them. */
export async function offerAllAgain(tx: Transaction, now: Date): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.runs SET offer_at = ${now}
      WHERE status IN ('queued', 'running') AND offer_at > ${now} AND ${mayStart(statement`${now}::timestamptz`)}`,
    'offer_all_again',
  );
}

/** The queue rejected these runs: enqueue them again at `at`. */
export async function postponeOffers(db: Database['pool'], runIds: readonly Id[], at: Date): Promise<void> {
  await execute(
    db,
    statement`UPDATE strandline.runs SET offer_at = ${at} WHERE id = ANY (${runIds}::bigint[]) AND status = 'queued'`,
  );
}

/** Recurring work that is due. Returned again after `againMs` if not finished. */
export async function takeRecurringWork(
  db: Database['pool'],
  { now, againMs }: { now: Date; againMs: number },
): Promise<string[]> {
  const { rows } = await execute<{ name: string }>(
    db,
    statement`UPDATE strandline.recurring_work SET next_due_at = ${now}::timestamptz + ${againMs} * interval '1 ms'
     WHERE next_due_at <= ${now} RETURNING name`,
    'take_recurring_work',
  );
  return rows.map(({ name }) => name);
}

/** Inserts recurring work that is new to this database, due immediately. Rows of work that this release does not have are ignored. */
export async function ensureRecurringWork(db: Database['pool'], names: readonly string[]): Promise<void> {
  await execute(
    db,
    statement`INSERT INTO strandline.recurring_work (name, next_due_at)
     SELECT name, date_trunc('milliseconds', clock_timestamp()) FROM unnest(${names}::text[]) u(name) ON CONFLICT DO NOTHING`,
  );
}

/** Makes work due at once. */
export async function requestRecurringWork(tx: Queryable, name: string, now: Date): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.recurring_work SET next_due_at = least(next_due_at, ${now}) WHERE name = ${name}`,
  );
}

/** @param inMs when it is due again */
export async function endRecurringWork(db: Database['pool'], name: string, inMs: number): Promise<void> {
  await execute(
    db,
    statement`UPDATE strandline.recurring_work SET last_ended_at = t.now, next_due_at = t.now + ${inMs} * interval '1 ms'
     FROM (SELECT date_trunc('milliseconds', clock_timestamp()) AS now) t WHERE name = ${name}`,
  );
}
