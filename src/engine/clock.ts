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

/** Milliseconds of elapsed time that no change of the wall clock can bend; for measuring durations. */
export function monotonicMs(): number {
  return performance.now();
}

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
