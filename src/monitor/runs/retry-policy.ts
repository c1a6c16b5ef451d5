/** What happens after a call that failed: decided here, in one place, from the code alone. */
import { HOUR, MINUTE, SECOND } from '../../domain/time.ts';
import type { RunCode, RunError } from '../../domain/errors.ts';

/**
 * What a code asks for:
 * - `end`: the same call would end the same way, or was paid and answered; no call again.
 * - `wait`: the service said to slow down; it is asked again after the time it named.
 * - `again`: chance; it is tried again with growing, random pauses.
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

/** Longest pause before the first, second and every later call again. */
const BACKOFF_MS = [30 * SECOND, 2 * MINUTE, 10 * MINUTE] as const;
/** A service that asks for more than this is asked again after it all the same; no pause is longer. */
const MAX_RETRY_WAIT_MS = HOUR;

export type FailedCall = {
  code: RunCode;
  /** What is used up; undefined where nothing is. */
  budget: RunError['budget'];
  /** How long to wait, in milliseconds: as the service asked, or until the minute has room. */
  retryAfterMs: number | undefined;
  /** Calls this run has made, this one included, and how many it may make. */
  callsMade: number;
  maxCalls: number;
  /** When the run was due; null for a run by hand or a search's first, which no next slot replaces. */
  slotAt: Date | null;
  /** When the search is due next; null where it is paused, archived or broken. */
  nextSlotAt: Date | null;
  now: Date;
  /** From 0 to below 1. */
  random: () => number;
};

type RetryDecision = { kind: 'retry'; notBefore: Date } | { kind: 'give_up' };

/** Runs that wait for room in a minute come back within so long after it, not all at once. */
const RETRY_SPREAD_MS = 2 * SECOND;

/**
 * Whether a run calls again and when. A full minute is no failure: nothing was called, and the run waits for room, however
 * many calls it has made and whichever slot comes next. Pauses are random from nothing up to the bound of the call, so
 * that searches that failed together do not come back together. A call again that could only be made
 * once the next slot is due is left to that slot.
 */
export function decideRetry(call: FailedCall): RetryDecision {
  if (call.budget === 'minute') {
    const spread = Math.ceil(call.random() * RETRY_SPREAD_MS);
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
  const asked = Math.min(Math.max(retryAfterMs ?? 0, 0), MAX_RETRY_WAIT_MS);
  return Math.max(Math.ceil(random() * bound), asked);
}

function addMs(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}
