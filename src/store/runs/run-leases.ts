/** Leases of runs: take with a fence, extend, renew. */
import { SECOND } from '../../lib/time.ts';
import { batched, givenRows } from '../db/batches.ts';
import { type Database, type Id, type Transaction, violatesConstraint } from '../db/database.ts';
import { execute, isOver, rowsOf, type Statement, statement, timeOf, verbatim } from '../db/statement.ts';
import type { runs } from '../schema/run-tables.ts';
import type { searches } from '../schema/topic-tables.ts';
import type { RequestColumns } from '../topics/searches.ts';
import type { ServiceKind } from '../../model/closed-lists.ts';

/** A leased run with everything its execution needs. */
export type LeasedRun = RequestColumns &
  Pick<
    typeof runs.$inferSelect,
    'id' | 'fence' | 'leases' | 'version' | 'trigger' | 'slot_at' | 'created_at' | 'search_id'
  > &
  Pick<typeof searches.$inferSelect, 'operation' | 'service_id' | 'next_due_at'> & {
    search: string;
    topic: string;
    service: string;
    service_kind: ServiceKind;
    /** Name of its dialect; see `loadDialect`. */
    dialect: string;
    calls_made: number;
  };

/** A lease lasts an hour at most. A lease that ends more than a day from now was written by a wrong clock, and counts as over. */
export const LEASE_IS_OVER = isOver(
  statement`lease_until`,
  statement`clock_timestamp()`,
  statement`interval '1 day'`,
);

/** Whether a queued run may start: a retry waits an hour at most (`monitor/runs/retry-policy.ts`), spread over some seconds. */
export function mayStart(now: Statement): Statement {
  return isOver(statement`not_before`, now, statement`interval '65 minutes'`);
}

/** If no scan began for this long, no worker could renew its lease either: an outage. */
export const OUTAGE_AFTER_MS = 3 * SECOND;
const OUTAGE_AFTER = verbatim(`interval '${OUTAGE_AFTER_MS} ms'`);

/**
 * A run whose lease expired while scans continue. After an outage, the first scan extends all leases (`extendLeases`), and
 * no run can be leased before: its worker may have survived with a paid response.
 */
export const IS_ABANDONED = statement`(r.status = 'running' AND ${LEASE_IS_OVER} AND EXISTS (
  SELECT FROM strandline.scanner
  WHERE scanned_at BETWEEN clock_timestamp() - ${OUTAGE_AFTER} AND clock_timestamp() + interval '5 s'))`;

/** A run that was leased this often may crash its workers: it is given only to a worker without other runs. */
export const MAX_SHARED_LEASES = 2;

type LeaseInput = { runId: Id; worker: string; leaseMs: number; now: Date | null; alone?: boolean };

/** More than a worker starts at once; if the statement fails, each run is retried alone. */
const MAX_LEASES_TOGETHER = 32;

/**
 * Leases runs, batched with concurrent leases of this process.
 * @param input.now the statement's time; null: the database's clock
 * @param input.alone whether this worker has no other run; otherwise it does not get one that was leased twice
 * @returns `null` if another worker has the run, it is not due, it has ended, or its search has a running run
 */
export const leaseRun: (db: Database, input: LeaseInput) => Promise<LeasedRun | null> = batched(leaseRuns, {
  most: MAX_LEASES_TOGETHER,
  alone: true,
});

/**
 * Leases runs for this process: queued and due, or running with an expired lease. Locks their rows first, in order;
 * the lock decides between concurrent leases, and the partial unique index `runs_one_running` keeps two runs of one
 * search apart. Leases use the database's clock.
 */
async function leaseRuns(db: Database, leases: readonly LeaseInput[]): Promise<(LeasedRun | null)[]> {
  // If a run is requested twice, the first request leases it.
  const first = new Map(leases.toReversed().map((lease) => [lease.runId, lease]));
  const requests = [...first.values()].sort((a, b) => (a.runId < b.runId ? -1 : 1));
  const askedRows = givenRows('asked', {
    id: ['bigint', requests.map(({ runId }) => runId)],
    worker: ['text', requests.map(({ worker }) => worker)],
    lease_ms: ['int', requests.map(({ leaseMs }) => leaseMs)],
    now: ['timestamptz', requests.map(({ now }) => now)],
    alone: ['boolean', requests.map(({ alone }) => alone ?? false)],
  });
  const now = timeOf(statement`asked.now`);
  try {
    const rows = await rowsOf<LeasedRun>(
      db.pool,
      statement`WITH held AS MATERIALIZED (
        SELECT asked.*
        FROM ${askedRows}
        CROSS JOIN LATERAL (
          SELECT FROM strandline.runs r
          WHERE r.id = asked.id AND (asked.alone OR r.leases < ${verbatim(MAX_SHARED_LEASES)})
            AND ((r.status = 'queued' AND ${mayStart(now)}) OR ${IS_ABANDONED})
          FOR NO KEY UPDATE
        ) leasable
      )
      UPDATE strandline.runs r
      SET status = 'running', fence = r.fence + 1, leases = r.leases + 1, worker = asked.worker, not_before = NULL, offer_at = NULL,
        lease_until = clock_timestamp() + asked.lease_ms * interval '1 millisecond', started_at = coalesce(r.started_at, ${now})
      FROM held asked, strandline.searches s, strandline.topics t, strandline.services sv, strandline.search_versions v
      WHERE r.id = asked.id AND s.id = r.search_id AND t.id = s.topic_id AND sv.id = s.service_id
        AND v.search_id = r.search_id AND v.version = r.version
      RETURNING r.id, r.fence, r.leases, r.version, r.trigger, r.slot_at, r.created_at, r.search_id, s.slug AS search, t.slug AS topic,
        s.operation, v.prompt, v.tools, v.model, v.date_filter, v.streaming, v.extra,
        coalesce(s.next_due_at, (SELECT due_at FROM strandline.search_pace p WHERE p.search_id = s.id)) AS next_due_at,
        s.service_id, sv.name AS service, sv.kind AS service_kind, sv.dialect,
        (SELECT count(*)::int FROM strandline.calls c WHERE c.run_id = r.id) AS calls_made`,
      'lease_run',
    );
    const leased = new Map(rows.map((run) => [run.id, run]));
    return leases.map((lease) =>
      first.get(lease.runId) === lease ? (leased.get(lease.runId) ?? null) : null,
    );
  } catch (error) {
    if (leases.length === 1 && violatesConstraint(error, 'runs_one_running')) return [null];
    throw error;
  }
}

/**
 * Extends the leases of all running runs, except those already extended and not renewed since: their workers are
 * dead. A lease that is longer than any, from before the database's clock was set back, is shortened. For the first scan after
 * either, in the transaction that records the scan, so that no run is leased before it commits.
 * @param leaseMs length of a lease, in milliseconds
 * @returns how many leases were extended
 */
export async function extendLeases(tx: Transaction, leaseMs: number): Promise<number> {
  const { rowCount } = await execute(
    tx,
    statement`UPDATE strandline.runs SET lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond', lease_extended = fence
     WHERE status = 'running'
       AND (lease_extended IS DISTINCT FROM fence OR lease_until > clock_timestamp() + ${leaseMs} * interval '1 millisecond')`,
  );
  return rowCount ?? 0;
}

/** Renews the lease, and allows another extension after the next outage. @returns whether we still hold the run */
export async function renewLease(
  db: Database,
  input: { runId: Id; fence: number; leaseMs: number },
): Promise<boolean> {
  const { rowCount } = await execute(
    db.pool,
    statement`UPDATE strandline.runs SET lease_until = clock_timestamp() + ${input.leaseMs} * interval '1 millisecond', lease_extended = NULL
     WHERE id = ${input.runId} AND fence = ${input.fence} AND status = 'running'`,
  );
  return rowCount === 1;
}
