/** Work whose result many need at once, such as a token: done by one of them, waited for by all. */
import { SourceDown } from '../../outage.ts';

/**
 * @param known what there is already, which needs no work
 * @param begin does the work, and keeps what comes of it where `known` finds it
 * @throws what the work throws
 */
export type Shared<T> = (known: () => T | undefined, begin: () => Promise<T>) => Promise<T>;

/**
 * One work is under way at a time, and who comes meanwhile waits for it. Where it fails for all, it fails for
 * those who wait; where whoever began it went away or ran out of time, the next one begins again.
 */
export function createShared<T>(): Shared<T> {
  let underWay: Promise<T> | undefined;
  return async (known, begin) => {
    for (let begun = underWay; begun !== undefined; begun = underWay) {
      try {
        await begun;
      } catch (error) {
        if (isAboutAll(error)) throw error;
      }
    }
    const there = known();
    if (there !== undefined) return there;
    underWay = begin().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}

/** Whether a failure is the source's, and not of the one question that met it. */
function isAboutAll(error: unknown): boolean {
  return error instanceof SourceDown && !error.unasked && error.code !== 'source_timeout';
}
