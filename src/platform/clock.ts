import { SECOND } from '../domain/time.ts';

/**
 * The only place that reads the time. Everything else takes its times from a clock, so that a simulation runs
 * fourteen days in a minute and a test can stop the time.
 */
export type Clock = {
  /** The current instant. */
  now(): Date;
  /**
   * The time that statements about shared facts (what is due, limits, days) are given as their own. Null: the database
   * takes it from its own clock, the only one that all workers share.
   */
  statementTime(): Date | null;
};

export const systemClock: Clock = { now: () => new Date(), statementTime: () => null };

/** A clock that is stopped until it is moved; for tests and simulations. Statements take its time. */
export function steppedClock(
  start: Date | string,
): Clock & { set(to: Date | string): void; advance(ms: number): void } {
  let at = new Date(start).getTime();
  return {
    now: () => new Date(at),
    statementTime: () => new Date(at),
    set(to) {
      at = new Date(to).getTime();
    },
    advance(ms) {
      at += ms;
    },
  };
}

/** Options of an `LRUCache` whose entries age by this clock, to the millisecond. */
export function buildCacheTime(clock: Clock) {
  return { perf: { now: () => clock.now().getTime() }, ttlResolution: 0 };
}

/** Milliseconds of elapsed time that no change of the wall clock can bend; for measuring durations. */
export function monotonicMs(): number {
  return performance.now();
}

/**
 * A signal that aborts after a time, or with another one. `AbortSignal.any()` holds its sources weakly: an
 * `AbortSignal.timeout()` that nobody else holds is collected, and never aborts (Node 20). `end` releases the timer.
 */
export function createTimeLimit(ms: number, signal: AbortSignal): { signal: AbortSignal; end(): void } {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new DOMException('the time is over', 'TimeoutError')), ms);
  return { signal: AbortSignal.any([signal, limit.signal]), end: () => clearTimeout(timer) };
}

/**
 * Waits for work until a signal aborts, and leaves nothing behind on the signal. Work that hears the signal
 * and ends at once, with a reason of its own or with what it has so far, has ended in time.
 * @throws the signal's reason
 */
export async function awaitUnlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => void setImmediate(() => reject(signal.reason));
  });
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** How long a person who asks how it goes waits for something that may be away, before that is said. */
export const STATUS_TIMEOUT_MS = 5 * SECOND;

/** @throws Error where the work takes longer; it is then left to itself */
export async function withTimeout<T>(work: Promise<T>, patienceMs: number = STATUS_TIMEOUT_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${patienceMs / SECOND} s`)), patienceMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
