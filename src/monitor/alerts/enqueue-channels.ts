import { type Id, readTime } from '../../store/db/database.ts';
import { listChannelsDue } from '../../store/alerts/delivery-rows.ts';
import type { Context } from '../context.ts';

/**
 * Enqueues the channels that have something to send now. Waiting messages are already committed: the scan enqueues what the
 * queue misses, and what is due later.
 */
export async function enqueueChannels(
  { db, queue, log, clock }: Pick<Context, 'db' | 'queue' | 'log' | 'clock'>,
  channelIds: readonly Id[],
): Promise<void> {
  try {
    const now = await readTime(db.pool, clock);
    const due = await Promise.all(channelIds.map((channelId) => listChannelsDue(db.pool, now, channelId)));
    await queue.enqueueChannels(due.flat());
  } catch (error) {
    log.debug({ err: error, channels: channelIds.length }, 'channels not enqueued');
  }
}
