/** Sends the due messages of a channel, one after another. */
import { getOrMake } from '../../lib/get-or-make.ts';
import { SECOND } from '../../lib/time.ts';
import { Refused } from '../../model/errors.ts';
import { type Id, inTransaction, type Transaction } from '../../store/db/database.ts';
import { readNamesOf } from '../../store/queries/search-names.ts';
import {
  type Channel,
  findChannelTarget,
  lockChannel,
  setChannelState,
} from '../../store/alerts/channel-rows.ts';
import {
  beginAttempt,
  cancelDelivery,
  type DueDelivery,
  fixBody,
  sendPendingNow,
  isChannelFree,
  markDelivered,
  markFailed,
  findNextDue,
  releaseChannel,
} from '../../store/alerts/delivery-rows.ts';
import { findDeliveryDigest } from '../../store/alerts/digests.ts';
import { lockAgainstErasing } from '../../store/erase/save-lock.ts';
import { readDeliveryEntries } from '../../store/alerts/reportable-discoveries.ts';
import { readHeld } from '../../store/alerts/held-deliveries.ts';
import type { Context } from '../context.ts';
import { failSend } from './channels/channel-kind.ts';
import { CHANNEL_KINDS, describeDeliveryCode, describeMissingKind } from './channels/channel-kinds.ts';
import { SYSTEM_RULE } from '../../model/alerts.ts';
import {
  type ChannelMessage,
  describeDigest,
  describeDiscoveries,
  describeProblems,
  MAX_WHOLE_DISCOVERIES,
} from './message.ts';
import { type BusyHosts, createBusyHosts } from './busy-hosts.ts';
import { takeProblems } from './problems.ts';
import { decideNextAttempt, decideChannelHealth, describeFailure, wasOutage } from './delivery-retry.ts';
import { composeBody, type DeliveryAttempt, sendOnce } from './channel-secrets.ts';
import { enqueueChannels } from './enqueue-channels.ts';
import { postponeDelivery, readOccasion, takeHeld } from './postpone-delivery.ts';

/** Messages per job; then other channels get their turn. */
const MAX_MESSAGES_PER_JOB = 20;
/** Margin by which a lease outlasts its attempt. */
const LEASE_SPARE_MS = 5 * SECOND;

/**
 * A leased message: nobody else sends to its channel until the lease ends. `obstacle`: why this process cannot compose its
 * body, which is null then.
 */
type LeasedDelivery = { channel: Channel; delivery: DueDelivery; obstacle: string | null; fence: number };

/**
 * Sends due messages to a channel, oldest first, until none is left, another process has the channel, or it pauses or is
 * disabled. The lease is a row: if a process dies, its lease expires and another process sends the same message again.
 * @returns the number of delivered messages
 */
export async function deliverDueMessages(
  ctx: Context,
  channelId: Id,
  stopping: AbortSignal,
): Promise<number> {
  const release = await takePlace(ctx, channelId);
  // The next scan offers the channel again.
  if (release === null) return 0;
  let delivered = 0;
  try {
    for (let n = 0; n < MAX_MESSAGES_PER_JOB && !stopping.aborted; n++) {
      const leased = await leaseNextDelivery(ctx, channelId);
      if (leased === null) break;
      const attempt = await sendDelivery(ctx, leased, stopping);
      await recordAttempt(ctx, leased, attempt);
      if (attempt.kind === 'taken') delivered += 1;
    }
  } finally {
    release();
  }
  await enqueueChannels(ctx, [channelId]);
  return delivered;
}

/** Hosts that each database's channels of this process are sending to. */
const BUSY_HOSTS = new WeakMap<Context['db'], BusyHosts>();

/** @returns null if as many channels as may are sending to the same host */
async function takePlace(ctx: Context, channelId: Id): Promise<(() => void) | null> {
  const { kind, target } = (await findChannelTarget(ctx.db.pool, channelId)) ?? { kind: '', target: '' };
  const host = CHANNEL_KINDS[kind]?.hasOneServer === true ? kind : target;
  return getOrMake(BUSY_HOSTS, ctx.db, createBusyHosts).take(host);
}

/** Leases the channel and its oldest due message, and composes the body if it has none. */
async function leaseNextDelivery(ctx: Context, channelId: Id): Promise<LeasedDelivery | null> {
  return inTransaction(ctx.db, async (tx) => {
    const now = ctx.clock.now();
    const channel = await lockChannel(tx, channelId);
    if (channel === null || channel.state !== 'active' || !(await isChannelFree(tx, channelId, now)))
      return null;
    const kind = CHANNEL_KINDS[channel.kind];
    if (kind === undefined) {
      const reason = describeMissingKind(channel.kind);
      await setChannelState(tx, channelId, { state: 'disabled', reason, now });
      return null;
    }
    for (;;) {
      const delivery = await findNextDue(tx, channelId, now);
      if (delivery === null) return null;
      if (await postponeDelivery(tx, channelId, delivery, now)) continue;
      let { body } = delivery;
      let obstacle: string | null = null;
      if (body === null) {
        await lockAgainstErasing(tx);
        const message = await describeContent(ctx, tx, channelId, delivery, now);
        if (message === null) {
          await cancelDelivery(tx, delivery.id, 'nothing that it reports is left');
          continue;
        }
        try {
          body = await composeBody(ctx, channel, delivery.message_id, message);
          await fixBody(tx, delivery.id, body, now);
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          obstacle = error.message;
        }
      }
      const leaseMs = ctx.config.webhook.timeoutMs + LEASE_SPARE_MS;
      const fence = await beginAttempt(tx, channelId, delivery.id, { leaseMs, now });
      return { channel, delivery: { ...delivery, attempts: delivery.attempts + 1, body }, obstacle, fence };
    }
  });
}

/** The content of a message; null if everything that it would report was deleted or is over. */
async function describeContent(
  ctx: Context,
  tx: Transaction,
  channelId: Id,
  delivery: DueDelivery,
  at: Date,
): Promise<ChannelMessage | null> {
  const rule = { slug: delivery.rule, name: delivery.rule_name };
  const { baseUrl } = ctx.config.http;
  if (delivery.rule === SYSTEM_RULE) {
    const problems = await takeProblems(tx, { id: delivery.id, ruleId: delivery.rule_id, channelId });
    const simulated = ctx.kind === 'sandbox';
    if (problems.length === 0) return null;
    const names = await readNamesOf(
      tx,
      problems.flatMap(({ search }) => search ?? []),
    );
    return describeProblems({ rule, problems, names, simulated, at, baseUrl });
  }
  const digest = await findDeliveryDigest(tx, delivery.id);
  if (digest !== null) {
    await takeHeld(tx, delivery.id, at);
    return describeDigest(digest, { held: await readHeld(tx, digest.id, delivery.id), at, baseUrl });
  }
  const {
    found: entries,
    ids,
    counts,
  } = await readDeliveryEntries(tx, delivery.id, MAX_WHOLE_DISCOVERIES, at);
  if (entries.length === 0) return null;
  const names = await readNamesOf(
    tx,
    entries.map(({ search }) => search),
  );
  const occasion = await readOccasion(tx, channelId, delivery, at);
  return describeDiscoveries({ rule, entries, names, ids, counts, ...occasion, at, baseUrl });
}

/** Until when a channel rests after a message, so that the pace of its service is kept; null: it continues at once. */
function findPaceEnd(kind: string, now: Date): Date | null {
  const paceMs = CHANNEL_KINDS[kind]?.paceMs ?? 0;
  return paceMs === 0 ? null : new Date(now.getTime() + paceMs);
}

async function sendDelivery(
  ctx: Context,
  { channel, delivery, obstacle }: LeasedDelivery,
  signal: AbortSignal,
): Promise<DeliveryAttempt> {
  const { message_id: id, body, accepted_by: accepted } = delivery;
  if (body === null) {
    const meaning = describeDeliveryCode(channel.kind, 'setup');
    return { ...failSend('setup', { detail: obstacle }), meaning };
  }
  const message = { id, accepted, body, at: ctx.clock.now() };
  try {
    return await sendOnce(ctx, channel, message, signal);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    ctx.log.error({ err: error, channel: channel.slug }, 'channel secret unavailable');
    const meaning = describeDeliveryCode(channel.kind, 'secret');
    return { ...failSend('secret', { detail: error.message }), meaning };
  }
}

/** Records the result of an attempt for the message and the channel. */
async function recordAttempt(
  ctx: Context,
  { channel: { id, slug }, delivery, fence }: LeasedDelivery,
  attempt: DeliveryAttempt,
): Promise<void> {
  const logFields = {
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
    // Another process has leased the channel, or it was removed: leave its state alone.
    if (channel === null || channel.fence !== fence) return;
    const health = { failures: channel.failures, failingSince: channel.failing_since, restingUntil: null };
    switch (attempt.kind) {
      case 'taken':
        await releaseChannel(tx, id, {
          failures: 0,
          failingSince: null,
          restingUntil: findPaceEnd(channel.kind, now),
          deliveredAt: now,
        });
        if (wasOutage(health)) await sendPendingNow(tx, id, now);
        return;
      case 'aborted':
        await releaseChannel(tx, id, { ...health, deliveredAt: null });
        return;
      case 'failed': {
        const { httpStatus: http_status, code, answer, accepted } = attempt;
        const result = { http_status, code, answer, accepted };
        await markFailed(
          tx,
          delivery.id,
          result,
          decideNextAttempt(attempt, delivery.attempts, now, ctx.random()),
        );
        const after = decideChannelHealth(attempt, health, now);
        await releaseChannel(tx, id, { ...after.health, deliveredAt: accepted.length > 0 ? now : null });
        if (after.disabled !== null && channel.state === 'active')
          await setChannelState(tx, id, { state: 'disabled', reason: after.disabled, now });
      }
    }
  });
  if (attempt.kind === 'taken')
    ctx.log.info({ ...logFields, status: attempt.httpStatus }, 'message delivered');
  if (attempt.kind === 'failed')
    ctx.log.warn(
      { ...logFields, code: attempt.code, detail: describeFailure(attempt) },
      'message not delivered',
    );
}
