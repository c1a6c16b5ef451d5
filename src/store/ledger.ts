import type { Clock } from '../engine/clock.ts';
import type { RunCode } from '../errors.ts';
import { addMinuteRow, countCall, UNCOUNT, type Verdict, type VerdictRow } from './call-limits.ts';
import { type Database, type Id, timeOf } from './database.ts';
import { encodeBody } from './responses.ts';

/**
 * Writes the ledger row of a call, and commits it, before the call is made. All that may refuse it is decided in this one
 * statement: whether the claim still holds the run (whose row is locked), whether a response of the run waits to be read,
 * how many calls the run has made, and the limits of the service. A call is counted only where its row is written.
 */
const OPEN = `
WITH run AS MATERIALIZED (
  SELECT id FROM strandline.runs WHERE id = $1 AND fence = $3 AND status = 'running' FOR NO KEY UPDATE
), made AS MATERIALIZED (
  SELECT (SELECT count(*) FROM strandline.calls WHERE run_id = run.id) AS calls,
    (SELECT coalesce(max(n), 0) + 1 FROM strandline.calls WHERE run_id = run.id) AS n,
    EXISTS (SELECT FROM strandline.answers WHERE run_id = run.id AND read_at IS NULL) AS unread
  FROM run
), allowed AS MATERIALIZED (
  SELECT n FROM made WHERE NOT unread AND calls < $4
), ${countCall({ service: '$2', time: '$5', perMinute: '$7', perDay: '$6' })}, opened AS (
  INSERT INTO strandline.calls (run_id, n, service_id, fence, state, sent_at)
  SELECT $1, allowed.n, $2, $3, 'sent', verdict.now FROM allowed, verdict, day
  RETURNING n
)
SELECT coalesce(verdict.kind, CASE WHEN made.unread THEN 'unread' ELSE 'run_cap' END) AS kind,
  verdict.now, verdict.until, (SELECT n FROM opened) AS n
FROM made LEFT JOIN verdict ON true`;

/**
 * Refunds a call that was opened although a response of its run is unread. {@link OPEN} sees nothing that is committed
 * while it waits for a lock; this sees it, before the request is sent, also where a later claim has marked the call as
 * unknown. $1 run, $2 call, $3 time.
 */
const REFUND_IF_UNREAD = `
WITH closed AS (
  UPDATE strandline.calls SET state = 'failed', code = 'timeout_connect', received_at = ${timeOf('$3')}, refunded = true
  WHERE run_id = $1 AND n = $2 AND NOT refunded
    AND EXISTS (SELECT FROM strandline.answers WHERE run_id = $1 AND read_at IS NULL)
  RETURNING service_id, sent_at, refunded
), ${UNCOUNT}
SELECT FROM closed`;

export type OpenedCall =
  | { kind: 'opened'; n: number; sentAt: Date }
  | Exclude<Verdict, { kind: 'opened' }>
  /** A response of the run was stored and is not read yet: it was paid for, and is read first. */
  | { kind: 'unread' }
  | { kind: 'run_cap' }
  /** Another claim has the run, or it has ended. */
  | { kind: 'lost' };

/**
 * @param input.callsPerDay most calls per UTC day to this service; null: no limit
 * @param input.callsPerMinute most calls in any 60 s to this service; null: no limit
 * @returns with the time of the database at which the call was counted, where it was opened
 */
export async function openCall(
  db: Database,
  input: {
    runId: Id;
    fence: number;
    serviceId: Id;
    maxCallsPerRun: number;
    callsPerDay: number | null;
    callsPerMinute: number | null;
    clock: Pick<Clock, 'statementTime'>;
  },
): Promise<OpenedCall> {
  const { rows } = await db.pool.query<
    Omit<VerdictRow, 'kind'> & { kind: VerdictRow['kind'] | 'unread' | 'run_cap'; n: number | null }
  >({
    name: 'open_call',
    text: OPEN,
    values: [
      input.runId,
      input.serviceId,
      input.fence,
      input.maxCallsPerRun,
      input.clock.statementTime(),
      input.callsPerDay,
      input.callsPerMinute,
    ],
  });
  const [row] = rows;
  if (row === undefined) return { kind: 'lost' };
  const { kind, n, now, until } = row;
  if (kind === 'no_row') {
    await addMinuteRow(db, input.serviceId);
    return openCall(db, input);
  }
  if (kind === 'opened' && n !== null) {
    // No response can come to a run that never called.
    const refunded = n > 1 && (await refundIfUnread(db, { ...input, n }));
    return refunded ? { kind: 'unread' } : { kind, n, sentAt: now };
  }
  if (kind === 'minute_cap' && until !== null) return { kind, until };
  if (kind === 'unread' || kind === 'run_cap' || kind === 'day_cap') return { kind };
  throw new Error(`a call was not opened, and nothing says why: ${kind}`);
}

/** @returns whether a response of the run waits to be read, so that the call must not be made */
async function refundIfUnread(
  db: Database,
  call: { runId: Id; n: number; clock: Pick<Clock, 'statementTime'> },
): Promise<boolean> {
  const { rowCount } = await db.pool.query({
    name: 'refund_if_unread',
    text: REFUND_IF_UNREAD,
    values: [call.runId, call.n, call.clock.statementTime()],
  });
  return rowCount === 1;
}

/**
 * Closes a call that brought no response. Where its request was certainly never sent, it is taken out of the day and the
 * minute: it still is an attempt of its run. One that a later claim has marked as unknown is closed all the same. What had
 * arrived of a body that broke off is stored as a response that needs no reading: a replay may read it, and nobody
 * mistakes it for a whole one.
 */
const CLOSE = `
WITH closed AS (
  UPDATE strandline.calls SET state = $3, code = $4, http_status = $5, bytes = $6, latency_ms = $7, cost_usd = $8,
    received_at = $9, refunded = $10
  WHERE run_id = $1 AND n = $2 AND state IN ('sent', 'unknown')
  RETURNING run_id, n, service_id, http_status, received_at, sent_at, refunded
), kept AS (
  INSERT INTO strandline.answers (run_id, n, http_status, content_type, body, sha256, bytes, received_at, read_at)
  SELECT run_id, n, http_status, $11, $12, $13, $14::int, received_at, received_at FROM closed WHERE $12::bytea IS NOT NULL
  ON CONFLICT DO NOTHING
), ${UNCOUNT}
SELECT FROM closed`;

/** A response that broke off: decoded bytes up to there. */
export type PartialBody = { contentType: string | null; body: Buffer };

/** @param input.sent whether the request may have been put on the wire; where not, its call is refunded */
export async function closeFailedCall(
  db: Database,
  input: {
    runId: Id;
    n: number;
    state: 'failed' | 'unknown';
    code: RunCode;
    sent: boolean;
    httpStatus: number | null;
    partial: PartialBody | null;
    bytes: number | null;
    latencyMs: number | null;
    costUsd: number | null;
    now: Date;
  },
): Promise<void> {
  const { partial } = input;
  const stored = partial && (await encodeBody(partial.body));
  await db.pool.query(CLOSE, [
    input.runId,
    input.n,
    input.state,
    input.code,
    input.httpStatus,
    input.bytes,
    input.latencyMs,
    input.costUsd,
    input.now,
    !input.sent,
    partial?.contentType ?? null,
    stored?.gzipped ?? null,
    stored?.sha256 ?? null,
    stored?.bytes ?? null,
  ]);
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
