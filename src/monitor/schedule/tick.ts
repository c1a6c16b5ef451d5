import { SECOND } from '../../engine/clock.ts';
import { type Id, inTransaction, type Transaction } from '../../store/database.ts';
import { callsLeftToday } from '../../store/ledger.ts';
import {
  hasOpenRun,
  insertSlots,
  lockSearch,
  type SlotRow,
  setNextDue,
  setState,
  type TickingSearch,
} from '../../store/slots.ts';
import { type Context, wakeNew } from '../context.ts';
import { nextSlot } from './cadence.ts';
import { type Due, dueBetween } from './due.ts';
import { scheduleOf, UNREADABLE } from './schedule-of.ts';

/** How far a nominal time may lie ahead of our clock and still count as now. */
const SKEW_MS = 2 * SECOND;
/** Missed slots beyond this many share one row with their span and count. */
const ROWS_PER_TICK = 1_000;

export type Ticked = { queued: readonly Id[]; nextDueAt: Date | null };

/**
 * Looks which slots of a search are due and writes a run row for each, also for those that are not run:
 * after downtime only the latest is, the others are `skipped / missed`; while a run of the search waits
 * or is under way none is (`skipped / overlap`). May be called at any time, by anyone, as often as liked.
 *
 * @param nominal the time for which the queue called, where it did; slots up to it are due although our
 * clock may be a little behind
 */
export async function tickSearch(ctx: Context, searchId: Id, nominal?: Date): Promise<Ticked> {
  const ticked = await inTransaction(ctx.db, async (tx) => {
    const search = await lockSearch(tx, searchId);
    return search === null ? { queued: [], nextDueAt: null } : tickLocked(ctx, tx, search, nominal);
  });
  await wakeNew(ctx, ticked.queued);
  return ticked;
}

/** The same inside a transaction that holds the search's row lock already (edit, resume, stop). The caller wakes the queue. */
export async function tickLocked(
  ctx: Context,
  tx: Transaction,
  search: TickingSearch,
  nominal?: Date,
): Promise<Ticked> {
  const now = ctx.clock.now();
  if (search.archived_at !== null || search.next_due_at === null) return { queued: [], nextDueAt: null };
  if (search.state === 'paused' || search.state === 'broken') return { queued: [], nextDueAt: null };

  const until = horizon(now, nominal);
  // Nothing of it was due before it was made, whatever a hand wrote; a clock that was ahead does not say when that was.
  const made = Number(search.created_at);
  const since = Math.max(Number(search.next_due_at), made <= until ? made : 0);
  if (since > until) return { queued: [], nextDueAt: search.next_due_at };

  let due: Due;
  let next: Date;
  try {
    const schedule = scheduleOf(search);
    due = dueBetween(schedule, since - 1, until, ROWS_PER_TICK);
    next = new Date(nextSlot(schedule, until));
  } catch (error) {
    // A schedule from an older release or a changed zone: this search stops and says so, the others go on.
    ctx.log.error({ err: error, search: search.slug }, 'schedule cannot be read');
    await setState(tx, search.id, 'broken', UNREADABLE, now);
    return { queued: [], nextDueAt: null };
  }
  const capped = await stillCapped(ctx, tx, search, now);
  const obstacle = capped ? 'capped' : (await hasOpenRun(tx, search.id)) ? 'overlap' : null;
  const queued = await insertSlots(tx, search, rowsOf(due, obstacle), now);
  await setNextDue(tx, search.id, next);
  return { queued, nextDueAt: next };
}

function horizon(now: Date, nominal: Date | undefined): number {
  if (nominal === undefined) return now.getTime();
  const ahead = nominal.getTime() - now.getTime();
  return ahead > 0 && ahead <= SKEW_MS ? nominal.getTime() : now.getTime();
}

/** The latest due slot runs, unless something stands in its way; all before it were missed. */
function rowsOf({ latest, older }: Due, obstacle: string | null): SlotRow[] {
  const rows = latest.map((at, i): SlotRow => {
    const reason = i === latest.length - 1 ? obstacle : 'missed';
    return {
      slotAt: new Date(at),
      status: reason === null ? 'queued' : 'skipped',
      reason,
      spanUntil: null,
      spanSlots: null,
    };
  });
  if (older === null) return rows;
  const span: SlotRow = {
    slotAt: new Date(older.first),
    status: 'skipped',
    reason: 'missed',
    spanUntil: new Date(older.last),
    spanSlots: older.count,
  };
  return [span, ...rows];
}

/** A search whose service's day is used up waits for the next UTC day, and goes on by itself. */
async function stillCapped(
  ctx: Context,
  tx: Transaction,
  search: TickingSearch,
  now: Date,
): Promise<boolean> {
  if (search.state !== 'capped') return false;
  const left = await callsLeftToday(tx, search, ctx.config, now);
  if (left <= 0) return true;
  await setState(tx, search.id, 'active', null, now);
  return false;
}
