/**
 * One request for all who ask the same at the same time. It lasts as long as one of them waits: who goes
 * away ends only their own waiting, and the last one ends the request. And one piece of work (a token) for all
 * who need its result.
 */

import { awaitUnlessAborted } from '../../../platform/clock.ts';
import { SourceDown } from '../outage.ts';

type CoalescedRequests<T> = {
  /**
   * Joins the request of this name or begins it; whoever joins waits at once.
   * @param until the instant until which whoever joins can wait, in milliseconds since 1970
   * @param begin.until until when the most patient of those who wait can
   */
  join(
    name: string,
    until: number,
    begin: (signal: AbortSignal, until: () => number) => StartedRequest<T>,
  ): JoinedRequest<T>;
};

export type StartedRequest<T> = {
  result: Promise<T>;
  /** Whether its request has not been made yet, because its turn has not come. */
  isWaiting: () => boolean;
};

type JoinedRequest<T> = Pick<StartedRequest<T>, 'isWaiting'> & {
  /** @throws the signal's reason once it aborts; or what the request throws */
  wait(signal: AbortSignal): Promise<T>;
};

type SharedRequest<T> = StartedRequest<T> & {
  end: (reason: unknown) => void;
  waiters: number;
  limit: WaitLimit;
};
/** Until when the most patient of those who ever waited can, in milliseconds since 1970. */
type WaitLimit = { until: number };

export function createCoalescedRequests<T>(): CoalescedRequests<T> {
  const requests = new Map<string, SharedRequest<T>>();

  function start(
    name: string,
    limit: WaitLimit,
    begin: (signal: AbortSignal, until: () => number) => StartedRequest<T>,
  ): SharedRequest<T> {
    const controller = new AbortController();
    const end = (reason: unknown) => controller.abort(reason);
    const begun = begin(controller.signal, () => limit.until);
    const request: SharedRequest<T> = { ...begun, end, waiters: 0, limit };
    const forget = () => forgetRequest(name, request);
    requests.set(name, request);
    request.result.then(forget, forget);
    return request;
  }

  function forgetRequest(name: string, request: SharedRequest<T>): void {
    if (requests.get(name) === request) requests.delete(name);
  }

  return {
    join(name, until, begin) {
      const request = requests.get(name) ?? start(name, { until }, begin);
      request.limit.until = Math.max(request.limit.until, until);
      request.waiters += 1;
      let isJoined = true;
      const leave = (reason?: unknown) => {
        if (!isJoined) return;
        isJoined = false;
        request.waiters -= 1;
        if (request.waiters > 0) return;
        forgetRequest(name, request); // nobody may join what is about to end
        request.end(reason);
      };
      return {
        isWaiting: request.isWaiting,
        async wait(signal) {
          const gone = () => leave(signal.reason);
          // At once, so that a request that ends with its last waiter can still say what it has.
          signal.addEventListener('abort', gone, { once: true });
          try {
            return await awaitUnlessAborted(signal, request.result);
          } finally {
            signal.removeEventListener('abort', gone);
            leave(signal.reason);
          }
        },
      };
    },
  };
}

/**
 * Work whose result many need at once, such as a token: done by one of them, waited for by all.
 * @param known what there is already, which needs no work
 * @param begin does the work, and keeps what comes of it where `known` finds it
 * @throws what the work throws
 */
type SharedWork<T> = (known: () => T | undefined, begin: () => Promise<T>) => Promise<T>;

/**
 * One work is under way at a time, and who comes meanwhile waits for it. Where it fails for all, it fails for
 * those who wait; where whoever began it went away or ran out of time, the next one begins again.
 */
export function createSharedWork<T>(): SharedWork<T> {
  let underWay: Promise<T> | undefined;
  return async (known, begin) => {
    for (let begun = underWay; begun !== undefined; begun = underWay) {
      try {
        await begun;
      } catch (error) {
        if (isSourceWide(error)) throw error;
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
function isSourceWide(error: unknown): boolean {
  return error instanceof SourceDown && !error.unasked && error.code !== 'source_timeout';
}
