/** Which key opens the secrets of channels, and whether it is at hand. */
import { findVault, keyIdOf } from '../../engine/vault.ts';
import { Refused } from '../../errors.ts';
import type { Database } from '../../store/database.ts';
import { sealedChannels } from '../../store/tell/channels.ts';
import type { Context } from '../context.ts';
import { receiverOf } from './secrets.ts';

/** How many channels have secrets, and the ids of the keys these are sealed with: mostly one. */
export type Sealed = { channels: number; keyIds: string[] };

export async function readSealed({ pool }: Database): Promise<Sealed> {
  const channels = await sealedChannels(pool);
  const keyIds = channels.flatMap(({ secrets }) => secrets.map(keyIdOf));
  return { channels: channels.length, keyIds: [...new Set(keyIds)] };
}

/**
 * Opens what messages are signed with at this moment. No key is made where there is none.
 * @returns the id of the key at hand
 * @throws Refused `unavailable` where it is missing, or another one
 */
export async function openSealed({
  db,
  config,
  clock,
}: Pick<Context, 'db' | 'config' | 'clock'>): Promise<string> {
  const vault = findVault(config);
  if (vault === undefined) throw new Refused('unavailable', 'there is no master key here');
  for (const channel of await sealedChannels(db.pool)) receiverOf(channel, vault, clock.now());
  return vault.keyId;
}
