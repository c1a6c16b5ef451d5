/** Whoever keeps trying wrong tokens waits longer and longer. Kept in memory, by address, for this process alone. */
import { type Clock, MINUTE, SECOND } from '../../engine/clock.ts';

/** So many mistakes are anybody's. */
const FREE = 5;
const LONGEST_MS = MINUTE;
/** Mistakes are forgotten after so long without one, and not sooner: the address may be that of many. */
const FORGOTTEN_MS = 15 * MINUTE;
const ADDRESSES_MOST = 10_000;

export type BackOff = {
  /** Milliseconds until this address may try again; 0: now. */
  waitMs(address: string): number;
  /** A token was wrong. */
  failed(address: string): void;
};

export function createBackOff(clock: Clock): BackOff {
  const mistakes = new Map<string, { count: number; at: number }>();
  const known = (address: string) => {
    const found = mistakes.get(address);
    return found === undefined || clock.now().getTime() - found.at >= FORGOTTEN_MS ? undefined : found;
  };
  return {
    waitMs(address) {
      const found = known(address);
      if (found === undefined || found.count < FREE) return 0;
      const wait = Math.min(LONGEST_MS, SECOND * 2 ** Math.min(found.count - FREE, 10));
      return Math.max(0, found.at + wait - clock.now().getTime());
    },
    failed(address) {
      const count = (known(address)?.count ?? 0) + 1;
      // The newest stand last: the oldest go first where there are too many.
      mistakes.delete(address);
      const [oldest] = mistakes.size < ADDRESSES_MOST ? [] : mistakes.keys();
      if (oldest !== undefined) mistakes.delete(oldest);
      mistakes.set(address, { count, at: clock.now().getTime() });
    },
  };
}
