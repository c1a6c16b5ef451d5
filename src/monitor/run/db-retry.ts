import { setTimeout as wait } from 'node:timers/promises';
import { HOUR, MINUTE, monotonicMs, SECOND } from '../../engine/clock.ts';
import { isOfDatabase, refusesData } from '../../store/database.ts';
import type { Context } from '../context.ts';

/** How long a paid response that is not stored anywhere is kept in memory. */
const UNSTORED_MS = HOUR;
/** How long everything else waits: what is in the database already is done later by somebody else. */
const STORED_MS = 5 * MINUTE;
const PAUSES_MS = [100, 250, 500, SECOND, 2 * SECOND] as const;

/**
 * Repeats `work` while the database fails for a reason that may pass. `work` must be safe to do twice.
 * @throws the last error: of another kind, about the data themselves, or after five minutes
 */
export async function withDbRetry<T>(ctx: Pick<Context, 'log'>, work: () => Promise<T>): Promise<T> {
  return repeat(work, {
    patienceMs: STORED_MS,
    mayPass: (error) => isOfDatabase(error) && !refusesData(error),
    onFirstFailure: (error) => {
      ctx.log.warn({ err: error }, 'database unavailable; retrying');
      return Promise.resolve();
    },
  });
}

/**
 * The same while a paid response is not stored: whatever the error is, unless it names the data themselves, storing it
 * is repeated for an hour or until this process stops.
 * @param options.onFirstFailure done once, before anything is waited for
 * @throws the last error
 */
export async function untilStored(
  work: () => Promise<void>,
  options: { stopping: AbortSignal; onFirstFailure: (error: unknown) => Promise<void> },
): Promise<void> {
  return repeat(work, { ...options, patienceMs: UNSTORED_MS, mayPass: (error) => !refusesData(error) });
}

async function repeat<T>(
  work: () => Promise<T>,
  rule: {
    patienceMs: number;
    mayPass: (error: unknown) => boolean;
    onFirstFailure: (error: unknown) => Promise<void>;
    stopping?: AbortSignal;
  },
): Promise<T> {
  const began = monotonicMs();
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 0) await rule.onFirstFailure(error);
      if (!rule.mayPass(error) || monotonicMs() - began > rule.patienceMs) throw error;
      const pauseMs = PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)];
      // Cut short when the process stops; the next line checks that.
      await wait(pauseMs, undefined, { signal: rule.stopping }).catch(() => {});
      if (rule.stopping?.aborted === true) throw error;
    }
  }
}
