/**
 * Call limits of a service per minute and UTC day, across all processes. The SQL here is part of the statements that write
 * a call's ledger row or close it (in `calls` for runs, in `trials` for dry runs), so that nothing is counted without a
 * row.
 */
import type { Pool } from 'pg';
import { readCallsPerDay, type Config } from '../../config/config.ts';
import type { RunCode } from '../../model/errors.ts';
import { MINUTE, SECOND } from '../../lib/time.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Id, type Queryable, sqlTime } from '../db/database.ts';
import type { ServiceKind } from '../../model/closed-lists.ts';

/** Maximum delay between the ledger row and its request if the calls per minute are limited; later requests are not sent. */
export const MAX_SEND_DELAY_MS = 2 * SECOND;

/**
 * A call counts for this long. Calls are counted when their rows are written, but a service counts them on arrival:
 * one may arrive late and the next immediately, so calls 60 s apart in the ledger can be closer there.
 */
const WINDOW_MS = MINUTE + MAX_SEND_DELAY_MS;
const WINDOW = `interval '${WINDOW_MS} milliseconds'`;

/** Result of checking the limits. */
export type Verdict =
  | { kind: 'opened'; sentAt: Date }
  /** The minute's limit is reached until `until`. */
  | { kind: 'minute_cap'; until: Date }
  | { kind: 'day_cap' };

/** A row of the CTE `verdict` about one of the calls; `again`: see {@link openWithinLimits}. */
export type VerdictRow = { kind: Verdict['kind'] | 'again'; now: Date; until: Date | null };

/** @throws Error if the statement neither opened the call nor returned a reason */
export function readVerdict({ kind, now, until }: VerdictRow): Verdict {
  if (kind === 'opened') return { kind, sentAt: now };
  if (kind === 'minute_cap' && until !== null) return { kind, until };
  if (kind === 'day_cap') return { kind };
  throw new Error(`no call was opened, for an unknown reason: ${kind}`);
}

/**
 * CTEs that check both limits and count as many calls as they allow: `verdict` has one row, if there are candidates, with the time of the
 * calls (`now`), how many of them are opened (`opens`), why the others are not (`refusal`), and when the limit per minute allows another
 * (`until`). $1 service, $2 time, $3 limit per minute (null: no limit, and nothing is recorded), $4 the same for the UTC day, whose
 * calls are always counted.
 *
 * The row of the minute is locked before the time is read. A statement that waited for the lock thus sees the calls
 * committed meanwhile, and the times in the row ascend. The day is counted last, in one upsert. If concurrent calls used up
 * the day meanwhile, no call is opened and the statement must be repeated (`again`). If the database's clock was set back,
 * times later than now are replaced by now; otherwise they would count for hours.
 */
const COUNT_CALLS = `
minute AS MATERIALIZED (
  SELECT m.sent_at FROM strandline.call_minutes m
  WHERE m.service_id = $1 AND $3::int IS NOT NULL AND EXISTS (SELECT FROM allowed) FOR UPDATE OF m
), moment AS MATERIALIZED (
  SELECT ${sqlTime('$2')} AS now, wanted, minute.sent_at AS before
  FROM (SELECT count(*)::int AS wanted FROM allowed HAVING count(*) > 0) a LEFT JOIN minute ON true
), counted AS MATERIALIZED (
  SELECT moment.*, ARRAY(SELECT least(t, now) FROM unnest(before) t WHERE t > now - ${WINDOW} ORDER BY t) AS sent_at FROM moment
), room AS MATERIALIZED (
  SELECT counted.*, $3::int IS NOT NULL AND before IS NULL AS no_row,
    CASE WHEN $3::int IS NOT NULL THEN greatest($3::int - cardinality(sent_at), 0) END AS of_minute,
    CASE WHEN $4::int IS NOT NULL THEN greatest($4::int - coalesce((SELECT d.calls FROM strandline.call_days d
      WHERE d.service_id = $1 AND d.day = (now AT TIME ZONE 'UTC')::date), 0), 0) END AS of_day
  FROM counted
), plan AS MATERIALIZED (
  SELECT room.*, CASE WHEN no_row THEN 0 ELSE least(wanted, of_minute, of_day) END AS opens FROM room
), day AS (
  INSERT INTO strandline.call_days AS d (service_id, day, calls)
  SELECT $1, (now AT TIME ZONE 'UTC')::date, opens FROM plan WHERE opens > 0
  ON CONFLICT (service_id, day) DO UPDATE SET calls = d.calls + excluded.calls
  WHERE $4::int IS NULL OR d.calls + excluded.calls <= $4::int
  RETURNING calls
), done AS MATERIALIZED (
  SELECT plan.*, no_row OR (opens > 0 AND calls IS NULL) AS again,
    sent_at || CASE WHEN calls IS NOT NULL THEN array_fill(now, ARRAY[opens]) END AS after
  FROM plan LEFT JOIN day ON true
), noted AS (
  UPDATE strandline.call_minutes m SET sent_at = done.after FROM done
  WHERE m.service_id = $1 AND before IS NOT NULL AND (after <> done.sent_at OR now < ANY (before))
), verdict AS (
  SELECT now, CASE WHEN again THEN 0 ELSE opens END AS opens,
    CASE WHEN again THEN 'again' WHEN opens = of_minute THEN 'minute_cap' ELSE 'day_cap' END AS refusal,
    CASE WHEN opens = of_minute THEN after[cardinality(after) + 1 - $3::int] + ${WINDOW} END AS until
  FROM done
)`;

/**
 * The statement that opens calls to one service, of runs and of dry runs. Its parameters from $5 on are those of the ledger.
 * @param ledger.candidates CTEs; the last is `allowed`, with a row per call and its `place` from 1 on
 * @param ledger.rows the INSERT of the first `opens` calls
 * @param ledger.outcome what it returns of `verdict`
 */
export function openCallsSql(ledger: { candidates: string; rows: string; outcome: string }): string {
  return `WITH ${ledger.candidates}, ${COUNT_CALLS}, opened AS (${ledger.rows}) ${ledger.outcome}`;
}

/** The service of calls and its limits; null: no limit. */
export type CallLimits = {
  serviceId: Id;
  /** In a UTC day, of runs and dry runs together. */
  callsPerDay: number | null;
  /** The same in any 60 s. */
  callsPerMinute: number | null;
  clock: Pick<Clock, 'statementTime'>;
};

/** Runs a statement of {@link openCallsSql}. @param statement.values from $5 on */
export async function openWithinLimits<Row extends { kind: string }>(
  db: { pool: Pool },
  { serviceId, callsPerDay, callsPerMinute, clock }: CallLimits,
  statement: { name: string; text: string; values: readonly unknown[] },
): Promise<Row[]> {
  for (;;) {
    const values = [serviceId, clock.statementTime(), callsPerMinute, callsPerDay, ...statement.values];
    const { rows } = await db.pool.query<Row>({ ...statement, values });
    if (!rows.some(({ kind }) => kind === 'again')) return rows;
    if (callsPerMinute !== null) await insertMinuteRow(db, serviceId);
  }
}

/**
 * CTEs that remove calls which were certainly not sent from their minute and day. They follow a CTE `closed`
 * (service_id, sent_at, refunded), and lock rows in the same order as {@link COUNT_CALLS}.
 */
export const REFUND_CALL = `
unnoted AS (
  UPDATE strandline.call_minutes m
  SET sent_at = m.sent_at[:array_position(m.sent_at, closed.sent_at) - 1] || m.sent_at[array_position(m.sent_at, closed.sent_at) + 1:]
  FROM closed WHERE closed.refunded AND m.service_id = closed.service_id AND closed.sent_at = ANY (m.sent_at)
  RETURNING m.service_id
), uncounted AS (
  UPDATE strandline.call_days d SET calls = d.calls - 1 FROM closed LEFT JOIN unnoted USING (service_id)
  WHERE closed.refunded AND d.service_id = closed.service_id AND d.day = (closed.sent_at AT TIME ZONE 'UTC')::date
)`;

/** How a call ended, as stored in both ledgers. */
export type CallEnd = {
  state: 'received' | 'failed' | 'unknown';
  code: RunCode | null;
  /** Whether the request may have been sent; if not, its call is refunded. */
  sent: boolean;
  httpStatus: number | null;
  bytes: number | null;
  latencyMs: number | null;
  costUsd: number | null;
  now: Date;
};

/**
 * The CTE `closed` before {@link REFUND_CALL}: closes one ledger row with $1 to $8 from {@link listCallEnd}. Rows
 * marked as unknown are closed too; closed rows are unchanged.
 * @param key identifies the row, by parameters from $9 on
 */
export function closeCallSql(ledger: 'calls' | 'trials', key: string): string {
  return `
closed AS (
  UPDATE strandline.${ledger} SET state = $1, code = $2, http_status = $3, bytes = $4, latency_ms = $5, cost_usd = $6,
    received_at = $7, refunded = $8
  WHERE ${key} AND state IN ('sent', 'unknown')
  RETURNING *
)`;
}

export function listCallEnd(end: CallEnd): unknown[] {
  const { state, code, sent, httpStatus, bytes, latencyMs, costUsd, now } = end;
  return [state, code, httpStatus, bytes, latencyMs, costUsd, now, !sent];
}

/**
 * Adds the row that {@link COUNT_CALLS} locks, before the statement is repeated. Committed separately: a row inserted
 * by the same statement would be invisible to those waiting for it.
 */
async function insertMinuteRow(db: { pool: Pool }, serviceId: Id): Promise<void> {
  await db.pool.query(
    `INSERT INTO strandline.call_minutes (service_id, sent_at) VALUES ($1, '{}') ON CONFLICT DO NOTHING`,
    [serviceId],
  );
}

/** Number of calls allowed now; infinite without a limit. */
type CallRoom = { minute: number; day: number };

/**
 * Remaining calls of services under both limits; a service may be named more than once. For planning only; {@link
 * COUNT_CALLS} decides, also how calls count that have later times than now.
 * @returns by service ID
 */
export async function readCallRoom(
  db: Queryable,
  config: Pick<Config, 'callsPerDay' | 'callsPerMinute'>,
  {
    services,
    clock,
  }: { services: readonly { id: Id; kind: ServiceKind }[]; clock: Pick<Clock, 'statementTime'> },
): Promise<ReadonlyMap<Id, CallRoom>> {
  const distinct = new Map(services.map(({ id, kind }) => [id, kind]));
  const { rows } = await db.query<{ id: Id; minute: number | null; day: number | null }>({
    name: 'call_room',
    text: `
SELECT s.id, CASE WHEN s.per_day IS NOT NULL THEN greatest(s.per_day - coalesce(d.calls, 0), 0) END AS day,
  CASE WHEN $3::int IS NOT NULL THEN
    greatest($3 - (SELECT count(*) FROM unnest(m.sent_at) t WHERE t > moment.now - ${WINDOW} AND t <= moment.now)::int, 0) END AS minute
FROM unnest($1::bigint[], $2::int[]) AS s (id, per_day) CROSS JOIN (SELECT ${sqlTime('$4')} AS now) moment
LEFT JOIN strandline.call_minutes m ON m.service_id = s.id
LEFT JOIN strandline.call_days d ON d.service_id = s.id AND d.day = (moment.now AT TIME ZONE 'UTC')::date`,
    values: [
      [...distinct.keys()],
      [...distinct.values()].map((kind) => readCallsPerDay(config, kind)),
      config.callsPerMinute ?? null,
      clock.statementTime(),
    ],
  });
  return new Map(
    rows.map(({ id, minute, day }) => [
      id,
      { minute: minute ?? Number.POSITIVE_INFINITY, day: day ?? Number.POSITIVE_INFINITY },
    ]),
  );
}
