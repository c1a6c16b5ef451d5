/**
 * Requests with an `Idempotency-Key`: the first is executed, and all get its reply. The primary key decides between
 * concurrent requests, the fence between two executions of one request.
 */
import type { Clock } from '../../platform/clock.ts';
import { Refused } from '../../model/errors.ts';
import { type Pooled, type Queryable, sqlTime, type Transaction } from '../db/database.ts';

/** Identifies a request: its visitor, route and key. */
export type RequestKey = { visitor: string; route: string; key: string };

/** One execution of a request. */
export type Execution = {
  /** What an earlier, interrupted execution created and committed with its key; null: nothing. */
  readonly committed: string | null;
  /**
   * Records what is created, in the transaction that creates it.
   * @throws Refused `conflict` if a later execution has started: the transaction must be rolled back
   */
  commit(tx: Transaction, created: string): Promise<void>;
};

type BeginResult =
  | { kind: 'execute'; fence: number; committed: string | null }
  | { kind: 'replay'; status: number; reply: string }
  | { kind: 'in_progress' }
  /** The key was used for a request with different content. */
  | { kind: 'reused' };

/** An execution without a heartbeat for this long has crashed. */
const LEASE_INTERVAL = `interval '2 minutes'`;
/** How often an execution must extend its lease. */
export const EXTEND_EVERY_MS = 30_000;
const RETENTION_INTERVAL = `interval '24 hours'`;

/** A lease beyond the maximum was written by a wrong clock. */
const NOT_EXECUTED = `k.status IS NULL AND NOT (k.lease_until BETWEEN clock_timestamp() AND clock_timestamp() + interval '1 day')`;
const expiredSql = (now: `$${number}`) =>
  `(k.created_at <= ${sqlTime(now)} - ${RETENTION_INTERVAL} AND (k.status IS NOT NULL OR ${NOT_EXECUTED}))`;

/** $1 visitor, $2 route, $3 key, $4 hash, $5 now. Returns no row if another execution is in progress or has ended. */
const BEGIN_REQUEST = `
INSERT INTO strandline.idempotency_keys AS k (visitor, route, key, body_hash, created_at, lease_until)
VALUES ($1, $2, $3, $4, ${sqlTime('$5')}, clock_timestamp() + ${LEASE_INTERVAL})
ON CONFLICT (visitor, route, key) DO UPDATE
SET body_hash = excluded.body_hash, created_at = excluded.created_at, lease_until = excluded.lease_until, fence = k.fence + 1,
  committed = CASE WHEN NOT ${expiredSql('$5')} THEN k.committed END, status = NULL, reply = NULL
WHERE ${expiredSql('$5')} OR (k.body_hash = excluded.body_hash AND ${NOT_EXECUTED})
RETURNING k.fence, k.committed`;

const SELECT_REQUEST = `
SELECT status, reply, body_hash = $4 AS same FROM strandline.idempotency_keys
WHERE visitor = $1 AND route = $2 AND key = $3`;

const IS_THIS_EXECUTION = 'visitor = $1 AND route = $2 AND key = $3 AND fence = $4 AND status IS NULL';

/**
 * Starts executing a request, or returns why not. A request is executed again if its lease expired, if it was
 * abandoned, or 24 hours after its last execution started.
 * @param bodyHash SHA-256 of the request's content
 */
export async function beginRequest(
  { pool }: Pooled,
  clock: Pick<Clock, 'statementTime'>,
  request: RequestKey & { bodyHash: Buffer },
): Promise<BeginResult> {
  const values = [...keyValues(request), request.bodyHash];
  const { rows } = await pool.query<{ fence: number; committed: string | null }>(BEGIN_REQUEST, [
    ...values,
    clock.statementTime(),
  ]);
  const [execution] = rows;
  if (execution !== undefined) return { kind: 'execute', ...execution };
  const existing = await pool.query<{ status: number | null; reply: string | null; same: boolean }>(
    SELECT_REQUEST,
    values,
  );
  const [row] = existing.rows;
  // Expired and deleted between the two statements: the next attempt starts it.
  if (row === undefined) return { kind: 'in_progress' };
  if (!row.same) return { kind: 'reused' };
  if (row.status === null) return { kind: 'in_progress' };
  return { kind: 'replay', status: row.status, reply: row.reply ?? '' };
}

/** Extends the lease of a long execution. @returns false if another one has started */
export async function extendRequest({ pool }: Pooled, key: RequestKey, fence: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE strandline.idempotency_keys SET lease_until = clock_timestamp() + ${LEASE_INTERVAL} WHERE ${IS_THIS_EXECUTION}`,
    [...keyValues(key), fence],
  );
  return rowCount === 1;
}

/** See {@link Execution.commit}. The row stays locked until the transaction ends, so that a later execution sees what it created. */
export async function commitWithRequest(
  tx: Transaction,
  key: RequestKey,
  fence: number,
  created: string,
): Promise<void> {
  const { rowCount } = await tx.query(
    `UPDATE strandline.idempotency_keys SET committed = $5 WHERE ${IS_THIS_EXECUTION}`,
    [...keyValues(key), fence, created],
  );
  if (rowCount === 1) return;
  throw new Refused('conflict', 'this request took too long and is being retried');
}

/**
 * Stores the reply for repeated requests.
 * @param reply without secrets
 * @returns false if another execution has started: its reply counts
 */
export async function finishRequest(
  { pool }: Pooled,
  key: RequestKey,
  fence: number,
  { status, reply }: { status: number; reply: string },
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE strandline.idempotency_keys SET status = $5, reply = $6, lease_until = NULL WHERE ${IS_THIS_EXECUTION}`,
    [...keyValues(key), fence, status, reply],
  );
  return rowCount === 1;
}

/** Ends an execution without storing its reply: a repeated request is executed. */
export async function abandonRequest({ pool }: Pooled, key: RequestKey, fence: number): Promise<void> {
  await pool.query(
    `UPDATE strandline.idempotency_keys SET lease_until = '-infinity' WHERE ${IS_THIS_EXECUTION}`,
    [...keyValues(key), fence],
  );
}

/** Deletes stored replies of a route that contain results; see `erase/forget-author.ts`. */
export async function deleteReplies(tx: Queryable, route: string): Promise<void> {
  await tx.query('DELETE FROM strandline.idempotency_keys WHERE route = $1 AND status IS NOT NULL', [route]);
}

const DELETE_BATCH = 1_000;

/** Removes keys of executions that started 24 hours ago or earlier, a thousand at a time. @returns how many */
export async function deleteIdempotencyKeys(
  { pool }: Pooled,
  clock: Pick<Clock, 'statementTime'>,
): Promise<number> {
  for (let removed = 0; ; ) {
    const { rowCount } = await pool.query(
      `DELETE FROM strandline.idempotency_keys WHERE ctid = ANY (ARRAY(
         SELECT k.ctid FROM strandline.idempotency_keys k
         WHERE ${expiredSql('$1')} LIMIT ${DELETE_BATCH} FOR UPDATE SKIP LOCKED))`,
      [clock.statementTime()],
    );
    removed += rowCount ?? 0;
    if ((rowCount ?? 0) < DELETE_BATCH) return removed;
  }
}

function keyValues({ visitor, route, key }: RequestKey): [string, string, string] {
  return [visitor, route, key];
}
