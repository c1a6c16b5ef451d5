/** The scan's own row, and what it offers to the queue. */
import { HOUR, SECOND } from '../domain/time.ts';
import type { Database, Id, Transaction } from './database.ts';
import { LEASE_IS_OVER } from './run-claims.ts';
import type { ServiceKind } from './services.ts';
import { OFFER_AGAIN_MS } from './slots.ts';

/** After this long without a scan any worker takes over, whatever became of the queue. */
const MAX_SILENCE_MS = 2 * SECOND;
/** So far the database's clock may be put back without anybody caring. */
const MIN_SETBACK_MS = 5 * SECOND;

export type ScanStart = {
  now: Date;
  /** Since the last scan began. Below zero: the database's clock was put back. */
  sinceLastMs: number;
};

/**
 * Notes that a scan begins now, by the database's clock. After its clock was put back the row is left as it is, until
 * {@link finishSetback}: whoever dies in between is followed by another.
 * @param takeOver only where the last scan is too long ago, or lies in the future
 * @returns null where somebody else scans
 */
export async function beginScan(tx: Transaction, takeOver: boolean): Promise<ScanStart | null> {
  const { rows } = await tx.query<{ now: Date; last: Date }>({
    name: 'begin_scan',
    text: `UPDATE strandline.scanner s SET scanned_at = CASE WHEN o.last > o.now + $2 * interval '1 ms' THEN o.last ELSE o.now END
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

/** Whether the database's clock was put back so far that what it decided before must be decided again. */
export function wasPutBack({ sinceLastMs }: ScanStart): boolean {
  return sinceLastMs < -MIN_SETBACK_MS;
}

/**
 * What stands in the future because the database's clock was ahead is brought back: missed slots are taken out, runs of
 * such slots stand for no slot any more, searches are due now (their next scan finds the next slot), and nothing waits
 * for a time that is far away. May be done twice.
 * @returns how many missed slots were taken out and how many searches are due again
 */
export async function finishSetback(
  tx: Transaction,
  { now, leaseMs }: { now: Date; leaseMs: number },
): Promise<{ missed: number; searches: number }> {
  // A row is never older than its slot, and the index by blocks is on the time at which rows were created.
  const { rows: missed } = await tx.query<{ search_id: Id; slot_at: Date }>(
    `DELETE FROM strandline.runs WHERE status = 'skipped' AND created_at > $1 AND coalesce(span_until, slot_at) > $1
     RETURNING search_id, slot_at`,
    [now],
  );
  await tx.query('UPDATE strandline.runs SET slot_at = NULL WHERE created_at > $1 AND slot_at > $1', [now]);
  await tx.query(
    `UPDATE strandline.runs SET not_before = CASE WHEN not_before > $1::timestamptz + $2 * interval '1 ms' THEN $1 ELSE not_before END,
       offer_at = least(offer_at, $1) WHERE status = 'queued'`,
    [now, HOUR],
  );
  await tx.query(
    `UPDATE strandline.runs SET lease_until = least(lease_until, clock_timestamp() + $1 * interval '1 ms') WHERE status = 'running'`,
    [leaseMs],
  );
  await tx.query(
    `UPDATE strandline.call_minutes SET sent_at = ARRAY (SELECT least(t, $1) FROM unnest(sent_at) t)`,
    [now],
  );
  await tx.query(
    `UPDATE strandline.deliveries SET next_attempt_at = $1
     WHERE state IN ('gathering', 'pending') AND next_attempt_at > $1 AND greatest(created_at, last_attempt_at) > $1`,
    [now],
  );
  await tx.query('UPDATE strandline.channels SET resting_until = NULL WHERE failing_since > $1', [now]);
  await tx.query('UPDATE strandline.recurring_work SET next_due_at = least(next_due_at, $1)', [now]);
  await tx.query(
    'UPDATE strandline.responses SET next_read_at = $1 WHERE read_at IS NULL AND coalesce(next_read_at, received_at) > $1',
    [now],
  );
  // No slot from before its search was created is due.
  await tx.query('UPDATE strandline.searches SET created_at = $1 WHERE created_at > $1', [now]);
  // A span that began in time is written anew, from its first slot on.
  const { rowCount } = await tx.query(
    `UPDATE strandline.searches s SET next_due_at = least($1, (
       SELECT min(u.slot_at) FROM unnest($2::bigint[], $3::timestamptz[]) u(search_id, slot_at) WHERE u.search_id = s.id
     )) WHERE next_due_at > $1`,
    [now, missed.map((row) => row.search_id), missed.map((row) => row.slot_at)],
  );
  await tx.query('UPDATE strandline.scanner SET scanned_at = $1', [now]);
  return { missed: missed.length, searches: rowCount ?? 0 };
}

/** A run as it is offered to the queue. */
export type OfferedRun = {
  id: Id;
  fence: number;
  trigger: 'schedule' | 'manual' | 'first';
  service_id: Id;
  service_kind: ServiceKind;
};

const DRIVEN_BY_SQL = `(SELECT simulation IS NOT DISTINCT FROM $2 FROM strandline.searches WHERE id = r.search_id OFFSET 0)`;

/** The order in which runs get what room there is, as the queue takes them: see PRIORITY in `platform/queue/queue.ts`. */
const offerOrderSql = (run: string) =>
  `ORDER BY CASE ${run}.trigger WHEN 'manual' THEN 0 WHEN 'schedule' THEN 1 ELSE 2 END`;

/**
 * Takes runs that nobody claimed: queued ones whose time has come, and those whose worker stopped renewing its lease.
 * They are offered to the queue next, and again after {@link OFFER_AGAIN_MS} if nobody claims them.
 * @returns manual runs before slots, and slots before first runs
 */
export async function takeOffers(
  tx: Transaction | Database['pool'],
  { now, simulation, limit }: { now: Date; simulation: string | null; limit: number },
): Promise<OfferedRun[]> {
  const { rows } = await tx.query<OfferedRun>({
    name: 'take_offers',
    // Asked of each run by itself: its planner would read all searches to find those of a simulation.
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

/** Queued runs that were offered are offered again: the queue may have lost them. */
export async function offerAllAgain(tx: Transaction, now: Date): Promise<void> {
  await tx.query({
    name: 'offer_all_again',
    text: `UPDATE strandline.runs SET offer_at = $1 WHERE status = 'queued' AND offer_at > $1 AND coalesce(not_before <= $1, true)`,
    values: [now],
  });
}

/** These were not taken by the queue: they are offered again at `at`. */
export async function postponeOffers(db: Database['pool'], runIds: readonly Id[], at: Date): Promise<void> {
  await db.query(
    `UPDATE strandline.runs SET offer_at = $2 WHERE id = ANY ($1::bigint[]) AND status = 'queued'`,
    [runIds, at],
  );
}

/** Recurring work that is due. It is found again after `againMs`, should nobody finish it. */
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

/** Work that is new to this database is due at once; what an older release knew and this one does not is forgotten. */
export async function ensureRecurringWork(db: Database['pool'], names: readonly string[]): Promise<void> {
  await db.query(
    `INSERT INTO strandline.recurring_work (name, next_due_at)
     SELECT name, date_trunc('milliseconds', clock_timestamp()) FROM unnest($1::text[]) u(name) ON CONFLICT DO NOTHING`,
    [names],
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
