/** Sending what is due to one channel, one message after the other. */
import { SECOND } from '../../engine/clock.ts';
import { openVault } from '../../engine/vault.ts';
import { Refused } from '../../errors.ts';
import { type Id, inTransaction } from '../../store/database.ts';
import { type Channel, lockChannel, setChannelState } from '../../store/tell/channels.ts';
import {
  beginAttempt,
  cancelDelivery,
  type DueDelivery,
  fixBody,
  hastenPending,
  holdForgetting,
  isTaken,
  markDelivered,
  markFailed,
  nextDue,
  releaseChannel,
} from '../../store/tell/deliveries.ts';
import { gatheredBy } from '../../store/tell/feed.ts';
import type { Context } from '../context.ts';
import type { Attempt, Receiver } from './channels/channel.ts';
import { KINDS } from './channels/kinds.ts';
import { composeBody } from './compose.ts';
import { WHOLE_MAX } from './message.ts';
import { afterFailure, channelAfterFailure, inWords, wasOutage } from './retry.ts';
import { receiverOf } from './secrets.ts';
import { wakeChannels } from './wake.ts';

/** Messages that one job sends: then other channels have their turn. */
const IN_A_ROW = 20;
/** How much longer than an attempt may last its claim holds. */
const SPARE_MS = 5 * SECOND;

/** A message in our hands: nobody else sends to this channel until the claim ends. */
type Taken = { channel: Channel; delivery: DueDelivery & { body: string }; fence: number };

/**
 * Sends what is due to a channel, the oldest first, until nothing is, somebody else does it, or it fails. The
 * claim is a row: a process that dies loses it to the next, which sends the same message again.
 * @returns how many messages were taken by the receiver
 */
export async function deliverTo(ctx: Context, channelId: Id, stopping: AbortSignal): Promise<number> {
  let delivered = 0;
  for (let n = 0; n < IN_A_ROW && !stopping.aborted; n++) {
    const taken = await take(ctx, channelId);
    if (taken === null) break;
    const attempt = await send(ctx, taken, stopping);
    await settle(ctx, taken, attempt);
    if (attempt.kind === 'taken') delivered += 1;
  }
  await wakeChannels(ctx, [channelId]);
  return delivered;
}

/** Claims the channel and its oldest message that is due, and makes the body of one that has none. */
async function take(ctx: Context, channelId: Id): Promise<Taken | null> {
  return inTransaction(ctx.db, async (tx) => {
    const now = ctx.clock.now();
    const channel = await lockChannel(tx, channelId);
    if (channel === null || channel.state !== 'active' || (await isTaken(tx, channelId))) return null;
    if (channel.resting_until !== null && channel.resting_until > now) return null;
    for (;;) {
      const delivery = await nextDue(tx, channelId, now);
      if (delivery === null) return null;
      let { body } = delivery;
      if (body === null) {
        await holdForgetting(tx);
        const { found, ids } = await gatheredBy(tx, delivery.id, WHOLE_MAX);
        if (found.length === 0) {
          await cancelDelivery(tx, delivery.id, 'nothing is left to tell: what it told of was removed');
          continue;
        }
        const rule = { slug: delivery.rule, name: delivery.rule_name };
        body = composeBody({ rule, found, ids, at: now, baseUrl: ctx.config.http.baseUrl });
        await fixBody(tx, delivery.id, body, now);
      }
      const leaseMs = ctx.config.webhook.timeoutMs + SPARE_MS;
      const fence = await beginAttempt(tx, channelId, delivery.id, { leaseMs, now });
      return { channel, delivery: { ...delivery, attempts: delivery.attempts + 1, body }, fence };
    }
  });
}

async function send(ctx: Context, { channel, delivery }: Taken, signal: AbortSignal): Promise<Attempt> {
  const at = ctx.clock.now();
  let to: Receiver;
  try {
    to = receiverOf(channel, openVault(ctx.config), at);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    ctx.log.error({ err: error, channel: channel.slug }, 'the secret of a channel cannot be opened');
    return {
      kind: 'failed',
      code: 'secret',
      httpStatus: null,
      answer: null,
      detail: error.message,
      retryAfterMs: null,
    };
  }
  const message = { id: delivery.message_id, body: delivery.body, at };
  return KINDS[channel.kind].send(message, to, { ...ctx.config.webhook, signal });
}

/** Writes down what came of it, for the message and for the channel. */
async function settle(
  ctx: Context,
  { channel: { id, slug }, delivery, fence }: Taken,
  attempt: Attempt,
): Promise<void> {
  const told = {
    channel: slug,
    rule: delivery.rule,
    delivery: String(delivery.id),
    attempts: delivery.attempts,
  };
  await inTransaction(ctx.db, async (tx) => {
    const now = ctx.clock.now();
    const channel = await lockChannel(tx, id);
    if (attempt.kind === 'taken')
      await markDelivered(
        tx,
        delivery.id,
        { http_status: attempt.httpStatus, code: null, answer: attempt.answer },
        now,
      );
    // Somebody took the channel over, or it was removed: what else is to be written is theirs.
    if (channel === null || channel.fence !== fence) return;
    const health = { failures: channel.failures, failingSince: channel.failing_since, restingUntil: null };
    switch (attempt.kind) {
      case 'taken':
        await releaseChannel(tx, id, {
          failures: 0,
          failingSince: null,
          restingUntil: null,
          deliveredAt: now,
        });
        if (wasOutage(health)) await hastenPending(tx, id, now);
        return;
      case 'aborted':
        await releaseChannel(tx, id, { ...health, deliveredAt: null });
        return;
      case 'failed': {
        const result = { http_status: attempt.httpStatus, code: attempt.code, answer: attempt.answer };
        await markFailed(
          tx,
          delivery.id,
          result,
          afterFailure(attempt, delivery.attempts, now, ctx.random()),
        );
        const after = channelAfterFailure(attempt, health, now);
        await releaseChannel(tx, id, { ...after.health, deliveredAt: null });
        if (after.disabled !== null && channel.state === 'active')
          await setChannelState(tx, id, { state: 'disabled', reason: after.disabled, cursor: null, now });
      }
    }
  });
  if (attempt.kind === 'taken') ctx.log.info({ ...told, status: attempt.httpStatus }, 'message delivered');
  if (attempt.kind === 'failed')
    ctx.log.warn({ ...told, code: attempt.code, detail: inWords(attempt) }, 'message not delivered');
}
