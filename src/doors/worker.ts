import { MINUTE, monotonicMs } from '../engine/clock.ts';
import type { QueueBackend } from '../engine/queue/connection.ts';
import { forReconciling } from '../engine/queue/queue.ts';
import { startWorkers } from '../engine/queue/workers.ts';
import { Refused } from '../errors.ts';
import type { Context } from '../monitor/context.ts';
import { executeRun } from '../monitor/run/execute.ts';
import type { RunReport } from '../monitor/run/report.ts';
import { replaySpool } from '../monitor/run/spool.ts';
import { reconcile } from '../monitor/schedule/reconcile.ts';
import { repeatStrategy } from '../monitor/schedule/repeat.ts';
import { tickSearch } from '../monitor/schedule/tick.ts';
import { deliverTo } from '../monitor/tell/deliver.ts';
import { lookAfterChannels } from '../monitor/tell/look-after.ts';
import { tellNew } from '../monitor/tell/match.ts';
import { fillArchive } from '../store/archive/index-archive.ts';
import { measureSkew, MOST_SKEW_MS, signOfLife, takeLeave } from '../store/workers.ts';

export type RunningWorker = {
  /** Stops taking work and waits for what is under way. */
  drain(): Promise<void>;
  /** Gives up calls under way; their runs go back to the queue. Hastens a drain. */
  hurry(): void;
  /** Why it takes no work just now; null where it does. */
  idle(): Idle | null;
};

/**
 * - `clock`: it and the database disagree on what time it is
 * - `queue`: the queue is kept where jobs would be lost
 * - `silent`: it does not come on with looking after queue and database, which may be away
 */
export type Idle = 'clock' | 'queue' | 'silent' | 'draining';

/** The same of a worker that may not have been started yet. */
export function idleOf(worker: RunningWorker | undefined): Idle | 'starting' | null {
  return worker === undefined ? 'starting' : worker.idle();
}

export type WorkerHooks = {
  /** Called after each run that this process ended, for whoever shows them to a person; otherwise they are logged. */
  onReport?: (report: RunReport) => void;
};

/** Thousands of findings that are made searchable after a pass, a third of a second each; the rest waits for the next. */
const ARCHIVE_BATCHES = 5;
/** Every so many passes the reconciler compares every schedule, not only their number. */
const THOROUGH_EVERY = 20;
/** A worker that did not come on with a pass within so many of them, and this long, is stuck. */
const PASSES_MISSED = 3;
const STUCK_MS = MINUTE;

/**
 * The door through which the queue comes in: ticks, runs and channels are handed to their verbs. Beside it a timer,
 * which no queue can lose, reconciles queue and database and tells that this process lives.
 */
export async function startWorker(
  ctx: Context,
  backend: QueueBackend,
  version: string,
  hooks: WorkerHooks = {},
): Promise<RunningWorker> {
  const stopping = new AbortController();
  const startedAt = ctx.clock.now();
  const workers = startWorkers(backend, {
    concurrency: ctx.config.workerConcurrency,
    runsPerMinute: ctx.config.callsPerMinute,
    repeatStrategy,
    log: ctx.log,
    onTick: async (searchId, nominal) => {
      await tickSearch(ctx, searchId, nominal);
    },
    onRun: async (runId) => {
      const report = await executeRun(ctx, runId, stopping.signal);
      if (report === null) return;
      if (hooks.onReport === undefined) logReport(ctx, report);
      else hooks.onReport(report);
      if (report.status === 'succeeded') await tellNew(ctx);
    },
    onChannel: async (channelId) => {
      await deliverTo(ctx, channelId, stopping.signal);
    },
  });

  /** Whether this clock may judge leases and slots. A worker that may not leaves the queue to the others. */
  async function agreesOnTime(): Promise<boolean> {
    const skew = await measureSkew(ctx.db, () => ctx.clock.now());
    await signOfLife(ctx.db, {
      name: ctx.worker,
      version,
      queue: backend.kind,
      concurrency: ctx.config.workerConcurrency,
      skew_ms: skew,
      started_at: startedAt,
      seen_at: ctx.clock.now(),
    });
    if (Math.abs(skew) <= MOST_SKEW_MS) return true;
    ctx.log.error(
      { skew_ms: skew },
      'this clock and the database disagree; no work is taken until they agree',
    );
    return false;
  }

  let queueIsSafe: boolean | undefined;
  /** Whether jobs are safe where the queue is kept. One that is away is waited for, and looked at when it is back. */
  async function lookAtQueue(): Promise<void> {
    try {
      await backend.check();
      queueIsSafe = true;
    } catch (error) {
      queueIsSafe = error instanceof Refused ? false : undefined;
      if (error instanceof Refused)
        ctx.log.error({ reason: error.message }, 'no work is taken from this queue until that is mended');
    }
  }

  let draining = false;
  let passes = 0;
  let unfit: Idle | null = null;
  let heardAt = monotonicMs();
  const tellThatItGoesOn = () => {
    heardAt = monotonicMs();
  };
  async function look(): Promise<void> {
    try {
      const agrees = await agreesOnTime();
      tellThatItGoesOn();
      const thorough = passes % THOROUGH_EVERY === 0;
      if (thorough || queueIsSafe !== true) await lookAtQueue();
      unfit = !agrees ? 'clock' : queueIsSafe === false ? 'queue' : null;
      if (draining) return;
      // Before anybody takes up the run of such an answer and pays for another.
      await replaySpool(ctx);
      if (unfit !== null) return workers.pause();
      workers.resume();
      // Others wait for whoever reconciles: a queue that does not answer must not hold it up at every step.
      const bounded = { ...ctx, queue: forReconciling(ctx.queue) };
      await reconcile(bounded, thorough);
      passes += 1;
      tellThatItGoesOn();
      await lookAfterChannels(bounded);
      await fillArchive(ctx.db, { batches: ARCHIVE_BATCHES, signal: stopping.signal });
      tellThatItGoesOn();
    } catch (error) {
      ctx.log.warn({ err: error }, 'could not look after queue and database; trying again');
    }
  }

  workers.pause();
  let pass: Promise<void> | undefined = look();
  await pass;
  pass = undefined;
  const timer = setInterval(() => {
    // A pass that takes longer than its interval is not overtaken by the next.
    pass ??= look().finally(() => {
      pass = undefined;
    });
  }, ctx.config.reconcileMs);

  return {
    idle: () => {
      if (draining) return 'draining';
      const stuckMs = Math.max(STUCK_MS, PASSES_MISSED * ctx.config.reconcileMs);
      return monotonicMs() - heardAt > stuckMs ? 'silent' : unfit;
    },
    drain: async () => {
      draining = true;
      clearInterval(timer);
      const grace = setTimeout(() => stopping.abort(), GRACE_MS);
      await Promise.all([workers.close(), pass]);
      clearTimeout(grace);
      await takeLeave(ctx.db, ctx.worker).catch((error: unknown) =>
        ctx.log.warn({ err: error }, 'left without a word'),
      );
    },
    hurry: () => stopping.abort(),
  };
}

/** How long a drain waits for calls under way before it gives them up. */
const GRACE_MS = MINUTE / 3;

function logReport(ctx: Context, report: RunReport): void {
  const run = {
    run: String(report.runId),
    search: report.search,
    trigger: report.trigger,
    service: report.service,
  };
  switch (report.status) {
    case 'succeeded': {
      const { baseline, newPosts, newLinks, completionChanged } = report.diff;
      const { posts, links, rejected } = report;
      ctx.log.info(
        {
          ...run,
          posts,
          links,
          rejected,
          new_posts: newPosts.length,
          new_links: newLinks.length,
          completionChanged,
          baseline,
        },
        'run succeeded',
      );
      return;
    }
    case 'failed':
      ctx.log.warn({ ...run, code: report.code, detail: report.detail }, 'run failed');
      return;
    case 'retry':
      ctx.log.warn(
        { ...run, code: report.code, detail: report.detail, not_before: report.notBefore },
        'run is tried again',
      );
      return;
    case 'released':
      ctx.log.info({ ...run, code: report.code }, 'run given back');
      return;
  }
}
