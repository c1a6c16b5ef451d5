/** Channels: made, tested, moved, given a new secret, paused, removed. */
import { openVault } from '../../platform/vault.ts';
import { Refused } from '../../domain/errors.ts';
import { recordAudit } from '../../store/audit-entries.ts';
import { inTransaction, violatesConstraint } from '../../store/database.ts';
import { CHANGE_RECORDED, STATE_AFTER, type StateChange } from '../../store/topics.ts';
import {
  archiveChannel,
  findChannel,
  insertChannel,
  lockChannelNamed,
  moveChannel,
  readNewestDiscoveryId,
  setChannelState,
  setSecrets,
} from '../../store/alerts/channel-rows.ts';
import { cancelOpenDeliveries, sendPendingNow } from '../../store/alerts/delivery-rows.ts';
import { type ChannelRow, readChannel } from '../../store/alerts/alert-queries.ts';
import type { ActingContext, Context } from '../context.ts';
import type { DeliveryAttempt } from './channels/channel-kind.ts';
import { CHANNEL_KINDS } from './channels/channel-kinds.ts';
import { createSecret } from './channels/webhook.ts';
import { composeTestBody, createMessageId } from './message.ts';
import { evaluateAllPending } from './rule-evaluation.ts';
import { openReceiver, SECRET_ROTATION_MS, sealSecret } from './channel-secrets.ts';
import { enqueueChannels } from './enqueue-channels.ts';
import { checkAlertSlug } from './rule-definition.ts';

/** How a person may change a channel's state. */
export type ChannelChange = StateChange;

/** A channel, and the secret that is shown this once. */
export type ChannelWithSecret = { channel: ChannelRow; secret: string };

/**
 * Makes a channel that sends webhooks.
 * @throws InvalidInput where the address is none, or leads where messages must not be sent
 * @throws Refused `conflict` where the slug is taken, `unavailable` without a master key
 */
export async function createChannel(
  ctx: ActingContext,
  written: { slug: string; webhook: string },
): Promise<ChannelWithSecret> {
  const slug = checkAlertSlug(written.slug);
  const kind = CHANNEL_KINDS.webhook;
  const address = kind.readAddress(written.webhook);
  await kind.assertReachable(address, ctx.config.webhook);
  const vault = openVault(ctx.config);
  const secret = createSecret();
  try {
    await inTransaction(ctx.db, async (tx) => {
      const cursor = await readNewestDiscoveryId(tx);
      const id = await insertChannel(tx, { slug, kind: 'webhook', address, cursor, now: ctx.clock.now() });
      await setSecrets(tx, id, [sealSecret(vault, id, secret)], null);
      const changes = { kind: { after: 'webhook' }, webhook: { after: readHost(address) } };
      await recordAudit(tx, ctx, { action: 'channel.created', subject: slug, changes });
    });
  } catch (error) {
    if (violatesConstraint(error, 'channels_slug_key'))
      throw new Refused('conflict', `there is a channel "${slug}" already`);
    throw error;
  }
  return { channel: await findChannelRow(ctx, slug), secret };
}

/**
 * Sends what waits, and what is found from now on, to another address. Its secret, its rules and the messages that wait stay;
 * a channel that was disabled is tried again. An attempt in progress at the former address counts only where it succeeds.
 * @throws InvalidInput as for a new channel @throws Refused `not_found`
 */
export async function editChannel(
  ctx: ActingContext,
  slug: string,
  written: { webhook: string },
): Promise<ChannelRow> {
  await findChannelRow(ctx, slug);
  const address = CHANNEL_KINDS.webhook.readAddress(written.webhook);
  await CHANNEL_KINDS.webhook.assertReachable(address, ctx.config.webhook);
  const id = await inTransaction(ctx.db, async (tx) => {
    const channel = await lockChannelNamed(tx, slug);
    if (channel === null) throw createChannelNotFound(slug);
    if (channel.address === address) return channel.id;
    const now = ctx.clock.now();
    await moveChannel(tx, channel.id, address);
    if (channel.state === 'disabled')
      await setChannelState(tx, channel.id, { state: 'active', reason: null, cursor: null, now });
    await sendPendingNow(tx, channel.id, now);
    const webhook = { before: readHost(channel.address), after: readHost(address) };
    const state = channel.state === 'disabled' ? { state: { before: 'disabled', after: 'active' } } : {};
    await recordAudit(tx, ctx, { action: 'channel.updated', subject: slug, changes: { webhook, ...state } });
    return channel.id;
  });
  await enqueueChannels(ctx, [id]);
  return findChannelRow(ctx, slug);
}

/**
 * Gives a channel a new secret. For a day messages are signed with the one before, too; an older one ends at once.
 * @throws Refused `not_found`, or `unavailable` without a master key
 */
export async function rotateSecret(ctx: ActingContext, slug: string): Promise<ChannelWithSecret> {
  const vault = openVault(ctx.config);
  const secret = createSecret();
  await inTransaction(ctx.db, async (tx) => {
    const channel = await lockChannelNamed(tx, slug);
    if (channel === null) throw createChannelNotFound(slug);
    const secrets = [sealSecret(vault, channel.id, secret), ...channel.secrets.slice(0, 1)];
    await setSecrets(tx, channel.id, secrets, new Date(ctx.clock.now().getTime() + SECRET_ROTATION_MS));
    await recordAudit(tx, ctx, { action: 'channel.secret_rotated', subject: slug });
  });
  return { channel: await findChannelRow(ctx, slug), secret };
}

/**
 * Pause: nothing is sent, and what is found waits in the feed. Resume: what waits is sent, and what was found
 * meanwhile is told by the rules as they are now. Remove: what was not sent yet is cancelled.
 * @param options.skip on resuming, leave out what was found meanwhile
 * @throws Refused `not_found`
 */
export async function changeChannel(
  ctx: ActingContext,
  slug: string,
  change: ChannelChange,
  options: { skip?: boolean | undefined } = {},
): Promise<void> {
  const id = await inTransaction(ctx.db, async (tx) => {
    const channel = await lockChannelNamed(tx, slug);
    if (channel === null) throw createChannelNotFound(slug);
    if (change === 'remove' || channel.state !== STATE_AFTER[change])
      await recordAudit(tx, ctx, {
        action: `channel.${CHANGE_RECORDED[change]}`,
        subject: slug,
        changes: change === 'resume' && options.skip === true ? { skip: { after: true } } : {},
      });
    const now = ctx.clock.now();
    if (change === 'remove') {
      await cancelOpenDeliveries(tx, 'channel', channel.id, 'the channel was removed');
      await archiveChannel(tx, channel.id, now);
    }
    if (change === 'pause' && channel.state !== 'paused') {
      await evaluateAllPending(ctx, tx, channel);
      await setChannelState(tx, channel.id, {
        state: 'paused',
        reason: 'paused by a person',
        cursor: null,
        now,
      });
    }
    if (change === 'resume' && channel.state !== 'active') {
      const cursor = options.skip === true ? await readNewestDiscoveryId(tx) : null;
      await setChannelState(tx, channel.id, { state: 'active', reason: null, cursor, now });
    }
    return channel.id;
  });
  await enqueueChannels(ctx, [id]);
}

/**
 * Sends one message of the type `strandline.test` right now, whatever state the channel is in. It is not among
 * the deliveries.
 * @returns what came back
 * @throws Refused `not_found`, or `unavailable` where the secret cannot be opened
 */
export async function testChannel(
  ctx: Context,
  slug: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<DeliveryAttempt> {
  const channel = await findChannel(ctx.db.pool, slug);
  if (channel === null) throw createChannelNotFound(slug);
  const at = ctx.clock.now();
  const to = openReceiver(channel, openVault(ctx.config), at);
  const message = { id: createMessageId(), body: composeTestBody({ channel: slug, at }), at };
  return CHANNEL_KINDS[channel.kind].send(message, to, { ...ctx.config.webhook, signal });
}

/** @throws Refused `not_found` */
export async function findChannelRow(ctx: Pick<Context, 'db'>, slug: string): Promise<ChannelRow> {
  const row = await readChannel(ctx.db, slug);
  if (row === undefined) throw createChannelNotFound(slug);
  return row;
}

/** The part of a webhook's address that is not secret: its host and port. */
function readHost(address: string): string {
  return new URL(address).host;
}

function createChannelNotFound(slug: string): Refused {
  return new Refused('not_found', `there is no channel "${slug}"`);
}
