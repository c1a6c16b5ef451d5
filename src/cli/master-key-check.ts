/** `doctor` and `restore`: the key that encrypts the secrets of channels. */

import { Refused } from '../model/errors.ts';
import type { Program } from '../app/program.ts';
import {
  openSealedSecrets,
  readSealedSecrets,
  type SealedSecrets,
} from '../monitor/alerts/channel-secrets.ts';
import { type Check, failedCheck, passedCheck } from '../monitor/status/check.ts';
import { formatQuantity } from './value-formatting.ts';

export const MASTER_KEY_ADVICE =
  'copy master.key from the original data directory, or set the same MASTER_KEY';

export async function checkMasterKey({ ctx }: Pick<Program, 'ctx'>): Promise<Check[]> {
  const sealed = await readSealedSecrets(ctx.db);
  if (sealed.channels === 0) return [];
  try {
    const keyId = await openSealedSecrets(ctx);
    return [
      passedCheck(
        'master key',
        `${keyId} decrypts the secrets of ${formatQuantity(sealed.channels, 'channel')}`,
      ),
    ];
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return [
      failedCheck('master key', `${describeSealedSecrets(sealed)}; ${error.message}`, MASTER_KEY_ADVICE),
    ];
  }
}

/** `secrets of 1 channel are encrypted with the key 0ca7deef`. */
export function describeSealedSecrets({ channels, keyIds }: SealedSecrets): string {
  const keys = `the key${keyIds.length === 1 ? '' : 's'} ${keyIds.join(', ')}`;
  return `secrets of ${formatQuantity(channels, 'channel')} are encrypted with ${keys}`;
}
