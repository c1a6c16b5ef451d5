/**
 * Raw responses, stored before they are parsed. A response is unread until its results are saved or it is found to be unreadable.
 * A response that is still unread when its run ends is late, and is read afterwards.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Reject } from '../../model/parsed-results.ts';
import type { ToolReport } from '../../model/tool-coverage.ts';
import type { Clock } from '../../platform/clock.ts';
import { batched, givenRows } from '../db/batches.ts';
import { backOffSql, type Database, type Id, isUnreachable, type Queryable } from '../db/database.ts';
import { execute, isOver, rowsOf, type Statement, statement, timeOf, verbatim } from '../db/statement.ts';
import type { responses, runs } from '../schema/run-tables.ts';
import { insertRejects } from '../save/outcome.ts';
import { insertTools } from '../save/save-tools.ts';
import { IS_ABANDONED, MAX_SHARED_LEASES } from './run-leases.ts';

const compress = promisify(gzip);
/** The decoded bytes of a stored body. */
export const decodeBody = promisify(gunzip);

/** Identifies a response of a run, and when it was received. */
export type ResponseKey = {
  /** The call of its run that it belongs to. */
  n: number;
  receivedAt: Date;
};

/** A raw response: decoded bytes, not parsed. */
export type RawResponse = ResponseKey & {
  httpStatus: number;
  contentType: string | null;
  body: Buffer;
};

/** A response with the usage of its call. */
export type PaidResponse = { runId: Id; response: RawResponse; latencyMs: number; costUsd: number | null };

/** Stored form of a body: compressed, with the hash and size of its decoded bytes. */
export async function encodeBody(body: Buffer): Promise<{ gzipped: Buffer; sha256: Buffer; bytes: number }> {
  return {
    gzipped: await compress(body, { level: 3 }),
    sha256: createHash('sha256').update(body).digest(),
    bytes: body.byteLength,
  };
}

export type EncodedBody = Awaited<ReturnType<typeof encodeBody>>;

/** Maximum compressed bytes per batch: fifty typical responses. Larger ones would delay small ones, and are sent alone. */
const MAX_BYTES_TOGETHER = 2 ** 20;

const storeTogether = batched(storeEncoded, {
  most: 32,
  size: ({ encoded }) => encoded.gzipped.byteLength,
  mostSize: MAX_BYTES_TOGETHER,
  alone: false,
});

/**
 * Stores a response, unread, and closes its call, together. Stores it even if another worker holds the lease of the run: a paid response
 * is never discarded, and the next lease reads it instead of calling again. Idempotent. Concurrent responses are stored by
 * one statement.
 */
export async function storeResponse(db: Database, paid: PaidResponse): Promise<void> {
  const stored = { paid, encoded: await encodeBody(paid.response.body) };
  try {
    await storeTogether(db, stored);
  } catch (error) {
    // An unavailable database fails all of them, and each caller has a copy to write to disk.
    if (isUnreachable(error)) throw error;
    await storeEncoded(db, [stored]);
  }
}

/** Stores responses, unread, and closes their calls. */
async function storeEncoded(
  db: Database,
  batch: readonly { paid: PaidResponse; encoded: EncodedBody }[],
): Promise<void[]> {
  let end = 1; // SQL counts bytes from 1
  const places = batch.map(({ encoded }) => {
    const at = end;
    end += encoded.gzipped.byteLength;
    return at;
  });
  const stored = givenRows('u', {
    run_id: ['bigint', batch.map(({ paid }) => paid.runId)],
    n: ['int', batch.map(({ paid }) => paid.response.n)],
    http_status: ['int', batch.map(({ paid }) => paid.response.httpStatus)],
    content_type: ['text', batch.map(({ paid }) => paid.response.contentType)],
    sha256: ['bytea', batch.map(({ encoded }) => encoded.sha256)],
    at: ['int', places],
    length: ['int', batch.map(({ encoded }) => encoded.gzipped.byteLength)],
    bytes: ['int', batch.map(({ encoded }) => encoded.bytes)],
    received_at: ['timestamptz', batch.map(({ paid }) => paid.response.receivedAt)],
    latency_ms: ['int', batch.map(({ paid }) => paid.latencyMs)],
    cost_usd: ['numeric', batch.map(({ paid }) => paid.costUsd)],
  });
  // Bodies in a row, because an array of bodies would be sent as text, which is twice as long.
  const bodies = Buffer.concat(batch.map(({ encoded }) => encoded.gzipped));
  await execute(
    db.pool,
    statement`WITH came AS MATERIALIZED (
        SELECT run_id, n, http_status, content_type, sha256, substring(${bodies}::bytea FROM at FOR length) AS body, bytes, received_at,
          latency_ms, cost_usd
        FROM ${stored}
      ), closed AS (
        UPDATE strandline.calls SET state = 'received', code = NULL, http_status = came.http_status, bytes = came.bytes,
          latency_ms = came.latency_ms, cost_usd = came.cost_usd, received_at = came.received_at
        FROM came WHERE calls.run_id = came.run_id AND calls.n = came.n
      )
      INSERT INTO strandline.responses (run_id, n, http_status, content_type, body, sha256, bytes, received_at)
      SELECT run_id, n, http_status, content_type, body, sha256, bytes, received_at FROM came ON CONFLICT DO NOTHING`,
    'store_response',
  );
  return batch.map(() => undefined);
}

/** Whether this database sent this call. Numbers alone would also match a call of another database. */
export async function isSentCall(
  db: Database,
  call: { runId: Id; n: number; fence: number; sentAt: Date },
): Promise<boolean> {
  const { rowCount } = await execute(
    db.pool,
    statement`SELECT FROM strandline.calls WHERE run_id = ${call.runId} AND n = ${call.n} AND fence = ${call.fence} AND sent_at = ${call.sentAt}`,
  );
  return rowCount === 1;
}

type ResponseRow = Pick<
  typeof responses.$inferSelect,
  'n' | 'http_status' | 'content_type' | 'body' | 'received_at'
>;

/** The newest stored response of a run, preferring complete ones; `null` if there is none or it has expired. */
export async function loadNewestResponse(db: Database, runId: Id): Promise<RawResponse | null> {
  const { rows } = await execute<ResponseRow>(
    db.pool,
    statement`SELECT n, a.http_status, content_type, body, a.received_at FROM strandline.responses a
     LEFT JOIN strandline.calls c USING (run_id, n)
     WHERE run_id = ${runId} ORDER BY coalesce(c.state = 'received', true) DESC, a.received_at DESC, n DESC LIMIT 1`,
  );
  return rows[0] === undefined ? null : toResponse(rows[0]);
}

/** A late response that was attempted this often may crash its workers: it is given only to a worker without runs. */
const MAX_SHARED_READ_ATTEMPTS = 2;

const HAS_ENDED = statement`status IN ('succeeded', 'failed', 'cancelled')`;
/** Pause after so many attempts to read a response. */
function readPause(attempts: string): Statement {
  return verbatim(backOffSql(attempts, '6 hours'));
}
/** This response may be read: no attempt is in progress, or has crashed lately. */
function isDue(now: Date | null): Statement {
  return isOver(statement`next_read_at`, timeOf(now), readPause('read_attempts'));
}

/**
 * Counts an attempt and commits it before the response is read: one that kills its worker is read again after a minute,
 * then two, at most six hours, and not in a loop.
 */
async function takeUnread(
  db: Database,
  { runId, now }: { runId: Id; now: Date | null },
  condition: Statement,
): Promise<RawResponse | null> {
  const [row] = await rowsOf<ResponseRow>(
    db.pool,
    statement`UPDATE strandline.responses a
      SET read_attempts = a.read_attempts + 1, next_read_at = ${timeOf(now)} + ${readPause('a.read_attempts')}
      WHERE (a.run_id, a.n) = (
        SELECT run_id, n FROM strandline.responses WHERE run_id = ${runId} AND read_at IS NULL AND ${condition}
        ORDER BY received_at DESC, n DESC LIMIT 1 FOR UPDATE SKIP LOCKED
      )
      RETURNING n, http_status, content_type, body, received_at`,
  );
  return row === undefined ? null : toResponse(row);
}

/**
 * The newest unread response of a run, for the holder of its lease.
 * @param input.now the statement's time; null: the database's clock
 */
export function takeUnreadResponse(
  db: Database,
  input: { runId: Id; now: Date | null },
): Promise<RawResponse | null> {
  return takeUnread(db, input, statement`true`);
}

/** The newest unread response of an ended run, if it is due to be read; no other process gets it meanwhile. */
export function takeLateResponse(
  db: Database,
  input: { runId: Id; now: Date | null },
): Promise<RawResponse | null> {
  return takeUnread(
    db,
    input,
    statement`${isDue(input.now)} AND EXISTS (SELECT FROM strandline.runs WHERE id = ${input.runId} AND ${HAS_ENDED})`,
  );
}

/**
 * Whether a run has probably crashed workers, so that only a worker without other runs may continue it: an abandoned
 * run that was leased twice, or an ended one with a response attempted twice.
 */
export async function mustRunAlone(
  db: Database,
  { runId, now }: { runId: Id; now: Date | null },
): Promise<boolean> {
  const { rowCount } = await execute(
    db.pool,
    statement`SELECT FROM strandline.runs r WHERE id = ${runId} AND (
        (${IS_ABANDONED} AND leases >= ${verbatim(MAX_SHARED_LEASES)})
        OR (${HAS_ENDED} AND EXISTS (SELECT FROM strandline.responses
          WHERE run_id = ${runId} AND read_at IS NULL AND read_attempts >= ${verbatim(MAX_SHARED_READ_ATTEMPTS)} AND ${isDue(now)})))`,
  );
  return rowCount === 1;
}

/** When a late response may be read: the worker that stored it has five seconds to read it first. */
const READABLE_AT = statement`coalesce(a.next_read_at, a.received_at + interval '5 seconds')`;

/** An ended run with an unread response, to enqueue. */
type LateRun = Pick<typeof runs.$inferSelect, 'id' | 'fence' | 'trigger'>;

/**
 * Ended runs with unread responses that are due to be read, for the scan to enqueue.
 * @returns at most `limit`
 */
export async function listLateRuns(
  db: Queryable,
  clock: Pick<Clock, 'statementTime'>,
  limit: number,
): Promise<LateRun[]> {
  return rowsOf<LateRun>(
    db,
    statement`SELECT DISTINCT r.id, r.fence, r.trigger FROM strandline.responses a
      CROSS JOIN LATERAL (SELECT id, fence, trigger, status, search_id FROM strandline.runs WHERE id = a.run_id OFFSET 0) r
      WHERE a.read_at IS NULL AND ${isOver(READABLE_AT, timeOf(clock.statementTime()), readPause('a.read_attempts'))} AND r.${HAS_ENDED}
      ORDER BY r.id LIMIT ${limit}`,
    'late_runs',
  );
}

/** Marks an unusable late response as read, with the reason. @returns false if another process has read it */
export async function markUnreadable(
  db: Database,
  input: {
    runId: Id;
    n: number;
    rejects: readonly Reject[];
    /** Its reports of tools: the coverage of a run without results, unless a newer response has reports. */
    tools?: readonly ToolReport[];
    now: Date | null;
  },
): Promise<boolean> {
  const { runId, n, rejects, tools = [] } = input;
  // Only of a response that reports tools.
  const ended = statement`(SELECT run_id, received_at AS observed_at, NULL::boolean AS responded, 'not_reported' AS reason
    FROM response WHERE ${tools.length > 0} AND NOT EXISTS (SELECT FROM strandline.run_results WHERE run_id = ${runId}))`;
  const { rowCount } = await execute(
    db.pool,
    statement`WITH response AS (
       UPDATE strandline.responses SET read_at = ${timeOf(input.now)} WHERE run_id = ${runId} AND n = ${n} AND read_at IS NULL
       RETURNING run_id, received_at
     ), covered AS (
       ${insertTools(ended, [{ runId, tools }])} WHERE t.observed_at IS NULL OR t.observed_at < excluded.observed_at
     ), counted AS (
       UPDATE strandline.runs SET rejected = coalesce(rejected, 0) + ${rejects.length} FROM response WHERE id = run_id
     ), kept AS (
       ${insertRejects('response', 'run_id', rejects)}
     )
     SELECT run_id FROM response`,
  );
  return rowCount === 1;
}

async function toResponse(row: ResponseRow): Promise<RawResponse> {
  return {
    n: row.n,
    httpStatus: row.http_status,
    contentType: row.content_type,
    body: await decodeBody(row.body),
    receivedAt: row.received_at,
  };
}
