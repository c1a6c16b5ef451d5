/** A token bucket per key: a burst is fine, a flood waits. */
import { SECOND, type Clock } from '../engine/clock.ts';
import { type Bucket, createBucket } from './bucket.ts';

export type RateLimit = { perMinute: number; burst: number };
export const DEFAULT_RATE: RateLimit = { perMinute: 1_200, burst: 300 };

const KEYS_MOST = 10_000;

export type Limiter = {
  /** Takes one call of a key; returns the whole seconds to wait, 0 when it may go on. */
  take(key: string): number;
};

export function createLimiter(rate: RateLimit, clock: Clock): Limiter {
  const buckets = new Map<string, Bucket>();
  return {
    take(key) {
      const bucket = buckets.get(key) ?? createBucket(rate, clock);
      if (!buckets.has(key)) {
        if (buckets.size >= KEYS_MOST) buckets.clear();
        buckets.set(key, bucket);
      }
      return bucket.take(0) === undefined ? Math.ceil(bucket.waitMs() / SECOND) : 0;
    },
  };
}
