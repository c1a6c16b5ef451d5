/** Pauses, resumes and removes searches, topics with all their searches, and all searches. Each change takes the row lock that the scan takes. */

import { createNotFound, InvalidInput } from '../../model/errors.ts';
import type { FutureTime } from '../../lib/future-time.ts';
import { recordAudit } from '../../store/access/audit-entries.ts';
import { type Id, inTransaction, readTime, type Transaction } from '../../store/db/database.ts';
import { endPauseWithAll, setPause } from '../../store/topics/pauses.ts';
import type { PauseScope } from '../../model/closed-lists.ts';
import { findSearch, listSearches, type Search } from '../../store/topics/searches.ts';
import { type LockedSearch, lockSearch, setSearchState } from '../../store/topics/search-states.ts';
import { deleteTopicSources } from '../../store/topics/topic-sources.ts';
import { archiveTopic, CHANGE_RECORDED, lockTopic, type StateChange } from '../../store/topics/topics.ts';
import type { ActingContext, Context } from '../context.ts';
import { enqueueNewRuns } from '../enqueue.ts';
import { endPause, findDueAgain, recordDueSlots, stopSearch } from '../schedule/due-slots.ts';
import { readSchedule, tryToRead, UNREADABLE_SCHEDULE } from '../schedule/cadence.ts';
import { assertSearchNotRemoved, assertTopicNotRemoved, lockSearchBySlug } from './find-by-slug.ts';

/** When a pause ends by itself; undefined: when somebody resumes it. */
export type PauseEnd = FutureTime | undefined;

/**
 * Pause: cancels queued runs; running ones finish. Slots while paused get no rows, but the paused time itself is recorded.
 * Resume: continues at the next slot, whatever paused it. Remove: archives the search; its results stay. Slots that were due before
 * get their rows first.
 * @throws InvalidInput for an end that is not in the future; Refused `not_found`, or `conflict` if it was removed
 */
export async function changeSearch(
  ctx: ActingContext,
  slug: string,
  change: StateChange,
  until?: PauseEnd,
): Promise<Search> {
  await assertSearchNotRemoved(ctx.db, slug);
  const { queued, after } = await inTransaction(ctx.db, async (tx) => {
    const search = await lockSearchBySlug(tx, slug);
    const end = await readPauseEnd(ctx, tx, until);
    const runs = await changeLockedSearch(ctx, tx, search, { change, scope: 'search', end });
    if (runs !== null)
      await recordAudit(tx, ctx, {
        action: `search.${CHANGE_RECORDED[change]}`,
        subject: search.slug,
        changes: recordEnd(end),
      });
    return { queued: runs ?? [], after: await findSearch(tx, slug) };
  });
  if (after === null) throw createNotFound('search', slug);
  await enqueueNewRuns(ctx, queued, 'schedule');
  return after;
}

/** Changes all searches of a topic in one transaction; `remove` also archives the topic. Otherwise as {@link changeSearch}. */
export async function changeTopic(
  ctx: ActingContext,
  slug: string,
  change: StateChange,
  until?: PauseEnd,
): Promise<Search[]> {
  await assertTopicNotRemoved(ctx.db, slug);
  const { queued, after } = await inTransaction(ctx.db, async (tx) => {
    const topic = await lockTopic(tx, slug);
    if (topic === null || topic.archived_at !== null) throw createNotFound('topic', slug);
    const end = await readPauseEnd(ctx, tx, until);
    // Read under the topic's lock: a search that is being created is either already visible or will be refused.
    const searches = await listSearches(tx, topic.id);
    const { changed, runs } = await changeEach(ctx, tx, searches, { change, scope: 'topic', end });
    if (change === 'remove' || changed.length > 0)
      await recordAudit(tx, ctx, {
        action: `topic.${CHANGE_RECORDED[change]}`,
        subject: topic.slug,
        changes: { searches: { after: changed }, ...recordEnd(end) },
      });
    if (change === 'remove') {
      await archiveTopic(tx, topic.id, await readTime(tx, ctx.clock));
      await deleteTopicSources(tx, topic.id);
    }
    return { queued: runs, after: await listSearches(tx, topic.id) };
  });
  await enqueueNewRuns(ctx, queued, 'schedule');
  return after;
}

/** Result of pausing or resuming all searches. */
export type AllChanged = {
  /** Slugs of the searches that were stopped, or started again. */
  searches: string[];
  /** Searches that stay paused for another reason: by themselves, or with their topic. */
  still_paused: number;
  /** When the pause ends by itself; null: when somebody resumes it, or this was a resume. */
  paused_until: Date | null;
};

/**
 * Pauses all searches that exist, or ends that pause; a search that is paused by itself or with its topic stays so. What is created
 * or resumed during the pause runs: somebody asked for it.
 * @throws InvalidInput for an end that is not in the future
 */
export async function changeAll(
  ctx: ActingContext,
  change: Exclude<StateChange, 'remove'>,
  until?: PauseEnd,
): Promise<AllChanged> {
  const { queued, ...changed } = await inTransaction(ctx.db, async (tx) => {
    const end = await readPauseEnd(ctx, tx, until);
    const searches = (await listSearches(tx)).filter(({ state }) => state !== 'broken');
    const { changed: slugs, runs } = await changeEach(ctx, tx, searches, { change, scope: 'all', end });
    if (slugs.length > 0)
      await recordAudit(tx, ctx, {
        action: `searches.${CHANGE_RECORDED[change]}`,
        subject: null,
        changes: { searches: { after: slugs }, ...recordEnd(end) },
      });
    const states = new Map((await listSearches(tx)).map(({ slug, state }) => [slug, state]));
    const before = new Map(searches.map(({ slug, state }) => [slug, state]));
    const isPaused = (slug: string) => states.get(slug) === 'paused';
    return {
      queued: runs,
      searches: slugs.filter((slug) => isPaused(slug) !== (before.get(slug) === 'paused')),
      still_paused: searches.filter(({ slug, state }) => state === 'paused' && isPaused(slug)).length,
      paused_until: end,
    };
  });
  await enqueueNewRuns(ctx, queued, 'schedule');
  return changed;
}

/** By the clock that ends it. @throws InvalidInput */
async function readPauseEnd(
  ctx: Pick<Context, 'clock'>,
  tx: Transaction,
  until: PauseEnd,
): Promise<Date | null> {
  if (until === undefined) return null;
  const now = await readTime(tx, ctx.clock);
  const end = until.resolve(now);
  if (end <= now)
    throw new InvalidInput([
      { path: 'until', given: until.input, expected: `a time after now, ${now.toISOString()}` },
    ]);
  return end;
}

const recordEnd = (end: Date | null) => (end === null ? {} : { paused_until: { after: end } });

/** A change with what it is about, and the end of a pause. */
type Changing = { change: StateChange; scope: PauseScope; end: Date | null };

/** In the order of these searches. @returns slugs of the searches that changed, and runs to enqueue after the commit */
async function changeEach(
  ctx: Context,
  tx: Transaction,
  searches: readonly Pick<Search, 'id' | 'slug'>[],
  changing: Changing,
): Promise<{ changed: string[]; runs: Id[] }> {
  const changed: string[] = [];
  const runs: Id[] = [];
  for (const { id, slug } of searches) {
    const search = await lockSearch(tx, id);
    if (search === null || search.archived_at !== null) continue;
    const due = await changeLockedSearch(ctx, tx, search, changing);
    if (due !== null) changed.push(slug);
    runs.push(...(due ?? []));
  }
  return { changed, runs };
}

/** @returns runs to enqueue after the commit; null if the search is already in this state */
async function changeLockedSearch(
  ctx: Context,
  tx: Transaction,
  locked: LockedSearch,
  { change, scope, end }: Changing,
): Promise<readonly Id[] | null> {
  const now = await readTime(tx, ctx.clock);
  const search = await endPause(ctx, tx, locked, now);
  switch (change) {
    case 'pause':
      if (search.state === 'paused') return (await setPause(tx, search, scope, end)) ? [] : null;
      if (search.state === 'broken' && scope === 'all') return null;
      await stopSearch(ctx, tx, search, { to: 'paused', reason: 'paused by a user' });
      await setPause(tx, search, scope, end);
      return [];
    case 'resume':
      if (scope !== 'all') return search.state === 'active' ? null : resumeLockedSearch(ctx, tx, search);
      return endWithAll(ctx, tx, search, now);
    case 'remove':
      await stopSearch(ctx, tx, search, { to: 'removed' });
      return [];
  }
}

/** The search runs again unless it has another pause. */
async function endWithAll(
  ctx: Context,
  tx: Transaction,
  search: LockedSearch,
  now: Date,
): Promise<readonly Id[] | null> {
  const ended = await endPauseWithAll(tx, search.id, now);
  if (ended === null) return null;
  return ended.isHeld ? [] : resumeLockedSearch(ctx, tx, search);
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
  if (next === null) await setSearchState(tx, search.id, 'broken', UNREADABLE_SCHEDULE, now);
  else await setSearchState(tx, search.id, 'active', null, now, search.state === 'capped' ? null : next);
  return queued.map(({ id }) => id);
}
