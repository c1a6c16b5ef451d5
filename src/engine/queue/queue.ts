import { type JobsOptions, Queue } from 'bullmq';
import { monotonicMs, SECOND } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { readyQueue } from './begin.ts';
import type { QueueBackend } from './connection.ts';
import { withoutArguments } from './without-arguments.ts';

/** A tick: look which slots of a search are due. */
export type TickJob = { searchId: string };
/** A run to be claimed. Nothing else travels by the queue: no text, no secret, no state. */
export type RunJob = { runId: string };
/** A channel with messages to send. Which, stands in the database. */
export type ChannelJob = { channelId: string };

export const TICKS = 'ticks';
export const RUNS = 'runs';
export const DELIVERIES = 'deliveries';

/** A run to enqueue. The fence makes each claim's job a new one, and a second enqueueing of the same no job at all. */
export type WaitingRun = { runId: bigint; fence: number; delayMs?: number };

/** A channel that has something to send at a time. Told twice of the same time, the queue knows of it once. */
export type WaitingChannel = { channelId: bigint; at: Date };

/**
 * What the program asks of its queue. The queue wakes us up and carries work between processes; it is
 * never asked what is true, and may be emptied at any moment.
 */
export type WorkQueue = {
  kind: QueueBackend['kind'];
  /** @param options.doubted it was told of them before, and nobody took them: what it knows of them may be of no use */
  enqueue(runs: readonly WaitingRun[], options?: { doubted: boolean }): Promise<void>;
  /** @param now when it is, by the clock that `at` was taken from @param options.doubted as of `enqueue` */
  enqueueChannels(
    channels: readonly WaitingChannel[],
    now: Date,
    options?: { doubted: boolean },
  ): Promise<void>;
  /** Makes or replaces the job scheduler of a search. It deletes a tick that is due and not yet taken: only when needed. */
  schedule(searchId: bigint, pattern: string): Promise<void>;
  unschedule(searchId: bigint): Promise<void>;
  /** Pattern of each job scheduler, by search id. */
  schedules(): Promise<Map<bigint, string>>;
  countSchedules(): Promise<number>;
  /** Jobs waiting, delayed and active in the queue of runs. */
  depth(): Promise<Record<string, number>>;
  ping(): Promise<void>;
  close(): Promise<void>;
};

const FINISHED = { removeOnComplete: true, removeOnFail: true, attempts: 1 } as const;

export type Strategy = (millis: number, options: { pattern?: string }) => number;

export function openQueue(backend: QueueBackend, repeatStrategy: Strategy, log: Logger): WorkQueue {
  const settings = { repeatStrategy };
  const make = (name: string) => () => {
    const options = { ...backend.queue, settings, defaultJobOptions: FINISHED };
    const queue =
      backend.factory === undefined ? new Queue(name, options) : new Queue(name, options, backend.factory);
    queue.on('error', (error) => log.debug({ err: withoutArguments(error) }, 'queue connection'));
    return queue;
  };
  const ticks = readyQueue(make(TICKS));
  const runs = readyQueue(make(RUNS));
  const deliveries = readyQueue(make(DELIVERIES));
  const patiently = createPatience();
  return {
    kind: backend.kind,
    enqueue: async (waiting, { doubted } = { doubted: false }) => {
      if (waiting.length === 0) return;
      const jobs = waiting.map(({ runId, fence, delayMs }) => ({
        name: 'run',
        data: { runId: String(runId) } satisfies RunJob,
        opts: {
          ...FINISHED,
          jobId: `run-${runId}-${fence}`,
          ...(delayMs === undefined ? {} : { delay: Math.max(0, delayMs) }),
        },
      }));
      await patiently(async () => {
        const queue = await runs.get();
        if (doubted && backend.kind === 'redis') await removeStranded(queue, jobs.slice(0, DOUBTED_AT_ONCE));
        await addTo(queue, jobs);
        if (doubted) await promoteLate(queue, jobs);
      });
    },
    enqueueChannels: async (channels, now, { doubted } = { doubted: false }) => {
      if (channels.length === 0) return;
      const jobs = channels.map(({ channelId, at }) => ({
        name: 'deliver',
        data: { channelId: String(channelId) } satisfies ChannelJob,
        opts: {
          ...FINISHED,
          jobId: `channel-${channelId}-${at.getTime()}`,
          delay: Math.max(0, at.getTime() - now.getTime()),
        },
      }));
      await patiently(async () => {
        const queue = await deliveries.get();
        await addTo(queue, jobs);
        if (doubted) await promoteLate(queue, jobs);
      });
    },
    schedule: async (searchId, pattern) => {
      const data: TickJob = { searchId: String(searchId) };
      const template = { name: 'tick', data, opts: FINISHED };
      await patiently(async () =>
        (await ticks.get()).upsertJobScheduler(schedulerId(searchId), { pattern }, template),
      );
    },
    unschedule: async (searchId) => {
      await patiently(async () => (await ticks.get()).removeJobScheduler(schedulerId(searchId)));
    },
    schedules: async () => {
      const found = await patiently(async () => (await ticks.get()).getJobSchedulers(0, -1));
      return new Map(found.map((one) => [BigInt(one.key.slice('search-'.length)), one.pattern ?? '']));
    },
    countSchedules: () => patiently(async () => (await ticks.get()).getJobSchedulersCount()),
    depth: () =>
      patiently(async () => (await runs.get()).getJobCounts('waiting', 'delayed', 'active', 'prioritized')),
    ping: async () => {
      await patiently(async () => (await runs.get()).getJobCounts('waiting'));
    },
    close: async () => {
      // One that was never reached has nothing to say good-bye to; its connection is closed with the back end.
      await patiently(() => Promise.all([ticks.close(), runs.close(), deliveries.close()])).catch(() => {});
    },
  };
}

/** What BullMQ is told of a job. */
type Added = { name: string; data: RunJob | ChannelJob; opts: JobsOptions };
/** What is needed of a queue. */
type Adding = {
  add(name: string, data: Added['data'], opts: JobsOptions): Promise<unknown>;
  addBulk(jobs: Added[]): Promise<unknown>;
};

/**
 * Most are added one by one, as their slots come. For several BullMQ makes two temporary tables on Postgres (6.7.0),
 * which takes six times as long as adding one and swells the catalogs.
 */
async function addTo(queue: Adding, jobs: Added[]): Promise<void> {
  const [first, ...others] = jobs;
  if (first !== undefined && others.length === 0) await queue.add(first.name, first.data, first.opts);
  else await queue.addBulk(jobs);
}

/** What is needed of a job, on either back end. */
type Stranded = { getState(): Promise<string>; remove(): Promise<void> };
type Delayed = { id?: string | undefined; promote(): Promise<void> };

/** Those that wait longest; whoever was only late is taken before them, so the rest gets its turn. */
const DOUBTED_AT_ONCE = 500;

/**
 * Where a Redis lost some of its keys, a job may be there and stand in none of its queue's lists: nobody will ever take
 * it, and as long as it is there a job of its name is not added again.
 */
async function removeStranded(
  queue: { getJob(id: string): Promise<Stranded | undefined> },
  jobs: readonly { opts: { jobId: string } }[],
): Promise<void> {
  await Promise.all(
    jobs.map(async ({ opts: { jobId } }) => {
      const job = await queue.getJob(jobId);
      // One that is locked is in somebody's hands after all, and ends.
      if (job !== undefined && (await job.getState()) === 'unknown') await job.remove().catch(() => {});
    }),
  );
}

/**
 * Workers wait for a job that is delayed by a timer, on Postgres for up to an hour at once (bullmq 6.7.0); what a timer
 * measures is not what the clock says where the machine slept or its clock was set. A job that is due and still delayed
 * is handed out now.
 */
async function promoteLate(
  queue: { getDelayed(start: number, end: number): Promise<Delayed[]> },
  jobs: readonly { opts: { jobId: string; delay?: number } }[],
): Promise<void> {
  const due = jobs.filter(({ opts }) => (opts.delay ?? 0) === 0);
  if (due.length === 0) return;
  const late = new Set(due.map(({ opts }) => opts.jobId));
  const delayed = await queue.getDelayed(0, DOUBTED_AT_ONCE - 1);
  for (const job of delayed) {
    // One that was promoted meanwhile is refused, and is where it belongs.
    if (job.id !== undefined && late.has(job.id)) await job.promote().catch(() => {});
  }
}

/** A queue that cannot be reached is waited for by BullMQ for ever; a person or a save does not. */
const PATIENCE_MS = 5 * SECOND;

/** The queue did not answer in time, or was not asked because it had not a moment ago. */
export class QueueSilent extends Error {
  override name = 'QueueSilent';
}

/**
 * Bounds how long the queue is waited for. Once it did not answer it is not asked again for as long, so
 * that a hundred searches that each want to tell it something wait once, and not a hundred times.
 */
function createPatience(): <T>(work: () => Promise<T>) => Promise<T> {
  let silentUntil = 0;
  return async (work) => {
    if (monotonicMs() < silentUntil) throw new QueueSilent('the queue did not answer a moment ago');
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        silentUntil = monotonicMs() + PATIENCE_MS;
        reject(new QueueSilent(`the queue did not answer within ${PATIENCE_MS} ms`));
      }, PATIENCE_MS);
    });
    try {
      return await Promise.race([work(), late]);
    } catch (error) {
      throw withoutArguments(error);
    } finally {
      clearTimeout(timer);
    }
  };
}

function schedulerId(searchId: bigint): string {
  return `search-${searchId}`;
}

/** Half of what a reconciler may take before its right to be alone at it ends. */
const BUDGET_MS = 30 * SECOND;

/**
 * The queue for whoever compares it with the database. Others wait for them: once it was silent, or all its
 * answers together took too long, none of their further steps waits for it. Most of what they tell it, it was told
 * before: they are not content that it knows of a run.
 */
export function forReconciling(queue: WorkQueue, budgetMs: number = BUDGET_MS): WorkQueue {
  let silent: QueueSilent | undefined;
  let spentMs = 0;
  async function unlessSilent<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    if (silent !== undefined) throw silent;
    const askedAt = monotonicMs();
    try {
      return await ask();
    } catch (error) {
      if (error instanceof QueueSilent) silent = error;
      throw error;
    } finally {
      spentMs += monotonicMs() - askedAt;
      if (spentMs > budgetMs) silent ??= new QueueSilent('the queue is slow; the rest is told to it later');
    }
  }
  return {
    ...queue,
    enqueue: (runs) => unlessSilent(() => queue.enqueue(runs, { doubted: true })),
    enqueueChannels: (channels, now) =>
      unlessSilent(() => queue.enqueueChannels(channels, now, { doubted: true })),
    schedule: (searchId, pattern) => unlessSilent(() => queue.schedule(searchId, pattern)),
    unschedule: (searchId) => unlessSilent(() => queue.unschedule(searchId)),
    schedules: () => unlessSilent(() => queue.schedules()),
    countSchedules: () => unlessSilent(() => queue.countSchedules()),
  };
}
