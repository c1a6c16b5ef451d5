/** What was found, for a while. */
import type { Clock } from '../../../engine/clock.ts';

export type Cache<T> = { get(key: string): T | undefined; set(key: string, value: T, lifeMs: number): void };

/** @param most entries; the one that has been there longest goes first */
export function createCache<T>(most: number, clock: Clock): Cache<T> {
  const entries = new Map<string, { value: T; until: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (entry.until > clock.now().getTime()) return entry.value;
      entries.delete(key);
      return undefined;
    },
    set(key, value, lifeMs) {
      entries.delete(key); // so that it stands last again
      entries.set(key, { value, until: clock.now().getTime() + lifeMs });
      const [oldest] = entries.keys();
      if (entries.size > most && oldest !== undefined) entries.delete(oldest);
    },
  };
}
