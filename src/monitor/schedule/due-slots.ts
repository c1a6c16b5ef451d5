/** Turns due slots into run rows, for the scan and for pauses, edits and removals. */

import type { CancelReason, SkipReason } from '../../model/errors.ts';
import { SECOND } from '../../lib/time.ts';
import { readCallRoom } from '../../store/runs/call-limits.ts';
import { type Id, readTime, type Transaction } from '../../store/db/database.ts';
import { archiveSearch } from '../../store/topics/searches.ts';
import {
  cancelQueued,
  insertSlots,
  listSearchesWithOpenRun,
  type QueuedSlot,
  setNextAdaptive,
  setNextDue,
  type SlotRow,
  type UsedSlot,
} from '../../store/runs/slots.ts';
import { type LockedSearch, setSearchState } from '../../store/topics/search-states.ts';
import type { Context } from '../context.ts';
import {
  type DueSlots,
  firstDue,
  listDueSlots,
  nextSlot,
  readSchedule,
  tryToRead,
  UNREADABLE_SCHEDULE,
} from './cadence.ts';
import { earliestCall, limitCalls, spendCall } from './call-budget.ts';
import { firstInterval } from './pace-interval.ts';
import type { AdaptiveSchedule, SearchSchedule } from './schedule.ts';

/** Older missed slots beyond this many share one row with their span and count. */
const MAX_SLOT_ROWS = 1_000;

/**
 * Inserts a run row for each slot due by `now`, including skipped ones: after downtime only the latest is queued and the others
 * are `skipped / missed`; while a run of the search is queued or running, all are skipped (`overlap`). Then sets each search's
 * next slot. A search whose pause is over becomes active first. A search with an unreadable schedule becomes `broken` and does not affect
 * others.
 * @param searches whose row locks the transaction holds
 * @param now the database's time; later slots get no row
 * @returns the queued runs, which the caller offers to the queue after the commit
 */
export async function recordDueSlots(
  ctx: Pick<Context, 'config' | 'log' | 'clock'>,
  tx: Transaction,
  searches: readonly LockedSearch[],
  now: Date,
): Promise<QueuedSlot[]> {
  const resumed: LockedSearch[] = [];
  for (const search of searches) resumed.push(await endPause(ctx, tx, search, now));
  const due = resumed.filter((search) => isDue(search, now));
  if (due.length === 0) return [];
  const open = await listSearchesWithOpenRun(tx, listIds(due));
  const capped = await findStillCapped(ctx, tx, due, now);
  const rows: SlotRow[] = [];
  const next: { searchId: Id; at: Date }[] = [];
  const used: UsedSlot[] = [];
  for (const search of due) {
    const slots = readDueSlots(search, now);
    if (slots instanceof Error) {
      ctx.log.error({ err: slots, search: search.slug }, 'schedule unreadable');
      await setSearchState(tx, search.id, 'broken', UNREADABLE_SCHEDULE, now);
      continue;
    }
    const obstacle = capped.has(search.id) ? 'capped' : open.has(search.id) ? 'overlap' : null;
    rows.push(...buildSlotRows(search, slots.due, obstacle));
    if (slots.next instanceof Date) next.push({ searchId: search.id, at: slots.next });
    else used.push(useSlot(ctx, search, { schedule: slots.next, now, isQueued: obstacle === null }));
  }
  const queued = await insertSlots(tx, rows, now);
  await setNextDue(tx, next);
  await setNextAdaptive(tx, used);
  return queued;
}

/**
 * Makes a search active whose pause is over, since the end of the pause: slots from then on get their rows, like those of a
 * downtime, and slots of the pause get none.
 * @returns the search as it is afterwards
 */
export async function endPause(
  ctx: Pick<Context, 'config' | 'log'>,
  tx: Transaction,
  search: LockedSearch,
  now: Date,
): Promise<LockedSearch> {
  const { pause_ends_at: end, state, archived_at } = search;
  if (state !== 'paused' || archived_at !== null || end === null || end > now) return search;
  // A slot at the very end is run.
  const before = new Date(end.getTime() - 1);
  const next = tryToRead(() => findDueAgain(ctx, search, readSchedule(search), before));
  if (next === null) {
    ctx.log.error({ search: search.slug }, 'schedule unreadable');
    await setSearchState(tx, search.id, 'broken', UNREADABLE_SCHEDULE, now);
    return { ...search, state: 'broken', pause_ends_at: null };
  }
  await setSearchState(tx, search.id, 'active', null, end, next);
  return { ...search, state: 'active', next_due_at: next, pause_ends_at: null };
}

function isDue({ state, archived_at, next_due_at }: LockedSearch, now: Date): boolean {
  if (archived_at !== null || state === 'paused' || state === 'broken') return false;
  return next_due_at !== null && Number(next_due_at) <= now.getTime();
}

/**
 * The due slots of one search and its next slot, or its schedule if the interval is adaptive; the error if the schedule cannot be
 * read. The slot of an adaptive schedule is the due time that was set.
 */
function readDueSlots(
  search: LockedSearch,
  now: Date,
): { due: DueSlots; next: Date | AdaptiveSchedule } | Error {
  try {
    const schedule = readSchedule(search);
    if (schedule.kind === 'auto')
      return { due: { latest: [Number(search.next_due_at)], older: null }, next: schedule };
    // Slots from before the search was created are never due, even if somebody changed next_due_at by hand.
    const since = Math.max(Number(search.next_due_at), search.created_at.getTime());
    const due = listDueSlots(schedule, since - 1, now.getTime(), MAX_SLOT_ROWS);
    return { due, next: new Date(nextSlot(schedule, now)) };
  } catch (error) {
    return error instanceof Error ? error : new Error('schedule unreadable', { cause: error });
  }
}

/** An adaptive search is due again after its current interval; the follower moves that when it has derived the response. */
function useSlot(
  ctx: Pick<Context, 'config'>,
  search: LockedSearch,
  { schedule, now, isQueued }: { schedule: AdaptiveSchedule; now: Date; isQueued: boolean },
): UsedSlot {
  const { id, interval_seconds, spent_until, next_due_at } = search;
  const most = limitCalls(ctx.config, search, schedule);
  const interval = interval_seconds === null ? firstInterval(schedule) : interval_seconds * SECOND;
  const spent =
    most === null || !isQueued ? null : spendCall(spent_until?.getTime() ?? null, now.getTime(), most);
  const allowed = earliestCall(spent ?? spent_until?.getTime() ?? null, most);
  return {
    searchId: id,
    slot: next_due_at ?? now,
    at: new Date(Math.round(Math.max(now.getTime() + interval, allowed))),
    spentUntil: spent === null ? null : new Date(Math.round(spent)),
  };
}

/** The first due time of a search that was edited or resumed: as of a new one, but within the calls per day of its schedule. */
export function findDueAgain(
  ctx: Pick<Context, 'config'>,
  search: LockedSearch,
  schedule: SearchSchedule,
  now: Date,
): Date {
  const most = schedule.kind === 'auto' ? limitCalls(ctx.config, search, schedule) : null;
  const allowed = earliestCall(search.spent_until?.getTime() ?? null, most);
  return new Date(Math.round(Math.max(firstDue(schedule, now), allowed)));
}

/** Queues the latest due slot, unless there is an obstacle; all earlier ones were missed. */
function buildSlotRows(
  search: LockedSearch,
  { latest, older }: DueSlots,
  obstacle: SkipReason | null,
): SlotRow[] {
  const rows = latest.map((at, i): SlotRow => {
    const reason = i === latest.length - 1 ? obstacle : 'missed';
    return {
      search,
      slotAt: new Date(at),
      status: reason === null ? 'queued' : 'skipped',
      reason,
      spanUntil: null,
      spanSlots: null,
    };
  });
  if (older === null) return rows;
  const span: SlotRow = {
    search,
    slotAt: new Date(older.first),
    status: 'skipped',
    reason: 'missed',
    spanUntil: new Date(older.last),
    spanSlots: older.count,
  };
  return [span, ...rows];
}

/** Capped searches whose service still has no calls left today. Sets the others to active. */
async function findStillCapped(
  ctx: Pick<Context, 'config' | 'clock'>,
  tx: Transaction,
  searches: readonly LockedSearch[],
  now: Date,
): Promise<Set<Id>> {
  const capped = searches.filter(({ state }) => state === 'capped');
  if (capped.length === 0) return new Set();
  const room = await readCallRoom(tx, ctx.config, {
    services: capped.map(({ service_id, service_kind }) => ({ id: service_id, kind: service_kind })),
    clock: ctx.clock,
  });
  const still = capped.filter(({ service_id }) => (room.get(service_id)?.day ?? 0) <= 0);
  for (const search of capped)
    if (!still.includes(search)) await setSearchState(tx, search.id, 'active', null, now);
  return new Set(listIds(still));
}

function listIds(searches: readonly LockedSearch[]): Id[] {
  return searches.map(({ id }) => id);
}

/** The new state of a stopped search, with a reason for people. */
type StopTarget = { to: Exclude<CancelReason, 'removed'>; reason: string } | { to: 'removed' };

/**
 * Stops a search whose row lock the transaction holds. Due slots get their rows first, so that none is lost; then queued runs
 * are cancelled. A run in progress finishes.
 */
export async function stopSearch(
  ctx: Context,
  tx: Transaction,
  search: LockedSearch,
  stop: StopTarget,
): Promise<void> {
  const now = await readTime(tx, ctx.clock);
  await recordDueSlots(ctx, tx, [search], now);
  if (stop.to === 'removed') await archiveSearch(tx, search.id, now);
  else await setSearchState(tx, search.id, stop.to, stop.reason, now);
  await cancelQueued(tx, search.id, stop.to, now);
}
