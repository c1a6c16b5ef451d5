import { setImmediate } from 'node:timers/promises';
import { DAY, MINUTE, SECOND } from '../../engine/clock.ts';
import { type Id, inTransaction } from '../../store/database.ts';
import { farSearches } from '../../store/repairs.ts';
import { lockSearch } from '../../store/slots.ts';
import type { Context } from '../context.ts';
import { reviveLocked } from './revive.ts';
import { nextSlotOf } from './schedule-of.ts';

/** Clocks of machines differ: a slot that one of them has just left behind still lies ahead of another. */
const MARGIN_MS = MINUTE;
/** Schedules that are looked at before others in the process get a turn: a few milliseconds. */
const AT_ONCE = 100;

type Standing = Parameters<typeof nextSlotOf>[0] & { next_due_at: Date | number | null };

/**
 * Active searches that would be silent for longer than their schedule says: whoever wrote their next slot had a clock
 * that was ahead. Intervals are compared in SQL. Asking a cron expression costs tens of microseconds, so those that are due within a
 * day are not asked: they come right by themselves then.
 */
export async function astraySearches(ctx: Context): Promise<Id[]> {
  const now = ctx.clock.now();
  const far = await farSearches(ctx.db, new Date(now.getTime() + MARGIN_MS), DAY / SECOND);
  const astray: Id[] = [];
  for (const [i, search] of far.entries()) {
    if (i % AT_ONCE === AT_ONCE - 1) await setImmediate();
    if (isAstray(search, now)) astray.push(search.id);
  }
  return astray;
}

/** Brings a search back to the next slot of its schedule; slots that have their row already keep it. */
export async function callBack(ctx: Context, searchId: Id): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    const search = await lockSearch(tx, searchId);
    // It may have been paused, edited or ticked since.
    if (search === null || !isAstray(search, ctx.clock.now())) return;
    await reviveLocked(ctx, tx, search);
  });
}

/** Whether its schedule has a slot before the one that it waits for, or cannot be read. */
function isAstray(search: Standing, now: Date): boolean {
  if (search.next_due_at === null) return false;
  const next = nextSlotOf(search, new Date(now.getTime() + MARGIN_MS));
  return next === null || Number(search.next_due_at) > next.getTime();
}
