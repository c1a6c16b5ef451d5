/** Creates, tests, edits, pauses and removes channels, and rotates their secrets. */
import { openVault } from '../../platform/vault.ts';
import { createNotFound, Refused } from '../../model/errors.ts';
import { recordAudit } from '../../store/access/audit-entries.ts';
import { inTransaction, violatesConstraint } from '../../store/db/database.ts';
import { CHANGE_RECORDED, STATE_AFTER, type StateChange } from '../../store/topics/topics.ts';
import {
  archiveChannel,
  findChannel,
  insertChannel,
  lockChannelNamed,
  setChannelState,
  setSecrets,
  setSettings,
} from '../../store/alerts/channel-rows.ts';
import { cancelOpenDeliveries, sendPendingNow } from '../../store/alerts/delivery-rows.ts';
import { type ChannelRow, readChannel } from '../../store/alerts/alert-queries.ts';
import { readLastDiscoveryId } from '../../store/queries/discoveries.ts';
import type { ActingContext, Context } from '../context.ts';
import type { ChannelKind, Settings } from './channels/channel-kind.ts';
import { CHANNEL_KINDS, requireKind } from './channels/channel-kinds.ts';
import { createMessageId, describeTest } from './message.ts';
import { catchUpWithStories } from '../../store/stories/follow-stories.ts';
import { evaluateAllPending } from './rule-evaluation.ts';
import {
  type DeliveryAttempt,
  SECRET_ROTATION_MS,
  sealSecret,
  composeBody,
  sealSettings,
  sendOnce,
} from './channel-secrets.ts';
import { assertSettingsOf, pickKind, showSettings, type ShownSetting } from './channel-settings.ts';
import { reportProblemsTo } from './system-rule.ts';
import { enqueueChannels } from './enqueue-channels.ts';
import { isDeepStrictEqual } from 'node:util';

/** A channel and its secret, which is shown once; null if its kind has none. */
export type ChannelWithSecret = { channel: ChannelRow; secret: string | null };
/** `reports_problems`: it is the first channel of the rule `system`. */
export type NewChannel = ChannelWithSecret & { reports_problems: boolean };

/** Its slug and its settings. */
export type WrittenChannel = Settings & { slug: string };

/**
 * Creates a channel of the kind whose settings are given.
 * @param written its slug and its settings, as `newChannel` returns them
 * @throws InvalidInput if they lead to an address that is not allowed
 * @throws Refused `conflict` if the slug is taken, `unavailable` without a master key
 */
export async function createChannel(
  ctx: ActingContext,
  { slug, ...written }: WrittenChannel,
): Promise<NewChannel> {
  const settings: Settings = written;
  const { kindName, kind } = pickKind(settings);
  await kind.assertReachable(settings, { ...ctx.config.webhook, mail: ctx.config.mail });
  const secret = kind.createSecret?.() ?? null;
  const vault = openVault(ctx.config);
  let reports_problems = false;
  try {
    reports_problems = await inTransaction(ctx.db, async (tx) => {
      const cursor = await readLastDiscoveryId(tx);
      const id = await insertChannel(tx, { slug, kind: kindName, cursor, now: ctx.clock.now() });
      await setSettings(tx, id, sealSettings(kind, settings, id, vault));
      if (secret !== null) await setSecrets(tx, id, [sealSecret(vault, id, secret)], null);
      const changes = { kind: { after: kindName }, ...describeChanges(kind, undefined, settings) };
      await recordAudit(tx, ctx, { action: 'channel.created', subject: slug, changes });
      return reportProblemsTo(tx, id);
    });
  } catch (error) {
    if (violatesConstraint(error, 'channels_slug_key'))
      throw new Refused('conflict', `the channel "${slug}" already exists; choose another slug`);
    throw error;
  }
  return { channel: await findChannelRow(ctx, slug), secret, reports_problems };
}

/**
 * Replaces the settings of a channel; waiting and future messages use the new ones. All settings must be given, so that
 * nobody can redirect a secret that they do not know. Its signing secret, rules and waiting messages stay; a disabled channel
 * becomes active again. An attempt in progress with the previous settings counts only if it succeeds.
 * @param settings as `editedChannel` returns them
 * @throws InvalidInput as for a new channel, or if they are of another kind @throws Refused `not_found`
 */
export async function editChannel(ctx: ActingContext, slug: string, settings: Settings): Promise<ChannelRow> {
  const { kind: kindName } = await findChannelRow(ctx, slug);
  const kind = requireKind(kindName);
  assertSettingsOf(kind, settings);
  await kind.assertReachable(settings, { ...ctx.config.webhook, mail: ctx.config.mail });
  const vault = openVault(ctx.config);
  const id = await inTransaction(ctx.db, async (tx) => {
    const channel = (await lockChannelNamed(tx, slug)) ?? refuseMissing(slug);
    if (channel.kind !== kindName) refuseMissing(slug);
    const stored = sealSettings(kind, settings, channel.id, vault);
    if (stored.sealed_settings === null && isDeepStrictEqual(stored.settings, channel.settings))
      return channel.id;
    const now = ctx.clock.now();
    await setSettings(tx, channel.id, stored);
    if (channel.state === 'disabled') await setChannelState(tx, channel.id, { state: 'active', now });
    await sendPendingNow(tx, channel.id, now);
    const state = channel.state === 'disabled' ? { state: { before: 'disabled', after: 'active' } } : {};
    const changes = { ...describeChanges(kind, channel.settings, settings), ...state };
    await recordAudit(tx, ctx, { action: 'channel.updated', subject: slug, changes });
    return channel.id;
  });
  await enqueueChannels(ctx, [id]);
  return findChannelRow(ctx, slug);
}

/** What may be shown of settings, before and after, for the audit log. */
function describeChanges(kind: ChannelKind, before: Partial<Settings> | undefined, after: Settings) {
  const former = before === undefined ? [] : showSettings(kind, before);
  return Object.fromEntries(
    showSettings(kind, after).map(({ name, shown }, i) => [name, { before: former[i]?.shown, after: shown }]),
  );
}

/**
 * Gives a channel a new secret. For a day messages are also signed with the previous secret; a still older secret ends now.
 * @throws Refused `not_found`; `conflict` if its kind has none; `unavailable` without a master key
 */
export async function rotateSecret(ctx: ActingContext, slug: string): Promise<ChannelWithSecret> {
  const vault = openVault(ctx.config);
  const created = await inTransaction(ctx.db, async (tx) => {
    const channel = (await lockChannelNamed(tx, slug)) ?? refuseMissing(slug);
    const { createSecret } = requireKind(channel.kind);
    if (createSecret === null)
      throw new Refused('conflict', `${channel.kind} channels have no signing secret`);
    const secret = createSecret();
    const secrets = [sealSecret(vault, channel.id, secret), ...channel.secrets.slice(0, 1)];
    await setSecrets(tx, channel.id, secrets, new Date(ctx.clock.now().getTime() + SECRET_ROTATION_MS));
    await recordAudit(tx, ctx, { action: 'channel.secret_rotated', subject: slug });
    return secret;
  });
  return { channel: await findChannelRow(ctx, slug), secret: created };
}

/**
 * Pause: nothing is sent; discoveries wait in the feed. Resume: waiting messages are sent, and the current rules evaluate what
 * was found in the meantime. Remove: messages that have not been sent are cancelled.
 * @param options.skip on resume, skip what was found in the meantime
 * @returns the channel as it is then; a removed one as it was, with the time
 * @throws Refused `not_found`
 */
export async function changeChannel(
  ctx: ActingContext,
  slug: string,
  change: StateChange,
  options: { skip?: boolean | undefined } = {},
): Promise<ChannelRow> {
  const before = change === 'remove' ? await findChannelRow(ctx, slug) : null;
  if (change === 'pause') await catchUpWithStories(ctx.db);
  const id = await inTransaction(ctx.db, async (tx) => {
    const channel = (await lockChannelNamed(tx, slug)) ?? refuseMissing(slug);
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
      await setChannelState(tx, channel.id, { state: 'paused', reason: 'paused by a user', now });
    }
    if (change === 'resume' && channel.state !== 'active') {
      const cursor = options.skip === true ? await readLastDiscoveryId(tx) : null;
      await setChannelState(tx, channel.id, { state: 'active', cursor, now });
    }
    return channel.id;
  });
  await enqueueChannels(ctx, [id]);
  return before === null ? findChannelRow(ctx, slug) : { ...before, archived_at: ctx.clock.now() };
}

/**
 * Sends one message of the type `strandline.test` immediately, in any state of the channel. It is not a delivery.
 * @returns the result
 * @throws Refused `not_found`, or `unavailable` if the secret cannot be decrypted
 */
export async function testChannel(
  ctx: Context,
  slug: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<DeliveryAttempt> {
  const channel = (await findChannel(ctx.db.pool, slug)) ?? refuseMissing(slug);
  const at = ctx.clock.now();
  const id = createMessageId();
  const body = await composeBody(ctx, channel, id, describeTest(slug, at));
  return sendOnce(ctx, channel, { id, accepted: [], body, at }, signal);
}

/** @param data whose rules and messages are counted @throws Refused `not_found` */
export async function findChannelRow({ db }: Pick<Context, 'db'>, slug: string): Promise<ChannelRow> {
  return (await readChannel(db, slug)) ?? refuseMissing(slug);
}

/** Settings of a channel as they may be shown; empty for a kind that this version does not know. */
export async function findShownSettings({ db }: Pick<Context, 'db'>, slug: string): Promise<ShownSetting[]> {
  const channel = (await findChannel(db.pool, slug)) ?? refuseMissing(slug);
  const kind = CHANNEL_KINDS[channel.kind];
  return kind === undefined ? [] : showSettings(kind, channel.settings);
}

function refuseMissing(slug: string): never {
  throw createNotFound('channel', slug);
}
