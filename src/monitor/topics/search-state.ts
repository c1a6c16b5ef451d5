/** Pauses, resumes and removes searches, and topics with all their searches. Each change takes the row lock that the scan takes. */

import { createNotFound } from '../../domain/errors.ts';
import { recordAudit } from '../../store/audit-entries.ts';
import { type Id, inTransaction, readTime, type Transaction } from '../../store/database.ts';
import { findSearch, listSearches, type Search } from '../../store/searches.ts';
import { lockSearch, type LockedSearch, setState } from '../../store/slots.ts';
import { archiveTopic, CHANGE_RECORDED, lockTopic, type StateChange } from '../../store/topics.ts';
import type { ActingContext, Context } from '../context.ts';
import { enqueueNewRuns } from '../enqueue.ts';
import { findDueAgain, recordDueSlots, stopSearch } from '../schedule/due-slots.ts';
import { readSchedule, tryToRead, UNREADABLE_SCHEDULE } from '../schedule/cadence.ts';
import { assertSearchNotRemoved, assertTopicNotRemoved, lockSearchBySlug } from './find-by-slug.ts';

/**
 * Pause: cancels queued runs; running ones finish. Slots while paused get no rows, but the paused time itself is recorded.
 * Resume: continues at the next slot. Remove: archives the search; its results stay. Slots that were due before get their rows
 * first.
 * @throws Refused `not_found`, or `conflict` if it was removed
 */
export async function changeSearch(ctx: ActingContext, slug: string, change: StateChange): Promise<Search> {
  await assertSearchNotRemoved(ctx.db, slug);
  const { queued, after } = await inTransaction(ctx.db, async (tx) => {
    const search = await lockSearchBySlug(tx, slug);
    const runs = await changeLockedSearch(ctx, tx, search, change);
    if (runs !== null)
      await recordAudit(tx, ctx, { action: `search.${CHANGE_RECORDED[change]}`, subject: slug });
    return { queued: runs ?? [], after: await findSearch(tx, slug) };
  });
  if (after === null) throw createNotFound('search', slug);
  await enqueueNewRuns(ctx, queued, 'schedule');
  return after;
}

/** Changes all searches of a topic in one transaction; `remove` also archives the topic. */
export async function changeTopic(ctx: ActingContext, slug: string, change: StateChange): Promise<Search[]> {
  await assertTopicNotRemoved(ctx.db, slug);
  const { queued, after } = await inTransaction(ctx.db, async (tx) => {
    const topic = await lockTopic(tx, slug);
    if (topic === null || topic.archived_at !== null) throw createNotFound('topic', slug);
    // Read under the topic's lock: a search that is being created is either already visible or will be refused.
    const runs: Id[] = [];
    const changed: string[] = [];
    for (const { id, slug: name } of await listSearches(tx, topic.id)) {
      const search = await lockSearch(tx, id);
      const due = search?.archived_at === null ? await changeLockedSearch(ctx, tx, search, change) : null;
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

/** @returns runs to enqueue after the commit; null if the search is already in this state */
async function changeLockedSearch(
  ctx: Context,
  tx: Transaction,
  search: LockedSearch,
  change: StateChange,
): Promise<readonly Id[] | null> {
  switch (change) {
    case 'pause':
      if (search.state === 'paused') return null;
      await stopSearch(ctx, tx, search, { to: 'paused', reason: 'paused by a user' });
      return [];
    case 'resume':
      return search.state === 'active' ? null : resumeLockedSearch(ctx, tx, search);
    case 'remove':
      await stopSearch(ctx, tx, search, { to: 'removed' });
      return [];
  }
}

/**
 * Only a capped search can have due slots; it has stayed due, so its due time is kept. If the schedule cannot be read, the search
 * becomes broken.
 */
async function resumeLockedSearch(
  ctx: Context,
  tx: Transaction,
  search: LockedSearch,
): Promise<readonly Id[]> {
  const now = await readTime(tx, ctx.clock);
  const queued = await recordDueSlots(ctx, tx, [search], now);
  const next = tryToRead(() => findDueAgain(ctx, search, readSchedule(search), now));
  if (next === null) await setState(tx, search.id, 'broken', UNREADABLE_SCHEDULE, now);
  else await setState(tx, search.id, 'active', null, now, search.state === 'capped' ? null : next);
  return queued.map(({ id }) => id);
}
