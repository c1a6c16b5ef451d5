import { MINUTE } from '../engine/clock.ts';
import type { QueueBackend } from '../engine/queue/connection.ts';
import { startWorkers } from '../engine/queue/workers.ts';
import { Refused } from '../errors.ts';
import type { Context } from '../monitor/context.ts';
import { startFollowing } from '../monitor/derive/follow.ts';
import { doRecurringWork, RECURRING_WORK } from '../monitor/recurring.ts';
import { executeRun } from '../monitor/run/execute.ts';
import type { RunReport } from '../monitor/run/report.ts';
import { createSolitude } from '../monitor/run/solitude.ts';
import { prepareSpool, replaySpool } from '../monitor/run/spool.ts';
import { startScanning } from '../monitor/schedule/scanning.ts';
import { deliverTo } from '../monitor/tell/deliver.ts';
import { tellNew } from '../monitor/tell/match.ts';
import { ensureRecurringWork } from '../store/scanner.ts';
import { measureSkew, recordHeartbeat, deregisterWorker } from '../store/workers.ts';

export type RunningWorker = {
  /** Stops taking work and waits for what is in progress. */
  drain(): Promise<void>;
  /** Aborts calls in progress; their runs are released. Hastens a drain. */
  hurry(): void;
  /** Why it takes no work just now; null where it does. */
  idle(): Idle | null;
};

/**
 * - `queue`: the queue is kept where jobs would be lost
 * - `silent`: it has not heard of a scan for a minute: the database may be away
 */
export type Idle = 'queue' | 'silent' | 'draining';

/** The same of a worker that may not have been started yet. */
export function idleOf(worker: RunningWorker | undefined): Idle | 'starting' | null {
  return worker === undefined ? 'starting' : worker.idle();
}

export type WorkerHooks = {
  /** Called after each run that this process ended, for whoever shows them to a person; otherwise they are logged. */
  onReport?: (report: RunReport) => void;
};

/** A worker that heard of no scan for this long is stuck. */
const STUCK_MS = MINUTE;
/** How long a drain waits for calls in progress before it aborts them. */
const GRACE_MS = MINUTE / 3;

/**
 * The queue's entry point: scans, runs, channels and recurring work are passed to their functions. Beside it run the
 * timers of the scan, the follower, and a heartbeat that reports this worker, looks at the queue and hands over spooled responses.
 */
export async function startWorker(
  ctx: Context,
  backend: QueueBackend,
  version: string,
  hooks: WorkerHooks = {},
): Promise<RunningWorker> {
  const { config, db, log } = ctx;
  const stopping = new AbortController();
  const solitude = createSolitude();
  const startedAt = ctx.clock.now();

  let queueIsSafe = true;
  /** Whether jobs are safe where the queue is kept. One that is away is waited for, and looked at when it is back. */
  async function checkQueue(): Promise<void> {
    try {
      await backend.check();
      queueIsSafe = true;
    } catch (error) {
      if (!(error instanceof Refused)) return;
      queueIsSafe = false;
      log.error({ reason: error.message }, 'queue refused: no work is taken from it until this is fixed');
    }
  }

  async function heartbeat(): Promise<void> {
    try {
      const spooled = await replaySpool(ctx);
      await recordHeartbeat(db, {
        name: ctx.worker,
        version,
        queue: backend.kind,
        concurrency: config.workerConcurrency,
        skew_ms: await measureSkew(db),
        spooled,
        started_at: startedAt,
        seen_at: ctx.clock.now(),
      });
      await ensureRecurringWork(db.pool, RECURRING_WORK);
    } catch (error) {
      log.warn({ err: error }, 'heartbeat failed');
    }
    await checkQueue();
    if (stopping.signal.aborted || draining) return;
    if (queueIsSafe) workers.resume();
    else workers.pause();
  }

  const workers = startWorkers(backend, {
    concurrency: config.workerConcurrency,
    log,
    onScan: () => scanning.scan(),
    onRun: async (runId) => {
      const report = await executeRun(ctx, runId, stopping.signal, solitude);
      if (report === null) return;
      if (hooks.onReport === undefined) logReport(ctx, report);
      else hooks.onReport(report);
      if (report.status === 'succeeded') await tellNew(ctx);
    },
    onChannel: async (channelId) => {
      await deliverTo(ctx, channelId, stopping.signal);
    },
    onWork: (name) => doRecurringWork(ctx, name, stopping.signal),
  });
  let draining = false;
  workers.pause();
  await prepareSpool(ctx);
  const scanning = await startScanning(ctx);
  // Spooled responses are handed over before anybody claims their runs.
  let beat: Promise<void> | undefined = heartbeat();
  await beat;
  beat = undefined;
  const stopFollowing = startFollowing(ctx);
  const timer = setInterval(() => {
    beat ??= heartbeat().finally(() => {
      beat = undefined;
    });
  }, config.heartbeatMs);

  return {
    idle: () => {
      if (draining) return 'draining';
      if (!queueIsSafe) return 'queue';
      return scanning.silentMs() > STUCK_MS ? 'silent' : null;
    },
    drain: async () => {
      draining = true;
      clearInterval(timer);
      const grace = setTimeout(() => stopping.abort(), GRACE_MS);
      await Promise.all([workers.close(), scanning.stop(), stopFollowing(), beat]);
      clearTimeout(grace);
      await deregisterWorker(db, ctx.worker).catch((error: unknown) =>
        log.warn({ err: error }, 'worker deregistration failed'),
      );
    },
    hurry: () => stopping.abort(),
  };
}

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
        'run retried later',
      );
      return;
    case 'released':
      ctx.log.info({ ...run, code: report.code }, 'run released');
      return;
  }
}
