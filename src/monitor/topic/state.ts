import { Refused } from '../../errors.ts';
import { recordAudit } from '../../store/audit.ts';
import { type Id, inTransaction, readTime, type Transaction } from '../../store/database.ts';
import { findSearch, listSearches, type Search } from '../../store/searches.ts';
import { lockSearch, type LockedSearch, setState } from '../../store/slots.ts';
import { CHANGE_RECORDED, type StateChange } from '../../store/state-change.ts';
import { archiveTopic, lockTopic } from '../../store/topics.ts';
import type { Acting, Context } from '../context.ts';
import { enqueueNewRuns } from '../enqueue.ts';
import { recordDueSlots } from '../schedule/due-slots.ts';
import { nextSlotOf, UNREADABLE } from '../schedule/schedule-of.ts';
import { stopLocked } from '../schedule/stop.ts';
import { assertKept, assertTopicKept } from './find.ts';
import { lockNamed, noSearch } from './named.ts';

/** How a search's state may be changed by a person. Each takes the row lock that the scan takes. */
export type Change = StateChange;

/**
 * Pause: queued runs are cancelled, running ones finish, slots of paused time get no rows and the time
 * itself is remembered. Resume: goes on at the next slot. Remove: archived; what it found stays. Slots
 * that were due before get their rows first.
 * @throws Refused `not_found`, or `conflict` where it was removed
 */
export async function changeSearch(ctx: Acting, slug: string, change: Change): Promise<Search> {
  await assertKept(ctx.db, slug);
  const { queued, after } = await inTransaction(ctx.db, async (tx) => {
    const search = await lockNamed(tx, slug);
    const runs = await changeLocked(ctx, tx, search, change);
    if (runs !== null)
      await recordAudit(tx, ctx, { action: `search.${CHANGE_RECORDED[change]}`, subject: slug });
    return { queued: runs ?? [], after: await findSearch(tx, slug) };
  });
  if (after === null) throw noSearch(slug);
  await enqueueNewRuns(ctx, queued, 'schedule');
  return after;
}

/** The same for all searches of a topic, in one transaction; `remove` archives the topic too. */
export async function changeTopic(ctx: Acting, slug: string, change: Change): Promise<Search[]> {
  await assertTopicKept(ctx.db, slug);
  const { queued, after } = await inTransaction(ctx.db, async (tx) => {
    const topic = await lockTopic(tx, slug);
    if (topic === null || topic.archived_at !== null)
      throw new Refused('not_found', `there is no topic "${slug}"`);
    // Read under the topic's lock: a search that was being made in it is there by now, or is refused.
    const runs: Id[] = [];
    const changed: string[] = [];
    for (const { id, slug: name } of await listSearches(tx, topic.id)) {
      const search = await lockSearch(tx, id);
      const due = search?.archived_at === null ? await changeLocked(ctx, tx, search, change) : null;
      if (due !== null) changed.push(name);
      runs.push(...(due ?? []));
    }
    if (change === 'remove' || changed.length > 0)
      await recordAudit(tx, ctx, {
        action: `topic.${CHANGE_RECORDED[change]}`,
        subject: slug,
        changes: { searches: { after: changed } },
      });
    if (change === 'remove') await archiveTopic(tx, topic.id, await readTime(tx, ctx.clock));
    return { queued: runs, after: await listSearches(tx, topic.id) };
  });
  await enqueueNewRuns(ctx, queued, 'schedule');
  return after;
}

/** @returns runs that are enqueued once this is committed; null where the search is in this state already */
async function changeLocked(
  ctx: Context,
  tx: Transaction,
  search: LockedSearch,
  change: Change,
): Promise<readonly Id[] | null> {
  switch (change) {
    case 'pause':
      if (search.state === 'paused') return null;
      await stopLocked(ctx, tx, search, { to: 'paused', reason: 'paused by a person' });
      return [];
    case 'resume':
      return search.state === 'active' ? null : resumeLocked(ctx, tx, search);
    case 'remove':
      await stopLocked(ctx, tx, search, { to: 'removed' });
      return [];
  }
}

/** Only a capped search has slots that are due; one whose schedule cannot be read is broken, whatever it was. */
async function resumeLocked(ctx: Context, tx: Transaction, search: LockedSearch): Promise<readonly Id[]> {
  const now = await readTime(tx, ctx.clock);
  const queued = await recordDueSlots(ctx, tx, [search], now);
  const next = nextSlotOf(search, now);
  if (next === null) await setState(tx, search.id, 'broken', UNREADABLE, now);
  else await setState(tx, search.id, 'active', null, now, next);
  return queued.map(({ id }) => id);
}
