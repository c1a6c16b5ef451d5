/** What responses have shown about the rate of searches, due times of adaptive intervals, and the log of their changes. */
import { type Id, type Pooled, writeRows } from '../db/database.ts';
import { execute, rowsOf, statement, timeOf } from '../db/statement.ts';
import type { search_pace, searches } from '../schema/topic-tables.ts';
import type { intervalChangesView } from '../schema/analytics-views.ts';
import type { ServiceKind } from '../../model/closed-lists.ts';
import type { ScheduleColumns } from '../topics/search-states.ts';

/** A row of `search_pace`, with the search and its schedule. The learned members are null until a response was derived. */
export type PaceRow = ScheduleColumns &
  Omit<typeof search_pace.$inferSelect, 'due_at'> &
  Pick<typeof searches.$inferSelect, 'slug' | 'service_id' | 'operation'> & {
    topic: string;
    service_kind: ServiceKind;
    current_request_version: number;
    /** Interval of its newest row in `interval_changes`. */
    recorded_seconds: number | null;
  };

const SELECT_PACES = statement`
  SELECT s.id AS search_id, s.slug, t.slug AS topic, s.service_id, sv.kind AS service_kind, s.operation, v.cron, v.every_seconds, v.auto, v.tz,
    v.request_version AS current_request_version, p.interval_seconds, p.spent_until, p.request_version, p.learned_at,
    (SELECT seconds FROM strandline.interval_changes c WHERE c.search_id = s.id ORDER BY c.id DESC LIMIT 1) AS recorded_seconds,
    p.rate, p.room, p.hour_posts, p.hour_spans, p.seen, p.missed
  FROM strandline.searches s
  JOIN strandline.topics t ON t.id = s.topic_id
  JOIN strandline.services sv ON sv.id = s.service_id
  JOIN strandline.search_versions v ON v.search_id = s.id AND v.version = s.version
  LEFT JOIN strandline.search_pace p ON p.search_id = s.id`;

/** The paces of these searches. */
export async function readPaces({ pool }: Pooled, searchIds: readonly Id[]): Promise<PaceRow[]> {
  return rowsOf<PaceRow>(
    pool,
    statement`${SELECT_PACES} WHERE s.id = ANY (${searchIds}::bigint[])`,
    'read_paces',
  );
}

/** The paces of active searches, of one service or all. */
export async function readActivePaces({ pool }: Pooled, of: { service?: Id }): Promise<PaceRow[]> {
  return rowsOf<PaceRow>(
    pool,
    statement`${SELECT_PACES} WHERE s.state = 'active' AND s.archived_at IS NULL
      AND (${of.service ?? null}::bigint IS NULL OR s.service_id = ${of.service ?? null}) ORDER BY t.slug, s.slug`,
  );
}

/** A learned pace, and the due time that follows from it. */
export type LearnedPace = Pick<
  PaceRow,
  'search_id' | 'interval_seconds' | 'request_version' | 'rate' | 'room' | 'seen' | 'missed'
> & {
  /** When the previous pace was learned: nothing is written if another follower was faster. */
  learned_before: Date | null;
  learned_at: Date;
  hour_posts: readonly number[];
  hour_spans: readonly number[];
  /** Null for a fixed schedule. */
  due_at: Date | null;
  /** Null if the interval stays within a tenth of the recorded one. */
  change: IntervalChange | null;
};

/** A change of an interval; see `strandline_analytics.interval_changes` for units. */
export type IntervalChange = Omit<
  typeof intervalChangesView.$inferSelect,
  'id' | 'search_id' | 'search' | 'topic'
>;

const CHANGE_COLUMNS = statement`at, seconds_before, seconds, reason, per_hour, room, new_items, waited_seconds, calls_per_day`;

/**
 * Writes learned paces and changes of intervals. A slot that has come stays until the scan has recorded it, no slot is set in the
 * past, and a response from before the last slot moves nothing: that slot's own response will. Rows that a scan or an edit holds are
 * left out.
 */
export async function savePaces(
  { pool }: Pooled,
  paces: readonly LearnedPace[],
  now: Date | null,
): Promise<void> {
  if (paces.length === 0) return;
  const rows = writeRows(paces);
  await execute(
    pool,
    statement`INSERT INTO strandline.search_pace (search_id)
      SELECT search_id FROM json_to_recordset(${rows}::json) AS u(search_id bigint)
      WHERE NOT EXISTS (SELECT FROM strandline.search_pace p WHERE p.search_id = u.search_id) ORDER BY 1 ON CONFLICT DO NOTHING`,
    'add_paces',
  );
  await execute(
    pool,
    statement`WITH u AS MATERIALIZED (
        SELECT u.*, ${timeOf(now)} AS now FROM json_to_recordset(${rows}::json) AS u(search_id bigint, due_at timestamptz, interval_seconds float8,
          request_version integer, learned_before timestamptz, learned_at timestamptz, rate float8, room float8,
          hour_posts float8[], hour_spans float8[], seen float8, missed float8, change json)
      ), held AS MATERIALIZED (
        SELECT p.search_id FROM strandline.search_pace p WHERE p.search_id IN (SELECT search_id FROM u) FOR NO KEY UPDATE SKIP LOCKED
      ), saved AS (
        UPDATE strandline.search_pace p SET
          due_at = CASE
            WHEN u.due_at IS NOT NULL AND p.due_at > u.now
              AND NOT EXISTS (SELECT FROM strandline.runs r WHERE r.search_id = p.search_id AND r.slot_at >= u.learned_at)
            THEN greatest(u.due_at, u.now + interval '1 ms') ELSE p.due_at END,
          interval_seconds = u.interval_seconds, request_version = u.request_version, learned_at = u.learned_at,
          rate = u.rate, room = u.room, hour_posts = u.hour_posts, hour_spans = u.hour_spans, seen = u.seen, missed = u.missed
        FROM u JOIN held USING (search_id)
        WHERE p.search_id = u.search_id AND p.learned_at IS NOT DISTINCT FROM u.learned_before
        RETURNING p.search_id, u.change
      )
      INSERT INTO strandline.interval_changes (search_id, ${CHANGE_COLUMNS})
      SELECT saved.search_id, ${CHANGE_COLUMNS}
      FROM saved CROSS JOIN LATERAL json_populate_record(NULL::strandline.interval_changes, saved.change) c
      WHERE saved.change IS NOT NULL ORDER BY 1`,
    'save_paces',
  );
}
