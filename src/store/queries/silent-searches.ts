/** How long active searches have had no successful run. The rule is in `monitor/status/search-silence.ts`. */
import { type RunCode, WAITS_FOR_SOURCE } from '../../model/errors.ts';
import { givenRows } from '../db/batches.ts';
import type { Id, Reads } from '../db/database.ts';
import { rowsOf, statement, verbatim } from '../db/statement.ts';
import type { RunStatus } from '../../model/closed-lists.ts';
import { lastEndedRun } from './run-list.ts';
import type { ScheduleColumns } from '../topics/search-states.ts';

type ScheduleGroup = ScheduleColumns & {
  /** Identifies the group. */
  schedule: string;
  /** Start of the longest period without a successful run among its searches. */
  oldest: Date;
};

/** Schedules are grouped by this. */
const SCHEDULE_SQL = `coalesce(v.cron || ' ' || v.tz, v.every_seconds::text, v.auto)`;

/** Its newest read response, or a later edit, resume or creation, which restarts the count. */
const SILENT_SINCE_SQL = 'greatest(l.at, s.state_since, v.created_at)';

const ACTIVE_SEARCHES_SQL = `
FROM strandline.searches s
JOIN strandline.search_versions v ON v.search_id = s.id AND v.version = s.version
LEFT JOIN strandline.latest_results l ON l.search_id = s.id
WHERE s.archived_at IS NULL AND s.state = 'active'`;

const SELECT_SCHEDULE_GROUPS = `
SELECT ${SCHEDULE_SQL} AS schedule, v.cron, v.every_seconds, v.auto, min(v.tz) AS tz, min(${SILENT_SINCE_SQL}) AS oldest ${ACTIVE_SEARCHES_SQL}
GROUP BY 1, 2, 3, 4`;

/**
 * The schedules of active searches: far fewer than searches, and each is computed once. For 100,000 searches with 720
 * schedules this reads 7,800 buffers in 0.1 s.
 */
export async function readScheduleGroups({ pool }: Reads): Promise<ScheduleGroup[]> {
  const { rows } = await pool.query<ScheduleGroup>({
    name: 'group_by_schedule',
    text: SELECT_SCHEDULE_GROUPS,
  });
  return rows;
}

export type SilentSearch = {
  slug: string;
  topic: string;
  /** Since when there is no successful run; before its first run, when it was created, edited or resumed. */
  since: Date;
  /** When the response of its last successful run was received; null if it never had one. */
  last_success_at: Date | null;
  /** The newest ended run and its outcome; null if there is none. */
  run_id: Id | null;
  run_status: RunStatus | null;
  run_code: RunCode | null;
  run_reason: string | null;
  run_ended_at: Date | null;
};

/**
 * Searches of these schedules that have had no successful run for longer than their limit, except searches that wait for a
 * source.
 * @param most maximum to list, longest first; all are counted
 */
export async function readSilentSearches(
  { pool }: Reads,
  limits: readonly { schedule: string; before: Date }[],
  most: number,
): Promise<{ total: number; searches: SilentSearch[] }> {
  const limitOf = givenRows('c', {
    schedule: ['text', limits.map(({ schedule }) => schedule)],
    before: ['timestamptz', limits.map(({ before }) => before)],
  });
  const rows = await rowsOf<SilentSearch & { total: number }>(
    pool,
    statement`WITH silent AS MATERIALIZED (
        SELECT s.id, s.slug, s.topic_id, ${verbatim(SILENT_SINCE_SQL)} AS since, l.at AS last_success_at ${verbatim(ACTIVE_SEARCHES_SQL)}
          AND ${verbatim(SILENT_SINCE_SQL)} < (SELECT c.before FROM ${limitOf} WHERE c.schedule = ${verbatim(SCHEDULE_SQL)})
          AND NOT EXISTS (
            SELECT FROM strandline.runs w
            WHERE w.search_id = s.id AND w.status IN ('queued', 'running') AND w.reason = ${WAITS_FOR_SOURCE})
      ), named AS MATERIALIZED (
        SELECT * FROM silent ORDER BY since, slug LIMIT ${most}
      )
      SELECT (SELECT count(*)::int FROM silent) AS total, n.slug, t.slug AS topic, n.since, n.last_success_at,
        r.id AS run_id, r.status AS run_status, r.code AS run_code, r.reason AS run_reason, r.ended_at AS run_ended_at
      FROM named n JOIN strandline.topics t ON t.id = n.topic_id
      LEFT JOIN ${lastEndedRun(statement`n.id`)} ON true
      ORDER BY n.since, n.slug`,
    'silent_searches',
  );
  return {
    total: rows[0]?.total ?? 0,
    searches: rows.map((row) => {
      const { total: _, ...search } = row;
      return search;
    }),
  };
}
