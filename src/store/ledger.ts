import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { createHash } from 'node:crypto';
import { callsPerDayOf, type Config } from '../config.ts';
import type { RunCode } from '../errors.ts';
import type { Database, Id, Transaction } from './database.ts';
import type { ServiceKind } from './services.ts';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/**
 * Writes the ledger row of a call, and commits it, before the call is made. Both limits are decided in
 * this one statement: the day's row is locked while it is compared and counted, and the run's number is
 * its primary key. No row of a day is counted up unless the call's row can be written too.
 */
const OPEN = `
WITH mine AS (
  SELECT coalesce(max(n), 0) + 1 AS n FROM strandline.calls WHERE run_id = $1 HAVING count(*) < $4
), day AS (
  INSERT INTO strandline.call_days AS d (service_id, day, calls)
  SELECT $2, ($5::timestamptz AT TIME ZONE 'UTC')::date, 1 FROM mine WHERE $6::int IS NULL OR $6::int > 0
  ON CONFLICT (service_id, day) DO UPDATE SET calls = d.calls + 1 WHERE $6::int IS NULL OR d.calls < $6::int
  RETURNING calls
), opened AS (
  INSERT INTO strandline.calls (run_id, n, service_id, fence, state, sent_at)
  SELECT $1, mine.n, $2, $3, 'sent', $5 FROM mine, day
  WHERE EXISTS (SELECT FROM strandline.runs WHERE id = $1 AND fence = $3 AND status = 'running')
  RETURNING n
)
SELECT (SELECT n FROM mine) AS next, (SELECT calls FROM day) AS calls_today, (SELECT n FROM opened) AS n`;

export type OpenedCall =
  | { kind: 'opened'; n: number }
  | { kind: 'run_cap' }
  | { kind: 'day_cap' }
  | { kind: 'lost' };

/** @param input.callsPerDay most calls per UTC day to this service; `null`: no limit */
export async function openCall(
  db: Database,
  input: {
    runId: Id;
    fence: number;
    serviceId: Id;
    maxCallsPerRun: number;
    callsPerDay: number | null;
    now: Date;
  },
): Promise<OpenedCall> {
  const { rows } = await db.pool.query<{ next: number | null; calls_today: number | null; n: number | null }>(
    {
      name: 'open_call',
      text: OPEN,
      values: [input.runId, input.serviceId, input.fence, input.maxCallsPerRun, input.now, input.callsPerDay],
    },
  );
  const row = rows[0];
  if (row === undefined || row.next === null) return { kind: 'run_cap' };
  if (row.calls_today === null) return { kind: 'day_cap' };
  if (row.n !== null) return { kind: 'opened', n: row.n };
  // The day was counted but the run is no longer ours: give the count back. Dying here counts one too many, never one too few.
  await db.pool.query(
    `UPDATE strandline.call_days SET calls = calls - 1 WHERE service_id = $1 AND day = ($2::timestamptz AT TIME ZONE 'UTC')::date`,
    [input.serviceId, input.now],
  );
  return { kind: 'lost' };
}

/** Calls that a search's service may still get on this UTC day; infinite where there is no limit. */
export async function callsLeftToday(
  tx: Transaction,
  search: { service_id: Id; service_kind: ServiceKind },
  config: Pick<Config, 'callsPerDay'>,
  now: Date,
): Promise<number> {
  const limit = callsPerDayOf(config, search.service_kind);
  if (limit === null) return Number.POSITIVE_INFINITY;
  const { rows } = await tx.query<{ calls: number }>(
    `SELECT calls FROM strandline.call_days WHERE service_id = $1 AND day = ($2::timestamptz AT TIME ZONE 'UTC')::date`,
    [search.service_id, now],
  );
  return limit - (rows[0]?.calls ?? 0);
}

/** An answer as it came: decoded bytes, before anyone reads meaning into it. */
export type KeptAnswer = {
  n: number;
  httpStatus: number;
  contentType: string | null;
  body: Buffer;
  receivedAt: Date;
};

/** An answer with what its call took. */
export type PaidAnswer = { runId: Id; answer: KeptAnswer; latencyMs: number; costUsd: number | null };

/**
 * Keeps an answer and closes its call, together. It is kept whoever holds the run by now: a paid answer
 * is never thrown away, and whoever claims the run next reads it instead of calling again.
 */
export async function keepAnswer(db: Database, input: PaidAnswer): Promise<void> {
  const { answer, runId } = input;
  const body = await compress(answer.body, { level: 3 });
  await db.pool.query({
    name: 'keep_answer',
    text: `
WITH closed AS (
  UPDATE strandline.calls SET state = 'received', code = NULL, http_status = $3, bytes = $7, latency_ms = $9, cost_usd = $10, received_at = $8
  WHERE run_id = $1 AND n = $2
)
INSERT INTO strandline.answers (run_id, n, http_status, content_type, body, sha256, bytes, received_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
    values: [
      runId,
      answer.n,
      answer.httpStatus,
      answer.contentType,
      body,
      createHash('sha256').update(answer.body).digest(),
      answer.body.byteLength,
      answer.receivedAt,
      input.latencyMs,
      input.costUsd,
    ],
  });
}

/** Whether this database sent this very call. Numbers alone would say so of another database's, too. */
export async function isSentCall(
  db: Database,
  call: { runId: Id; n: number; fence: number; sentAt: Date },
): Promise<boolean> {
  const { rowCount } = await db.pool.query(
    'SELECT FROM strandline.calls WHERE run_id = $1 AND n = $2 AND fence = $3 AND sent_at = $4',
    [call.runId, call.n, call.fence, call.sentAt],
  );
  return rowCount === 1;
}

/** Closes a call that brought no answer we can keep. */
export async function closeFailedCall(
  db: Database,
  input: {
    runId: Id;
    n: number;
    state: 'failed' | 'unknown';
    code: RunCode;
    httpStatus: number | null;
    bytes: number | null;
    latencyMs: number | null;
    costUsd: number | null;
    now: Date;
  },
): Promise<void> {
  await db.pool.query(
    `UPDATE strandline.calls SET state = $3, code = $4, http_status = $5, bytes = $6, latency_ms = $7, cost_usd = $8, received_at = $9
     WHERE run_id = $1 AND n = $2 AND state = 'sent'`,
    [
      input.runId,
      input.n,
      input.state,
      input.code,
      input.httpStatus,
      input.bytes,
      input.latencyMs,
      input.costUsd,
      input.now,
    ],
  );
}

/** Calls that an earlier claim sent and never heard of: they may have been answered, so they count as paid. */
export async function markUnknownCalls(db: Database, runId: Id, fence: number, now: Date): Promise<number> {
  const { rowCount } = await db.pool.query(
    `UPDATE strandline.calls SET state = 'unknown', code = 'unknown_outcome', received_at = $3
     WHERE run_id = $1 AND fence < $2 AND state = 'sent'`,
    [runId, fence, now],
  );
  return rowCount ?? 0;
}

/** The newest answer kept for a run, decompressed; `null` when there is none or it has expired. */
export async function loadAnswer(db: Database, runId: Id): Promise<KeptAnswer | null> {
  const { rows } = await db.pool.query<{
    n: number;
    http_status: number;
    content_type: string | null;
    body: Buffer;
    received_at: Date;
  }>(
    'SELECT n, http_status, content_type, body, received_at FROM strandline.answers WHERE run_id = $1 ORDER BY n DESC LIMIT 1',
    [runId],
  );
  const row = rows[0];
  if (row === undefined) return null;
  return {
    n: row.n,
    httpStatus: row.http_status,
    contentType: row.content_type,
    body: await decompress(row.body),
    receivedAt: row.received_at,
  };
}
