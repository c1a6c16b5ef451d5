/** The scanner row, and the work that the scan enqueues. */
import { SECOND } from '../../lib/time.ts';
import { type Database, type Id, onlyRow, type Queryable, type Transaction } from '../db/database.ts';
import { LEASE_IS_OVER, mayStartSql } from './run-claims.ts';
import type { ServiceKind } from '../../model/closed-lists.ts';
import { OFFER_AGAIN_MS } from './slots.ts';

/** After this long without a scan, any worker takes over. */
const MAX_SILENCE_MS = 2 * SECOND;
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
  const { rows } = await tx.query<{ now: Date; last: Date }>({
    name: 'begin_scan',
    text: `UPDATE strandline.scanner s SET scanned_at = o.now
     FROM (
       SELECT scanned_at AS last, c.now
       FROM strandline.scanner, (SELECT date_trunc('milliseconds', clock_timestamp()) AS now) c
       WHERE NOT $1 OR scanned_at NOT BETWEEN c.now - $3 * interval '1 ms' AND c.now + $2 * interval '1 ms'
       FOR UPDATE OF scanner
     ) o
     RETURNING o.now, o.last`,
    values: [takeOver, MIN_SETBACK_MS, MAX_SILENCE_MS],
  });
  const [row] = rows;
  if (row === undefined) return null;
  return { now: row.now, sinceLastMs: row.now.getTime() - row.last.getTime() };
}

/** Whether the database's clock was set back so far that schedules must be reset. */
export function wasPutBack({ sinceLastMs }: ScanStart): boolean {
  return sinceLastMs < -MIN_SETBACK_MS;
}

/**
 * Sets everything that has a schedule by the database's clock after it was set back: a search with a fixed schedule is due, so that the
 * scan finds its next slot, from the first one whose `missed` row is deleted; an adaptive interval, which has no slots to compute, keeps
 * what was left of its wait; digests get their next slot; messages are decided again; recurring work is due. No row of a slot that has
 * not come remains: runs of such slots stay, without the slot. Other waits end by themselves, see `isOverSql`.
 * @returns number of deleted missed slots, and of searches made due
 */
export async function resetSchedules(
  tx: Transaction,
  { now, sinceLastMs }: ScanStart,
): Promise<{ missed: number; searches: number }> {
  // A row is never older than its slot, and the BRIN index is on the creation time of rows.
  const { rows } = await tx.query<{ missed: number; searches: number }>(
    `WITH missed AS (
       DELETE FROM strandline.runs WHERE status = 'skipped' AND created_at > $1 AND coalesce(span_until, slot_at) > $1
       RETURNING search_id, slot_at
     ), detached AS (
       UPDATE strandline.runs SET slot_at = NULL WHERE status <> 'skipped' AND created_at > $1 AND slot_at > $1
     ), due AS (
       UPDATE strandline.searches s SET created_at = least(created_at, $1), next_due_at = CASE WHEN next_due_at > $1
         THEN least($1, (SELECT min(slot_at) FROM missed WHERE search_id = s.id)) ELSE next_due_at END
       WHERE next_due_at > $1 OR created_at > $1 RETURNING id
     ), paced AS (
       UPDATE strandline.search_pace SET learned_at = least(learned_at, $1), spent_until = spent_until - $2 * interval '1 ms',
         due_at = CASE WHEN due_at > $1 THEN greatest(due_at - $2 * interval '1 ms', $1) ELSE due_at END
       WHERE due_at > $1 OR spent_until > $1 OR learned_at > $1
     ), planned AS (
       UPDATE strandline.rules SET digest_due_at = NULL WHERE digest_due_at > $1
     ), messages AS (
       UPDATE strandline.deliveries SET next_attempt_at = $1 WHERE next_attempt_at > $1 AND state IN ('gathering', 'pending')
     ), work AS (
       UPDATE strandline.recurring_work SET next_due_at = $1 WHERE next_due_at > $1
     )
     SELECT (SELECT count(*) FROM missed)::int AS missed, (SELECT count(*) FROM due)::int AS searches`,
    [now, -sinceLastMs],
  );
  return onlyRow(rows);
}

/** A run to enqueue. */
export type OfferedRun = {
  id: Id;
  fence: number;
  trigger: 'schedule' | 'manual' | 'first';
  service_id: Id;
  service_kind: ServiceKind;
};

const DRIVEN_BY_SQL = `(SELECT simulation IS NOT DISTINCT FROM $2 FROM strandline.searches WHERE id = r.search_id OFFSET 0)`;

/** Priority of runs, as in the queue: see PRIORITY in `platform/queue/queue.ts`. */
const offerOrderSql = (run: string) =>
  `ORDER BY CASE ${run}.trigger WHEN 'manual' THEN 0 WHEN 'schedule' THEN 1 ELSE 2 END`;

/**
 * Returns unclaimed runs: queued ones that are due, and those with an expired lease. The caller enqueues them; they are
 * returned again after {@link OFFER_AGAIN_MS} if nobody claims them.
 * @returns manual runs before slots, and slots before first runs
 */
export async function takeOffers(
  tx: Queryable,
  { now, simulation, limit }: { now: Date; simulation: string | null; limit: number },
): Promise<OfferedRun[]> {
  const { rows } = await tx.query<OfferedRun>({
    name: 'take_offers',
    // Checked per run: otherwise the planner would scan all searches to find those of a simulation.
    text: `WITH queued AS MATERIALIZED (
       SELECT id FROM strandline.runs r WHERE offer_at <= $1 AND status = 'queued' AND ${DRIVEN_BY_SQL}
       ${offerOrderSql('r')}, offer_at, id LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED
     ), abandoned AS MATERIALIZED (
       SELECT id FROM strandline.runs r
       WHERE status = 'running' AND ${LEASE_IS_OVER} AND coalesce(offer_at <= $1, true) AND ${DRIVEN_BY_SQL}
       LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED
     ), taken AS (
       UPDATE strandline.runs r SET offer_at = $1::timestamptz + $4 * interval '1 ms'
       FROM (SELECT id FROM queued UNION ALL SELECT id FROM abandoned) o
       JOIN LATERAL (SELECT search_id FROM strandline.runs WHERE id = o.id OFFSET 0) u ON true
       JOIN LATERAL (SELECT service_id FROM strandline.searches WHERE id = u.search_id OFFSET 0) s ON true
       JOIN strandline.services v ON v.id = s.service_id
       WHERE r.id = o.id
       RETURNING r.id, r.fence, r.trigger, s.service_id, v.kind AS service_kind
     )
     SELECT * FROM taken t ${offerOrderSql('t')}, id`,
    values: [now, simulation, limit, OFFER_AGAIN_MS],
  });
  return rows;
}

/** Makes all queued and abandoned runs due for enqueueing again: the queue may have lost them. */
export async function offerAllAgain(tx: Transaction, now: Date): Promise<void> {
  await tx.query({
    name: 'offer_all_again',
    text: `UPDATE strandline.runs SET offer_at = $1
     WHERE status IN ('queued', 'running') AND offer_at > $1 AND ${mayStartSql('$1::timestamptz')}`,
    values: [now],
  });
}

/** The queue rejected these runs: enqueue them again at `at`. */
export async function postponeOffers(db: Database['pool'], runIds: readonly Id[], at: Date): Promise<void> {
  await db.query(
    `UPDATE strandline.runs SET offer_at = $2 WHERE id = ANY ($1::bigint[]) AND status = 'queued'`,
    [runIds, at],
  );
}

/** Recurring work that is due. Returned again after `againMs` if not finished. */
export async function takeRecurringWork(
  db: Database['pool'],
  { now, againMs }: { now: Date; againMs: number },
): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>({
    name: 'take_recurring_work',
    text: `UPDATE strandline.recurring_work SET next_due_at = $1::timestamptz + $2 * interval '1 ms'
     WHERE next_due_at <= $1 RETURNING name`,
    values: [now, againMs],
  });
  return rows.map(({ name }) => name);
}

/** Work that is new to this database is due immediately; work of older releases is removed. */
export async function ensureRecurringWork(db: Database['pool'], names: readonly string[]): Promise<void> {
  await db.query(
    `INSERT INTO strandline.recurring_work (name, next_due_at)
     SELECT name, date_trunc('milliseconds', clock_timestamp()) FROM unnest($1::text[]) u(name) ON CONFLICT DO NOTHING`,
    [names],
  );
}

/** Makes work due at once. */
export async function requestRecurringWork(tx: Queryable, name: string, now: Date): Promise<void> {
  await tx.query(
    'UPDATE strandline.recurring_work SET next_due_at = least(next_due_at, $2) WHERE name = $1',
    [name, now],
  );
}

/** @param inMs when it is due again */
export async function endRecurringWork(db: Database['pool'], name: string, inMs: number): Promise<void> {
  await db.query(
    `UPDATE strandline.recurring_work SET last_ended_at = t.now, next_due_at = t.now + $2 * interval '1 ms'
     FROM (SELECT date_trunc('milliseconds', clock_timestamp()) AS now) t WHERE name = $1`,
    [name, inMs],
  );
}
