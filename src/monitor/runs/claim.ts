/** Claiming a run for this process: the claim itself, its lease, and the gate for runs that must run alone. */

import { SECOND } from '../../domain/time.ts';
import { monotonicMs } from '../../platform/clock.ts';
import type { Id } from '../../store/database.ts';
import { markUnknownCalls } from '../../store/ledger.ts';
import { needsSolitude } from '../../store/responses.ts';
import { type ClaimedRun, claimRun, renewLease } from '../../store/run-claims.ts';
import { failRun, readRunState } from '../../store/run-states.ts';
import type { Context } from '../context.ts';

/** Two claims that ended without a word beside other runs, and three of a worker that had no other run. */
const MAX_CLAIMS = 5;

/**
 * Claims a run for this worker, or fails one that took down every worker that had nothing else to do. Its response, where
 * it has one, stays unread, and is read late.
 * @param alone whether this process has no other run
 * @returns null where there is nothing to claim
 * @throws ExclusiveAccessNeeded where only a process without other runs may go on with it
 */
export async function claimForWorker(ctx: Context, runId: Id, alone: boolean): Promise<ClaimedRun | null> {
  const now = ctx.clock.statementTime();
  const run = await claimRun(ctx.db, {
    runId,
    worker: ctx.worker,
    leaseMs: ctx.config.leaseMs,
    now,
    alone,
  });
  if (run === null && !alone && (await needsSolitude(ctx.db, { runId, now })))
    throw new ExclusiveAccessNeeded();
  if (run === null || run.claims <= MAX_CLAIMS) return run;
  await markUnknownCalls(ctx.db, runId, run.fence, ctx.clock.now());
  const reason = `${MAX_CLAIMS} workers died while they executed this run, 3 of them with no other run`;
  await failRun(ctx.db, { runId, fence: run.fence, code: 'internal', reason, rejects: null, now });
  ctx.log.error(
    { run: String(runId), search: run.search, claims: MAX_CLAIMS },
    'run failed: workers died of it',
  );
  return null;
}

/** A renewal that failed is repeated this often, so that a database that is back for seconds learns who survived. */
const LEASE_RETRY_MS = SECOND;

/**
 * Renews the lease of a claimed run every third of it. While the database is away nothing is renewed, and the call goes
 * on: it is paid for, and after an outage whoever survived it goes first. A lease that was taken over is not renewed any
 * more; the response is stored all the same, and read late.
 * @returns stops renewing
 */
export function startLeaseRenewal(ctx: Context, run: ClaimedRun): () => void {
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
      // Not where it waited for our own save, which has ended the run.
      const state = await readRunState(ctx.db, run.id);
      if (state?.fence === run.fence) return;
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

/** Thrown by work that must not be done beside other work; it has not begun. */
export class ExclusiveAccessNeeded extends Error {
  override readonly name = 'ExclusiveAccessNeeded';
}

/** A gate that all runs of a process pass: one that may have killed its process before is executed while no other is. */
export type RunGate = {
  /** Does `work` beside other work, once nobody is or wants to be alone. */
  shared: <T>(work: () => Promise<T>) => Promise<T>;
  /** Does `work` once all other work has ended; what comes later waits. */
  alone: <T>(work: () => Promise<T>) => Promise<T>;
};

export function createRunGate(): RunGate {
  const inProgress = new Set<Promise<void>>();
  /** Ends with the last one who asked to be alone. */
  let lastAlone: Promise<void> | undefined;

  const shared: RunGate['shared'] = async (work) => {
    if (lastAlone !== undefined) {
      await lastAlone;
      // Somebody else may want to be alone by now.
      return shared(work);
    }
    // Nothing is waited for between the question and this, so that nobody is alone beside it.
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
      // Whoever came after this one ends later.
      if (lastAlone === ended) lastAlone = undefined;
    }
  };

  return { shared, alone };
}

async function waitUntilSettled(work: Promise<unknown>): Promise<void> {
  await Promise.allSettled([work]);
}
