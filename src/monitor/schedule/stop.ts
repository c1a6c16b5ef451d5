import type { Transaction } from '../../store/database.ts';
import { archiveSearch } from '../../store/searches.ts';
import { cancelQueued, setState, type TickingSearch } from '../../store/slots.ts';
import type { Context } from '../context.ts';
import { tickLocked } from './tick.ts';

/** How a search stops, and for a person why. */
export type Stop = { to: 'paused' | 'broken'; reason: string } | { to: 'removed' };

/**
 * Stops a search whose row lock the transaction holds. Slots that are due by now get their rows first, so
 * that none is lost; then what waits is cancelled. A run under way finishes. The caller tells the queue.
 */
export async function stopLocked(
  ctx: Context,
  tx: Transaction,
  search: TickingSearch,
  stop: Stop,
): Promise<void> {
  const now = ctx.clock.now();
  await tickLocked(ctx, tx, search);
  if (stop.to === 'removed') await archiveSearch(tx, search.id, now);
  else await setState(tx, search.id, stop.to, stop.reason, now);
  await cancelQueued(tx, search.id, stop.to, now);
}
