/** What the doctor, and a restore, say of the key that secrets of channels are sealed with. */
import { Refused } from '../../errors.ts';
import type { Home } from '../../home.ts';
import { openSealed, readSealed, type Sealed } from '../../monitor/tell/sealed.ts';
import { bad, type Check, good } from './check.ts';
import { counted } from './words.ts';

/** What to do for it. */
export const BRING_KEY = 'copy master.key from the data directory that made it, or set the same MASTER_KEY';

export async function checkSecrets({ ctx }: Pick<Home, 'ctx'>): Promise<Check[]> {
  const sealed = await readSealed(ctx.db);
  if (sealed.channels === 0) return [];
  try {
    const keyId = await openSealed(ctx);
    return [good('master key', `${keyId} opens the secrets of ${counted(sealed.channels, 'channel')}`)];
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return [bad('master key', `${sealedWords(sealed)}; ${error.message}`, BRING_KEY)];
  }
}

/** `secrets of 1 channel are sealed with the key 0ca7deef`. */
export function sealedWords({ channels, keyIds }: Sealed): string {
  const keys = `the key${keyIds.length === 1 ? '' : 's'} ${keyIds.join(', ')}`;
  return `secrets of ${counted(channels, 'channel')} are sealed with ${keys}`;
}
