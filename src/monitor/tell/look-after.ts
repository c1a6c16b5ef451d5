import { neglectedChannels } from '../../store/tell/deliveries.ts';
import type { Context } from '../context.ts';
import { tellNew } from './match.ts';

/**
 * What the reconciler does for channels: judges what nobody judged, and tells the queue again who has something
 * due that nobody sends. The database is the truth; whatever the queue knew may be gone.
 */
export async function lookAfterChannels(ctx: Context): Promise<void> {
  await tellNew(ctx);
  const now = ctx.clock.now();
  const neglected = await neglectedChannels(ctx.db.pool, now);
  try {
    await ctx.queue.enqueueChannels(
      neglected.map(({ id, at }) => ({ channelId: id, at })),
      now,
    );
  } catch (error) {
    ctx.log.warn({ err: error, channels: neglected.length }, 'the queue could not be told of channels');
  }
}
