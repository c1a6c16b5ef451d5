/** A worker: takes work from the queue, and runs timers that do not depend on the queue. */

import { MINUTE } from '../lib/time.ts';
import type { Logger } from '../platform/logger.ts';
import { observePresence } from '../platform/presence.ts';
import type { QueueWorkers } from '../platform/queue/queue.ts';
import type { QueueBackend } from '../platform/queue/connection.ts';
import { startWorkers } from '../platform/queue/queue-workers.ts';
import { Refused } from '../model/errors.ts';
import type { Context } from '../monitor/context.ts';
import { startBriefs } from '../monitor/briefs/write-briefs.ts';
import { startFollower } from '../monitor/derive/follower.ts';
import { startJudge } from '../monitor/goals/judge-stories.ts';
import { startTranslations } from '../monitor/translations/translate-texts.ts';
import { runRecurringWork, RECURRING_WORK } from '../monitor/recurring-work.ts';
import { executeRun } from '../monitor/runs/execute.ts';
import type { RunReport } from '../monitor/runs/run-end.ts';
import { createRunGate } from '../monitor/runs/lease.ts';
import { prepareSpool, replaySpool } from '../monitor/runs/db-outage.ts';
import { type ScanLoop, startScanLoop } from '../monitor/schedule/scan-loop.ts';
import { deliverDueMessages } from '../monitor/alerts/deliver.ts';
import { evaluateRules } from '../monitor/alerts/rule-evaluation.ts';
import { ensureRecurringWork } from '../store/runs/scanner.ts';
import { readTime } from '../store/db/database.ts';
import { measureSkew, recordHeartbeat, deregisterWorker } from '../store/runs/worker-registry.ts';

export type RunningWorker = {
  /** Stops taking work and waits for what is in progress. */
  drain(): Promise<void>;
  /** Aborts calls in progress and releases their runs, for a faster drain. */
  abort(): void;
  /** Why it takes no work; null if it does. */
  idle(): IdleReason | null;
};

/**
 * - `queue`: the queue's back end would lose jobs
 * - `silent`: it has seen no scan for a minute; the database may be unavailable
 */
type IdleReason = 'queue' | 'silent' | 'draining';

/** The idle reason of a worker that may not have started yet. */
export function readIdleReason(worker: RunningWorker | undefined): IdleReason | 'starting' | null {
  return worker === undefined ? 'starting' : worker.idle();
}

/** A worker that saw no scan for this long is stuck. */
const STUCK_MS = MINUTE;
/** How long a drain waits for calls in progress before it aborts them. */
const GRACE_MS = MINUTE / 3;

/**
 * Dispatches scans, runs, channels and recurring work from the queue. Also starts the scan's timer, the follower, and a
 * heartbeat that reports this worker, checks the queue and stores spooled responses.
 * @param onReport called after each run that this process ended; default: logs it
 * @returns after the first heartbeat, so that spooled responses are stored before anybody leases their runs
 */
export async function startWorker(
  ctx: Context,
  backend: QueueBackend,
  version: string,
  onReport = (report: RunReport) => logReport(ctx, report),
): Promise<RunningWorker> {
  const startedAt = await readTime(ctx.db.pool, ctx.clock);
  const aborting = new AbortController();
  await prepareSpool(ctx);
  const scanLoop = await startScanLoop(ctx);
  const workers = takeWork(ctx, backend, scanLoop, aborting.signal, onReport);
  const intake = openIntake(backend, workers, ctx.log);
  const stopHeartbeat = await startHeartbeat(ctx.config.heartbeatMs, async () => {
    await reportWorker(ctx, { version, queue: backend.kind, startedAt });
    await intake.check();
  });
  const stopFollowing = startFollower(ctx);
  const stopJudging = startJudge(ctx, () => evaluateRules(ctx));
  const stopWriting = startBriefs(ctx);
  const stopTranslating = startTranslations(ctx);
  const stopObserving = observePresence();
  return {
    idle: () => intake.closedBy() ?? (scanLoop.sinceScanMs() > STUCK_MS ? 'silent' : null),
    drain: async () => {
      intake.end();
      const grace = setTimeout(() => aborting.abort(), GRACE_MS);
      const stops = [stopFollowing, stopJudging, stopWriting, stopTranslating, stopHeartbeat];
      await Promise.all([workers.close(), scanLoop.stop(), ...stops.map((stop) => stop())]);
      clearTimeout(grace);
      stopObserving();
      await deregisterWorker(ctx.db, ctx.worker).catch((error: unknown) =>
        ctx.log.warn({ err: error }, 'worker deregistration failed'),
      );
    },
    abort: () => {
      intake.end();
      aborting.abort();
    },
  };
}

/** Creates the queue workers, paused, with a handler for each kind of job. @param signal aborts calls in progress */
function takeWork(
  ctx: Context,
  backend: QueueBackend,
  scanLoop: ScanLoop,
  signal: AbortSignal,
  onReport: (report: RunReport) => void,
): QueueWorkers {
  const gate = createRunGate();
  const workers = startWorkers(backend, {
    concurrency: ctx.config.workerConcurrency,
    log: ctx.log,
    onScan: () => scanLoop.scan(),
    onRun: async (runId) => {
      const report = await executeRun(ctx, runId, signal, gate);
      if (report === null) return;
      onReport(report);
      if (report.status === 'succeeded') await evaluateRules(ctx);
    },
    onChannel: async (channelId) => {
      await deliverDueMessages(ctx, channelId, signal);
    },
    onWork: (name) => runRecurringWork(ctx, name, signal),
  });
  workers.pause();
  return workers;
}

/** Whether a worker takes work: not if the queue would lose jobs, and not while draining. */
function openIntake(backend: QueueBackend, workers: QueueWorkers, log: Logger) {
  let state: 'open' | 'unsafe' | 'ended' = 'open';

  async function isSafe(): Promise<boolean> {
    try {
      await backend.check();
      return true;
    } catch (error) {
      if (!(error instanceof Refused)) return state !== 'unsafe';
      log.error({ reason: error.message }, 'queue unsuitable; taking no work until this is fixed');
      return false;
    }
  }

  return {
    /**
     * Pauses the workers if the queue's back end is unsuitable, else resumes them. An unavailable back end is checked when it
     * is back.
     */
    check: async () => {
      const safe = await isSafe();
      if (state === 'ended') return;
      state = safe ? 'open' : 'unsafe';
      if (safe) workers.resume();
      else workers.pause();
    },
    /** Prevents later checks from resuming them. */
    end: () => {
      state = 'ended';
    },
    /** Why no work is taken; null if it is. */
    closedBy: () => (state === 'ended' ? 'draining' : state === 'unsafe' ? 'queue' : null),
  };
}

/** Stores spooled responses, then records the heartbeat. Never throws. */
async function reportWorker(
  ctx: Context,
  { version, queue, startedAt }: { version: string; queue: QueueBackend['kind']; startedAt: Date },
): Promise<void> {
  try {
    const spooled = await replaySpool(ctx);
    await recordHeartbeat(ctx.db, {
      name: ctx.worker,
      version,
      queue,
      concurrency: ctx.config.workerConcurrency,
      skew_ms: await measureSkew(ctx.db),
      spooled,
      started_at: startedAt,
      seen_at: await readTime(ctx.db.pool, ctx.clock),
    });
    await ensureRecurringWork(ctx.db.pool, RECURRING_WORK);
  } catch (error) {
    ctx.log.warn({ err: error }, 'heartbeat failed');
  }
}

/**
 * Beats immediately, then at each interval; beats never overlap.
 * @returns after the first beat, a function that stops the timer and waits for a beat in progress
 */
async function startHeartbeat(everyMs: number, beat: () => Promise<void>): Promise<() => Promise<void>> {
  await beat();
  let inProgress: Promise<void> | undefined;
  const timer = setInterval(() => {
    inProgress ??= beat().finally(() => {
      inProgress = undefined;
    });
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await inProgress;
  };
}

function logReport(ctx: Context, report: RunReport): void {
  const { runId, search, trigger, service } = report;
  const run = { run: String(runId), search, trigger, service };
  switch (report.status) {
    case 'succeeded': {
      const { baseline, newPosts, newLinks, completionChanged } = report.diff;
      const { posts, links, rejected } = report;
      const counts = { posts, links, rejected, new_posts: newPosts.length, new_links: newLinks.length };
      ctx.log.info({ ...run, ...counts, completionChanged, baseline }, 'run succeeded');
      return;
    }
    case 'failed':
      ctx.log.warn({ ...run, code: report.code, detail: report.detail }, 'run failed');
      return;
    case 'retry':
      ctx.log.warn(
        { ...run, code: report.code, detail: report.detail, not_before: report.notBefore },
        'run will be retried',
      );
      return;
    case 'released':
      ctx.log.info({ ...run, code: report.code }, 'run released');
      return;
  }
}
