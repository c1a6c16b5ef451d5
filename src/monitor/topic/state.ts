import { Refused } from '../../errors.ts';
import { type Id, inTransaction, type Transaction } from '../../store/database.ts';
import { archiveSearch, findSearch, listSearches, type Search } from '../../store/searches.ts';
import { archiveTopic, findTopic } from '../../store/topics.ts';
import { cancelQueued, lockSearch, setNextDue, setState, type TickingSearch } from '../../store/slots.ts';
import type { Context } from '../context.ts';
import { nextSlot } from '../schedule/cadence.ts';
import { scheduleOf } from '../schedule/schedule-of.ts';
import { writeSchedule } from '../schedule/schedule.ts';

/** How a search's state may be changed by a person. Each takes the row lock that ticks take. */
export type Change = 'pause' | 'resume' | 'remove';

/**
 * Pause: queued runs are cancelled, running ones finish, slots of paused time get no rows and the time
 * itself is remembered. Resume: goes on at the next slot. Remove: archived; what it found stays.
 * @throws Refused `not_found`
 */
export async function changeSearch(ctx: Context, slug: string, change: Change): Promise<Search> {
  const found = await findSearch(ctx.db.pool, slug);
  if (found === null || found.archived_at !== null)
    throw new Refused('not_found', `there is no search "${slug}"`);
  await inTransaction(ctx.db, (tx) => changeLocked(ctx, tx, found.id, change));
  await tellQueue(ctx, found.id, change);
  const after = await findSearch(ctx.db.pool, slug);
  return after ?? found;
}

/** The same for all searches of a topic, in one transaction; `remove` archives the topic too. */
export async function changeTopic(ctx: Context, slug: string, change: Change): Promise<Search[]> {
  const topic = await findTopic(ctx.db.pool, slug);
  if (topic === null || topic.archived_at !== null)
    throw new Refused('not_found', `there is no topic "${slug}"`);
  const searches = await listSearches(ctx.db.pool, topic.id);
  await inTransaction(ctx.db, async (tx) => {
    // In the order of their ids, so that two changes of one topic wait for each other instead of locking each other out.
    for (const { id } of searches.toSorted((a, b) => Number(a.id - b.id)))
      await changeLocked(ctx, tx, id, change);
    if (change === 'remove') await archiveTopic(tx, topic.id, ctx.clock.now());
  });
  for (const { id } of searches) await tellQueue(ctx, id, change);
  return listSearches(ctx.db.pool, topic.id);
}

async function changeLocked(ctx: Context, tx: Transaction, searchId: Id, change: Change): Promise<void> {
  const now = ctx.clock.now();
  const search = await lockSearch(tx, searchId);
  if (search === null || search.archived_at !== null) return;
  switch (change) {
    case 'pause':
      if (search.state === 'paused') return;
      await setState(tx, searchId, 'paused', 'paused by a person', now);
      await cancelQueued(tx, searchId, 'paused', now);
      return;
    case 'resume':
      if (search.state === 'active') return;
      await setState(tx, searchId, 'active', null, now);
      await setNextDue(tx, searchId, new Date(nextSlot(scheduleOf(search), now)));
      return;
    case 'remove':
      await archiveSearch(tx, searchId, now);
      await cancelQueued(tx, searchId, 'removed', now);
      return;
  }
}

async function tellQueue(ctx: Context, searchId: Id, change: Change): Promise<void> {
  try {
    if (change !== 'resume') return await ctx.queue.unschedule(searchId);
    const search = await inTransaction(
      ctx.db,
      (tx): Promise<TickingSearch | null> => lockSearch(tx, searchId),
    );
    if (search?.state === 'active') await ctx.queue.schedule(searchId, writeSchedule(scheduleOf(search)));
  } catch (error) {
    ctx.log.warn({ err: error }, 'schedule not told; the reconciler will');
  }
}
