import type { Id, Transaction } from '../database.ts';
import { clearClaims } from './claims.ts';
import type { SaveInput } from './save.ts';

export type Outcome = {
  baseline: boolean;
  itemsNewBefore: number;
  /** Somebody was forgotten on request: what is saved must be looked through for them. */
  anyForgotten: boolean;
};

/**
 * Success itself, the first statement of the save: it holds only for the claim with the highest fence.
 * A worker that was stopped and wakes up late finds no row here and changes nothing. The first succeeded
 * run of a request version is its baseline, even when it found nothing.
 */
const WIN = `
WITH won AS (
  UPDATE strandline.runs r
  SET status = 'succeeded', ended_at = $3, lease_until = NULL, claims = 0, not_before = NULL, reason = NULL,
    items_seen = $4, items_new = 0, rejected = $5,
    baseline = NOT EXISTS (SELECT FROM strandline.runs b WHERE b.search_id = r.search_id
      AND b.request_version = r.request_version AND b.status = 'succeeded' AND b.id <> r.id)
  WHERE r.id = $1 AND r.fence = $2 AND r.status = 'running'
  RETURNING r.id, r.baseline
), told AS (
  INSERT INTO strandline.rejects (run_id, path, code, sample)
  SELECT won.id, j.path, j.code, j.sample
  FROM won, json_to_recordset($6::json) AS j(path text, code text, sample text)
)
SELECT baseline, 0 AS before, strandline.any_forgotten() AS forgotten FROM won`;

/**
 * The same for an answer that is read again: a failed run may become a succeeded one. What it saw before the
 * baseline did, or at it, is no news: it is a baseline too. Therefore nothing has to be locked against WIN:
 * when neither sees the other, both are the baseline, as if this one had come after it.
 */
const WIN_AGAIN = `
WITH won AS (
  UPDATE strandline.runs r
  SET status = 'succeeded', code = NULL, reason = NULL, items_seen = $2, rejected = $3, items_new = coalesce(r.items_new, 0),
    baseline = coalesce(r.ended_at <= (SELECT max(b.ended_at) FROM strandline.runs b WHERE b.search_id = r.search_id
      AND b.request_version = r.request_version AND b.baseline), true)
  WHERE r.id = $1 AND r.status IN ('succeeded', 'failed')
  RETURNING r.id, r.baseline, r.items_new
), cleared AS (
  DELETE FROM strandline.rejects WHERE run_id = (SELECT id FROM won)
), told AS (
  INSERT INTO strandline.rejects (run_id, path, code, sample)
  SELECT won.id, j.path, j.code, j.sample
  FROM won, json_to_recordset($4::json) AS j(path text, code text, sample text)
)
SELECT baseline, items_new AS before, strandline.any_forgotten() AS forgotten FROM won`;

/** @returns `null` when this claim no longer holds the run */
export async function winRun(tx: Transaction, input: SaveInput): Promise<Outcome | null> {
  const { findings } = input;
  const { rows } = await tx.query<Row>({
    name: 'win_run',
    text: WIN,
    values: [
      input.runId,
      input.fence,
      input.endedAt,
      findings.itemsSeen,
      findings.rejects.length,
      JSON.stringify(findings.rejects),
    ],
  });
  return outcome(rows[0]);
}

/** @returns `null` when the run has not ended with an answer */
export async function winAgain(tx: Transaction, input: Omit<SaveInput, 'fence'>): Promise<Outcome | null> {
  const { findings } = input;
  const { rows } = await tx.query<Row>(WIN_AGAIN, [
    input.runId,
    findings.itemsSeen,
    findings.rejects.length,
    JSON.stringify(findings.rejects),
  ]);
  return outcome(rows[0]);
}

/** Takes away what the former reading wrote under this run's own key; sightings and discoveries stay for ever. */
export async function clearReading(tx: Transaction, runId: Id): Promise<void> {
  await tx.query(
    `DELETE FROM strandline.key_items WHERE completion_id IN (SELECT id FROM strandline.completions WHERE run_id = $1)`,
    [runId],
  );
  await clearClaims(tx, runId);
}

type Row = { baseline: boolean; before: number; forgotten: boolean };

function outcome(row: Row | undefined): Outcome | null {
  if (row === undefined) return null;
  return { baseline: row.baseline, itemsNewBefore: row.before, anyForgotten: row.forgotten };
}
