import { setTimeout as wait } from 'node:timers/promises';
import { MINUTE, monotonicMs, SECOND } from '../../engine/clock.ts';
import { isUnreachable } from '../../store/database.ts';
import type { Context } from '../context.ts';

/** How long something that must reach the database is held in memory while the database is away. */
const PATIENCE_MS = 5 * MINUTE;
const PAUSES_MS = [100, 250, 500, SECOND, 2 * SECOND] as const;

/**
 * Tries until the database can be reached: what is in hand (a paid answer, its reading) must not be lost
 * to a restart of Postgres. `work` must be safe to do twice.
 * @param onAway done once, before it is tried for the second time
 * @throws the last error when it was not about reaching the database, or patience ended
 */
export async function untilReachable<T>(
  ctx: Pick<Context, 'log'>,
  work: () => Promise<T>,
  onAway?: () => Promise<void>,
): Promise<T> {
  const began = monotonicMs();
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isUnreachable(error) || monotonicMs() - began > PATIENCE_MS) throw error;
      if (attempt === 0) {
        ctx.log.warn({ err: error }, 'the database is away; holding on to what is in hand');
        await onAway?.();
      }
      await wait(PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)]);
    }
  }
}
