/** What was found, for a while. */
import type { Clock } from '../../../platform/clock.ts';

export type ResultCache<T> = {
  get(key: string): T | undefined;
  set(key: string, value: T, lifeMs: number): void;
};

/**
 * @param most entries, and their weight together; what has been there longest goes first
 * @param weigh what an entry takes, in the unit of `most.weight`
 */
export function createResultCache<T>(
  most: { entries: number; weight: number },
  weigh: (value: T) => number,
  clock: Clock,
): ResultCache<T> {
  const entries = new Map<string, { value: T; until: number; weight: number }>();
  let weight = 0;
  function forget(key: string): void {
    weight -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (entry.until > clock.now().getTime()) return entry.value;
      forget(key);
      return undefined;
    },
    set(key, value, lifeMs) {
      forget(key); // so that it stands last again
      const own = weigh(value);
      entries.set(key, { value, until: clock.now().getTime() + lifeMs, weight: own });
      weight += own;
      for (const oldest of entries.keys()) {
        if (entries.size <= most.entries && weight <= most.weight) break;
        forget(oldest);
      }
    },
  };
}
