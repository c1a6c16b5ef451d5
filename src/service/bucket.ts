/** A token bucket whose tokens can be had in advance, against waiting. */
import { MINUTE, type Clock } from '../engine/clock.ts';

export type Bucket = {
  /** Takes a token and says in how many milliseconds it is there; undefined, and none is taken, beyond `mostMs`. */
  take(mostMs: number): number | undefined;
  /** In how many milliseconds a token is there, at least; 0: now. */
  waitMs(): number;
  /** Gives back a token that was not used. */
  giveBack(): void;
};

export function createBucket(
  { perMinute, burst }: { perMinute: number; burst: number },
  clock: Clock,
): Bucket {
  const msEach = MINUTE / perMinute;
  let tokens = burst; // below zero: that many are promised to those who wait
  let at = clock.now().getTime();

  function waitMs(): number {
    const now = clock.now().getTime();
    tokens = Math.min(burst, tokens + Math.max(0, now - at) / msEach);
    at = now;
    return Math.max(0, Math.ceil((1 - tokens) * msEach));
  }

  return {
    waitMs,
    take(mostMs) {
      const ms = waitMs();
      if (ms > mostMs) return undefined;
      tokens -= 1;
      return ms;
    },
    giveBack() {
      tokens = Math.min(burst, tokens + 1);
    },
  };
}
