import type { Id } from '../../store/database.ts';
import { countScheduled, type ScheduledSearch, scheduledSearches } from '../../store/repairs.ts';
import type { Context } from '../context.ts';
import { scheduleOf } from './schedule-of.ts';
import { writeSchedule } from './schedule.ts';

/**
 * Makes the queue's job schedulers those of the active searches. Only schedulers that are absent or
 * differ are written: an upsert deletes a tick that is due and not yet taken. A search that had to be
 * ticked by the reconciler counts as absent, for its scheduler had fallen silent.
 */
export async function healSchedules(
  ctx: Context,
  silent: ReadonlySet<Id>,
  thorough: boolean,
): Promise<{ scheduled: number; unscheduled: number }> {
  const none = { scheduled: 0, unscheduled: 0 };
  try {
    const complete = (await ctx.queue.countSchedules()) === (await countScheduled(ctx.db));
    if (complete && !thorough && silent.size === 0) return none;
    const wanted = new Map((await scheduledSearches(ctx.db)).map((search) => [search.id, patternOf(search)]));
    const there = await ctx.queue.schedules();
    const stray = [...there.keys()].filter((id) => !wanted.has(id));
    const absent = [...wanted].filter(([id, pattern]) => there.get(id) !== pattern || silent.has(id));
    for (const searchId of stray) await ctx.queue.unschedule(searchId);
    for (const [searchId, pattern] of absent) await ctx.queue.schedule(searchId, pattern);
    return { scheduled: absent.length, unscheduled: stray.length };
  } catch (error) {
    ctx.log.warn({ err: error }, 'the queue cannot be reached; its schedules are looked at again later');
    return none;
  }
}

/** What the queue is told of a search's schedule. One that cannot be read is never due there; its tick marks it broken. */
export function patternOf(search: ScheduledSearch): string {
  try {
    return writeSchedule(scheduleOf(search));
  } catch {
    return 'unreadable';
  }
}
