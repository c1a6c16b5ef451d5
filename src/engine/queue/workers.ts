import { Worker, type Job } from 'bullmq';
import { MINUTE, SECOND } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { QueueBackend } from './connection.ts';
import { beginWorker } from './begin.ts';
import {
  type ChannelJob,
  DELIVERIES,
  RUNS,
  type RunJob,
  type Strategy,
  TICKS,
  type TickJob,
} from './queue.ts';

export type QueueWorkers = {
  /** Takes no more jobs until `resume`; those under way go on. */
  pause(): void;
  resume(): void;
  /** Stops taking jobs and waits for those under way. */
  close(): Promise<void>;
};

export type WorkerOptions = {
  concurrency: number;
  /** Runs begun per minute over all workers of this queue; undefined: no limit. */
  runsPerMinute: number | undefined;
  repeatStrategy: Strategy;
  /** @param nominal the time for which the queue calls */
  onTick(searchId: bigint, nominal: Date | undefined): Promise<void>;
  onRun(runId: bigint): Promise<void>;
  /** A channel has something to send. Of one channel at most one job is at work: others find it taken. */
  onChannel(channelId: bigint): Promise<void>;
  log: Logger;
};

/**
 * A job whose worker died is handed out again within seconds. That may be too early for a worker that was
 * only slow, and does no harm: the second one finds the run claimed.
 */
const LOCKS = { lockDuration: 10 * SECOND, stalledInterval: 5 * SECOND, maxStalledCount: 1 } as const;

/** Each of them mostly waits for its receiver: so many that stall at once still leave room for others. */
const CHANNELS_AT_ONCE = 16;

/**
 * Takes up ticks, runs and channels with something to send. A handler never throws: what must happen again is decided in Postgres, and an
 * error that reaches BullMQ would be stored with text from outside in it.
 *
 * Ticks are taken one at a time: several workers that promote due jobs at once deadlock inside BullMQ's
 * Postgres back end, and a tick is only milliseconds of work.
 */
export function startWorkers(backend: QueueBackend, options: WorkerOptions): QueueWorkers {
  const { log } = options;
  const settings = { repeatStrategy: options.repeatStrategy };
  const shared = { ...backend.worker, settings, ...LOCKS, autorun: false };
  const start = <Data>(
    name: string,
    concurrency: number,
    handle: (job: Job<Data>) => Promise<void>,
    perMinute?: number,
  ) => {
    const limiter = perMinute === undefined ? {} : { limiter: { max: perMinute, duration: MINUTE } };
    const kept = { removeOnComplete: { count: 0 }, removeOnFail: { count: 0 } };
    const workerOptions = { ...shared, ...limiter, ...kept, concurrency };
    const guarded = async (job: Job<Data>) => {
      try {
        await handle(job);
      } catch (error) {
        log.error({ err: error, queue: name, job: job.id }, 'a job ended in an error');
      }
    };
    return beginWorker(
      () =>
        backend.factory === undefined
          ? new Worker(name, guarded, workerOptions)
          : new Worker(name, guarded, workerOptions, backend.factory),
      log.child({ queue: name }),
    );
  };
  const ticks = start<TickJob>(TICKS, 1, async (job) => {
    const nominal = job.opts.prevMillis;
    await options.onTick(BigInt(job.data.searchId), nominal === undefined ? undefined : new Date(nominal));
  });
  const runs = start<RunJob>(
    RUNS,
    options.concurrency,
    async (job) => {
      await options.onRun(BigInt(job.data.runId));
    },
    options.runsPerMinute,
  );
  const deliveries = start<ChannelJob>(DELIVERIES, CHANNELS_AT_ONCE, async (job) => {
    await options.onChannel(BigInt(job.data.channelId));
  });
  const all = [ticks, runs, deliveries];
  return {
    pause: () => {
      for (const worker of all) worker.pause();
    },
    resume: () => {
      for (const worker of all) worker.resume();
    },
    close: async () => {
      await Promise.all(all.map((worker) => worker.close()));
    },
  };
}
