/**
 * Coalesces identical concurrent requests. A caller that disconnects ends only its own wait; the request is aborted
 * when the last caller leaves. Also shares work (such as getting a token) among all that need its result.
 */

import { awaitUnlessAborted } from '../../../platform/clock.ts';
import { SourceDown } from '../outage.ts';

/**
 * Joins the request with this name, or starts it. The caller counts as waiting at once.
 * @param until when the caller stops waiting, in milliseconds since 1970
 * @param begin.until when the last of the callers stops waiting
 */
type JoinRequest<T> = (name: string, until: number, begin: BeginRequest<T>) => JoinedRequest<T>;
type BeginRequest<T> = (signal: AbortSignal, until: () => number) => StartedRequest<T>;

export type StartedRequest<T> = {
  result: Promise<T>;
  /** Whether the request has not been sent yet, because of the rate limit. */
  isWaiting: () => boolean;
};

type JoinedRequest<T> = Pick<StartedRequest<T>, 'isWaiting'> & {
  /** @throws the signal's reason if it aborts; or the error of the request */
  wait(signal: AbortSignal): Promise<T>;
};

type SharedRequest<T> = StartedRequest<T> & {
  end: (reason: unknown) => void;
  waiters: number;
  limit: WaitLimit;
};
/** When the last of all callers so far stops waiting, in milliseconds since 1970. */
type WaitLimit = { until: number };

export function createCoalescedRequests<T>(): JoinRequest<T> {
  const requests = new Map<string, SharedRequest<T>>();

  function start(name: string, limit: WaitLimit, begin: BeginRequest<T>): SharedRequest<T> {
    const controller = new AbortController();
    const end = (reason: unknown) => controller.abort(reason);
    const started = begin(controller.signal, () => limit.until);
    const request: SharedRequest<T> = { ...started, end, waiters: 0, limit };
    const forget = () => forgetRequest(name, request);
    requests.set(name, request);
    request.result.then(forget, forget);
    return request;
  }

  function forgetRequest(name: string, request: SharedRequest<T>): void {
    if (requests.get(name) === request) requests.delete(name);
  }

  return (name, until, begin) => {
    const request = requests.get(name) ?? start(name, { until }, begin);
    request.limit.until = Math.max(request.limit.until, until);
    request.waiters += 1;
    let isJoined = true;
    const leave = (reason?: unknown) => {
      if (!isJoined) return;
      isJoined = false;
      request.waiters -= 1;
      if (request.waiters > 0) return;
      forgetRequest(name, request); // about to be aborted, so nobody may join it
      request.end(reason);
    };
    return {
      isWaiting: request.isWaiting,
      async wait(signal) {
        const onAbort = () => leave(signal.reason);
        // Synchronous, so that a request aborted with its last caller can still report its state.
        signal.addEventListener('abort', onAbort, { once: true });
        try {
          return await awaitUnlessAborted(signal, request.result);
        } finally {
          signal.removeEventListener('abort', onAbort);
          leave(signal.reason);
        }
      },
    };
  };
}

/**
 * Work with a result that many callers need, such as a token: done once, awaited by all.
 * @param known returns the result if it exists
 * @param begin does the work and stores the result where `known` finds it
 * @throws the error of the work
 */
type SharedWork<T> = (known: () => T | undefined, begin: () => Promise<T>) => Promise<T>;

/**
 * Runs one piece of work at a time. Source failures are thrown to all waiting callers; if only the first caller
 * disconnected or timed out, the next caller starts over.
 */
export function createSharedWork<T>(): SharedWork<T> {
  let current: Promise<T> | undefined;
  return async (known, begin) => {
    for (let pending = current; pending !== undefined; pending = current) {
      try {
        await pending;
      } catch (error) {
        if (isSourceWide(error)) throw error;
      }
    }
    const result = known();
    if (result !== undefined) return result;
    current = begin().finally(() => {
      current = undefined;
    });
    return current;
  };
}

/** Whether the source failed, and not only this request. */
function isSourceWide(error: unknown): boolean {
  return error instanceof SourceDown && !error.unasked && error.code !== 'source_timeout';
}
