/** Decides what follows a failed attempt. Pure. */
import { DAY, MINUTE } from '../../lib/time.ts';
import type { DeliveryAttempt } from './channel-secrets.ts';
import type { Consequence } from './channels/channel-kind.ts';

/** Pauses after the first failed attempt, the second, and so on: a little under three days in total. */
const RETRY_PAUSE_MINUTES = [1 / 12, 1 / 2, 2, 10, 60, 180, 360, 720, 1_440, 1_440] as const;
const RETRY_PAUSES_MS = RETRY_PAUSE_MINUTES.map((minutes) => minutes * MINUTE);
/** The first attempt, and one after each pause. */
export const MAX_ATTEMPTS = RETRY_PAUSES_MS.length + 1;

/** A channel that has failed for this long is disabled. */
const MAX_FAILING_MS = 5 * DAY;

/** Longest pause of a whole channel before it is tried again. */
const MAX_CHANNEL_REST_MS = 10 * MINUTE;
/** This many consecutive failures are an outage. After it, all waiting messages are sent immediately. */
const OUTAGE_FAILURES = 3;

export type FailedAttempt = Extract<DeliveryAttempt, { kind: 'failed' }>;

/** Retry time, or the reason why the message is dead. */
type NextAttempt = { nextAt: Date; dead: null } | { nextAt: null; dead: string };

/**
 * @param attempts the number of attempts so far, including this one
 * @param random from 0 to below 1; spreads retries to the same receiver
 */
export function decideNextAttempt(
  failed: FailedAttempt,
  attempts: number,
  now: Date,
  random: number,
): NextAttempt {
  const consequence = findConsequence(failed);
  if (consequence === 'end') return { nextAt: null, dead: failed.meaning };
  if (consequence === 'drop') return { nextAt: null, dead: describeFailure(failed) };
  if (consequence === 'pause') return { nextAt: now, dead: null };
  const pause = RETRY_PAUSES_MS[attempts - 1];
  if (pause === undefined)
    return {
      nextAt: null,
      dead: `failed after ${attempts} attempts; last error: ${describeFailure(failed)}`,
    };
  const waitMs = Math.max(pause * (0.9 + random * 0.2), failed.retryAfterMs ?? 0);
  return { nextAt: new Date(now.getTime() + Math.round(waitMs)), dead: null };
}

type ChannelHealth = { failures: number; failingSince: Date | null; restingUntil: Date | null };

/**
 * A failure of the receiver pauses the whole channel, so that waiting messages do not use up their attempts. A failure of this
 * message (most 4xx), or of some of its recipients, does not.
 * @returns `disabled`: why the channel is disabled; null if it is not
 */
export function decideChannelHealth(
  failed: FailedAttempt,
  before: Pick<ChannelHealth, 'failures' | 'failingSince'>,
  now: Date,
): { health: ChannelHealth; disabled: string | null } {
  if (failed.accepted.length > 0)
    return { health: { failures: 0, failingSince: null, restingUntil: null }, disabled: null };
  const failures = before.failures + 1;
  const failingSince = before.failingSince ?? now;
  const health = { failures, failingSince, restingUntil: null };
  const consequence = findConsequence(failed);
  if (consequence === 'end') return { health, disabled: failed.meaning };
  if (consequence === 'pause') return { health, disabled: describeFailure(failed) };
  if (now.getTime() - failingSince.getTime() >= MAX_FAILING_MS) {
    const since = `${failingSince.toISOString().slice(0, 16)}Z`;
    return { health, disabled: `no delivery since ${since}; last error: ${describeFailure(failed)}` };
  }
  if (consequence !== 'rest') return { health, disabled: null };
  const rest = Math.min(RETRY_PAUSES_MS[failures - 1] ?? MAX_CHANNEL_REST_MS, MAX_CHANNEL_REST_MS);
  const restingUntil = new Date(now.getTime() + Math.max(rest, failed.retryAfterMs ?? 0));
  return { health: { ...health, restingUntil }, disabled: null };
}

/** Whether waiting messages should be sent immediately, now that one was delivered. */
export function wasOutage({ failures }: Pick<ChannelHealth, 'failures'>): boolean {
  return failures >= OUTAGE_FAILURES;
}

/** A failure as shown to people. */
export function describeFailure({
  meaning,
  httpStatus,
  detail,
}: Pick<FailedAttempt, 'meaning' | 'httpStatus' | 'detail'>): string {
  const more = [...(httpStatus === null ? [] : [String(httpStatus)]), ...(detail === null ? [] : [detail])];
  return more.length === 0 ? meaning : `${meaning} (${more.join('; ')})`;
}

/** Statuses of 4xx that are about the receiver: a timeout there, and a failed dependency. */
const RECEIVER_TROUBLE: ReadonlySet<number> = new Set([408, 424]);

function findConsequence(failed: FailedAttempt): Consequence {
  if (failed.consequence !== null) return failed.consequence;
  if (failed.code === 'gone') return 'end';
  if (failed.code === 'rejected') return 'drop';
  return isAboutMessage(failed) ? 'retry' : 'rest';
}

function isAboutMessage({ code, httpStatus }: FailedAttempt): boolean {
  const status = httpStatus ?? 0;
  return code === 'http_status' && status >= 400 && status < 500 && !RECEIVER_TROUBLE.has(status);
}
