import { QUARTER_MS } from '../../lib/time.ts';
import type { Id, Pooled, Transaction } from '../db/database.ts';
import { rowsOf, statement, verbatim } from '../db/statement.ts';
import type { Sensitivity } from '../../model/closed-lists.ts';

/** Inputs of a search's alerts at a run. */
export type WatchedSearch = {
  run_id: Id;
  sensitivity: Sensitivity;
  tz: string;
  every_seconds: number;
  observed_until: Date;
  /** When the current request was introduced; null if it never changed. */
  since: Date | null;
  /** Posts since a time, and gains since then. */
  recent: number;
  gained: number;
};

/** For runs with coverage whose searches have alerts. @param recentFrom for each run */
export async function readWatched(
  tx: Transaction,
  runIds: readonly Id[],
  recentFrom: readonly Date[],
): Promise<Map<Id, WatchedSearch>> {
  const rows = await rowsOf<WatchedSearch>(
    tx,
    statement`SELECT c.run_id, s.sensitivity, v.tz, c.every_seconds, c.observed_until,
        CASE WHEN c.request_version > 1 THEN q.created_at END AS since,
        (SELECT coalesce(sum(posts), 0)::float8 FROM strandline.volume WHERE search_id = c.search_id AND bucket_at >= u.recent_from) AS recent,
        (SELECT coalesce(sum(gained), 0)::float8 FROM strandline.coverage WHERE search_id = c.search_id AND observed_until > u.recent_from) AS gained
      FROM unnest(${runIds}::bigint[], ${recentFrom}::timestamptz[]) u(run_id, recent_from)
      JOIN strandline.coverage c ON c.run_id = u.run_id
      JOIN strandline.runs r ON r.id = c.run_id
      JOIN strandline.searches s ON s.id = c.search_id
      JOIN strandline.search_versions v ON v.search_id = c.search_id AND v.version = r.version
      JOIN strandline.search_versions q ON q.search_id = c.search_id AND q.version = c.request_version
      WHERE s.sensitivity <> 'off'`,
    'watched',
  );
  return new Map(rows.map((row) => [row.run_id, row]));
}

/** Contiguous quarter-hours from `from` (ms since 1970): those without a row were not observed. */
type VolumeHistory = { from: number; counts: Float64Array; seconds: Float64Array };

/** As text instead of rows: six weeks are 4,032 quarter-hours, read at every run. */
const HISTORY_COLUMNS =
  verbatim(`string_agg((date_part('epoch', bucket_at)::bigint / 900)::text, ',') AS quarters,
  string_agg(exposed_posts::text, ',') AS posts, string_agg(exposure_ms::text, ',') AS exposure`);

/** The volume of a search in a range, of the observed time only (ms since 1970, both whole quarter-hours). */
export async function readVolumeHistory(
  tx: Transaction,
  searchId: Id,
  from: number,
  until: number,
): Promise<VolumeHistory> {
  const [row] = await rowsOf<HistoryRow>(
    tx,
    statement`SELECT ${HISTORY_COLUMNS} FROM strandline.volume
      WHERE search_id = ${searchId} AND bucket_at >= ${new Date(from)} AND bucket_at < ${new Date(until)}`,
    'volume_history',
  );
  return parseHistory(row, from, until);
}

type HistoryRow = { quarters: string | null; posts: string; exposure: string };

function parseHistory(row: HistoryRow | undefined, from: number, until: number): VolumeHistory {
  const length = Math.max(0, Math.round((until - from) / QUARTER_MS));
  const history = { from, counts: new Float64Array(length), seconds: new Float64Array(length) };
  if (row === undefined || row.quarters === null) return history;
  const posts = row.posts.split(',');
  const exposure = row.exposure.split(',');
  const first = from / QUARTER_MS;
  for (const [i, quarter] of row.quarters.split(',').entries()) {
    const at = Number(quarter) - first;
    history.counts[at] = Number(posts[i]);
    history.seconds[at] = Number(exposure[i]) / 1_000;
  }
  return history;
}

/** Of a search and its current request. */
export type CurrentHistory = VolumeHistory & {
  /** Interval at the newest response, and when that was received (ms since 1970). */
  everySeconds: number;
  observedUntil: number;
};

/**
 * Like {@link readVolumeHistory}, for searches with any volume in the range, each with its current request: a change of the request
 * starts a new baseline with the next quarter-hour, as it does for spikes.
 */
export async function readCurrentHistories(
  { pool }: Pooled,
  searchIds: readonly Id[],
  from: number,
  until: number,
): Promise<Map<Id, CurrentHistory>> {
  const rows = await rowsOf<HistoryRow & { search_id: Id; every_seconds: number; observed_until: Date }>(
    pool,
    statement`SELECT s.id AS search_id, c.every_seconds, c.observed_until, ${HISTORY_COLUMNS}
      FROM strandline.searches s
      JOIN strandline.search_versions v ON v.search_id = s.id AND v.version = s.version
      JOIN strandline.search_versions q ON q.search_id = s.id AND q.version = v.request_version
      JOIN strandline.volume o ON o.search_id = s.id AND o.bucket_at >= ${new Date(from)} AND o.bucket_at < ${new Date(until)}
        AND (q.version = 1 OR o.bucket_at > q.created_at)
      JOIN LATERAL (
        SELECT every_seconds, observed_until FROM strandline.coverage WHERE search_id = s.id ORDER BY observed_until DESC LIMIT 1
      ) c ON true
      WHERE s.id = ANY (${searchIds}::bigint[]) GROUP BY s.id, c.every_seconds, c.observed_until`,
    'current_histories',
  );
  return new Map(
    rows.map((row) => [
      row.search_id,
      {
        ...parseHistory(row, from, until),
        everySeconds: row.every_seconds,
        observedUntil: row.observed_until.getTime(),
      },
    ]),
  );
}
