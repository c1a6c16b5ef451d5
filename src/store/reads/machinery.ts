/** The state of scheduling and upkeep: the last scan, the backlog, the calls of each day. */
import type { Database } from '../database.ts';
import type { ServiceKind } from '../services.ts';

type Pooled = Pick<Database, 'pool'>;

export type Backlog = {
  /** When the last scan began, and how long ago that is in seconds, by the database's clock. */
  scanned_at: Date;
  scan_age_seconds: number;
  /** Searches whose slot is past, and since when the first of them is. */
  overdue: number;
  overdue_since: Date | null;
  queued: number;
  /** When the oldest queued run was created. */
  queued_since: Date | null;
  /** Runs that the next scan offers to the queue: new ones, retries, and those that nobody claimed. */
  to_offer: number;
  running: number;
  /** Runs whose worker stopped renewing its lease. */
  expired: number;
};

/** $1 now. */
const BACKLOG = `
SELECT scan.*, due.*, open.*, (SELECT count(*)::int FROM strandline.runs WHERE offer_at <= $1) AS to_offer
FROM (
  SELECT scanned_at, extract(epoch FROM clock_timestamp() - scanned_at)::float8 AS scan_age_seconds FROM strandline.scanner
) scan, (
  SELECT count(*)::int AS overdue, min(next_due_at) AS overdue_since FROM strandline.searches
  WHERE next_due_at <= $1 AND archived_at IS NULL AND state IN ('active', 'capped')
) due, (
  SELECT count(*) FILTER (WHERE status = 'queued')::int AS queued, min(created_at) FILTER (WHERE status = 'queued') AS queued_since,
    count(*) FILTER (WHERE status = 'running')::int AS running,
    count(*) FILTER (WHERE status = 'running' AND lease_until < clock_timestamp())::int AS expired
  FROM strandline.runs WHERE status IN ('queued', 'running')
) open`;

/** A scan runs at least every three seconds; one that is older than this is missing. */
const MAX_SCAN_AGE_SECONDS = 30;

/** Whether no process scans: nothing that is due is run. */
export function isScanLate({ scan_age_seconds: age }: Pick<Backlog, 'scan_age_seconds'>): boolean {
  return age > MAX_SCAN_AGE_SECONDS;
}

/** What is due and has not happened yet; the next scan does it. */
export async function readBacklog({ pool }: Pooled, now: Date): Promise<Backlog> {
  const { rows } = await pool.query<Backlog>(BACKLOG, [now]);
  const [row] = rows;
  if (row === undefined) throw new Error('the scanner has no row');
  return row;
}

export type CallDay = {
  /** Whole UTC day, as `2026-11-21`. */
  day: string;
  service: string;
  kind: ServiceKind;
  /** Calls made or possibly made: what the limit of a day is decided on. */
  calls: number;
};

/** Calls per service and UTC day since then, the newest day first. */
export async function readCallDays({ pool }: Pooled, since: Date): Promise<CallDay[]> {
  const { rows } = await pool.query<CallDay>(
    `SELECT to_char(d.day, 'YYYY-MM-DD') AS day, s.name AS service, s.kind, d.calls
     FROM strandline.call_days d JOIN strandline.services s ON s.id = d.service_id
     WHERE d.day >= ($1::timestamptz AT TIME ZONE 'UTC')::date ORDER BY d.day DESC, s.name LIMIT 1000`,
    [since],
  );
  return rows;
}

/** What keeps the schema and its size. */
export type Upkeep = {
  /** Migrations that were applied. */
  migrations: number;
  /** When retention was last done to the end; null where it never was. */
  retained_at: Date | null;
};

export async function readUpkeep({ pool }: Pooled): Promise<Upkeep> {
  const { rows } = await pool.query<Upkeep>(
    `SELECT (SELECT count(*)::int FROM strandline.migrations) AS migrations,
            (SELECT at FROM strandline.facts WHERE name = 'retention') AS retained_at`,
  );
  return rows[0] ?? { migrations: 0, retained_at: null };
}

/** How many posts and links can be searched by their words. */
export async function readArchiveSize({ pool }: Pooled): Promise<number> {
  const { rows } = await pool.query<{ documents: number }>(
    'SELECT coalesce(sum(documents), 0)::float8 AS documents FROM strandline.archive_corpora',
  );
  return rows[0]?.documents ?? 0;
}
