import { Refused, type RunCode } from '../domain/errors.ts';
import type { DateFilter, Model, Operation, Tool } from '../domain/enumerations.ts';
import { SECOND } from '../platform/clock.ts';
import { batched, givenRowsSql } from './batches.ts';
import { type Database, type Id, sqlTime, type Transaction, violatesConstraint } from './database.ts';

/** A claimed run with all that its journey needs to know. */
export type ClaimedRun = {
  id: Id;
  fence: number;
  claims: number;
  version: number;
  trigger: 'schedule' | 'manual' | 'first';
  slot_at: Date | null;
  created_at: Date;
  search_id: Id;
  search: string;
  topic: string;
  operation: Operation;
  prompt: string;
  tools: Tool[];
  model: Model;
  date_filter: DateFilter | null;
  streaming: boolean;
  extra: Record<string, unknown>;
  next_due_at: Date | null;
  service_id: Id;
  service: string;
  service_kind: 'sandbox' | 'own' | 'hosted';
  /** Name of its dialect; see `loadDialect`. */
  dialect: string;
  calls_made: number;
};

/** A lease that ends farther away than any is given (an hour at most) is none: its clock was wrong, or a hand was. */
export const LEASE_IS_OVER = `NOT (lease_until BETWEEN clock_timestamp() AND clock_timestamp() + interval '1 day')`;

/** After so long without a scan there was an outage: whoever holds a run could not renew its lease either. */
export const MAX_SCAN_SILENCE_MS = 3 * SECOND;

/**
 * A run whose lease is over, while scans go on. After an outage the first scan extends all leases (`extendLeases`), and
 * until then nobody may claim: who survived it, perhaps with a paid response in hand, goes first.
 */
export const IS_ABANDONED = `(r.status = 'running' AND ${LEASE_IS_OVER} AND EXISTS (SELECT FROM strandline.scanner
  WHERE scanned_at BETWEEN clock_timestamp() - interval '${MAX_SCAN_SILENCE_MS} ms' AND clock_timestamp() + interval '5 s'))`;

/** A run that was claimed this often may have killed its workers: the next one must have no other run. */
export const MAX_SHARED_CLAIMS = 2;

/**
 * Claims runs for this process: each that is queued and due, or running under a lease that is over. Their rows are locked
 * first, in the order in which they are asked for; the lock decides between two who try at once, and the partial unique
 * index `runs_one_running` keeps two runs of one search apart. The lease is measured by the database's clock.
 * Of each run: $1 id, ascending, $2 worker, $3 length of the lease, $4 time, $5 whether its worker has no other run.
 */
const CLAIM_RUNS = `
WITH held AS MATERIALIZED (
  SELECT asked.*
  FROM ${givenRowsSql('asked', { id: 'bigint', worker: 'text', lease_ms: 'int', now: 'timestamptz', alone: 'boolean' })}
  CROSS JOIN LATERAL (
    SELECT FROM strandline.runs r
    WHERE r.id = asked.id AND (asked.alone OR r.claims < ${MAX_SHARED_CLAIMS})
      AND ((r.status = 'queued' AND (r.not_before IS NULL OR r.not_before <= ${sqlTime('asked.now')})) OR ${IS_ABANDONED})
    FOR NO KEY UPDATE
  ) claimable
)
UPDATE strandline.runs r
SET status = 'running', fence = r.fence + 1, claims = r.claims + 1, worker = asked.worker, not_before = NULL, offer_at = NULL,
  lease_until = clock_timestamp() + asked.lease_ms * interval '1 millisecond', started_at = coalesce(r.started_at, ${sqlTime('asked.now')})
FROM held asked, strandline.searches s, strandline.topics t, strandline.services sv, strandline.search_versions v
WHERE r.id = asked.id AND s.id = r.search_id AND t.id = s.topic_id AND sv.id = s.service_id
  AND v.search_id = r.search_id AND v.version = r.version
RETURNING r.id, r.fence, r.claims, r.version, r.trigger, r.slot_at, r.created_at, r.search_id, s.slug AS search, t.slug AS topic,
  s.operation, v.prompt, v.tools, v.model, v.date_filter, v.streaming, v.extra, s.next_due_at,
  s.service_id, sv.name AS service, sv.kind AS service_kind, sv.dialect,
  (SELECT count(*)::int FROM strandline.calls c WHERE c.run_id = r.id) AS calls_made`;

type ClaimInput = { runId: Id; worker: string; leaseMs: number; now: Date | null; alone?: boolean };

/** More than a worker begins at the same time; a statement that fails is repeated for each of them. */
const MAX_CLAIMS_TOGETHER = 32;

/**
 * Claims runs, together with those that others in this process claim at the same time.
 * @param input.now the statement's time; null: the database's clock
 * @param input.alone whether this worker has no other run; otherwise it does not get one that was claimed twice
 * @returns `null` when somebody else has the run, it is not due yet, it has ended, or its search is being run
 */
export const claimRun: (db: Database, input: ClaimInput) => Promise<ClaimedRun | null> = batched(claimRuns, {
  most: MAX_CLAIMS_TOGETHER,
  alone: true,
});

async function claimRuns(db: Database, claims: readonly ClaimInput[]): Promise<(ClaimedRun | null)[]> {
  // A run that is asked for twice is claimed by whoever asked first.
  const first = new Map(claims.toReversed().map((claim) => [claim.runId, claim]));
  const asked = [...first.values()].sort((a, b) => (a.runId < b.runId ? -1 : 1));
  try {
    const { rows } = await db.pool.query<ClaimedRun>({
      name: 'claim_run',
      text: CLAIM_RUNS,
      values: [
        asked.map(({ runId }) => runId),
        asked.map(({ worker }) => worker),
        asked.map(({ leaseMs }) => leaseMs),
        asked.map(({ now }) => now),
        asked.map(({ alone }) => alone ?? false),
      ],
    });
    const claimed = new Map(rows.map((run) => [run.id, run]));
    return claims.map((claim) =>
      first.get(claim.runId) === claim ? (claimed.get(claim.runId) ?? null) : null,
    );
  } catch (error) {
    if (claims.length === 1 && violatesConstraint(error, 'runs_one_running')) return [null];
    throw error;
  }
}

/**
 * Gives every running run a lease from now, unless it was given one before and has not renewed it since: then its worker
 * is dead. For the first scan after an outage, in the transaction that notes the scan: claims are possible only once that
 * is committed.
 * @param leaseMs length of a lease, in milliseconds
 * @returns how many leases were extended
 */
export async function extendLeases(tx: Transaction, leaseMs: number): Promise<number> {
  const { rowCount } = await tx.query(
    `UPDATE strandline.runs SET lease_until = clock_timestamp() + $1 * interval '1 millisecond', lease_extended = fence
     WHERE status = 'running' AND lease_extended IS DISTINCT FROM fence`,
    [leaseMs],
  );
  return rowCount ?? 0;
}

/** Extends the lease, and entitles the claim to another one after the next outage. @returns whether the run is still ours */
export async function renewLease(
  db: Database,
  input: { runId: Id; fence: number; leaseMs: number },
): Promise<boolean> {
  const { rowCount } = await db.pool.query(
    `UPDATE strandline.runs SET lease_until = clock_timestamp() + $3 * interval '1 millisecond', lease_extended = NULL
     WHERE id = $1 AND fence = $2 AND status = 'running'`,
    [input.runId, input.fence, input.leaseMs],
  );
  return rowCount === 1;
}

/**
 * Ends a claimed run without success. A response that cannot be used is read by this, with its rejects.
 * @param input.now the statement's time; null: the database's clock
 * @returns false when another claim holds it
 */
export async function failRun(
  db: Database,
  input: {
    runId: Id;
    fence: number;
    code: RunCode;
    reason: string | null;
    /** Null where there was no response to read. */
    rejects: readonly { path: string; code: string; sample: string }[] | null;
    /** Number of the response that was found to be unreadable. */
    unreadable?: number | null;
    now: Date | null;
  },
): Promise<boolean> {
  const { rows } = await db.pool.query(
    `WITH failed AS (
       UPDATE strandline.runs
       SET status = 'failed', code = $3, reason = $4, rejected = $5, ended_at = ${sqlTime('$6')}, lease_until = NULL,
         claims = 0, offer_at = NULL
       WHERE id = $1 AND fence = $2 AND status = 'running'
       RETURNING id, ended_at
     ), response AS (
       UPDATE strandline.responses SET read_at = failed.ended_at
       FROM failed WHERE run_id = failed.id AND n = $8 AND read_at IS NULL
     ), told AS (
       INSERT INTO strandline.rejects (run_id, path, code, sample)
       SELECT failed.id, j.path, j.code, j.sample
       FROM failed, json_to_recordset($7::json) AS j(path text, code text, sample text)
     )
     SELECT id FROM failed`,
    [
      input.runId,
      input.fence,
      input.code,
      input.reason,
      input.rejects?.length ?? null,
      input.now,
      JSON.stringify(input.rejects ?? []),
      input.unreadable ?? null,
    ],
  );
  return rows.length === 1;
}

/**
 * Puts a claimed run back, unless its search was stopped meanwhile. The search's row is share-locked first:
 * a pause or a removal that comes at the same time is either seen here, or finds the run queued. A person
 * who asked for a run of a paused search still gets it.
 */
const REQUEUE_RUN = `
WITH search AS (
  SELECT CASE
    WHEN s.archived_at IS NOT NULL THEN 'removed'
    WHEN s.state = 'broken' OR (s.state = 'paused' AND r.trigger <> 'manual') THEN s.state
  END AS stopped
  FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id
  WHERE r.id = $1 FOR SHARE OF s
), requeued AS (
  UPDATE strandline.runs
  SET status = CASE WHEN stopped IS NULL THEN 'queued' ELSE 'cancelled' END,
    not_before = CASE WHEN stopped IS NULL THEN $3::timestamptz END,
    offer_at = CASE WHEN stopped IS NULL THEN coalesce($3::timestamptz, ${sqlTime('$5')}) END,
    ended_at = CASE WHEN stopped IS NOT NULL THEN ${sqlTime('$5')} END,
    reason = coalesce(stopped, $4), lease_until = NULL, claims = 0
  FROM search
  WHERE id = $1 AND fence = $2 AND status = 'running'
  RETURNING id, status
), response AS (
  UPDATE strandline.responses SET read_at = ${sqlTime('$5')} FROM requeued WHERE run_id = requeued.id AND n = $6 AND read_at IS NULL
)
SELECT status FROM requeued`;

/**
 * Puts a claimed run back into the queue, in order: for a retry, or because this worker is stopping. The scan offers it
 * once `notBefore` has come, which is at once where it is null.
 * @param input.now the statement's time; null: the database's clock
 * @returns `cancelled` where its search is paused, broken or removed by now; `lost` when another claim holds it
 */
export async function requeueRun(
  db: Database,
  input: {
    runId: Id;
    fence: number;
    notBefore: Date | null;
    reason: string | null;
    /** Number of the response that was found to be unreadable. */
    unreadable?: number | null;
    now: Date | null;
  },
): Promise<'queued' | 'cancelled' | 'lost'> {
  const { rows } = await db.pool.query<{ status: 'queued' | 'cancelled' }>(REQUEUE_RUN, [
    input.runId,
    input.fence,
    input.notBefore,
    input.reason,
    input.now,
    input.unreadable ?? null,
  ]);
  return rows[0]?.status ?? 'lost';
}

/** What became of a run, as far as the database knows. */
export async function readRunState(
  db: Database,
  runId: Id,
): Promise<{ status: string; fence: number; code: RunCode | null } | null> {
  const { rows } = await db.pool.query<{ status: string; fence: number; code: RunCode | null }>(
    'SELECT status, fence, code FROM strandline.runs WHERE id = $1',
    [runId],
  );
  return rows[0] ?? null;
}

/**
 * A run outside the schedule: the first one of a new search, or one that a person asked for. Its caller offers it to the
 * queue; where nobody takes it, the scan offers it again half a minute later. The search's row is share-locked, so that a
 * removal at the same time is waited for, and seen.
 * @param input.now the statement's time; null: the database's clock
 * @throws Refused `not_found` where the search is removed
 */
export async function insertRun(
  tx: Transaction | Database['pool'],
  input: { searchId: Id; trigger: 'manual' | 'first'; now: Date | null },
): Promise<Id> {
  const { rows } = await tx.query<{ id: Id }>(
    `INSERT INTO strandline.runs (search_id, version, request_version, trigger, status, created_at, offer_at)
     SELECT s.id, s.version, v.request_version, $2, 'queued', t.now, t.now + interval '30 seconds'
     FROM strandline.searches s JOIN strandline.search_versions v ON v.search_id = s.id AND v.version = s.version,
       (SELECT ${sqlTime('$3')} AS now) t
     WHERE s.id = $1 AND s.archived_at IS NULL FOR SHARE OF s RETURNING id`,
    [input.searchId, input.trigger, input.now],
  );
  const row = rows[0];
  if (row === undefined) throw new Refused('not_found', 'the search was removed');
  return row.id;
}

/**
 * A run of the search as it is now that nobody has claimed and that may start at once: one that waits for a retry, or was
 * queued before an edit, is not what somebody who asks for a run means.
 */
export async function findQueuedRun(tx: Transaction, searchId: Id, now: Date | null): Promise<Id | null> {
  const { rows } = await tx.query<{ id: Id }>(
    `SELECT r.id FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id AND s.version = r.version
     WHERE r.search_id = $1 AND r.status = 'queued' AND (r.not_before IS NULL OR r.not_before <= ${sqlTime('$2')})
     ORDER BY r.id LIMIT 1`,
    [searchId, now],
  );
  return rows[0]?.id ?? null;
}

export type ReplayableRun = {
  search_id: Id;
  service_id: Id;
  operation: Operation;
  /** Of the version that it ran with. */
  tools: Tool[];
  dialect: string;
  status: string;
  ended_at: Date | null;
};

export async function findRunForReplay(db: Database, runId: Id): Promise<ReplayableRun | null> {
  const { rows } = await db.pool.query<ReplayableRun>(
    `SELECT r.search_id, s.service_id, s.operation, v.tools, sv.dialect, r.status, r.ended_at
     FROM strandline.runs r
     JOIN strandline.searches s ON s.id = r.search_id
     JOIN strandline.search_versions v ON v.search_id = r.search_id AND v.version = r.version
     JOIN strandline.services sv ON sv.id = s.service_id
     WHERE r.id = $1`,
    [runId],
  );
  return rows[0] ?? null;
}

/** Whether the last `times` ended runs of a search all failed with this code. */
export async function countFailuresInARow(
  db: Database,
  searchId: Id,
  code: string,
  times: number,
): Promise<boolean> {
  const { rows } = await db.pool.query<{ code: string | null }>(
    `SELECT code FROM strandline.runs WHERE search_id = $1 AND status IN ('succeeded', 'failed') ORDER BY id DESC LIMIT $2`,
    [searchId, times],
  );
  return rows.length === times && rows.every((row) => row.code === code);
}
