import { type Id, inTransaction } from '../../store/database.ts';
import { lockSearch, setNextDue, setState } from '../../store/slots.ts';
import type { Context } from '../context.ts';
import { nextSlot } from './cadence.ts';
import { scheduleOf } from './schedule-of.ts';

/** Gives an active search that has no next slot its next one. */
export async function reviveSearch(ctx: Context, searchId: Id): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    const search = await lockSearch(tx, searchId);
    if (search === null || search.next_due_at !== null || search.archived_at !== null) return;
    const now = ctx.clock.now();
    try {
      await setNextDue(tx, searchId, new Date(nextSlot(scheduleOf(search), now)));
    } catch {
      await setState(tx, searchId, 'broken', 'its schedule cannot be read; edit it', now);
    }
  });
}
