import { setTimeout as wait } from 'node:timers/promises';
import { SECOND } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { withoutArguments } from './without-arguments.ts';

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

const LONGEST_PAUSE_MS = 10 * SECOND;

/** Lets a worker run as soon as it is ready, and makes it anew until it is. */
export function beginWorker(make: () => Worker, log: Logger): QueueWorkers {
  const closing = new AbortController();
  let paused = false;
  let running: Worker | undefined;

  async function begin(): Promise<void> {
    for (let pause = SECOND / 4; !closing.signal.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
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
export function readyQueue<Q extends Readyable>(
  make: () => Q,
): { get(): Promise<Q>; close(): Promise<void> } {
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
