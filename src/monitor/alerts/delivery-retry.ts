/** What follows an attempt. Pure. */
import { DAY, MINUTE } from '../../domain/time.ts';
import type { DeliveryAttempt } from './channel-secrets.ts';

/** Pauses behind the first failed attempt, the second, and so on: a little under three days in all. */
const RETRY_PAUSE_MINUTES = [1 / 12, 1 / 2, 2, 10, 60, 180, 360, 720, 1_440, 1_440] as const;
const RETRY_PAUSES_MS = RETRY_PAUSE_MINUTES.map((minutes) => minutes * MINUTE);
/** The first attempt, and one behind each pause. */
export const MAX_ATTEMPTS = RETRY_PAUSES_MS.length + 1;

/** A channel on which everything failed for so long is disabled. */
const MAX_FAILING_MS = 5 * DAY;

/** So long does a channel rest, at most, before it is tried again with whatever waits. */
const MAX_CHANNEL_REST_MS = 10 * MINUTE;
/** So many failures in a row are an outage: when it is over, what waits is sent at once. */
const OUTAGE_FAILURES = 3;

export type FailedAttempt = Extract<DeliveryAttempt, { kind: 'failed' }>;

/** What becomes of the message. */
type NextAttempt = { nextAt: Date; dead: null } | { nextAt: null; dead: string };

/**
 * @param attempts how many were made, this one included
 * @param random from 0 to below 1: what waits for the same receiver does not come back in step
 */
export function decideNextAttempt(
  failed: FailedAttempt,
  attempts: number,
  now: Date,
  random: number,
): NextAttempt {
  if (failed.code === 'gone') return { nextAt: null, dead: failed.meaning };
  const pause = RETRY_PAUSES_MS[attempts - 1];
  if (pause === undefined)
    return {
      nextAt: null,
      dead: `given up after ${attempts} attempts; the last: ${describeFailure(failed)}`,
    };
  const spread = pause * (0.9 + random * 0.2);
  return {
    nextAt: new Date(now.getTime() + Math.round(Math.max(spread, failed.retryAfterMs ?? 0))),
    dead: null,
  };
}

/** How it goes on a channel. */
type ChannelHealth = { failures: number; failingSince: Date | null; restingUntil: Date | null };

/**
 * A failure that is the receiver's own lets the whole channel rest, so that what waits for it does not use up its
 * attempts; one that is about this message (most of 4xx) does not.
 * @returns `disabled`: why nothing more is sent at all
 */
export function decideChannelHealth(
  failed: FailedAttempt,
  before: Pick<ChannelHealth, 'failures' | 'failingSince'>,
  now: Date,
): { health: ChannelHealth; disabled: string | null } {
  const failures = before.failures + 1;
  const failingSince = before.failingSince ?? now;
  if (failed.code === 'gone')
    return { health: { failures, failingSince, restingUntil: null }, disabled: failed.meaning };
  if (now.getTime() - failingSince.getTime() >= MAX_FAILING_MS)
    return {
      health: { failures, failingSince, restingUntil: null },
      disabled: `nothing was delivered since ${failingSince.toISOString().slice(0, 16)}Z; the last: ${describeFailure(failed)}`,
    };
  if (isAboutMessage(failed))
    return { health: { failures, failingSince, restingUntil: null }, disabled: null };
  const rest = Math.min(RETRY_PAUSES_MS[failures - 1] ?? MAX_CHANNEL_REST_MS, MAX_CHANNEL_REST_MS);
  const restMs = Math.max(rest, failed.retryAfterMs ?? 0);
  return {
    health: { failures, failingSince, restingUntil: new Date(now.getTime() + restMs) },
    disabled: null,
  };
}

/** Whether what waits should be sent at once, now that one message was taken. */
export function wasOutage({ failures }: Pick<ChannelHealth, 'failures'>): boolean {
  return failures >= OUTAGE_FAILURES;
}

/** What a person is told of a failure. */
export function describeFailure({
  meaning,
  httpStatus,
  detail,
}: Pick<FailedAttempt, 'meaning' | 'httpStatus' | 'detail'>): string {
  const more = httpStatus === null ? detail : String(httpStatus);
  return more === null ? meaning : `${meaning} (${more})`;
}

function isAboutMessage({ code, httpStatus }: FailedAttempt): boolean {
  return (
    code === 'http_status' &&
    httpStatus !== null &&
    httpStatus >= 400 &&
    httpStatus < 500 &&
    httpStatus !== 408
  );
}
