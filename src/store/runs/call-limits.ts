/**
 * Call limits of a service per minute and UTC day, across all processes. The SQL here is part of the statements that write
 * a call's ledger row or close it (in `calls` for runs, in `trials` for trials), so that nothing is counted without a
 * row.
 */
import type { Pool } from 'pg';
import { readCallsPerDay, type Config } from '../../config/config.ts';
import type { RunCode } from '../../model/errors.ts';
import { MINUTE, SECOND } from '../../lib/time.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Id, Queryable } from '../db/database.ts';
import { execute, rowsOf, type Statement, statement, timeOf, verbatim } from '../db/statement.ts';
import type { ServiceKind } from '../../model/closed-lists.ts';

/** Maximum delay between the ledger row and its request if the calls per minute are limited; later requests are not sent. */
export const MAX_SEND_DELAY_MS = 2 * SECOND;

/**
 * A call counts for this long. Calls are counted when their rows are written, but a service counts them on arrival:
 * one may arrive late and the next immediately, so calls 60 s apart in the ledger can be closer there.
 */
const WINDOW_MS = MINUTE + MAX_SEND_DELAY_MS;
const WINDOW = verbatim(`interval '${WINDOW_MS} milliseconds'`);

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
 * (`until`). Without a limit per minute nothing is recorded for it; the calls of the UTC day are always counted.
 *
 * The row of the minute is locked before the time is read. A statement that waited for the lock thus sees the calls
 * committed meanwhile, and the times in the row ascend. The day is counted last, in one upsert. If concurrent calls used up
 * the day meanwhile, no call is opened and the statement must be repeated (`again`). If the database's clock was set back,
 * times later than now are replaced by now; otherwise they would count for hours.
 */
function countCalls({ serviceId, callsPerDay, callsPerMinute, clock }: CallLimits): Statement {
  return statement`
minute AS MATERIALIZED (
  SELECT m.sent_at FROM strandline.call_minutes m
  WHERE m.service_id = ${serviceId} AND ${callsPerMinute}::int IS NOT NULL AND EXISTS (SELECT FROM allowed) FOR UPDATE OF m
), moment AS MATERIALIZED (
  SELECT ${timeOf(clock.statementTime())} AS now, wanted, minute.sent_at AS before
  FROM (SELECT count(*)::int AS wanted FROM allowed HAVING count(*) > 0) a LEFT JOIN minute ON true
), counted AS MATERIALIZED (
  SELECT moment.*, ARRAY(SELECT least(t, now) FROM unnest(before) t WHERE t > now - ${WINDOW} ORDER BY t) AS sent_at FROM moment
), room AS MATERIALIZED (
  SELECT counted.*, ${callsPerMinute}::int IS NOT NULL AND before IS NULL AS no_row,
    CASE WHEN ${callsPerMinute}::int IS NOT NULL THEN greatest(${callsPerMinute}::int - cardinality(sent_at), 0) END AS of_minute,
    CASE WHEN ${callsPerDay}::int IS NOT NULL THEN greatest(${callsPerDay}::int - coalesce((SELECT d.calls FROM strandline.call_days d
      WHERE d.service_id = ${serviceId} AND d.day = (now AT TIME ZONE 'UTC')::date), 0), 0) END AS of_day
  FROM counted
), plan AS MATERIALIZED (
  SELECT room.*, CASE WHEN no_row THEN 0 ELSE least(wanted, of_minute, of_day) END AS opens FROM room
), day AS (
  INSERT INTO strandline.call_days AS d (service_id, day, calls)
  SELECT ${serviceId}, (now AT TIME ZONE 'UTC')::date, opens FROM plan WHERE opens > 0
  ON CONFLICT (service_id, day) DO UPDATE SET calls = d.calls + excluded.calls
  WHERE ${callsPerDay}::int IS NULL OR d.calls + excluded.calls <= ${callsPerDay}::int
  RETURNING calls
), done AS MATERIALIZED (
  SELECT plan.*, no_row OR (opens > 0 AND calls IS NULL) AS again,
    sent_at || CASE WHEN calls IS NOT NULL THEN array_fill(now, ARRAY[opens]) END AS after
  FROM plan LEFT JOIN day ON true
), noted AS (
  UPDATE strandline.call_minutes m SET sent_at = done.after FROM done
  WHERE m.service_id = ${serviceId} AND before IS NOT NULL AND (after <> done.sent_at OR now < ANY (before))
), verdict AS (
  SELECT now, CASE WHEN again THEN 0 ELSE opens END AS opens,
    CASE WHEN again THEN 'again' WHEN opens = of_minute THEN 'minute_cap' ELSE 'day_cap' END AS refusal,
    CASE WHEN opens = of_minute THEN after[cardinality(after) + 1 - ${callsPerMinute}::int] + ${WINDOW} END AS until
  FROM done
)`;
}

/** The service of calls and its limits; null: no limit. */
export type CallLimits = {
  serviceId: Id;
  /** In a UTC day, of runs and trials together. */
  callsPerDay: number | null;
  /** The same in any 60 s. */
  callsPerMinute: number | null;
  clock: Pick<Clock, 'statementTime'>;
};

/**
 * Opens calls of runs or trials to one service in one statement.
 * @param ledger.name of the statement
 * @param ledger.candidates CTEs; the last is `allowed`, with a row per call and its `place` from 1 on
 * @param ledger.rows the INSERT of the first `opens` calls
 * @param ledger.outcome the columns of `verdict` that the ledger statement returns
 */
export async function openWithinLimits<Row extends { kind: string }>(
  db: { pool: Pool },
  limits: CallLimits,
  ledger: { name: string; candidates: Statement; rows: Statement; outcome: Statement },
): Promise<Row[]> {
  const { name, candidates, rows: inserted, outcome } = ledger;
  for (;;) {
    const rows = await rowsOf<Row>(
      db.pool,
      statement`WITH ${candidates}, ${countCalls(limits)}, opened AS (${inserted}) ${outcome}`,
      name,
    );
    if (!rows.some(({ kind }) => kind === 'again')) return rows;
    if (limits.callsPerMinute !== null) await insertMinuteRow(db, limits.serviceId);
  }
}

/**
 * CTEs that remove calls which were certainly not sent from their minute and day. They follow a CTE `closed`
 * (service_id, sent_at, refunded), and lock rows in the same order as {@link countCalls}.
 */
export const REFUND_CALL = statement`
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
 * The CTE `closed` before {@link REFUND_CALL}: closes one ledger row. Rows marked as unknown are closed too; closed rows are
 * unchanged.
 * @param key identifies the row
 */
export function closeCall(ledger: 'calls' | 'trials', key: Statement, end: CallEnd): Statement {
  const { state, code, sent, httpStatus, bytes, latencyMs, costUsd, now } = end;
  return statement`
closed AS (
  UPDATE strandline.${verbatim(ledger)} SET state = ${state}, code = ${code}, http_status = ${httpStatus}, bytes = ${bytes},
    latency_ms = ${latencyMs}, cost_usd = ${costUsd}, received_at = ${now}, refunded = ${!sent}
  WHERE ${key} AND state IN ('sent', 'unknown')
  RETURNING *
)`;
}

/**
 * Adds the row that {@link countCalls} locks, before the statement is repeated. Committed separately: a row inserted
 * by the same statement would be invisible to those waiting for it.
 */
async function insertMinuteRow(db: { pool: Pool }, serviceId: Id): Promise<void> {
  await execute(
    db.pool,
    statement`INSERT INTO strandline.call_minutes (service_id, sent_at) VALUES (${serviceId}, '{}') ON CONFLICT DO NOTHING`,
  );
}

/** Number of calls allowed now; infinite without a limit. */
type CallRoom = { minute: number; day: number };

/**
 * Remaining calls of services under both limits; a service may be named more than once. For planning only: {@link countCalls}
 * decides. Calls with a time in the future are not counted here; {@link countCalls} counts them as made now.
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
  const perDay = [...distinct.values()].map((kind) => readCallsPerDay(config, kind));
  const perMinute = config.callsPerMinute ?? null;
  const rows = await rowsOf<{ id: Id; minute: number | null; day: number | null }>(
    db,
    statement`SELECT s.id, CASE WHEN s.per_day IS NOT NULL THEN greatest(s.per_day - coalesce(d.calls, 0), 0) END AS day,
        CASE WHEN ${perMinute}::int IS NOT NULL THEN greatest(0, ${perMinute}::int - (
          SELECT count(*) FROM unnest(m.sent_at) t WHERE t > moment.now - ${WINDOW} AND t <= moment.now)::int) END AS minute
      FROM unnest(${[...distinct.keys()]}::bigint[], ${perDay}::int[]) AS s (id, per_day)
      CROSS JOIN (SELECT ${timeOf(clock.statementTime())} AS now) moment
      LEFT JOIN strandline.call_minutes m ON m.service_id = s.id
      LEFT JOIN strandline.call_days d ON d.service_id = s.id AND d.day = (moment.now AT TIME ZONE 'UTC')::date`,
    'call_room',
  );
  return new Map(
    rows.map(({ id, minute, day }) => [
      id,
      { minute: minute ?? Number.POSITIVE_INFINITY, day: day ?? Number.POSITIVE_INFINITY },
    ]),
  );
}
