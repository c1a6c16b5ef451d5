/** A token bucket whose tokens can be had in advance, against waiting. */
import { MINUTE, type Clock } from '../../engine/clock.ts';

export type Bucket = {
  /** Takes a token and says in how many milliseconds it is there; undefined, and none is taken, beyond `mostMs`. */
  take(mostMs: number): number | undefined;
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

  return {
    take(mostMs) {
      const now = clock.now().getTime();
      tokens = Math.min(burst, tokens + Math.max(0, now - at) / msEach);
      at = now;
      const waitMs = Math.max(0, Math.ceil((1 - tokens) * msEach));
      if (waitMs > mostMs) return undefined;
      tokens -= 1;
      return waitMs;
    },
    giveBack() {
      tokens = Math.min(burst, tokens + 1);
    },
  };
}
