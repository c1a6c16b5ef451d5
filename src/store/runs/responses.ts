/**
 * Raw responses, stored before they are parsed. A response is unread until its results are saved or it turns out to be
 * unreadable. One that was not read before its run ended is late, and is read afterwards.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Reject } from '../../model/parsed-results.ts';
import type { ToolReport } from '../../model/tool-coverage.ts';
import type { Clock } from '../../platform/clock.ts';
import { batched, givenRowsSql } from '../db/batches.ts';
import {
  backOffSql,
  isOverSql,
  type Database,
  type Id,
  isUnreachable,
  type Queryable,
  sqlTime,
} from '../db/database.ts';
import { insertRejectsSql } from '../save/outcome.ts';
import { encodeReports, insertToolsSql } from '../save/save-tools.ts';
import { IS_ABANDONED, MAX_SHARED_CLAIMS } from './run-claims.ts';

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

type Encoded = Awaited<ReturnType<typeof encodeBody>>;

/**
 * Stores responses, unread, and closes their calls. $12 contains the concatenated bodies: each has `length` bytes
 * from `at` on. An array of bodies would be sent as text, which is twice as long.
 */
const INSERT_RESPONSES = `
WITH came AS MATERIALIZED (
  SELECT run_id, n, http_status, content_type, sha256, substring($12::bytea FROM at FOR length) AS body, bytes, received_at,
    latency_ms, cost_usd
  FROM ${givenRowsSql('u', {
    run_id: 'bigint',
    n: 'int',
    http_status: 'int',
    content_type: 'text',
    sha256: 'bytea',
    at: 'int',
    length: 'int',
    bytes: 'int',
    received_at: 'timestamptz',
    latency_ms: 'int',
    cost_usd: 'numeric',
  })}
), closed AS (
  UPDATE strandline.calls SET state = 'received', code = NULL, http_status = came.http_status, bytes = came.bytes,
    latency_ms = came.latency_ms, cost_usd = came.cost_usd, received_at = came.received_at
  FROM came WHERE calls.run_id = came.run_id AND calls.n = came.n
)
INSERT INTO strandline.responses (run_id, n, http_status, content_type, body, sha256, bytes, received_at)
SELECT run_id, n, http_status, content_type, body, sha256, bytes, received_at FROM came ON CONFLICT DO NOTHING`;

/** Maximum compressed bytes per batch: fifty typical responses. Larger ones would delay small ones, and are sent alone. */
const MAX_BYTES_TOGETHER = 2 ** 20;

const storeTogether = batched(storeEncoded, {
  most: 32,
  size: ({ encoded }) => encoded.gzipped.byteLength,
  mostSize: MAX_BYTES_TOGETHER,
  alone: false,
});

/**
 * Stores a response, unread, and closes its call, together. Stores it even if another claim holds the run: a paid response
 * is never discarded, and the next claim reads it instead of calling again. Idempotent. Concurrent responses are stored by
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

async function storeEncoded(
  db: Database,
  batch: readonly { paid: PaidResponse; encoded: Encoded }[],
): Promise<void[]> {
  let end = 1; // SQL counts bytes from 1
  const places = batch.map(({ encoded }) => {
    const at = end;
    end += encoded.gzipped.byteLength;
    return at;
  });
  await db.pool.query({
    name: 'store_response',
    text: INSERT_RESPONSES,
    values: [
      batch.map(({ paid }) => paid.runId),
      batch.map(({ paid }) => paid.response.n),
      batch.map(({ paid }) => paid.response.httpStatus),
      batch.map(({ paid }) => paid.response.contentType),
      batch.map(({ encoded }) => encoded.sha256),
      places,
      batch.map(({ encoded }) => encoded.gzipped.byteLength),
      batch.map(({ encoded }) => encoded.bytes),
      batch.map(({ paid }) => paid.response.receivedAt),
      batch.map(({ paid }) => paid.latencyMs),
      batch.map(({ paid }) => paid.costUsd),
      Buffer.concat(batch.map(({ encoded }) => encoded.gzipped)),
    ],
  });
  return batch.map(() => undefined);
}

/** Whether this database sent this call. Numbers alone would also match a call of another database. */
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

type ResponseRow = {
  n: number;
  http_status: number;
  content_type: string | null;
  body: Buffer;
  received_at: Date;
};
const RESPONSE_COLUMNS = 'n, http_status, content_type, body, received_at';

/** The newest stored response of a run, preferring complete ones; `null` if there is none or it has expired. */
export async function loadNewestResponse(db: Database, runId: Id): Promise<RawResponse | null> {
  const { rows } = await db.pool.query<ResponseRow>(
    `SELECT n, a.http_status, content_type, body, a.received_at FROM strandline.responses a
     LEFT JOIN strandline.calls c USING (run_id, n)
     WHERE run_id = $1 ORDER BY coalesce(c.state = 'received', true) DESC, a.received_at DESC, n DESC LIMIT 1`,
    [runId],
  );
  return rows[0] === undefined ? null : toResponse(rows[0]);
}

/** A late response that was attempted this often may crash its workers: it is given only to a worker without runs. */
const MAX_SHARED_READ_ATTEMPTS = 2;

const HAS_ENDED = `status IN ('succeeded', 'failed', 'cancelled')`;
/** Pause after so many attempts to read a response. */
function readPauseSql(attempts: string): string {
  return backOffSql(attempts, '6 hours');
}
/** This response must not be read before $2: an attempt is in progress, or crashed. */
const IS_DUE = isOverSql('next_read_at', sqlTime('$2'), readPauseSql('read_attempts'));

/**
 * Counts an attempt and commits it before the response is read: one that kills its worker is read again after a minute,
 * then two, at most six hours, and not in a loop.
 * $1 run, $2 time.
 */
const takeUnreadSql = (condition: string) => `
UPDATE strandline.responses a
SET read_attempts = a.read_attempts + 1,
  next_read_at = ${sqlTime('$2')} + ${readPauseSql('a.read_attempts')}
WHERE (a.run_id, a.n) = (
  SELECT run_id, n FROM strandline.responses WHERE run_id = $1 AND read_at IS NULL AND ${condition}
  ORDER BY received_at DESC, n DESC LIMIT 1 FOR UPDATE SKIP LOCKED
)
RETURNING ${RESPONSE_COLUMNS}`;

const TAKE_UNREAD = takeUnreadSql('true');
const TAKE_LATE = takeUnreadSql(
  `${IS_DUE} AND EXISTS (SELECT FROM strandline.runs WHERE id = $1 AND ${HAS_ENDED})`,
);

/**
 * The newest unread response of a run, for the holder of its claim.
 * @param input.now the statement's time; null: the database's clock
 */
export async function takeUnreadResponse(
  db: Database,
  input: { runId: Id; now: Date | null },
): Promise<RawResponse | null> {
  const { rows } = await db.pool.query<ResponseRow>(TAKE_UNREAD, [input.runId, input.now]);
  return rows[0] === undefined ? null : toResponse(rows[0]);
}

/** The newest unread response of an ended run, if it is due to be read; no other process gets it meanwhile. */
export async function takeLateResponse(
  db: Database,
  input: { runId: Id; now: Date | null },
): Promise<RawResponse | null> {
  const { rows } = await db.pool.query<ResponseRow>(TAKE_LATE, [input.runId, input.now]);
  return rows[0] === undefined ? null : toResponse(rows[0]);
}

/**
 * Whether a run has probably crashed workers, so that only a worker without other runs may continue it: an abandoned
 * run that was claimed twice, or an ended one with a response attempted twice.
 */
export async function needsSolitude(db: Database, input: { runId: Id; now: Date | null }): Promise<boolean> {
  const { rowCount } = await db.pool.query(
    `SELECT FROM strandline.runs r WHERE id = $1 AND (
       (${IS_ABANDONED} AND claims >= ${MAX_SHARED_CLAIMS})
       OR (${HAS_ENDED} AND EXISTS (SELECT FROM strandline.responses
         WHERE run_id = $1 AND read_at IS NULL AND read_attempts >= ${MAX_SHARED_READ_ATTEMPTS} AND ${IS_DUE})))`,
    [input.runId, input.now],
  );
  return rowCount === 1;
}

/** When a late response may be read: the worker that stored it has five seconds to read it first. */
const READABLE_AT = `coalesce(a.next_read_at, a.received_at + interval '5 seconds')`;

/** An ended run with an unread response, to enqueue. */
type LateRun = { id: Id; fence: number; trigger: 'schedule' | 'manual' | 'first' };

/**
 * Ended runs with unread responses that are due to be read, for the scan to enqueue.
 * @param simulation whose searches; null: those of the database's clock
 * @returns at most `limit`
 */
export async function listLateRuns(
  db: Queryable,
  clock: Pick<Clock, 'statementTime'>,
  limit: number,
  simulation: string | null = null,
): Promise<LateRun[]> {
  const { rows } = await db.query<LateRun>({
    name: 'late_runs',
    text: `
SELECT DISTINCT r.id, r.fence, r.trigger FROM strandline.responses a
CROSS JOIN LATERAL (SELECT id, fence, trigger, status, search_id FROM strandline.runs WHERE id = a.run_id OFFSET 0) r
CROSS JOIN LATERAL (SELECT simulation FROM strandline.searches WHERE id = r.search_id OFFSET 0) s
WHERE a.read_at IS NULL AND ${isOverSql(READABLE_AT, sqlTime('$1'), readPauseSql('a.read_attempts'))} AND r.${HAS_ENDED}
  AND s.simulation IS NOT DISTINCT FROM $3
ORDER BY r.id LIMIT $2`,
    values: [clock.statementTime(), limit, simulation],
  });
  return rows;
}

/** Marks an unusable late response as read, with the reason. @returns false if another process has read it */
export async function markUnreadable(
  db: Database,
  input: {
    runId: Id;
    n: number;
    rejects: readonly Reject[];
    /** What it says about tools: the coverage of a run without results, unless a newer response said something. */
    tools?: readonly ToolReport[];
    now: Date | null;
  },
): Promise<boolean> {
  const { rows } = await db.pool.query(
    `WITH response AS (
       UPDATE strandline.responses SET read_at = ${sqlTime('$3')} WHERE run_id = $1 AND n = $2 AND read_at IS NULL RETURNING run_id, received_at
     ), covered AS (
       ${insertToolsSql(LATE_UNREADABLE, '$5')} WHERE t.observed_at IS NULL OR t.observed_at < excluded.observed_at
     ), counted AS (
       UPDATE strandline.runs SET rejected = coalesce(rejected, 0) + json_array_length($4::json)
       FROM response WHERE id = run_id
     ), kept AS (
       ${insertRejectsSql('response', 'run_id', '$4')}
     )
     SELECT run_id FROM response`,
    [
      input.runId,
      input.n,
      input.now,
      JSON.stringify(input.rejects),
      encodeReports([{ runId: input.runId, tools: input.tools ?? [] }]),
    ],
  );
  return rows.length === 1;
}

/** For {@link insertToolsSql}, in the statement of {@link markUnreadable}: only of a response that reports tools. */
const LATE_UNREADABLE = `(SELECT run_id, received_at AS observed_at, NULL::boolean AS responded, 'not_reported' AS reason
  FROM response WHERE json_array_length($5::json) > 0 AND NOT EXISTS (SELECT FROM strandline.run_results WHERE run_id = $1))`;

async function toResponse(row: ResponseRow): Promise<RawResponse> {
  return {
    n: row.n,
    httpStatus: row.http_status,
    contentType: row.content_type,
    body: await decodeBody(row.body),
    receivedAt: row.received_at,
  };
}
