import { createNotFound, Refused } from '../../model/errors.ts';
import { recordAudit } from '../../store/access/audit-entries.ts';
import { type Id, inTransaction } from '../../store/db/database.ts';
import { findChannel } from '../../store/alerts/channel-rows.ts';
import { endChannelRest, retryDeadDeliveries } from '../../store/alerts/delivery-rows.ts';
import { readDelivery } from '../../store/alerts/alert-queries.ts';
import type { ActingContext, Context } from '../context.ts';
import { enqueueChannels } from './enqueue-channels.ts';

/**
 * Sends dead messages again, with the same id and body.
 * @param which one delivery, by its id or that of its message, or all of a channel
 * @returns the number of messages sent again
 * @throws Refused `not_found`; `conflict` if the delivery is not dead, or its channel was removed
 */
export async function resendMessages(
  ctx: ActingContext,
  which: { delivery: Id | string } | { channel: string },
): Promise<number> {
  const named: { id?: Id; channel: string } =
    'delivery' in which ? await findDeadDelivery(ctx, which.delivery) : which;
  const { id, channel: slug } = named;
  const channel = await findChannel(ctx.db.pool, slug);
  if (channel === null) throw createNotFound('channel', slug);
  const resent = await inTransaction(ctx.db, async (tx) => {
    await endChannelRest(tx, channel.id);
    const dead = id === undefined ? { channelId: channel.id } : { deliveryId: id };
    const messages = await retryDeadDeliveries(tx, dead, ctx.clock.now());
    if (messages.length > 0)
      await recordAudit(tx, ctx, {
        action: 'delivery.resent',
        subject: id ?? null,
        changes: { channel: { after: slug }, messages: { after: messages.length } },
      });
    return messages;
  });
  await enqueueChannels(ctx, [channel.id]);
  return resent.length;
}

async function findDeadDelivery(ctx: Context, idOrKey: Id | string): Promise<{ id: Id; channel: string }> {
  const row = await readDelivery(ctx.db, idOrKey);
  if (row === undefined) throw new Refused('not_found', `there is no delivery ${idOrKey}`);
  if (row.state !== 'dead')
    throw new Refused(
      'conflict',
      `the delivery ${idOrKey} is ${row.state}; only dead deliveries can be sent again`,
    );
  return row;
}
