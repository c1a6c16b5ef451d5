/** The limits of a service's calls, as runs and trials meet them. */
import { callsPerDayOf } from '../../config.ts';
import { RunError } from '../../errors.ts';
import { SENT_WITHIN_MS, type Verdict } from '../../store/call-limits.ts';
import type { ServiceKind } from '../../store/services.ts';
import type { Context } from '../context.ts';

export type CallLimits = { callsPerDay: number | null; callsPerMinute: number | null };

/** Most calls to a service of this kind; null: no limit. */
export function limitsOf({ config }: Pick<Context, 'config'>, kind: ServiceKind): CallLimits {
  return { callsPerDay: callsPerDayOf(config, kind), callsPerMinute: config.callsPerMinute ?? null };
}

/** The latest time for a counted call to be sent; undefined where the minute has no limit. */
export function sentBy({ callsPerMinute }: CallLimits, countedAt: Date): Date | undefined {
  return callsPerMinute === null ? undefined : new Date(countedAt.getTime() + SENT_WITHIN_MS);
}

/** What a refusal means to a run or a trial. A full minute says how long to wait, and when that is. */
export function refusedByLimit(
  ctx: Pick<Context, 'clock'>,
  refusal: Exclude<Verdict, { kind: 'opened' }>,
  { callsPerMinute }: CallLimits,
): RunError {
  if (refusal.kind === 'day_cap')
    return new RunError('budget_exceeded', {
      budget: 'day',
      detail: 'the calls of this day (CALLS_PER_DAY, UTC) are used up',
    });
  const at = refusal.until.toISOString().slice(11, 19);
  return new RunError('budget_exceeded', {
    budget: 'minute',
    detail: `all ${callsPerMinute} calls of this minute (CALLS_PER_MINUTE) are used up; the next is possible at ${at} UTC`,
    retryAfterMs: Math.max(refusal.until.getTime() - ctx.clock.now().getTime(), 0),
  });
}
