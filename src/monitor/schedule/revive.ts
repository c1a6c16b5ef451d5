import { type Id, inTransaction, type Transaction } from '../../store/database.ts';
import { lockSearch, setNextDue, setState, type TickingSearch } from '../../store/slots.ts';
import type { Context } from '../context.ts';
import { nextSlotOf, UNREADABLE } from './schedule-of.ts';

/** Gives a search that lost its next slot its next one, unless it rests. */
export async function reviveSearch(ctx: Context, searchId: Id): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    const search = await lockSearch(tx, searchId);
    if (search === null || search.archived_at !== null || search.next_due_at !== null) return;
    if (search.state === 'paused' || search.state === 'broken') return;
    await reviveLocked(ctx, tx, search);
  });
}

/**
 * Sets the next slot of a search whose row lock the transaction holds; one whose schedule cannot be read is
 * broken instead.
 * @returns whether it has a next slot
 */
export async function reviveLocked(ctx: Context, tx: Transaction, search: TickingSearch): Promise<boolean> {
  const now = ctx.clock.now();
  const next = nextSlotOf(search, now);
  if (next === null) await setState(tx, search.id, 'broken', UNREADABLE, now);
  else await setNextDue(tx, search.id, next);
  return next !== null;
}
