/**
 * Secrets of channels (signing secrets and secret settings): encrypted in the database, decrypted only to send a message.
 */

import { HIDDEN, Refused } from '../../model/errors.ts';
import { MIN_SECRET_LENGTH } from '../../lib/text.ts';
import { DAY } from '../../lib/time.ts';
import { findVault, keyIdOf, openVault, type Vault } from '../../platform/vault.ts';
import { type Channel, listSealedChannels, type StoredSettings } from '../../store/alerts/channel-rows.ts';
import type { Database, Id } from '../../store/db/database.ts';
import type { Context } from '../context.ts';
import type { ChannelMessage } from './message.ts';
import { showSettings } from './channel-settings.ts';
import type {
  ChannelKind,
  FailedSend,
  OutgoingMessage,
  Receiver,
  SendResult,
  Settings,
} from './channels/channel-kind.ts';
import { describeDeliveryCode, requireKind } from './channels/channel-kinds.ts';
import { z } from 'zod';

/** How long both secrets sign after a rotation. */
export const SECRET_ROTATION_MS = DAY;

export function sealSecret(vault: Vault, channelId: Id, secret: string): string {
  return vault.seal(secret, `channels:${channelId}`);
}

/** Settings as they are stored: secret ones are encrypted. */
export function sealSettings(
  kind: ChannelKind,
  settings: Settings,
  channelId: Id,
  vault: Vault,
): StoredSettings {
  const pick = (isSecret: boolean) =>
    Object.fromEntries(Object.entries(settings).filter(([name]) => kind.settings[name]?.secret === isSecret));
  const secret = pick(true);
  const seal = () => vault.seal(JSON.stringify(secret), `channels:${channelId}:settings`);
  return {
    settings: pick(false),
    sealed_settings: Object.keys(secret).length === 0 ? null : seal(),
    target: showSettings(kind, settings)[0]?.shown ?? '',
  };
}

const opened = z.record(z.string(), z.string());

/** @throws Refused `unavailable` if this process does not have the key */
function openReceiver(
  channel: Pick<Channel, 'id' | 'settings' | 'sealed_settings' | 'secrets' | 'former_until'>,
  vault: Vault,
  now: Date,
): Receiver {
  const both = channel.former_until !== null && channel.former_until > now;
  const secrets = channel.secrets
    .slice(0, both ? 2 : 1)
    .map((sealed) => vault.open(sealed, `channels:${channel.id}`));
  return { settings: openSettings(channel, vault), secrets };
}

/** All settings of a channel, decrypted. @throws Refused `unavailable` if the process does not have the key */
export function openSettings(
  { id, settings, sealed_settings: sealed }: Pick<Channel, 'id' | 'settings' | 'sealed_settings'>,
  vault: Vault | undefined,
): Settings {
  if (sealed === null) return settings;
  if (vault === undefined) throw new Refused('unavailable', 'no master key is configured');
  return { ...settings, ...opened.parse(JSON.parse(vault.open(sealed, `channels:${id}:settings`))) };
}

/**
 * Composes the body of a message to a channel.
 * @throws Refused `unavailable` if this process lacks the kind of channel, or what its bodies need
 */
export async function composeBody(
  { config }: Pick<Context, 'config'>,
  { kind, slug, settings }: Pick<Channel, 'kind' | 'slug' | 'settings'>,
  id: string,
  message: ChannelMessage,
): Promise<string> {
  const { http, mail } = config;
  return requireKind(kind).compose(message, { id, channel: slug, settings, baseUrl: http.baseUrl, mail });
}

/** The result of an attempt, with a message if it failed. */
export type DeliveryAttempt = Exclude<SendResult, FailedSend> | (FailedSend & { meaning: string });

/** Sends a message to a channel once. @throws Refused `unavailable` if this process lacks the key or the kind of channel */
export async function sendOnce(
  { config }: Pick<Context, 'config'>,
  channel: Channel,
  message: OutgoingMessage,
  signal: AbortSignal,
): Promise<DeliveryAttempt> {
  const kind = requireKind(channel.kind);
  const to = openReceiver(channel, openVault(config), message.at);
  const result = await kind.send(message, to, { ...config.webhook, mail: config.mail, signal });
  if (result.kind === 'aborted') return result;
  const answer = hideSettings(kind, to, result.answer);
  if (result.kind === 'taken') return { ...result, answer };
  return { ...result, answer, meaning: describeDeliveryCode(channel.kind, result.code) };
}

/** A reply may repeat what was sent to it. */
function hideSettings(kind: ChannelKind, { settings }: Receiver, answer: string | null): string | null {
  if (answer === null) return null;
  const secrets = Object.entries(settings).flatMap(([name, value]) =>
    kind.settings[name]?.secret === true ? [value, ...value.split(/[\s,]+/)] : [],
  );
  return secrets
    .filter(({ length }) => length >= MIN_SECRET_LENGTH)
    .reduce((text, secret) => text.replaceAll(secret, HIDDEN), answer);
}

/** The number of channels with secrets, and the ids of the keys that encrypt them: usually one. */
export type SealedSecrets = { channels: number; keyIds: string[] };

export async function readSealedSecrets({ pool }: Database): Promise<SealedSecrets> {
  const channels = await listSealedChannels(pool);
  const keyIds = channels.flatMap(({ secrets, sealed_settings: settings }) =>
    [...secrets, ...(settings === null ? [] : [settings])].map(keyIdOf),
  );
  return { channels: channels.length, keyIds: [...new Set(keyIds)] };
}

/**
 * Decrypts all secrets in use, to verify the master key. Creates no key.
 * @returns the id of the key
 * @throws Refused `unavailable` if the master key is missing or another
 */
export async function openSealedSecrets({
  db,
  config,
  clock,
}: Pick<Context, 'db' | 'config' | 'clock'>): Promise<string> {
  const vault = findVault(config);
  if (vault === undefined) throw new Refused('unavailable', 'no master key is configured');
  for (const channel of await listSealedChannels(db.pool)) openReceiver(channel, vault, clock.now());
  return vault.keyId;
}
