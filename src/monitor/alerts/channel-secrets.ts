/** The secrets that sign messages of channels: sealed in the database, open only while a message is sent; and the key that opens them. */

import { Refused } from '../../domain/errors.ts';
import { DAY } from '../../domain/time.ts';
import { findVault, keyIdOf, type Vault } from '../../platform/vault.ts';
import { type Channel, listSealedChannels } from '../../store/alerts/channel-rows.ts';
import type { Database, Id } from '../../store/database.ts';
import type { Context } from '../context.ts';
import type { Receiver } from './channels/channel-kind.ts';

/** How long both secrets sign, once a channel has a new one. */
export const SECRET_ROTATION_MS = DAY;

export function sealSecret(vault: Vault, channelId: Id, secret: string): string {
  return vault.seal(secret, `channels:${channelId}`);
}

/** @throws Refused `unavailable` where this process has not the key */
export function openReceiver(
  channel: Pick<Channel, 'id' | 'address' | 'secrets' | 'former_until'>,
  vault: Vault,
  now: Date,
): Receiver {
  const both = channel.former_until !== null && channel.former_until > now;
  const secrets = channel.secrets
    .slice(0, both ? 2 : 1)
    .map((sealed) => vault.open(sealed, `channels:${channel.id}`));
  return { address: channel.address, secrets };
}

/** How many channels have secrets, and the ids of the keys these are sealed with: mostly one. */
export type SealedSecrets = { channels: number; keyIds: string[] };

export async function readSealedSecrets({ pool }: Database): Promise<SealedSecrets> {
  const channels = await listSealedChannels(pool);
  const keyIds = channels.flatMap(({ secrets }) => secrets.map(keyIdOf));
  return { channels: channels.length, keyIds: [...new Set(keyIds)] };
}

/**
 * Opens what messages are signed with at this moment. No key is made where there is none.
 * @returns the id of the key at hand
 * @throws Refused `unavailable` where it is missing, or another one
 */
export async function openSealedSecrets({
  db,
  config,
  clock,
}: Pick<Context, 'db' | 'config' | 'clock'>): Promise<string> {
  const vault = findVault(config);
  if (vault === undefined) throw new Refused('unavailable', 'there is no master key here');
  for (const channel of await listSealedChannels(db.pool)) openReceiver(channel, vault, clock.now());
  return vault.keyId;
}
