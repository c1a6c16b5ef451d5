/** Delays addresses that send wrong tokens. */

import { MINUTE, SECOND } from '../../lib/time.ts';
import { buildCacheTime, type Clock } from '../../platform/clock.ts';
import { extractNetwork } from '../../platform/network.ts';
import { LRUCache } from 'lru-cache';

/** Wrong tokens before the first delay. */
const FREE_ATTEMPTS = 5;
const MAX_BACK_OFF_MS = MINUTE;
/** Failures are forgotten after this long without one. A correct token does not reset them: many may share the address. */
const BACK_OFF_RESET_MS = 15 * MINUTE;
const MAX_NETWORKS = 10_000;

/** Exponential back-off for wrong tokens, by network, in the memory of this process. */
export function createBackOff(clock: Clock) {
  const mistakes = new LRUCache<string, { count: number; at: number }>({
    max: MAX_NETWORKS,
    ttl: BACK_OFF_RESET_MS,
    ...buildCacheTime(clock),
  });
  return {
    /** Networks that are remembered, at most {@link MAX_NETWORKS}. */
    get size(): number {
      return mistakes.size;
    },
    /**
     * Counts a wrong token, unless the address has to wait.
     * @returns milliseconds until this address may try again; 0: it did not have to wait
     */
    fail(address: string): number {
      const network = extractNetwork(address);
      const { count, at } = mistakes.get(network) ?? { count: 0, at: 0 };
      const now = clock.now().getTime();
      const late = count - FREE_ATTEMPTS;
      const wait = late < 0 ? 0 : Math.min(MAX_BACK_OFF_MS, SECOND * 2 ** Math.min(late, 10));
      if (at + wait > now && wait > 0) return at + wait - now;
      mistakes.set(network, { count: count + 1, at: now });
      return 0;
    },
  };
}
