/** The queue: its jobs, and its connections, which are re-created until they are ready. */

import { MINUTE, SECOND } from '../../lib/time.ts';
import { monotonicMs, systemClock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { explainOutage, type QueueBackend, withoutArguments } from './connection.ts';
import { type JobsOptions, Queue } from 'bullmq';
import { setTimeout as wait } from 'node:timers/promises';

/** A run to lease. The queue carries only IDs: no text, no secrets, no state. */
export type RunJob = { runId: string };
/** A channel with messages to send. The messages are in the database. */
export type ChannelJob = { channelId: string };
/** Recurring work, by its name. */
export type WorkJob = { name: string };

export const SCANS = 'scan';
export const RUNS = 'runs';
export const DELIVERIES = 'deliveries';
export const WORK = 'recurring';

/**
 * A run to enqueue. The fence makes each lease's job a new one.
 * - `trigger`: what requested the run; `late` if it has ended and only its response is to be parsed
 */
export type QueuedRun = { runId: bigint; fence: number; trigger: keyof typeof PRIORITY };

/**
 * The queue triggers the scan twice a second and distributes work among processes. It is never the source of truth, and may
 * be emptied at any time. Its functions fail if it does not respond within {@link QUEUE_TIMEOUT_MS}.
 */
export type WorkQueue = {
  kind: QueueBackend['kind'];
  /** @param again a mark that creates new jobs for runs that already have one, which a dead worker may have taken */
  enqueueRuns(runs: readonly QueuedRun[], again?: string): Promise<void>;
  enqueueChannels(channelIds: readonly bigint[]): Promise<void>;
  enqueueWork(names: readonly string[]): Promise<void>;
  /** Re-creates the repeatable job that triggers the scan, even if it was paused. */
  restartScan(): Promise<void>;
  /** Jobs waiting, delayed and active in the queue of runs. */
  depth(): Promise<Record<string, number>>;
  ping(): Promise<void>;
  close(): Promise<void>;
};

/** Interval of the repeatable job that triggers the scan. */
const SCAN_EVERY_MS = SECOND / 2;

const FINISHED = { removeOnComplete: true, removeOnFail: true, attempts: 1 } as const;
/**
 * Order of runs, 0 first: a person waits for a manual run, and a thousand new searches must not delay a slot. On both back
 * ends, priorities cost nothing.
 */
const PRIORITY = { manual: 0, schedule: 1, first: 2, late: 2 } as const;

export function openQueue(backend: QueueBackend, log: Logger): WorkQueue {
  const make = (name: string) => () => {
    const options = { ...backend.queue, defaultJobOptions: FINISHED };
    const queue =
      backend.factory === undefined ? new Queue(name, options) : new Queue(name, options, backend.factory);
    queue.on('error', (error) => log.debug({ err: withoutArguments(error) }, 'queue connection error'));
    return queue;
  };
  const scans = readyQueue(make(SCANS));
  const runs = readyQueue(make(RUNS));
  const deliveries = readyQueue(make(DELIVERIES));
  const work = readyQueue(make(WORK));
  const patiently = createQueueTimeout(log);

  async function add(queue: typeof runs, jobs: readonly Added[]): Promise<void> {
    if (jobs.length > 0) await patiently(async () => addTo(await queue.get(), jobs));
  }

  return {
    kind: backend.kind,
    enqueueRuns: (queued, again = createQueueMark()) =>
      add(
        runs,
        queued.map(({ runId, fence, trigger }) => ({
          name: 'run',
          data: { runId: String(runId) } satisfies RunJob,
          opts: { jobId: `run-${runId}-${fence}-${again}`, priority: PRIORITY[trigger] },
        })),
      ),
    enqueueChannels: (channelIds) =>
      add(
        deliveries,
        channelIds.map((channelId) => ({
          name: 'deliver',
          data: { channelId: String(channelId) } satisfies ChannelJob,
          opts: { jobId: `channel-${channelId}-${createQueueMark()}` },
        })),
      ),
    enqueueWork: (names) =>
      add(
        work,
        names.map((name) => ({
          name: 'work',
          data: { name } satisfies WorkJob,
          opts: { jobId: `work-${name}-${createQueueMark()}` },
        })),
      ),
    restartScan: () =>
      patiently(async () => {
        const queue = await scans.get();
        await queue.resume();
        await queue.removeJobScheduler(SCANS);
        await queue.upsertJobScheduler(SCANS, { every: SCAN_EVERY_MS }, { name: SCANS, opts: FINISHED });
      }),
    depth: () =>
      patiently(async () => (await runs.get()).getJobCounts('waiting', 'delayed', 'active', 'prioritized')),
    ping: async () => {
      await patiently(async () => (await runs.get()).getJobCounts('waiting'));
    },
    close: async () => {
      // A queue that never connected has nothing to close; its connection closes with the back end.
      const all = [scans, runs, deliveries, work];
      await patiently(() => Promise.all(all.map((queue) => queue.close()))).catch(() => {});
    },
  };
}

/** A job to add to BullMQ. */
type Added = { name: string; data: RunJob | ChannelJob | WorkJob; opts: JobsOptions };

/** The part of a queue used here, on either back end. */
type Adding = {
  add(name: string, data: Added['data'], opts: JobsOptions): Promise<unknown>;
  addBulk(jobs: Added[]): Promise<unknown>;
};

/**
 * To add several jobs on Postgres, BullMQ (6.7.0) creates two temporary tables: adding one at a time is six times faster
 * and does not bloat the catalogs.
 */
const MAX_ADDED_SINGLY = 8;

async function addTo(queue: Adding, jobs: readonly Added[]): Promise<void> {
  if (jobs.length > MAX_ADDED_SINGLY) await queue.addBulk([...jobs]);
  else for (const { name, data, opts } of jobs) await queue.add(name, data, opts);
}

/**
 * Part of every job ID. A job enqueued twice is one job. But a Redis that lost keys may contain an orphaned job that is in
 * no list, which blocks its ID; the mark changes the ID every five minutes.
 */
function createQueueMark(): string {
  return String(Math.floor(systemClock.now().getTime() / (5 * MINUTE)));
}

/** BullMQ waits forever for an unreachable queue; people, saves and the end of a process must not. */
export const QUEUE_TIMEOUT_MS = 5 * SECOND;

/** The queue did not respond in time, or was skipped because it just timed out. */
class QueueTimeout extends Error {
  override name = 'QueueTimeout';
}

/**
 * Limits waiting for the queue, and logs once when it becomes unavailable and once when it is back. After a timeout,
 * further calls fail immediately for the same time, so that a hundred searches that enqueue something do not wait a hundred
 * times.
 */
function createQueueTimeout(log: Logger): <T>(work: () => Promise<T>) => Promise<T> {
  let refusesUntil = 0;
  let isAway = false;
  return async (work) => {
    if (monotonicMs() < refusesUntil) throw new QueueTimeout('the queue timed out a moment ago');
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        refusesUntil = monotonicMs() + QUEUE_TIMEOUT_MS;
        reject(new QueueTimeout(`the queue did not respond within ${QUEUE_TIMEOUT_MS} ms`));
      }, QUEUE_TIMEOUT_MS);
    });
    try {
      const result = await Promise.race([work(), late]);
      if (isAway) log.info('queue available');
      isAway = false;
      return result;
    } catch (error) {
      const known = withoutArguments(error);
      if (!isAway) {
        const reason = known instanceof QueueTimeout ? known.message : explainOutage(known);
        const why = reason === undefined ? { err: known } : { reason };
        log.warn(why, 'queue unavailable; runs wait in the database');
      }
      isAway = true;
      throw known;
    } finally {
      clearTimeout(timer);
    }
  };
}

/*
 * BullMQ never recovers from a failed first connection: a worker (no free connection, server starting) would retry in a
 * busy loop that blocks the process, and a queue would return the same error forever. So both are re-created until they
 * were ready once; later, they reconnect by themselves.
 */
/** The part of a BullMQ worker used here, on either back end. */
type Worker = Readyable & {
  on(event: 'error', listener: (error: Error) => void): unknown;
  pause(doNotWaitForActive: boolean): Promise<void>;
  /** Also starts a worker that does not run yet. */
  resume(): Promise<void>;
  close(force?: boolean): Promise<void>;
};
type Readyable = { waitUntilReady(): Promise<unknown>; close(): Promise<void> };

export type QueueWorkers = {
  /** Takes no new jobs until `resume`; current ones continue. */
  pause(): void;
  resume(): void;
  /** Takes no new jobs and waits for current ones, and {@link QUEUE_TIMEOUT_MS} at most for the queue. */
  close(): Promise<void>;
};

const MAX_PAUSE_MS = 10 * SECOND;

/** Starts a worker as soon as it is ready, and re-creates it until it is. */
export function beginWorker(make: () => Worker, log: Logger): QueueWorkers {
  const closing = new AbortController();
  let paused = false;
  let running: Worker | undefined;

  async function begin(): Promise<void> {
    for (let pause = SECOND / 4; !closing.signal.aborted; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      const worker = make();
      worker.on('error', (error) => log.debug({ err: withoutArguments(error) }, 'queue connection error'));
      try {
        await worker.waitUntilReady();
        running = worker;
        if (!paused) void worker.resume();
        return;
      } catch (error) {
        const known = withoutArguments(error);
        // That the server is away is logged once, by the limit of calls to the queue.
        log[explainOutage(known) === undefined ? 'warn' : 'debug'](
          { err: known },
          'queue connection failed; retrying',
        );
        await worker.close(true).catch(() => {});
        await wait(pause, undefined, { signal: closing.signal }).catch(() => {});
      }
    }
  }

  const begun = begin();
  return {
    pause: () => {
      if (paused) return;
      paused = true;
      running?.pause(true).catch((error: unknown) => log.warn({ err: error }, 'worker pause failed'));
    },
    resume: () => {
      if (!paused) return;
      paused = false;
      void running?.resume();
    },
    close: async () => {
      closing.abort();
      if (running === undefined) await Promise.race([begun, wait(SECOND)]);
      await running?.close();
    },
  };
}

/** A queue that is ready, created on first use. @throws the error of the connection; the next call retries */
function readyQueue<Q extends Readyable>(make: () => Q): { get(): Promise<Q>; close(): Promise<void> } {
  let current: Q | undefined;
  return {
    get: async () => {
      const queue = (current ??= make());
      try {
        await queue.waitUntilReady();
        return queue;
      } catch (error) {
        if (current === queue) current = undefined;
        await queue.close().catch(() => {});
        throw error;
      }
    },
    close: async () => {
      await current?.close();
    },
  };
}
