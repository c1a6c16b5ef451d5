import { SECOND } from '../lib/time.ts';

/**
 * The only place that reads the system time. Everything else uses a clock, so that a simulation can run fourteen days in a
 * minute and tests can stop time.
 */
export type Clock = {
  /** The current instant. */
  now(): Date;
  /**
   * The time passed to statements about shared facts (due slots, limits, days). Null: the database uses its own clock, the
   * only one that all workers share.
   */
  statementTime(): Date | null;
};

export const systemClock: Clock = { now: () => new Date(), statementTime: () => null };

/** A clock that moves only when told to, for tests and simulations. Statements use its time. */
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

/** Monotonic milliseconds, for measuring durations. */
export function monotonicMs(): number {
  return performance.now();
}

/**
 * A signal that aborts after a timeout or with another signal. `AbortSignal.any()` references its sources weakly: an
 * otherwise unreferenced `AbortSignal.timeout()` is garbage-collected and never aborts (Node 20). `end` releases the timer.
 */
export function createTimeLimit(ms: number, signal: AbortSignal): { signal: AbortSignal; end(): void } {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new DOMException('the time is over', 'TimeoutError')), ms);
  return { signal: AbortSignal.any([signal, limit.signal]), end: () => clearTimeout(timer) };
}

/**
 * Waits for work until a signal aborts, and removes its listener. Work that reacts to the signal immediately, with an error
 * or a partial result, counts as in time.
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

/** How long status checks wait before they report a component as unavailable. */
export const STATUS_TIMEOUT_MS = 5 * SECOND;

export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

/** @throws TimedOut if the work takes longer; the work itself continues */
export async function withTimeout<T>(work: Promise<T>, patienceMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimedOut(`no response within ${patienceMs / SECOND} s`)), patienceMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
