import type { Clock } from '../../platform/clock.ts';
import { batched, givenRows } from '../db/batches.ts';
import {
  type CallEnd,
  type CallLimits,
  closeCall,
  openWithinLimits,
  readVerdict,
  REFUND_CALL,
  type Verdict,
  type VerdictRow,
} from './call-limits.ts';
import type { Database, Id } from '../db/database.ts';
import { execute, statement, timeOf } from '../db/statement.ts';
import { encodeBody } from './responses.ts';

export type OpenedCall =
  | { kind: 'opened'; n: number; sentAt: Date }
  | Exclude<Verdict, { kind: 'opened' }>
  /** The run has an unread response, which is paid for and must be read first. */
  | { kind: 'unread' }
  | { kind: 'run_cap' }
  /** Another worker holds the lease of the run, or the run has ended. */
  | { kind: 'lost' };

type CallToOpen = CallLimits & { runId: Id; fence: number; maxCallsPerRun: number };

/** Not retried: it may have been committed, and each row counts as a paid call. */
const openTogether = batched(openCalls, { most: 32, alone: false });

/**
 * Opens calls, with one statement per service for concurrent ones.
 * @returns for an opened call, also the database's time at which it was counted
 */
export async function openCall(db: Database, input: CallToOpen): Promise<OpenedCall> {
  const opened = await openTogether(db, input);
  if (opened.kind === 'failed') throw opened.error;
  // A run without calls has no responses.
  if (opened.kind === 'opened' && opened.n > 1 && (await refundIfUnread(db, { ...input, n: opened.n })))
    return { kind: 'unread' };
  return opened;
}

type OpenOutcome = OpenedCall | { kind: 'failed'; error: unknown };

/** One statement per service: if one fails, calls of another may have been opened, and are made. */
async function openCalls(db: Database, calls: readonly CallToOpen[]): Promise<OpenOutcome[]> {
  const outcomes = new Map<CallToOpen, OpenOutcome>();
  for (const group of groupCalls(calls)) {
    try {
      const opened = await openGroup(db, group);
      for (const call of group) outcomes.set(call, opened.get(call.runId) ?? { kind: 'lost' });
    } catch (error) {
      for (const call of group) outcomes.set(call, { kind: 'failed', error });
    }
  }
  return calls.flatMap((call) => outcomes.get(call) ?? []);
}

type CallGroup = [CallToOpen, ...CallToOpen[]];

/** Calls to the same service under the same limits, each of another run. */
function groupCalls(calls: readonly CallToOpen[]): CallGroup[] {
  const groups: CallGroup[] = [];
  for (const call of calls) {
    const group = groups.find(
      ([first, ...others]) =>
        first.serviceId === call.serviceId &&
        first.callsPerDay === call.callsPerDay &&
        first.callsPerMinute === call.callsPerMinute &&
        first.clock === call.clock &&
        [first, ...others].every(({ runId }) => runId !== call.runId),
    );
    if (group === undefined) groups.push([call]);
    else group.push(call);
  }
  return groups;
}

/**
 * Writes the ledger rows of calls to one service, and commits them, before the calls are made. This single statement
 * checks everything that may refuse them: whether the lease still holds each run (whose row is locked), whether the
 * run has an unread response, how many calls it has made, and the limits of the service. A call is counted only if
 * its row is written.
 * @returns by run; runs that the lease no longer holds are omitted
 */
async function openGroup(db: Database, group: CallGroup): Promise<ReadonlyMap<Id, OpenedCall>> {
  const calls = group.toSorted((a, b) => (a.runId < b.runId ? -1 : 1));
  const [limits] = group;
  const requested = givenRows('asked', {
    run_id: ['bigint', calls.map(({ runId }) => runId)],
    fence: ['int', calls.map(({ fence }) => fence)],
    most: ['int', calls.map(({ maxCallsPerRun }) => maxCallsPerRun)],
  });
  const rows = await openWithinLimits<OpenedCallRow>(db, limits, {
    name: 'open_call',
    candidates: statement`
run AS MATERIALIZED (
  SELECT asked.* FROM ${requested}
  CROSS JOIN LATERAL (
    SELECT FROM strandline.runs WHERE id = asked.run_id AND fence = asked.fence AND status = 'running' FOR NO KEY UPDATE
  ) held
), made AS MATERIALIZED (
  SELECT run.*, (SELECT count(*) FROM strandline.calls c WHERE c.run_id = run.run_id) AS calls,
    (SELECT coalesce(max(c.n), 0) + 1 FROM strandline.calls c WHERE c.run_id = run.run_id) AS n,
    EXISTS (SELECT FROM strandline.responses a WHERE a.run_id = run.run_id AND read_at IS NULL) AS unread
  FROM run
), allowed AS MATERIALIZED (
  SELECT run_id, fence, n, row_number() OVER (ORDER BY run_id) AS place FROM made WHERE NOT unread AND calls < most
)`,
    rows: statement`
  INSERT INTO strandline.calls (run_id, n, service_id, fence, state, sent_at)
  SELECT run_id, n, ${limits.serviceId}, fence, 'sent', now FROM allowed, verdict WHERE place <= opens`,
    outcome: statement`
SELECT made.run_id, made.n, verdict.now, verdict.until, CASE
  WHEN place <= opens THEN 'opened' WHEN place IS NOT NULL THEN refusal WHEN made.unread THEN 'unread' ELSE 'run_cap' END AS kind
FROM made LEFT JOIN allowed USING (run_id) LEFT JOIN verdict ON place IS NOT NULL`,
  });
  return new Map(rows.map((row) => [row.run_id, toOpenedCall(row)]));
}

type OpenedCallRow = Omit<VerdictRow, 'kind'> & {
  run_id: Id;
  n: number;
  kind: VerdictRow['kind'] | 'unread' | 'run_cap';
};

function toOpenedCall({ kind, n, now, until }: OpenedCallRow): OpenedCall {
  if (kind === 'unread' || kind === 'run_cap') return { kind };
  const verdict = readVerdict({ kind, now, until });
  return verdict.kind === 'opened' ? { ...verdict, n } : verdict;
}

/**
 * Refunds a call that was opened although its run has an unread response. {@link openGroup} does not see rows committed
 * while it waits for a lock; this statement does, before the request is sent, even if a later lease has marked the call as
 * unknown.
 * @returns whether the run has an unread response, so that the call must not be made
 */
async function refundIfUnread(
  db: Database,
  { runId, n, clock }: { runId: Id; n: number; clock: Pick<Clock, 'statementTime'> },
): Promise<boolean> {
  const { rowCount } = await execute(
    db.pool,
    statement`WITH closed AS (
        UPDATE strandline.calls SET state = 'failed', code = 'timeout_connect', received_at = ${timeOf(clock.statementTime())}, refunded = true
        WHERE run_id = ${runId} AND n = ${n} AND NOT refunded
          AND EXISTS (SELECT FROM strandline.responses WHERE run_id = ${runId} AND read_at IS NULL)
        RETURNING service_id, sent_at, refunded
      ), ${REFUND_CALL}
      SELECT FROM closed`,
    'refund_if_unread',
  );
  return rowCount === 1;
}

export type FailedCallEnd = CallEnd & {
  /** `received`: its response is paid for, and could not be stored with it. */
  state: 'failed' | 'unknown' | 'received';
  /** The decoded part of a response that was cut off, or the body of an error. */
  partial: { contentType: string | null; body: Buffer } | null;
};

/**
 * Closes a call without a response. If its request was certainly not sent, it is removed from the day and the minute,
 * but still counts as an attempt of its run. A partial body is stored as a response that needs no reading: a replay
 * may parse it, but it never counts as complete. Idempotent.
 */
export async function closeFailedCall(
  db: Database,
  call: FailedCallEnd & { runId: Id; n: number },
): Promise<void> {
  const { runId, n, partial } = call;
  const stored = partial && (await encodeBody(partial.body));
  const kept = partial && stored && { contentType: partial.contentType, ...stored };
  await execute(
    db.pool,
    statement`WITH ${closeCall('calls', statement`run_id = ${runId} AND n = ${n}`, call)}, kept AS (
        INSERT INTO strandline.responses (run_id, n, http_status, content_type, body, sha256, bytes, received_at, read_at)
        SELECT run_id, n, http_status, ${kept?.contentType ?? null}, ${kept?.gzipped ?? null}, ${kept?.sha256 ?? null}, ${kept?.bytes ?? null}::int,
          received_at, received_at
        FROM closed WHERE ${kept !== null}::boolean
        ON CONFLICT DO NOTHING
      ), ${REFUND_CALL}
      SELECT FROM closed`,
  );
}

/** Calls of an earlier lease with unknown outcome: they count as paid. */
export async function markUnknownCalls(db: Database, runId: Id, fence: number, now: Date): Promise<number> {
  const { rowCount } = await execute(
    db.pool,
    statement`UPDATE strandline.calls SET state = 'unknown', code = 'unknown_outcome', received_at = ${now}
      WHERE run_id = ${runId} AND fence < ${fence} AND state = 'sent'`,
  );
  return rowCount ?? 0;
}
