/** What follows an attempt. Pure. */
import { DAY, MINUTE } from '../../engine/clock.ts';
import { DELIVERY_CODES } from '../../store/tell/codes.ts';
import type { Attempt } from './channels/channel.ts';

/** Pauses behind the first failed attempt, the second, and so on: a little under three days in all. */
const MINUTES = [1 / 12, 1 / 2, 2, 10, 60, 180, 360, 720, 1_440, 1_440] as const;
const PAUSES_MS = MINUTES.map((minutes) => minutes * MINUTE);
/** The first attempt, and one behind each pause. */
export const ATTEMPTS_MAX = PAUSES_MS.length + 1;

/** A channel on which everything failed for so long is disabled. */
export const FAILING_MAX_MS = 5 * DAY;

/** So long does a channel rest, at most, before it is tried again with whatever waits. */
const LONGEST_REST_MS = 10 * MINUTE;
/** So many failures in a row are an outage: when it is over, what waits is sent at once. */
const OUTAGE = 3;

export type Failed = Extract<Attempt, { kind: 'failed' }>;

/** What becomes of the message. */
export type Next = { nextAt: Date; dead: null } | { nextAt: null; dead: string };

/**
 * @param attempts how many were made, this one included
 * @param random from 0 to below 1: what waits for the same receiver does not come back in step
 */
export function afterFailure(failed: Failed, attempts: number, now: Date, random: number): Next {
  if (failed.code === 'gone') return { nextAt: null, dead: DELIVERY_CODES.gone };
  const pause = PAUSES_MS[attempts - 1];
  if (pause === undefined)
    return { nextAt: null, dead: `given up after ${attempts} attempts; the last: ${inWords(failed)}` };
  const spread = pause * (0.9 + random * 0.2);
  return {
    nextAt: new Date(now.getTime() + Math.round(Math.max(spread, failed.retryAfterMs ?? 0))),
    dead: null,
  };
}

/** How it goes on a channel. */
export type Health = { failures: number; failingSince: Date | null; restingUntil: Date | null };

/**
 * A failure that is the receiver's own lets the whole channel rest, so that what waits for it does not use up its
 * attempts; one that is about this message (most of 4xx) does not.
 * @returns `disabled`: why nothing more is sent at all
 */
export function channelAfterFailure(
  failed: Failed,
  before: Pick<Health, 'failures' | 'failingSince'>,
  now: Date,
): { health: Health; disabled: string | null } {
  const failures = before.failures + 1;
  const failingSince = before.failingSince ?? now;
  if (failed.code === 'gone')
    return { health: { failures, failingSince, restingUntil: null }, disabled: DELIVERY_CODES.gone };
  if (now.getTime() - failingSince.getTime() >= FAILING_MAX_MS)
    return {
      health: { failures, failingSince, restingUntil: null },
      disabled: `nothing was delivered since ${failingSince.toISOString().slice(0, 16)}Z; the last: ${inWords(failed)}`,
    };
  if (isAboutMessage(failed))
    return { health: { failures, failingSince, restingUntil: null }, disabled: null };
  const rest = Math.min(PAUSES_MS[failures - 1] ?? LONGEST_REST_MS, LONGEST_REST_MS);
  const restMs = Math.max(rest, failed.retryAfterMs ?? 0);
  return {
    health: { failures, failingSince, restingUntil: new Date(now.getTime() + restMs) },
    disabled: null,
  };
}

/** Whether what waits should be sent at once, now that one message was taken. */
export function wasOutage({ failures }: Pick<Health, 'failures'>): boolean {
  return failures >= OUTAGE;
}

/** What a person is told of a failure. */
export function inWords({
  code,
  httpStatus,
  detail,
}: Pick<Failed, 'code' | 'httpStatus' | 'detail'>): string {
  const more = httpStatus === null ? detail : String(httpStatus);
  return more === null ? DELIVERY_CODES[code] : `${DELIVERY_CODES[code]} (${more})`;
}

function isAboutMessage({ code, httpStatus }: Failed): boolean {
  return (
    code === 'http_status' &&
    httpStatus !== null &&
    httpStatus >= 400 &&
    httpStatus < 500 &&
    httpStatus !== 408
  );
}
