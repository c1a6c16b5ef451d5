/** State of the installation: server, workers, scans, backlog, upkeep, unread responses and current figures. */

import { ANALYTICS } from '../../model/database-kind.ts';
import { MINUTE } from '../../lib/time.ts';
import { type Id, type Pooled, onlyRow } from '../db/database.ts';
import { rowsOf, statement, timeOf, verbatim } from '../db/statement.ts';
import type { ServiceKind } from '../../model/closed-lists.ts';

/** The connected Postgres: its version as text and as a number (180000 for 18.0). */
export async function readServer(db: Pooled): Promise<{ version: string; number: number }> {
  const { rows } = await db.pool.query<{ version: string; number: number }>(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number`,
  );
  return onlyRow(rows);
}

/** An open transaction: VACUUM cannot remove rows deleted or updated since it began. */
export type OpenTransaction = {
  /** Its role and program, if visible. */
  who: string;
  /** How long it has been open; null if the server hides it. */
  seconds: number | null;
  /** Number of transactions started since. */
  behind: number;
};

/**
 * The oldest open transaction of this database, apart from this one; null if there is none. Excludes those without a
 * user, such as VACUUM, which takes hours on a large table but does not hold back cleanup.
 */
export async function readOldestTransaction({ pool }: Pooled): Promise<OpenTransaction | null> {
  const { rows } = await pool.query<OpenTransaction>(
    `SELECT concat_ws(', ', usename, nullif(application_name, '')) AS who,
       extract(epoch FROM clock_timestamp() - xact_start)::float8 AS seconds,
       greatest(age(backend_xmin), age(backend_xid)) AS behind
     FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND usename IS NOT NULL
       AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)
     ORDER BY behind DESC, seconds DESC NULLS LAST LIMIT 1`,
  );
  return rows[0] ?? null;
}

export type Backlog = {
  /** When the last scan began, and how many seconds ago, by the database's clock. */
  scanned_at: Date;
  scan_age_seconds: number;
  /** Searches with an overdue slot, and since when the first one is. */
  overdue: number;
  overdue_since: Date | null;
  queued: number;
  /** When the oldest queued run was created. */
  queued_since: Date | null;
  /** Runs that the next scan enqueues: new ones, retries and unleased ones. */
  to_offer: number;
  running: number;
  /** Runs with an expired lease. */
  expired: number;
};

const selectBacklog = (now: Date) => statement`
SELECT scan.*, due.*, open.*, (SELECT count(*)::int FROM strandline.runs WHERE offer_at <= ${now}) AS to_offer
FROM (
  SELECT scanned_at, extract(epoch FROM clock_timestamp() - scanned_at)::float8 AS scan_age_seconds FROM strandline.scanner
) scan, (
  SELECT count(*)::int AS overdue, min(at) AS overdue_since FROM (
    SELECT next_due_at AS at FROM strandline.searches
    WHERE next_due_at <= ${now} AND archived_at IS NULL AND state IN ('active', 'capped')
    UNION ALL SELECT due_at FROM strandline.search_pace WHERE due_at <= ${now}
  ) overdue
) due, (
  SELECT count(*) FILTER (WHERE status = 'queued')::int AS queued, min(created_at) FILTER (WHERE status = 'queued') AS queued_since,
    count(*) FILTER (WHERE status = 'running')::int AS running,
    count(*) FILTER (WHERE status = 'running' AND lease_until < clock_timestamp())::int AS expired
  FROM strandline.runs WHERE status IN ('queued', 'running')
) open`;

/** A scan runs at least every three seconds; after this long it counts as missing. */
const MAX_SCAN_AGE_SECONDS = 30;

/** Whether no process scans: no due search is run. */
export function isScanLate({ scan_age_seconds: age }: Pick<Backlog, 'scan_age_seconds'>): boolean {
  return age > MAX_SCAN_AGE_SECONDS;
}

/** Due work that has not started; the next scan does it. */
export async function readBacklog({ pool }: Pooled, now: Date): Promise<Backlog> {
  return onlyRow(await rowsOf<Backlog>(pool, selectBacklog(now)), 'the scanner has no row');
}

type CallDay = {
  /** UTC day, such as `2026-11-21`. */
  day: string;
  service: string;
  kind: ServiceKind;
  /** Calls sent or possibly sent: what the daily limit counts. */
  calls: number;
};

/** Calls per service and UTC day since then, newest day first. */
export async function readCallDays({ pool }: Pooled, since: Date): Promise<CallDay[]> {
  return rowsOf<CallDay>(
    pool,
    statement`SELECT to_char(d.day, 'YYYY-MM-DD') AS day, s.name AS service, s.kind, d.calls
      FROM strandline.call_days d JOIN strandline.services s ON s.id = d.service_id
      WHERE d.day >= (${since}::timestamptz AT TIME ZONE 'UTC')::date
      ORDER BY d.day DESC, s.name LIMIT 1000`,
  );
}

/** State of the schema and of retention. */
type Upkeep = {
  /** Number of applied migrations. */
  migrations: number;
  /** When retention last completed; null if never. */
  retained_at: Date | null;
};

export async function readUpkeep({ pool }: Pooled): Promise<Upkeep> {
  const { rows } = await pool.query<Upkeep>(
    `SELECT (SELECT count(*)::int FROM strandline.migrations) AS migrations,
            (SELECT at FROM strandline.facts WHERE name = 'retention') AS retained_at`,
  );
  return onlyRow(rows);
}

/** A response is read right after it is stored; after this long it needs attention. */
const READ_WITHIN_MS = MINUTE;

/** Paid responses whose results are not saved yet. */
export type UnreadResponses = {
  /** Responses stored in the database, including responses of current runs. */
  stored: number;
  /** On disks of live workers, not yet in the database. */
  spooled: number;
  /** Stored responses that have been unread for more than a minute. */
  late: number;
  /** When the oldest stored one was received, how many seconds ago, and its run; null if none is unread. */
  oldest_at: Date | null;
  oldest_seconds: number | null;
  oldest_run_id: Id | null;
};

const selectUnread = ({ statementTime, heardSince }: UnreadTimes) => statement`
SELECT u.stored, w.spooled, u.late, o.received_at AS oldest_at, o.run_id AS oldest_run_id,
  extract(epoch FROM n.now - o.received_at)::float8 AS oldest_seconds
FROM (SELECT ${timeOf(statementTime)} AS now) n
CROSS JOIN LATERAL (
  SELECT count(*)::int AS stored, (count(*) FILTER (WHERE received_at < n.now - ${READ_WITHIN_MS} * interval '1 ms'))::int AS late
  FROM strandline.responses WHERE read_at IS NULL
) u
CROSS JOIN (SELECT coalesce(sum(spooled), 0)::int AS spooled FROM strandline.workers WHERE seen_at > ${heardSince}) w
LEFT JOIN LATERAL (
  SELECT received_at, run_id FROM strandline.responses WHERE read_at IS NULL ORDER BY received_at, run_id LIMIT 1
) o ON true`;

/** `statementTime`: null for the database's clock; `heardSince`: minimum heartbeat of a live worker. */
type UnreadTimes = { statementTime: Date | null; heardSince: Date };

export async function readUnread({ pool }: Pooled, times: UnreadTimes): Promise<UnreadResponses> {
  return onlyRow(await rowsOf<UnreadResponses>(pool, selectUnread(times), 'read_unread'));
}

/** Current figures: searches, runs and deliveries; workers of the installation. */
export type Figures = {
  /** Searches by state, except removed ones. */
  searches: Record<string, number>;
  /** Active searches with an overdue slot, and how many seconds the first one is overdue. */
  overdue: number;
  overdue_seconds: number;
  open_runs: Record<'queued' | 'running', number>;
  open_deliveries: Record<'gathering' | 'pending' | 'dead', number>;
  workers: number;
  /** The largest absolute clock skew of a worker. */
  skew_seconds: number;
  /** Since the last scan began, by the database's clock. */
  scan_age_seconds: number;
};

type FigureTimes = { now: Date; heardSince: Date };

/** Each part uses a partial index or a small table. */
const selectFigures = ({ now, heardSince }: FigureTimes) => statement`
SELECT s.searches, s.overdue, s.overdue_seconds, r.open_runs, d.open_deliveries, w.workers, w.skew_seconds,
  (SELECT extract(epoch FROM clock_timestamp() - scanned_at)::float8 FROM strandline.scanner) AS scan_age_seconds
FROM (
  SELECT json_build_object(
      'active', count(*) FILTER (WHERE state = 'active'), 'paused', count(*) FILTER (WHERE state = 'paused'),
      'broken', count(*) FILTER (WHERE state = 'broken'), 'capped', count(*) FILTER (WHERE state = 'capped')) AS searches,
    count(*) FILTER (WHERE due)::int AS overdue,
    coalesce(extract(epoch FROM ${now}::timestamptz - min(next_due_at) FILTER (WHERE due)), 0)::float8 AS overdue_seconds
  FROM (SELECT state, at AS next_due_at, state IN ('active', 'capped') AND at <= ${now}::timestamptz AS due
        FROM strandline.searches s LEFT JOIN strandline.search_pace p ON p.search_id = s.id
        CROSS JOIN LATERAL (SELECT coalesce(s.next_due_at, p.due_at) AS at) d WHERE archived_at IS NULL) kept
) s, (
  SELECT json_build_object('queued', count(*) FILTER (WHERE status = 'queued'),
    'running', count(*) FILTER (WHERE status = 'running')) AS open_runs
  FROM strandline.runs WHERE status IN ('queued', 'running')
) r, (
  -- The first condition of both is that of a partial index, which the planner uses only if it is repeated.
  SELECT json_build_object(
    'gathering', (SELECT count(*) FROM ${DELIVERIES} WHERE state IN ('gathering', 'pending') AND state = 'gathering'),
    'pending', (SELECT count(*) FROM ${DELIVERIES} WHERE state IN ('gathering', 'pending') AND state = 'pending'),
    'dead', (SELECT count(*) FROM ${DELIVERIES} WHERE state = 'dead')) AS open_deliveries
) d, (
  SELECT count(*)::int AS workers, coalesce(max(abs(skew_ms)), 0)::float8 / 1000 AS skew_seconds
  FROM strandline.workers WHERE seen_at > ${heardSince}
) w`;

/** One statement, so that the figures are consistent. @param times.heardSince minimum heartbeat of a live worker */
export async function readFigures({ pool }: Pooled, times: FigureTimes): Promise<Figures> {
  return onlyRow(await rowsOf<Figures>(pool, selectFigures(times)));
}
const DELIVERIES = verbatim(`${ANALYTICS}.deliveries`);

/** Requests of a day to the language model, by purpose; a purpose without requests has no row. */
export async function readModelCalls(
  { pool }: Pooled,
  day: Date,
): Promise<
  {
    purpose: string;
    calls: number;
    failed: number;
    calls_with_tokens: number;
    input_tokens: number | null;
    output_tokens: number | null;
  }[]
> {
  return rowsOf(
    pool,
    statement`SELECT purpose, calls::float8 AS calls, failed::float8 AS failed, calls_with_tokens::float8 AS calls_with_tokens,
        input_tokens::float8 AS input_tokens, output_tokens::float8 AS output_tokens
      FROM ${verbatim(ANALYTICS)}.model_calls WHERE day = ${day}`,
  );
}
