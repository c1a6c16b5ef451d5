/**
 * Runs of a simulated past, many at once: their rows, calls and responses are written as they are when a run has succeeded at its
 * first attempt, and their results by the statements of every save. Nobody else runs these searches meanwhile.
 */
import {
  type Database,
  type Id,
  inTransaction,
  KEEP_PLANS,
  type Transaction,
  writeRows,
} from '../db/database.ts';
import { givenRows } from '../db/batches.ts';
import { rowsOf, statement } from '../db/statement.ts';
import { ensurePartitions } from '../maintenance/partitions.ts';
import type { EncodedBody } from '../runs/responses.ts';
import type { Outcome, ResponseToSave } from './outcome.ts';
import { type Diff, saveResponses } from './save-responses.ts';

/** A run that succeeded in the past. It was due, called, received and saved at one time, `observedAt`. */
export type PastRun = Omit<ResponseToSave, 'runId'> & {
  version: number;
  requestVersion: number;
  trigger: 'schedule' | 'first';
  worker: string;
  contentType: string;
  body: EncodedBody;
  latencyMs: number;
};

/** @param runs in the order of their times @returns their diffs */
export async function savePastRuns(db: Database, runs: readonly PastRun[]): Promise<Diff[]> {
  for (const { observedAt } of runs) await ensurePartitions(db, observedAt);
  return inTransaction(db, async (tx, last) => {
    last(tx.query(KEEP_PLANS));
    const outcomes = await insertRuns(tx, runs);
    const won = runs.flatMap((run, i) => {
      const outcome = outcomes[i];
      return outcome === undefined ? [] : [{ ...run, runId: outcome.id, outcome }];
    });
    return saveResponses(tx, won, last, { isOnlyWriter: true });
  });
}

/** @returns what they are to the save, in their order */
async function insertRuns(tx: Transaction, runs: readonly PastRun[]): Promise<(Outcome & { id: Id })[]> {
  let end = 1; // SQL counts bytes from 1
  const places = runs.map(({ body }) => {
    const at = end;
    end += body.gzipped.byteLength;
    return at;
  });
  const given = givenRows('u', {
    n: ['int', runs.map((_, i) => i + 1)],
    search_id: ['bigint', runs.map(({ searchId }) => searchId)],
    service_id: ['bigint', runs.map(({ serviceId }) => serviceId)],
    version: ['int', runs.map(({ version }) => version)],
    request_version: ['int', runs.map(({ requestVersion }) => requestVersion)],
    trigger: ['text', runs.map(({ trigger }) => trigger)],
    at: ['timestamptz', runs.map(({ observedAt }) => observedAt)],
    worker: ['text', runs.map(({ worker }) => worker)],
    items_seen: ['int', runs.map(({ findings }) => findings.itemsSeen)],
    rejected: ['int', runs.map(({ findings }) => findings.rejects.length)],
    content_type: ['text', runs.map(({ contentType }) => contentType)],
    sha256: ['bytea', runs.map(({ body }) => body.sha256)],
    place: ['int', places],
    length: ['int', runs.map(({ body }) => body.gzipped.byteLength)],
    bytes: ['int', runs.map(({ body }) => body.bytes)],
    latency_ms: ['int', runs.map(({ latencyMs }) => latencyMs)],
  });
  const bodies = Buffer.concat(runs.map(({ body }) => body.gzipped));
  const rejects = writeRows(
    runs.flatMap(({ findings }, i) => findings.rejects.map((reject) => ({ n: i + 1, ...reject }))),
  );
  return rowsOf<Outcome & { id: Id }>(
    tx,
    statement`WITH asked AS MATERIALIZED (
        SELECT *, row_number() OVER (PARTITION BY search_id, request_version ORDER BY n) = 1 AND NOT EXISTS (
          SELECT FROM strandline.runs b WHERE b.search_id = u.search_id AND b.request_version = u.request_version
            AND b.status = 'succeeded') AS baseline
        FROM ${given}
      ), ran AS (
        INSERT INTO strandline.runs (search_id, version, request_version, slot_at, trigger, status, fence, worker, created_at,
          started_at, ended_at, baseline, items_seen, items_new, rejected)
        SELECT search_id, version, request_version, CASE WHEN trigger = 'schedule' THEN at END, trigger, 'succeeded', 1, worker, at,
          at, at, baseline, items_seen, 0, rejected
        FROM asked ORDER BY n RETURNING id
      ), done AS MATERIALIZED (
        SELECT r.id, a.* FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM ran) r JOIN asked a USING (n)
      ), called AS (
        INSERT INTO strandline.calls (run_id, n, service_id, fence, state, http_status, bytes, latency_ms, sent_at, received_at)
        SELECT id, 1, service_id, 1, 'received', 200, bytes, latency_ms, at, at FROM done
      ), days AS (
        INSERT INTO strandline.call_days AS d (service_id, day, calls)
        SELECT service_id, (at AT TIME ZONE 'UTC')::date, count(*) FROM done GROUP BY 1, 2 ORDER BY 1, 2
        ON CONFLICT (service_id, day) DO UPDATE SET calls = d.calls + excluded.calls
      ), responded AS (
        INSERT INTO strandline.responses (run_id, n, http_status, content_type, body, sha256, bytes, received_at, read_at)
        SELECT id, 1, 200, content_type, substring(${bodies}::bytea FROM place FOR length), sha256, bytes, at, at FROM done
      ), rejected AS (
        INSERT INTO strandline.rejects (run_id, path, code, sample)
        SELECT done.id, j.path, j.code, j.sample
        FROM json_to_recordset(${rejects}::json) j(n int, path text, code text, sample text) JOIN done USING (n)
      )
      SELECT id, baseline, 0 AS "itemsNewBefore", at, true AS "isResult", false AS "isOlder",
        strandline.any_forgotten() AS "anyForgotten"
      FROM done ORDER BY n`,
    'insert_past_runs',
  );
}
