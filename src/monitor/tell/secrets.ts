/** What messages of a channel are signed with: sealed in the database, open only while one is sent. */
import { DAY } from '../../engine/clock.ts';
import type { Vault } from '../../engine/vault.ts';
import type { Id } from '../../store/database.ts';
import type { Channel } from '../../store/tell/channels.ts';
import type { Receiver } from './channels/channel.ts';

/** So long both secrets sign, once a channel has a new one. */
export const ROTATION_MS = DAY;

export function sealFor(vault: Vault, channelId: Id, secret: string): string {
  return vault.seal(secret, `channels:${channelId}`);
}

/** @throws Refused `unavailable` where this process has not the key */
export function receiverOf(
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
