/**
 * How many calls of a service are allowed per minute and per UTC day, over all processes: the one place that counts them.
 * The SQL here is part of the statements that write a call's ledger row or close it, so that nothing is counted without a row.
 */
import type { Pool } from 'pg';
import { callsPerDayOf, type Config } from '../config.ts';
import { type Clock, MINUTE, SECOND } from '../engine/clock.ts';
import { type Id, timeOf, type Transaction } from './database.ts';
import type { ServiceKind } from './services.ts';

/** A request is sent at most this long after its ledger row was written, where the minute is limited; a later one is not sent. */
export const SENT_WITHIN_MS = 2 * SECOND;

/**
 * A call is counted for this long. Calls are counted by when their rows are written, and a service counts them when they
 * arrive: one may come late and the next at once, so that 60 s apart in the ledger can be less there.
 */
const WINDOW_MS = MINUTE + SENT_WITHIN_MS;
const WINDOW = `interval '${WINDOW_MS} milliseconds'`;

type Parameter = `$${number}`;

/** How a statement that asks for a call was answered by the limits. */
export type Verdict =
  | { kind: 'opened'; sentAt: Date }
  /** All calls of the minute are used up; there is room again at `until`. */
  | { kind: 'minute_cap'; until: Date }
  | { kind: 'day_cap' };

/** A row of the CTE `verdict`; `no_row`: the service needs its row first, see {@link addMinuteRow}. */
export type VerdictRow = { kind: Verdict['kind'] | 'no_row'; now: Date; until: Date | null };

/**
 * CTEs that check both limits and count one call. They stand behind a CTE `allowed`, which has one row where a call may be
 * opened at all. `verdict` has the outcome and `now`, the call's time; `day` has a row only where the call is counted, and
 * the statement writes the call's row from that.
 *
 * The minute's row is locked before anything is decided and the time is read only then, so that whoever waited sees what
 * was committed meanwhile, and times in the row ascend. The day is checked and counted by one upsert, and last: it refuses
 * before the minute is written. Times of a database clock that went back count as sent now, or they would count for hours.
 * @param places.perMinute parameter of the limit; null: no limit, and nothing is recorded
 * @param places.perDay the same for the UTC day, whose calls are always counted
 */
export function countCall(places: {
  service: Parameter;
  time: Parameter;
  perMinute: Parameter;
  perDay: Parameter;
}): string {
  const { service, time } = places;
  const perMinute = `${places.perMinute}::int`;
  const perDay = `${places.perDay}::int`;
  return `
minute AS MATERIALIZED (
  SELECT m.sent_at FROM strandline.call_minutes m, allowed
  WHERE m.service_id = ${service} AND ${perMinute} IS NOT NULL FOR UPDATE OF m
), moment AS MATERIALIZED (
  SELECT ${timeOf(time)} AS now, minute.sent_at AS before FROM allowed LEFT JOIN minute ON true
), counted AS MATERIALIZED (
  SELECT now, before, ARRAY(SELECT least(t, now) FROM unnest(before) t WHERE t > now - ${WINDOW} ORDER BY t) AS sent_at FROM moment
), room AS MATERIALIZED (
  SELECT now, before, sent_at, sent_at[cardinality(sent_at) + 1 - ${perMinute}] + ${WINDOW} AS until,
    ${perMinute} IS NOT NULL AND before IS NULL AS no_row
  FROM counted
), day AS (
  INSERT INTO strandline.call_days AS d (service_id, day, calls)
  SELECT ${service}, (now AT TIME ZONE 'UTC')::date, 1 FROM room
  WHERE until IS NULL AND NOT no_row AND (${perDay} IS NULL OR ${perDay} > 0)
  ON CONFLICT (service_id, day) DO UPDATE SET calls = d.calls + 1 WHERE ${perDay} IS NULL OR d.calls < ${perDay}
  RETURNING calls
), noted AS (
  UPDATE strandline.call_minutes m
  SET sent_at = CASE WHEN day.calls IS NULL THEN room.sent_at ELSE room.sent_at || room.now END
  FROM room LEFT JOIN day ON true
  WHERE m.service_id = ${service} AND room.before IS NOT NULL
    AND (day.calls IS NOT NULL OR room.now < ANY (room.before))
), verdict AS (
  SELECT CASE WHEN no_row THEN 'no_row' WHEN until IS NOT NULL THEN 'minute_cap' WHEN day.calls IS NULL THEN 'day_cap'
    ELSE 'opened' END AS kind, now, until
  FROM room LEFT JOIN day ON true
)`;
}

/**
 * CTEs that take a call which was certainly never sent out of its minute and its day. They stand behind a CTE `closed`
 * (service_id, sent_at, refunded), and lock the rows in the order in which {@link countCall} does.
 */
export const UNCOUNT = `
unnoted AS (
  UPDATE strandline.call_minutes m
  SET sent_at = m.sent_at[:array_position(m.sent_at, closed.sent_at) - 1] || m.sent_at[array_position(m.sent_at, closed.sent_at) + 1:]
  FROM closed WHERE closed.refunded AND m.service_id = closed.service_id AND closed.sent_at = ANY (m.sent_at)
  RETURNING m.service_id
), uncounted AS (
  UPDATE strandline.call_days d SET calls = d.calls - 1 FROM closed LEFT JOIN unnoted USING (service_id)
  WHERE closed.refunded AND d.service_id = closed.service_id AND d.day = (closed.sent_at AT TIME ZONE 'UTC')::date
)`;

/**
 * Adds the row that {@link countCall} locks. It is committed by itself: a row that the same statement inserted could not
 * be seen by those who wait for it.
 */
export async function addMinuteRow(db: { pool: Pool }, serviceId: Id): Promise<void> {
  await db.pool.query(
    `INSERT INTO strandline.call_minutes (service_id, sent_at) VALUES ($1, '{}') ON CONFLICT DO NOTHING`,
    [serviceId],
  );
}

/** How many more calls are allowed just now; infinite where there is no limit. */
export type CallRoom = { minute: number; day: number };

/**
 * What both limits leave to each of some services, which may be named more than once. Only {@link countCall} decides; this is for whoever plans ahead.
 * @returns by the id of the service
 */
export async function callRoom(
  db: Pick<Pool | Transaction, 'query'>,
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
    greatest($3 - (SELECT count(*) FROM unnest(m.sent_at) t WHERE t > moment.now - ${WINDOW})::int, 0) END AS minute
FROM unnest($1::bigint[], $2::int[]) AS s (id, per_day) CROSS JOIN (SELECT ${timeOf('$4')} AS now) moment
LEFT JOIN strandline.call_minutes m ON m.service_id = s.id
LEFT JOIN strandline.call_days d ON d.service_id = s.id AND d.day = (moment.now AT TIME ZONE 'UTC')::date`,
    values: [
      [...distinct.keys()],
      [...distinct.values()].map((kind) => callsPerDayOf(config, kind)),
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
