/**
 * Requests with an `Idempotency-Key`: the first is executed, and all get its reply. One row each, whose unique insert decides
 * who executes.
 */
import type { Clock } from '../../platform/clock.ts';
import type { Pooled, Queryable } from '../db/database.ts';
import { execute, rowsOf, type Statement, statement, timeOf } from '../db/statement.ts';

/** Identifies a request: its visitor, route and key. */
export type RequestKey = { visitor: string; route: string; key: string };

/** One execution of a request. Its start identifies it: a later one starts after its time limit. */
export type Execution = RequestKey & { startedAt: Date };

type BeginResult =
  | { kind: 'execute'; execution: Execution }
  | { kind: 'replay'; status: number; reply: string }
  | { kind: 'in_progress' }
  /** The key was used for a request with different content. */
  | { kind: 'reused' };

const RETENTION_INTERVAL = statement`interval '24 hours'`;

const isRequest = ({ visitor, route, key }: RequestKey): Statement =>
  statement`visitor = ${visitor} AND route = ${route} AND key = ${key}`;
/** Without a reply. */
const isExecution = (execution: Execution): Statement =>
  statement`${isRequest(execution)} AND created_at = ${execution.startedAt} AND status IS NULL`;

/**
 * Starts executing a request, or returns why not. A key is as new if its execution has no reply after its time limit, and 24 hours
 * after it started.
 * @param request.bodyHash SHA-256 of the request's content
 * @param request.limitMs how long an execution may take
 */
export async function beginRequest(
  { pool }: Pooled,
  clock: Pick<Clock, 'statementTime'>,
  request: RequestKey & { bodyHash: Buffer; limitMs: number },
): Promise<BeginResult> {
  const { visitor, route, key, bodyHash, limitMs } = request;
  const limit = statement`${limitMs} * interval '1 ms'`;
  // A start that is further ahead than the time limit was by a wrong clock.
  const [started] = await rowsOf<{ startedAt: Date }>(
    pool,
    statement`INSERT INTO strandline.idempotency_keys AS k (visitor, route, key, body_hash, created_at)
      VALUES (${visitor}, ${route}, ${key}, ${bodyHash}, ${timeOf(clock.statementTime())})
      ON CONFLICT (visitor, route, key) DO UPDATE
      SET body_hash = excluded.body_hash, created_at = excluded.created_at, status = NULL, reply = NULL
      WHERE k.created_at <= excluded.created_at - ${RETENTION_INTERVAL}
        OR k.status IS NULL AND k.created_at NOT BETWEEN excluded.created_at - ${limit} AND excluded.created_at + ${limit}
      RETURNING created_at AS "startedAt"`,
  );
  if (started !== undefined) return { kind: 'execute', execution: { visitor, route, key, ...started } };
  const [row] = await rowsOf<{ status: number | null; reply: string | null; same: boolean }>(
    pool,
    statement`SELECT status, reply, body_hash = ${bodyHash} AS same
      FROM strandline.idempotency_keys WHERE ${isRequest(request)}`,
  );
  // Released or deleted between the two statements: the next attempt starts it.
  if (row === undefined) return { kind: 'in_progress' };
  if (!row.same) return { kind: 'reused' };
  if (row.status === null) return { kind: 'in_progress' };
  return { kind: 'replay', status: row.status, reply: row.reply ?? '' };
}

/**
 * Stores the reply for repeated requests; in the transaction of its effects, if these are in the database.
 * @param reply without secrets
 * @returns false if another execution has started: its reply counts
 */
export async function storeReply(
  tx: Queryable,
  execution: Execution,
  { status, reply }: { status: number; reply: string },
): Promise<boolean> {
  const { rowCount } = await execute(
    tx,
    statement`UPDATE strandline.idempotency_keys SET status = ${status}, reply = ${reply} WHERE ${isExecution(execution)}`,
  );
  return rowCount === 1;
}

/** Ends an execution without storing its reply: a repeated request is executed. */
export async function releaseKey({ pool }: Pooled, execution: Execution): Promise<void> {
  await execute(pool, statement`DELETE FROM strandline.idempotency_keys WHERE ${isExecution(execution)}`);
}

/** Deletes stored replies of a route that contain results; see `erase/forget-author.ts`. */
export async function deleteReplies(tx: Queryable, route: string): Promise<void> {
  await execute(
    tx,
    statement`DELETE FROM strandline.idempotency_keys WHERE route = ${route} AND status IS NOT NULL`,
  );
}

const DELETE_BATCH = 1_000;

/** Removes keys of executions that started 24 hours ago or earlier, a thousand at a time. @returns how many */
export async function deleteIdempotencyKeys(
  { pool }: Pooled,
  clock: Pick<Clock, 'statementTime'>,
): Promise<number> {
  for (let removed = 0; ; ) {
    const { rowCount } = await execute(
      pool,
      statement`DELETE FROM strandline.idempotency_keys WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM strandline.idempotency_keys
          WHERE created_at <= ${timeOf(clock.statementTime())} - ${RETENTION_INTERVAL}
          LIMIT ${DELETE_BATCH} FOR UPDATE SKIP LOCKED))`,
    );
    removed += rowCount ?? 0;
    if ((rowCount ?? 0) < DELETE_BATCH) return removed;
  }
}
