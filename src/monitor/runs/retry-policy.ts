/** Decides whether and when a failed call is retried, from its code alone. */
import { HOUR, MINUTE, SECOND } from '../../lib/time.ts';
import type { RunCode, RunError } from '../../model/errors.ts';

/**
 * How a code is handled:
 * - `end`: no retry, because the call would fail again, or was answered and paid for.
 * - `wait`: retry after the time that the service requested.
 * - `again`: a transient failure; retry with growing random pauses.
 */
type RetryClass = 'end' | 'wait' | 'again';

export const RETRY_CLASS: Readonly<Record<RunCode, RetryClass>> = {
  auth: 'end',
  payment: 'end',
  invalid_request: 'end',
  rate_limited: 'wait',
  upstream_5xx: 'again',
  redirect: 'end',
  timeout_connect: 'again',
  timeout_headers: 'again',
  timeout_body: 'again',
  conn_refused: 'again',
  conn_reset: 'again',
  bad_content_type: 'end',
  bad_json: 'end',
  schema_mismatch: 'end',
  sources_down: 'end',
  source_needs_key: 'end',
  too_large: 'end',
  decode_error: 'end',
  stream_incomplete: 'again',
  budget_exceeded: 'end',
  lease_lost: 'end',
  service_unknown: 'end',
  unknown_outcome: 'again',
  db_unavailable: 'again',
  internal: 'end',
};

/** Longest pause before the first, the second and every later retry. */
const BACKOFF_MS = [30 * SECOND, 2 * MINUTE, 10 * MINUTE] as const;
/** Longest pause, even if the service requests more. */
const MAX_RETRY_WAIT_MS = HOUR;

export type FailedCall = {
  code: RunCode;
  /** What the run waits for, if nothing was called. */
  waitsFor: RunError['waitsFor'];
  /** How long to wait, in milliseconds: as the service requested, until the minute has room, or until sources are probed. */
  retryAfterMs: number | undefined;
  /** Calls that this run has made, including this one, and its limit. */
  callsMade: number;
  maxCalls: number;
  /** When the run was due; null for manual and first runs, which no later slot replaces. */
  slotAt: Date | null;
  /** When the search is due next; null if it is paused, archived or broken. */
  nextSlotAt: Date | null;
  now: Date;
  /** From 0 to below 1. */
  random: () => number;
};

type RetryDecision = { kind: 'retry'; notBefore: Date } | { kind: 'give_up' };

/** Runs that wait are spread over this time after it, so that they do not all start together. */
const RETRY_SPREAD_MS = { minute: 2 * SECOND, source: 10 * SECOND };

/**
 * Decides whether and when a run retries. A full minute is not a failure, nor is a program without a reachable source: nothing
 * was called, and the run waits regardless of its calls and the next slot. Pauses are random up to a bound, so that searches that failed together do not
 * retry together. If the retry would come after the next slot, the run fails and the slot takes over.
 */
export function decideRetry(call: FailedCall): RetryDecision {
  if (call.waitsFor !== undefined) {
    const spread = Math.ceil(call.random() * RETRY_SPREAD_MS[call.waitsFor]);
    return { kind: 'retry', notBefore: addMs(call.now, Math.max(call.retryAfterMs ?? 0, 0) + spread) };
  }
  const kind = RETRY_CLASS[call.code];
  if (kind === 'end' || call.callsMade >= call.maxCalls) return { kind: 'give_up' };
  const notBefore = addMs(call.now, computePauseMs(call));
  const overtaken = call.slotAt !== null && call.nextSlotAt !== null && notBefore >= call.nextSlotAt;
  return overtaken ? { kind: 'give_up' } : { kind: 'retry', notBefore };
}

function computePauseMs({ callsMade, retryAfterMs, random }: FailedCall): number {
  const bound = BACKOFF_MS[Math.min(Math.max(callsMade, 1), BACKOFF_MS.length) - 1] ?? 0;
  const requested = Math.min(Math.max(retryAfterMs ?? 0, 0), MAX_RETRY_WAIT_MS);
  return Math.max(Math.ceil(random() * bound), requested);
}

function addMs(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}
