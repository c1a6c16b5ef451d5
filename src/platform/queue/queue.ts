/** The queue: what is put into it, for which workers, and its connections, which are created again until they are ready. */

import { MINUTE, SECOND } from '../../domain/time.ts';
import { monotonicMs, systemClock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { type QueueBackend, withoutArguments } from './connection.ts';
import { type JobsOptions, Queue } from 'bullmq';
import { setTimeout as wait } from 'node:timers/promises';

/** A run to be claimed. Nothing else travels by the queue: no text, no secret, no state. */
export type RunJob = { runId: string };
/** A channel with messages to send. Which ones is in the database. */
export type ChannelJob = { channelId: string };
/** Recurring work, by its name. */
export type WorkJob = { name: string };

export const SCANS = 'scan';
export const RUNS = 'runs';
export const DELIVERIES = 'deliveries';
export const WORK = 'recurring';

/**
 * A run to enqueue. The fence makes each claim's job a new one.
 * - `trigger`: what asked for the run; `late` where it has ended and only a response of it is to be read
 */
export type QueuedRun = { runId: bigint; fence: number; trigger: keyof typeof PRIORITY };

/**
 * What the program asks of its queue: to call the scan twice a second, and to distribute work among processes. It is
 * never asked what is true, and may be emptied at any moment.
 */
export type WorkQueue = {
  kind: QueueBackend['kind'];
  /** @param again a mark that makes new jobs of runs that have jobs already: a worker that died may have taken those along */
  enqueueRuns(runs: readonly QueuedRun[], again?: string): Promise<void>;
  enqueueChannels(channelIds: readonly bigint[]): Promise<void>;
  enqueueWork(names: readonly string[]): Promise<void>;
  /** Removes the repeatable job that calls the scan and adds it again, also where somebody paused it. */
  restartScan(): Promise<void>;
  /** Jobs waiting, delayed and active in the queue of runs. */
  depth(): Promise<Record<string, number>>;
  ping(): Promise<void>;
  close(): Promise<void>;
};

/** How often the repeatable job calls the scan. */
export const SCAN_EVERY_MS = SECOND / 2;

const FINISHED = { removeOnComplete: true, removeOnFail: true, attempts: 1 } as const;
/**
 * Which runs are taken first, 0 before all: a person waits for a manual run, and a thousand new searches must not delay a slot.
 * On both back ends a job with a priority costs as much as one without.
 */
const PRIORITY = { manual: 0, schedule: 1, first: 2, late: 2 } as const;

export function openQueue(backend: QueueBackend, log: Logger): WorkQueue {
  const make = (name: string) => () => {
    const options = { ...backend.queue, defaultJobOptions: FINISHED };
    const queue =
      backend.factory === undefined ? new Queue(name, options) : new Queue(name, options, backend.factory);
    queue.on('error', (error) => log.debug({ err: withoutArguments(error) }, 'queue connection'));
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
          opts: {
            ...FINISHED,
            jobId: `run-${runId}-${fence}-${again}`,
            priority: PRIORITY[trigger],
          },
        })),
      ),
    enqueueChannels: (channelIds) =>
      add(
        deliveries,
        channelIds.map((channelId) => ({
          name: 'deliver',
          data: { channelId: String(channelId) } satisfies ChannelJob,
          opts: { ...FINISHED, jobId: `channel-${channelId}-${createQueueMark()}` },
        })),
      ),
    enqueueWork: (names) =>
      add(
        work,
        names.map((name) => ({
          name: 'work',
          data: { name } satisfies WorkJob,
          opts: { ...FINISHED, jobId: `work-${name}-${createQueueMark()}` },
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
      // One that was never reached has nothing to close; its connection ends with the back end.
      const all = [scans, runs, deliveries, work];
      await patiently(() => Promise.all(all.map((queue) => queue.close()))).catch(() => {});
    },
  };
}

/** A job as BullMQ adds it. */
type Added = { name: string; data: RunJob | ChannelJob | WorkJob; opts: JobsOptions };

/** What is needed of a queue, on either back end. */
type Adding = {
  add(name: string, data: Added['data'], opts: JobsOptions): Promise<unknown>;
  addBulk(jobs: Added[]): Promise<unknown>;
};

/**
 * For several jobs BullMQ creates two temporary tables on Postgres (6.7.0): adding one alone is six times faster, and
 * does not swell the catalogs.
 */
const MAX_ADDED_SINGLY = 8;

async function addTo(queue: Adding, jobs: readonly Added[]): Promise<void> {
  if (jobs.length > MAX_ADDED_SINGLY) await queue.addBulk([...jobs]);
  else for (const { name, data, opts } of jobs) await queue.add(name, data, opts);
}

/**
 * A part of every job's id. Enqueued twice, a job is one job; but a Redis that lost some of its keys may hold a job that
 * is in none of its lists, and as long as it does no other of this id is added. Five minutes later the id is another.
 */
function createQueueMark(): string {
  return String(Math.floor(systemClock.now().getTime() / (5 * MINUTE)));
}

/** BullMQ waits forever for a queue that cannot be reached; a person or a save does not. */
const QUEUE_TIMEOUT_MS = 5 * SECOND;

/** The queue did not answer in time, or was not asked because it had not a moment ago. */
class QueueSilent extends Error {
  override name = 'QueueSilent';
}

/**
 * Bounds how long the queue is waited for, and logs once that it is away and once that it is back. While it does not answer
 * it is not asked again for as long, so that a hundred searches that each want to enqueue something wait once, and not a
 * hundred times.
 */
function createQueueTimeout(log: Logger): <T>(work: () => Promise<T>) => Promise<T> {
  let silentUntil = 0;
  let isAway = false;
  return async (work) => {
    if (monotonicMs() < silentUntil) throw new QueueSilent('the queue did not answer a moment ago');
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        silentUntil = monotonicMs() + QUEUE_TIMEOUT_MS;
        reject(new QueueSilent(`the queue did not answer within ${QUEUE_TIMEOUT_MS} ms`));
      }, QUEUE_TIMEOUT_MS);
    });
    try {
      const result = await Promise.race([work(), late]);
      if (isAway) log.info('queue available again');
      isAway = false;
      return result;
    } catch (error) {
      const known = withoutArguments(error);
      if (!isAway) log.warn({ err: known }, 'queue unavailable; runs wait in the database');
      isAway = true;
      throw known;
    } finally {
      clearTimeout(timer);
    }
  };
}

/*
 * BullMQ remembers for ever how the first connection of a queue or worker went. A worker whose first one
 * was refused (no connection free, the server starting) would try again without a pause and let nothing
 * else in this process run; a queue would answer with that one error from then on. So both are made anew
 * until they were ready once; a connection that is lost later they bring back themselves.
 */
/** What is needed of a BullMQ worker, on either back end. */
type Worker = Readyable & {
  on(event: 'error', listener: (error: Error) => void): unknown;
  pause(doNotWaitForActive: boolean): Promise<void>;
  /** Begins to run one that does not run yet, too. */
  resume(): Promise<void>;
  close(force?: boolean): Promise<void>;
};
type Readyable = { waitUntilReady(): Promise<unknown>; close(): Promise<void> };

export type QueueWorkers = {
  /** Takes no more jobs until `resume`; those in progress go on. */
  pause(): void;
  resume(): void;
  /** Stops taking jobs and waits for those in progress. */
  close(): Promise<void>;
};

const MAX_PAUSE_MS = 10 * SECOND;

/** Lets a worker run as soon as it is ready, and creates it again until it is. */
export function beginWorker(make: () => Worker, log: Logger): QueueWorkers {
  const closing = new AbortController();
  let paused = false;
  let running: Worker | undefined;

  async function begin(): Promise<void> {
    for (let pause = SECOND / 4; !closing.signal.aborted; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      const worker = make();
      worker.on('error', (error) => log.debug({ err: withoutArguments(error) }, 'queue connection'));
      try {
        await worker.waitUntilReady();
        running = worker;
        if (!paused) void worker.resume();
        return;
      } catch (error) {
        log.warn({ err: withoutArguments(error) }, 'the queue cannot be reached; trying again');
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
      running?.pause(true).catch((error: unknown) => log.warn({ err: error }, 'not paused'));
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

/** A queue that is ready, made at first need. @throws what kept it from being so; the next call begins anew */
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
