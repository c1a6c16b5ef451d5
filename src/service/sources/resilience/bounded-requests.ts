/** Requests of an adapter, subject to rate limit, time limit and allowance. */

import { createTimeLimit } from '../../../platform/clock.ts';
import type { Adapter, AdapterContext } from '../adapter.ts';
import { SourceDown } from '../outage.ts';
import type { SourceNotice } from '../search-source.ts';
import { createRequestSender, type ProviderRequest } from './http-request.ts';
import { createAllowanceWallet, type RequestPace, type WalletParts } from './source-limits.ts';
import type { Agent } from 'undici';

export type BoundedRequests = {
  context: AdapterContext;
  /** Whether a request is waiting for the rate limit. Stays true if time runs out meanwhile. */
  isWaiting: () => boolean;
  /** Why results are incomplete; undefined if they are complete. */
  shortness: () => SourceDown | undefined;
  /** What is to be said about the results. */
  notices: readonly SourceNotice[];
  /** How long the source asked to be paused after this query, in milliseconds; 0 if it did not. */
  restMs: () => number;
  /** Ends the query: units that were not returned count as spent, unless all of its requests failed before they were sent. */
  settle: () => void;
};

/**
 * @param signal aborts the query
 * @param parts.leftMs milliseconds until it does
 */
export function createBoundedRequests(
  signal: AbortSignal,
  adapter: Adapter,
  parts: WalletParts & { who: string; agent: Agent; pace: RequestPace; leftMs: () => number },
): BoundedRequests {
  const { clock, log, pace, leftMs } = parts;
  const waiting = new Set<ProviderRequest>();
  const isWaiting = () => waiting.size > 0;
  let short: SourceDown | undefined;
  let restMs = 0;
  const notices: SourceNotice[] = [];
  /** Whether any request was sent; undefined if none was asked for, since an adapter may send its own. */
  let sent: boolean | undefined;
  const wallet = createAllowanceWallet(adapter, parts);
  const context: AdapterContext = {
    clock,
    log,
    who: parts.who,
    leftMs,
    spend: wallet.spend,
    unspend: wallet.unspend,
    cutShort(down) {
      short = signal.aborted ? createTimeoutOutage(isWaiting()) : down;
    },
    report: (notice) => void notices.push(notice),
    rest(ms) {
      restMs = Math.max(restMs, ms);
    },
    async ask(question, timeoutMs) {
      sent ??= false;
      signal.throwIfAborted();
      const limit = timeoutMs === undefined ? undefined : createTimeLimit(timeoutMs, signal);
      const bounded =
        timeoutMs === undefined || limit === undefined
          ? { signal, leftMs }
          : { signal: limit.signal, leftMs: () => Math.min(timeoutMs, leftMs()) };
      const ask = createRequestSender({ ...parts, signal: bounded.signal });
      waiting.add(question);
      try {
        return await pace(bounded, () => {
          waiting.delete(question);
          sent = true;
          return ask(question);
        });
      } catch (error) {
        signal.throwIfAborted(); // the reason of the query takes precedence
        if (bounded.signal.aborted) throw createTimeoutOutage(waiting.has(question));
        throw error;
      } finally {
        limit?.end();
        if (!signal.aborted) waiting.delete(question);
      }
    },
  };
  const settle = () => wallet.settle(sent === false);
  return { context, isWaiting, shortness: () => short, notices, restMs: () => restMs, settle };
}

/** @param isWaiting whether the request was not sent, because of the rate limit */
export function createTimeoutOutage(isWaiting: boolean): SourceDown {
  return isWaiting ? new SourceDown('source_busy', { unasked: true }) : new SourceDown('source_timeout');
}
