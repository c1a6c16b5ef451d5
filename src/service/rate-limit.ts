/** A token bucket per key: a burst is fine, a flood waits. */

import { MINUTE, SECOND } from '../domain/time.ts';
import type { Clock } from '../platform/clock.ts';

export type RateLimit = { perMinute: number; burst: number };
export const DEFAULT_KEY_RATE: RateLimit = { perMinute: 1_200, burst: 300 };

const MAX_TRACKED_KEYS = 10_000;

export type RateLimiter = {
  /** Takes one call of a key; returns the whole seconds to wait, 0 when it may go on. */
  take(key: string): number;
};

export function createRateLimiter(rate: RateLimit, clock: Clock): RateLimiter {
  const buckets = new Map<string, TokenBucket>();
  return {
    take(key) {
      const bucket = buckets.get(key) ?? createTokenBucket(rate, clock);
      if (!buckets.has(key)) {
        if (buckets.size >= MAX_TRACKED_KEYS) buckets.clear();
        buckets.set(key, bucket);
      }
      return bucket.take(0) === undefined ? Math.ceil(bucket.waitMs() / SECOND) : 0;
    },
  };
}

/** A token bucket whose tokens can be had in advance, against waiting. */

export type TokenBucket = {
  /** Takes a token and says in how many milliseconds it is there; undefined, and none is taken, beyond `mostMs`. */
  take(mostMs: number): number | undefined;
  /** In how many milliseconds a token is there, at least; 0: now. */
  waitMs(): number;
  /** Gives back a token that was not used. */
  giveBack(): void;
};

export function createTokenBucket(
  { perMinute, burst }: { perMinute: number; burst: number },
  clock: Clock,
): TokenBucket {
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
