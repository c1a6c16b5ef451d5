/** The queue's workers in this process. */

import { Worker, type Job } from 'bullmq';
import { SECOND } from '../../lib/time.ts';
import type { Logger } from '../logger.ts';
import type { QueueBackend } from './connection.ts';
import {
  beginWorker,
  type ChannelJob,
  DELIVERIES,
  QUEUE_TIMEOUT_MS,
  type QueueWorkers,
  type RunJob,
  RUNS,
  SCANS,
  WORK,
  type WorkJob,
} from './queue.ts';
import { setTimeout as wait } from 'node:timers/promises';

/** Each queue has one kind of job, and its handler reads only that member. */
type JobData = RunJob & ChannelJob & WorkJob;

export type WorkerOptions = {
  concurrency: number;
  onScan(): Promise<void>;
  onRun(runId: bigint): Promise<void>;
  /** A channel has messages to send. Only one job per channel runs at a time; others find it leased. */
  onChannel(channelId: bigint): Promise<void>;
  onWork(name: string): Promise<void>;
  log: Logger;
};

/**
 * A job whose worker died is redelivered within seconds. If that worker was only slow, no harm is done: the second one
 * finds the run leased.
 */
const LOCKS = { lockDuration: 10 * SECOND, stalledInterval: 5 * SECOND, maxStalledCount: 1 } as const;

/** Deliveries mostly wait for receivers: high enough that two hosts that never respond, with many channels, leave room for others. */
const MAX_CHANNELS_AT_ONCE = 32;

/**
 * Executes scans, runs, channels and recurring work from the queue. A handler never throws: retries are decided in
 * Postgres, and BullMQ would store an error with text from outside.
 */
export function startWorkers(backend: QueueBackend, options: WorkerOptions): QueueWorkers {
  const { log } = options;
  const shared = { ...backend.worker, ...LOCKS, autorun: false };
  const jobs = new Set<Promise<void>>();
  const start = (name: string, concurrency: number, handle: (job: Job<JobData>) => Promise<void>) => {
    const kept = { removeOnComplete: { count: 0 }, removeOnFail: { count: 0 } };
    const workerOptions = { ...shared, ...kept, concurrency };
    const attempt = async (job: Job<JobData>) => {
      try {
        await handle(job);
      } catch (error) {
        log.error({ err: error, queue: name, job: job.id }, 'job failed');
      }
    };
    const guarded = (job: Job<JobData>) => {
      const ended = attempt(job).finally(() => jobs.delete(ended));
      jobs.add(ended);
      return ended;
    };
    return beginWorker(
      () =>
        backend.factory === undefined
          ? new Worker(name, guarded, workerOptions)
          : new Worker(name, guarded, workerOptions, backend.factory),
      log.child({ queue: name }),
    );
  };
  const all = [
    start(SCANS, 1, () => options.onScan()),
    start(RUNS, options.concurrency, ({ data }) => options.onRun(BigInt(data.runId))),
    start(DELIVERIES, MAX_CHANNELS_AT_ONCE, ({ data }) => options.onChannel(BigInt(data.channelId))),
    start(WORK, 1, ({ data }) => options.onWork(data.name)),
  ];
  return {
    pause: () => {
      for (const worker of all) worker.pause();
    },
    resume: () => {
      for (const worker of all) worker.resume();
    },
    close: async () => {
      const closed = Promise.all(all.map((worker) => worker.close()));
      // If the queue is unreachable, BullMQ waits forever to report finished jobs. Nothing depends on these reports. A job that was
      // just being fetched still begins.
      const closeWithoutQueue = async () => {
        do {
          await Promise.all(jobs);
          await wait(QUEUE_TIMEOUT_MS, undefined, { ref: false });
        } while (jobs.size > 0);
      };
      await Promise.race([closed, closeWithoutQueue()]);
    },
  };
}
