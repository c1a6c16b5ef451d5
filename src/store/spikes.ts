import type { Id, Transaction } from './database.ts';
import { LOCK_FEED } from './save/save-sql.ts';

export type SpikeMeasure = 'posts' | 'engagement';

/** A spike as stored, with all inputs of its detection; see `strandline_analytics.spikes` for units. */
export type NewSpike = {
  search_id: Id;
  run_id: Id;
  measure: SpikeMeasure;
  window_start: Date;
  window_end: Date;
  n: number;
  lower_bound: boolean;
  coverage: number;
  mean: number;
  sd: number;
  usual: number;
  days: number;
  windows: number;
  weekday_usual: number | null;
  score: number;
  threshold: number;
  sensitivity: string;
  provisional: boolean;
  tz: string;
  sentence: string;
  top_post_id: Id | null;
  top_share: number | null;
  top_author_id: Id | null;
  author_share: number | null;
  at: Date;
};

/** When the windows of a search's spikes of one measure ended, if after `since`. */
export async function readSpikesSince(
  tx: Transaction,
  searchId: Id,
  measure: SpikeMeasure,
  since: Date,
): Promise<Date[]> {
  const { rows } = await tx.query<{ window_end: Date }>({
    name: 'spikes_since',
    text: 'SELECT window_end FROM strandline.spikes WHERE search_id = $1 AND measure = $2 AND window_end > $3 ORDER BY window_end',
    values: [searchId, measure, since],
  });
  return rows.map((row) => row.window_end);
}

/** Spikes and their discoveries. $1 the spikes as JSON. */
const INSERT_SPIKES = `
WITH spike AS (
  INSERT INTO strandline.spikes (search_id, run_id, measure, window_start, window_end, n, lower_bound, coverage, mean, sd,
    usual, days, windows, weekday_usual, score, threshold, sensitivity, provisional, tz, sentence, top_post_id, top_share, top_author_id, author_share, at)
  SELECT search_id, run_id, measure, window_start, window_end, n, lower_bound, coverage, mean, sd,
    usual, days, windows, weekday_usual, score, threshold, sensitivity, provisional, tz, sentence, top_post_id, top_share, top_author_id, author_share, at
  FROM json_to_recordset($1::json) AS r(search_id bigint, run_id bigint, measure text, window_start timestamptz,
    window_end timestamptz, n float8, lower_bound boolean, coverage float8, mean float8, sd float8, usual float8,
    days integer, windows integer, weekday_usual float8, score float8, threshold float8, sensitivity text, provisional boolean, tz text,
    sentence text, top_post_id bigint, top_share float8, top_author_id bigint, author_share float8, at timestamptz)
  ORDER BY search_id, measure
  ON CONFLICT (search_id, measure, window_start) DO NOTHING
  RETURNING id, search_id, run_id, at
)
INSERT INTO strandline.discoveries (search_id, run_id, at, baseline, kind, thing)
SELECT search_id, run_id, at, false, 'spike', id FROM spike ORDER BY id
RETURNING thing AS id`;

/** Runs at the end of the batch, because the feed is locked until the commit. @returns their IDs */
export async function insertSpikes(tx: Transaction, spikes: readonly NewSpike[]): Promise<Id[]> {
  if (spikes.length === 0) return [];
  await tx.query(LOCK_FEED);
  const { rows } = await tx.query<{ id: Id }>(INSERT_SPIKES, [toJsonRows(spikes)]);
  return rows.map(({ id }) => id);
}

function toJsonRows(spikes: readonly NewSpike[]): string {
  return JSON.stringify(spikes, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}
