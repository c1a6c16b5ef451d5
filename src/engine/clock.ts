/**
 * The only place that knows what time it is. Everything in the domain takes its times from a clock, so
 * that fourteen days can be lived in a minute and a test can stand still.
 */
export type Clock = {
  /** The current instant. */
  now(): Date;
};

export const systemClock: Clock = { now: () => new Date() };

/** A clock that stands still until it is moved; for tests and simulated histories. */
export function steppedClock(
  start: Date | string,
): Clock & { set(to: Date | string): void; advance(ms: number): void } {
  let at = new Date(start).getTime();
  return {
    now: () => new Date(at),
    set(to) {
      at = new Date(to).getTime();
    },
    advance(ms) {
      at += ms;
    },
  };
}

/** Milliseconds of elapsed time that no change of the wall clock can bend; for measuring durations. */
export function monotonicMs(): number {
  return performance.now();
}

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
