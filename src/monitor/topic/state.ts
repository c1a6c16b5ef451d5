import { Refused } from '../../errors.ts';
import { type Id, inTransaction, type Transaction } from '../../store/database.ts';
import { findSearch, listSearches, type Search } from '../../store/searches.ts';
import { lockSearch, setState, type TickingSearch } from '../../store/slots.ts';
import { archiveTopic, lockTopic } from '../../store/topics.ts';
import { type Context, tellSchedule, wakeNew } from '../context.ts';
import { reviveLocked } from '../schedule/revive.ts';
import { scheduleOf } from '../schedule/schedule-of.ts';
import { writeSchedule } from '../schedule/schedule.ts';
import { stopLocked } from '../schedule/stop.ts';
import { tickLocked } from '../schedule/tick.ts';
import { assertKept, assertTopicKept } from './find.ts';
import { lockNamed, noSearch } from './named.ts';

/** How a search's state may be changed by a person. Each takes the row lock that ticks take. */
export type Change = 'pause' | 'resume' | 'remove';

/** What the queue is told once it is committed: runs that wait, and when the search is due (`null`: no more). */
type Changed = { search: TickingSearch; queued: readonly Id[]; pattern: string | null };

/**
 * Pause: queued runs are cancelled, running ones finish, slots of paused time get no rows and the time
 * itself is remembered. Resume: goes on at the next slot. Remove: archived; what it found stays. Slots
 * that were due before get their rows first.
 * @throws Refused `not_found`, or `conflict` where it was removed
 */
export async function changeSearch(ctx: Context, slug: string, change: Change): Promise<Search> {
  await assertKept(ctx.db, slug);
  const { changed, after } = await inTransaction(ctx.db, async (tx) => {
    const search = await lockNamed(tx, slug);
    return { changed: await changeLocked(ctx, tx, search, change), after: await findSearch(tx, slug) };
  });
  if (after === null) throw noSearch(slug);
  await announce(ctx, changed);
  return after;
}

/** The same for all searches of a topic, in one transaction; `remove` archives the topic too. */
export async function changeTopic(ctx: Context, slug: string, change: Change): Promise<Search[]> {
  await assertTopicKept(ctx.db, slug);
  const { changes, after } = await inTransaction(ctx.db, async (tx) => {
    const topic = await lockTopic(tx, slug);
    if (topic === null || topic.archived_at !== null)
      throw new Refused('not_found', `there is no topic "${slug}"`);
    // Read under the topic's lock: a search that was being made in it is there by now, or is refused.
    const made: (Changed | null)[] = [];
    for (const { id } of await listSearches(tx, topic.id)) {
      const search = await lockSearch(tx, id);
      if (search?.archived_at === null) made.push(await changeLocked(ctx, tx, search, change));
    }
    if (change === 'remove') await archiveTopic(tx, topic.id, ctx.clock.now());
    return { changes: made, after: await listSearches(tx, topic.id) };
  });
  for (const changed of changes) await announce(ctx, changed);
  return after;
}

/** @returns `null` where the search is as it should be already */
async function changeLocked(
  ctx: Context,
  tx: Transaction,
  search: TickingSearch,
  change: Change,
): Promise<Changed | null> {
  switch (change) {
    case 'pause':
      if (search.state === 'paused') return null;
      await stopLocked(ctx, tx, search, { to: 'paused', reason: 'paused by a person' });
      return { search, queued: [], pattern: null };
    case 'resume':
      return search.state === 'active' ? null : resumeLocked(ctx, tx, search);
    case 'remove':
      await stopLocked(ctx, tx, search, { to: 'removed' });
      return { search, queued: [], pattern: null };
  }
}

/** Only a capped search has slots that are due; one whose schedule cannot be read is broken, whatever it was. */
async function resumeLocked(ctx: Context, tx: Transaction, search: TickingSearch): Promise<Changed> {
  const now = ctx.clock.now();
  const { queued } = await tickLocked(ctx, tx, search);
  if (!(await reviveLocked(ctx, tx, search))) return { search, queued, pattern: null };
  await setState(tx, search.id, 'active', null, now);
  return { search, queued, pattern: writeSchedule(scheduleOf(search)) };
}

async function announce(ctx: Context, changed: Changed | null): Promise<void> {
  if (changed === null) return;
  await wakeNew(ctx, changed.queued);
  await tellSchedule(ctx, changed.search, changed.pattern);
}
