/** Whoever keeps trying wrong tokens waits longer and longer. Kept in memory, by network, for this process alone. */
import { type Clock, MINUTE, SECOND } from '../../engine/clock.ts';
import { networkOf } from './network.ts';

/** So many mistakes are anybody's. */
const FREE = 5;
const LONGEST_MS = MINUTE;
/** Mistakes are forgotten after so long without one, and not sooner: the address may be that of many. */
const FORGOTTEN_MS = 15 * MINUTE;
const NETWORKS_MOST = 10_000;

export type BackOff = {
  /** Milliseconds until this address may try again; 0: now. */
  waitMs(address: string): number;
  /** A token was wrong. */
  failed(address: string): void;
};

export function createBackOff(clock: Clock): BackOff {
  const mistakes = new Map<string, { count: number; at: number }>();
  const known = (network: string) => {
    const found = mistakes.get(network);
    return found === undefined || clock.now().getTime() - found.at >= FORGOTTEN_MS ? undefined : found;
  };
  return {
    waitMs(address) {
      const found = known(networkOf(address));
      if (found === undefined || found.count < FREE) return 0;
      const wait = Math.min(LONGEST_MS, SECOND * 2 ** Math.min(found.count - FREE, 10));
      return Math.max(0, found.at + wait - clock.now().getTime());
    },
    failed(address) {
      const network = networkOf(address);
      const count = (known(network)?.count ?? 0) + 1;
      // The newest stand last: the oldest go first where there are too many.
      mistakes.delete(network);
      const [oldest] = mistakes.size < NETWORKS_MOST ? [] : mistakes.keys();
      if (oldest !== undefined) mistakes.delete(oldest);
      mistakes.set(network, { count, at: clock.now().getTime() });
    },
  };
}
