/** Leases runs for this process, renews their leases, and gates runs that must run alone. */

import { SECOND } from '../../lib/time.ts';
import { monotonicMs } from '../../platform/clock.ts';
import type { Id } from '../../store/db/database.ts';
import { markUnknownCalls } from '../../store/runs/ledger.ts';
import { mustRunAlone } from '../../store/runs/responses.ts';
import { type LeasedRun, leaseRun, renewLease } from '../../store/runs/run-leases.ts';
import { failRun, readOwnStatus } from '../../store/runs/run-states.ts';
import type { Context } from '../context.ts';

/** Two leases whose worker died while it had other runs, and three whose worker had no other run. */
const MAX_LEASES = 5;

/**
 * Leases a run for this worker, or fails a run that has killed too many workers. If it has a response, the response stays
 * unread and is read late.
 * @param alone whether this process has no other run
 * @returns null if there is nothing to lease
 * @throws ExclusiveAccessNeeded if only a process without other runs may lease it
 */
export async function leaseForWorker(ctx: Context, runId: Id, alone: boolean): Promise<LeasedRun | null> {
  const now = ctx.clock.statementTime();
  const run = await leaseRun(ctx.db, {
    runId,
    worker: ctx.worker,
    leaseMs: ctx.config.leaseMs,
    now,
    alone,
  });
  if (run === null && !alone && (await mustRunAlone(ctx.db, { runId, now })))
    throw new ExclusiveAccessNeeded();
  if (run === null || run.leases <= MAX_LEASES) return run;
  await markUnknownCalls(ctx.db, runId, run.fence, ctx.clock.now());
  const reason = `${MAX_LEASES} workers died while executing this run, 3 of them while it was their only run`;
  await failRun(ctx.db, { runId, fence: run.fence, code: 'internal', reason, rejects: null, now });
  ctx.log.error({ run: String(runId), search: run.search, leases: MAX_LEASES, reason }, 'run failed');
  return null;
}

/** Interval of retries after a failed renewal; short, so that even a brief return of the database renews the lease. */
const LEASE_RETRY_MS = SECOND;

/**
 * Renews the lease of a leased run three times per lease. While the database is unavailable, the call continues: it is paid
 * for, and after an outage surviving workers keep their runs. A lease that was taken over is no longer renewed; the response is
 * still stored, and read late.
 * @returns a function that stops renewing
 */
export function startLeaseRenewal(ctx: Context, run: LeasedRun): () => void {
  const { leaseMs } = ctx.config;
  const everyMs = leaseMs / 3;
  let renewAt = monotonicMs() + everyMs;
  let renewing = false;
  let failing = false;
  const timer = setInterval(
    () => {
      if (!renewing && monotonicMs() >= renewAt) void renew();
    },
    Math.min(everyMs, LEASE_RETRY_MS),
  );
  timer.unref();

  async function renew(): Promise<void> {
    renewing = true;
    try {
      const held = await renewLease(ctx.db, { runId: run.id, fence: run.fence, leaseMs });
      renewAt = monotonicMs() + everyMs;
      failing = false;
      if (held) return;
      clearInterval(timer);
      // Not lost if the renewal waited for our own save, which has ended the run.
      if ((await readOwnStatus(ctx.db, run)) !== null) return;
      ctx.log.warn({ run: String(run.id), search: run.search }, 'lease lost');
    } catch (error) {
      if (!failing) ctx.log.warn({ err: error, run: String(run.id) }, 'lease not renewed; retrying');
      failing = true;
    } finally {
      renewing = false;
    }
  }

  return () => clearInterval(timer);
}

/** Thrown by work that must run alone, before it starts. */
export class ExclusiveAccessNeeded extends Error {
  override readonly name = 'ExclusiveAccessNeeded';
}

/** A gate for all runs of a process: a run that may have killed its process before is executed alone. */
export type RunGate = {
  /** Does `work` in parallel with other work, once no work runs alone or waits to. */
  shared: <T>(work: () => Promise<T>) => Promise<T>;
  /** Does `work` once all other work has ended; later work waits. */
  alone: <T>(work: () => Promise<T>) => Promise<T>;
};

export function createRunGate(): RunGate {
  const inProgress = new Set<Promise<void>>();
  /** Settles when the last work that runs alone has ended. */
  let lastAlone: Promise<void> | undefined;

  const shared: RunGate['shared'] = async (work) => {
    if (lastAlone !== undefined) {
      await lastAlone;
      // Other work may wait to run alone by now.
      return shared(work);
    }
    // No await between the check and this line, so that nothing can start to run alone in between.
    const working = work();
    const ended = waitUntilSettled(working);
    inProgress.add(ended);
    try {
      return await working;
    } finally {
      inProgress.delete(ended);
    }
  };

  const alone: RunGate['alone'] = async (work) => {
    const working = Promise.all([lastAlone, ...inProgress]).then(work);
    const ended = waitUntilSettled(working);
    lastAlone = ended;
    try {
      return await working;
    } finally {
      // Later work may have replaced it.
      if (lastAlone === ended) lastAlone = undefined;
    }
  };

  return { shared, alone };
}

async function waitUntilSettled(work: Promise<unknown>): Promise<void> {
  await Promise.allSettled([work]);
}
