import type { Id } from '../../store/database.ts';
import { wakeAt } from '../../store/tell/deliveries.ts';
import type { Context } from '../context.ts';

/**
 * Tells the queue when each of these channels has something to send. What waits is committed already: what the
 * queue misses, the reconciler tells it.
 */
export async function wakeChannels(
  ctx: Pick<Context, 'db' | 'queue' | 'log' | 'clock'>,
  channelIds: readonly Id[],
): Promise<void> {
  try {
    const waiting = await Promise.all(
      channelIds.map(async (channelId) => ({ channelId, at: await wakeAt(ctx.db.pool, channelId) })),
    );
    const due = waiting.flatMap(({ channelId, at }) => (at === null ? [] : [{ channelId, at }]));
    if (due.length > 0) await ctx.queue.enqueueChannels(due, ctx.clock.now());
  } catch (error) {
    ctx.log.warn(
      { err: error, channels: channelIds.length },
      'the queue could not be told; the reconciler will',
    );
  }
}
