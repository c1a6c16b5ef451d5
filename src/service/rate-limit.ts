/** A token bucket per key: a burst is fine, a flood waits. */
import { MINUTE, SECOND, type Clock } from '../engine/clock.ts';

export type RateLimit = { perMinute: number; burst: number };
export const DEFAULT_RATE: RateLimit = { perMinute: 1_200, burst: 300 };

const KEYS_MOST = 10_000;

export type Limiter = {
  /** Takes one call of a key; returns the whole seconds to wait, 0 when it may go on. */
  take(key: string): number;
};

export function createLimiter({ perMinute, burst }: RateLimit, clock: Clock): Limiter {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return {
    take(key) {
      const now = clock.now().getTime();
      const known = buckets.get(key) ?? { tokens: burst, at: now };
      const refilled = known.tokens + (Math.max(0, now - known.at) / MINUTE) * perMinute;
      const tokens = Math.min(burst, refilled);
      const allowed = tokens >= 1;
      if (buckets.size >= KEYS_MOST) buckets.clear();
      buckets.set(key, { tokens: allowed ? tokens - 1 : tokens, at: now });
      return allowed ? 0 : Math.max(1, Math.ceil(((1 - tokens) / perMinute) * (MINUTE / SECOND)));
    },
  };
}
