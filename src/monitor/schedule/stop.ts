import { readTime, type Transaction } from '../../store/database.ts';
import { archiveSearch } from '../../store/searches.ts';
import { cancelQueued, type LockedSearch, setState } from '../../store/slots.ts';
import type { Context } from '../context.ts';
import { recordDueSlots } from './due-slots.ts';

/** How a search stops, and for a person why. */
export type Stop = { to: 'paused' | 'broken'; reason: string } | { to: 'removed' };

/**
 * Stops a search whose row lock the transaction holds. Slots that are due by now get their rows first, so
 * that none is lost; then queued runs are cancelled. One that is running finishes.
 */
export async function stopLocked(
  ctx: Context,
  tx: Transaction,
  search: LockedSearch,
  stop: Stop,
): Promise<void> {
  const now = await readTime(tx, ctx.clock);
  await recordDueSlots(ctx, tx, [search], now);
  if (stop.to === 'removed') await archiveSearch(tx, search.id, now);
  else await setState(tx, search.id, stop.to, stop.reason, now);
  await cancelQueued(tx, search.id, stop.to, now);
}
