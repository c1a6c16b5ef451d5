import type { Database } from '../database.ts';

/** How it stands at this moment. */
export type Figures = {
  /** Those that are not removed, by state. */
  searches: Record<string, number>;
  /** Active searches whose slot is past, and how long the first of them is: seconds. */
  overdue: number;
  overdue_seconds: number;
  open_runs: Record<'queued' | 'running', number>;
  open_deliveries: Record<'gathering' | 'pending' | 'dead', number>;
  workers: number;
  /** Of the worker whose clock is furthest from the database's, as an absolute number. */
  skew_seconds: number;
  /** Since the last scan began, by the database's clock. */
  scan_age_seconds: number;
};

/** $1 now, $2 since when a worker that lives gave a sign. Each part is answered by a partial index or a short table. */
const FIGURES = `
SELECT s.searches, s.overdue, s.overdue_seconds, r.open_runs, d.open_deliveries, w.workers, w.skew_seconds,
  (SELECT extract(epoch FROM clock_timestamp() - scanned_at)::float8 FROM strandline.scanner) AS scan_age_seconds
FROM (
  SELECT json_build_object(
      'active', count(*) FILTER (WHERE state = 'active'), 'paused', count(*) FILTER (WHERE state = 'paused'),
      'broken', count(*) FILTER (WHERE state = 'broken'), 'capped', count(*) FILTER (WHERE state = 'capped')) AS searches,
    count(*) FILTER (WHERE due)::int AS overdue,
    coalesce(extract(epoch FROM $1::timestamptz - min(next_due_at) FILTER (WHERE due)), 0)::float8 AS overdue_seconds
  FROM (SELECT state, next_due_at, state IN ('active', 'capped') AND next_due_at <= $1::timestamptz AS due
        FROM strandline.searches WHERE archived_at IS NULL) kept
) s, (
  SELECT json_build_object('queued', count(*) FILTER (WHERE status = 'queued'),
    'running', count(*) FILTER (WHERE status = 'running')) AS open_runs
  FROM strandline.runs WHERE status IN ('queued', 'running')
) r, (
  SELECT json_build_object('gathering', (SELECT count(*) FROM strandline.deliveries WHERE state IN ('gathering', 'pending') AND state = 'gathering'),
    'pending', (SELECT count(*) FROM strandline.deliveries WHERE state IN ('gathering', 'pending') AND state = 'pending'),
    'dead', (SELECT count(*) FROM strandline.deliveries WHERE state = 'dead')) AS open_deliveries
) d, (
  SELECT count(*)::int AS workers, coalesce(max(abs(skew_ms)), 0)::float8 / 1000 AS skew_seconds
  FROM strandline.workers WHERE seen_at > $2
) w`;

/** In one statement, so that its parts are of one moment. */
export async function readFigures(
  { pool }: Pick<Database, 'pool'>,
  { now, heardSince }: { now: Date; heardSince: Date },
): Promise<Figures> {
  const { rows } = await pool.query<Figures>(FIGURES, [now, heardSince]);
  const [row] = rows;
  if (row === undefined) throw new Error('a count without a row');
  return row;
}
