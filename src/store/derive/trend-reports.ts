/** What is reported of searches over time, once, in the batch that derives it: spikes, changes of the state, and names in answers. */
import type { nameChangesView, spikesView, trendStatesView } from '../schema/analytics-views.ts';
import { type Id, type Transaction, writeRows } from '../db/database.ts';
import { execute, rowsOf, statement, verbatim } from '../db/statement.ts';
import { insertGrowth, type NewGrowth } from './growth-reports.ts';
import { LOCK_FEED } from '../save/save-sql.ts';
import type { SpikeMeasure } from '../../model/closed-lists.ts';

/** A spike as stored, with all inputs of its detection; see `strandline_analytics.spikes` for units. */
export type NewSpike = Omit<
  typeof spikesView.$inferSelect,
  'id' | 'search' | 'topic' | 'ratio' | 'reason_author_username'
>;

/** A change of the state of a search; see `strandline_analytics.trend_states` for units. */
export type NewTrendState = Omit<typeof trendStatesView.$inferSelect, 'id' | 'search' | 'topic' | 'until'>;

/** A name that entered answers or left them; see `strandline_analytics.name_changes`. */
export type NewNameChange = Omit<typeof nameChangesView.$inferSelect, 'id' | 'search' | 'topic' | 'service'>;

/** A spike that was reported: when its window ended, and what alone explains it. */
type EarlierSpike = Pick<NewSpike, 'window_end' | 'only_by'>;

/** The spikes of a search and measure whose windows ended after `since`. */
export function readSpikesSince(
  tx: Transaction,
  searchId: Id,
  measure: SpikeMeasure,
  since: Date,
): Promise<EarlierSpike[]> {
  return rowsOf<EarlierSpike>(
    tx,
    statement`SELECT window_end, only_by FROM strandline.spikes
      WHERE search_id = ${searchId} AND measure = ${measure} AND window_end > ${since} ORDER BY window_end`,
    'spikes_since',
  );
}

/** A search whose state may have changed at a run. */
export type StateCandidate = {
  search_id: Id;
  run_id: Id;
  tz: string;
  observed_until: Date;
  /** When the current request was introduced; null if it never changed. */
  changed_at: Date | null;
  /** Whether this is the first run since a day (UTC) has ended. */
  is_day_over: boolean;
};

/**
 * Those of the runs at which a day has ended, a silence may have begun (no time of day is more than four times as busy as the mean), or
 * posts came after a silence.
 * @param runs one per search; `oldest`: when the first response of its search in the batch was received
 * @param limits evidence of a silence and its hours, posts that end it, how many days back posts are found, and a silence is compared
 */
export function readStateCandidates(
  tx: Transaction,
  runs: readonly { run_id: Id; oldest: Date }[],
  limits: {
    evidence: number;
    hours: number;
    returnPosts: number;
    historyDays: number;
    comparedDays: number;
  },
): Promise<StateCandidate[]> {
  return rowsOf<StateCandidate>(
    tx,
    statement`SELECT x.search_id, x.run_id, x.tz, x.observed_until, x.changed_at, x.is_day_over FROM (
        SELECT c.search_id, c.run_id, v.tz, c.observed_until, CASE WHEN c.request_version > 1 THEN q.created_at END AS changed_at,
          coalesce((SELECT max(observed_until) FROM strandline.coverage WHERE search_id = c.search_id AND observed_until < u.oldest)
            < date_trunc('day', c.observed_until, 'UTC'), true) AS is_day_over,
          (SELECT state FROM strandline.trend_states WHERE search_id = c.search_id ORDER BY id DESC LIMIT 1) AS state,
          (SELECT since FROM strandline.trend_states WHERE search_id = c.search_id ORDER BY id DESC LIMIT 1) AS since,
          (SELECT bucket_at FROM strandline.volume WHERE search_id = c.search_id AND exposed_posts > 0
            AND bucket_at >= c.observed_until - ${limits.historyDays} * interval '1 day' ORDER BY bucket_at DESC LIMIT 1) AS last_post_at
        FROM unnest(${runs.map(({ run_id }) => run_id)}::bigint[], ${runs.map(({ oldest }) => oldest)}::timestamptz[]) u(run_id, oldest)
        JOIN strandline.coverage c ON c.run_id = u.run_id
        JOIN strandline.runs r ON r.id = c.run_id
        JOIN strandline.searches s ON s.id = c.search_id
        JOIN strandline.search_versions v ON v.search_id = c.search_id AND v.version = r.version
        JOIN strandline.search_versions q ON q.search_id = c.search_id AND q.version = c.request_version
        WHERE s.sensitivity <> 'off'
      ) x
      WHERE x.is_day_over OR CASE WHEN x.state = 'silent'
        THEN x.last_post_at >= x.since AND ${limits.returnPosts} <= (SELECT sum(exposed_posts) FROM strandline.volume WHERE search_id = x.search_id AND bucket_at >= x.since)
        ELSE x.observed_until - x.last_post_at >= ${limits.hours} * interval '1 hour' AND ${limits.evidence} <= (
          SELECT 4.0 * sum(exposed_posts) / nullif(sum(exposure_ms), 0) FROM strandline.search_days
          WHERE search_id = x.search_id AND day_at >= x.observed_until - ${limits.comparedDays} * interval '1 day'
        ) * extract(epoch FROM x.observed_until - x.last_post_at) * 1000 END
      ORDER BY x.search_id`,
    'state_candidates',
  );
}

/** The states that a search was reported in after a time, and the one before, oldest first. */
export function readReportedStates(tx: Transaction, searchId: Id, since: Date): Promise<NewTrendState[]> {
  return rowsOf<NewTrendState>(
    tx,
    statement`SELECT * FROM strandline.trend_states WHERE search_id = ${searchId}
        AND id >= coalesce((SELECT max(id) FROM strandline.trend_states WHERE search_id = ${searchId} AND at <= ${since}), 0)
      ORDER BY id`,
    'reported_states',
  );
}

/** Runs at the end of the batch, because the feed is locked until the commit. */
export async function insertReports(
  tx: Transaction,
  {
    spikes,
    states,
    names,
    growth,
  }: {
    spikes: readonly NewSpike[];
    states: readonly NewTrendState[];
    names: readonly NewNameChange[];
    growth: readonly NewGrowth[];
  },
): Promise<void> {
  if (spikes.length + states.length + names.length + growth.length > 0) await tx.query(LOCK_FEED);
  await insertRows(tx, 'spikes', 'measure, window_start, only_by', 'spike', spikes);
  await insertRows(tx, 'trend_states', 'state, since', 'trend', states);
  await insertRows(tx, 'name_changes', 'name_id, run_id', 'name', names);
  await insertGrowth(tx, growth);
}

/** Inserts rows of a table with their discoveries. */
async function insertRows(
  tx: Transaction,
  table: string,
  key: string,
  kind: string,
  rows: readonly (NewSpike | NewTrendState | NewNameChange)[],
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const into = verbatim(`strandline.${table}`);
  const columns = verbatim(Object.keys(first).join(', '));
  const unique = verbatim(key);
  await execute(
    tx,
    statement`WITH fresh AS (
        INSERT INTO ${into} (${columns})
        SELECT ${columns} FROM json_populate_recordset(NULL::${into}, ${writeRows(rows)}::json) ORDER BY search_id, ${unique}
        ON CONFLICT (search_id, ${unique}) DO NOTHING
        RETURNING id, search_id, run_id, at
      )
      INSERT INTO strandline.discoveries (search_id, run_id, at, baseline, kind, thing)
      SELECT search_id, run_id, at, false, ${kind}, id FROM fresh ORDER BY id`,
  );
}
