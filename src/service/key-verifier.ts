/** Decides whether a key may call this service. */
import { SECOND, type Clock } from '../engine/clock.ts';
import { hashKey, isKeyOf, keyIdOf } from '../engine/keys.ts';

export type KeyVerifier = { verify(raw: string): Promise<boolean> };

/** How long a verdict holds: a revoked key works this long at most. */
export const VERDICT_MS = 10 * SECOND;
const VERDICTS_MOST = 10_000;

/**
 * @param rawKeys keys from the configuration, in any form (`SERVICE_API_KEYS`)
 * @param findKeyHashes looks up the SHA-256 of the keys of our own making that have this id: one, or two while it is rotated;
 *   none when it is unknown or revoked
 * @param tellUsed told the id of such a key when the whole of it was shown, once for each verdict
 */
export function createKeyVerifier({
  rawKeys,
  findKeyHashes,
  tellUsed,
  clock,
}: {
  rawKeys: readonly string[];
  findKeyHashes: (id: string) => Promise<readonly Uint8Array[]>;
  tellUsed?: (id: string) => void;
  clock: Clock;
}): KeyVerifier {
  const configured = rawKeys.map(hashKey);
  // By hash: raw keys stay in memory no longer than their request.
  const verdicts = new Map<string, { good: boolean; until: number }>();

  async function decide(raw: string): Promise<boolean> {
    // Every configured key is compared, so that the time says nothing about which one matched.
    if (configured.filter((hash) => isKeyOf(raw, hash)).length > 0) return true;
    const id = keyIdOf(raw, 'sk');
    const hashes = id === undefined ? [] : await findKeyHashes(id);
    if (id === undefined || !hashes.some((hash) => isKeyOf(raw, hash))) return false;
    tellUsed?.(id);
    return true;
  }

  return {
    async verify(raw) {
      const name = hashKey(raw).toString('base64');
      const now = clock.now().getTime();
      const known = verdicts.get(name);
      if (known !== undefined && known.until > now) return known.good;
      const good = await decide(raw);
      // One at a time: whoever tries many wrong keys does not make the good ones be looked up again.
      const [oldest] = verdicts.size < VERDICTS_MOST ? [] : verdicts.keys();
      if (oldest !== undefined) verdicts.delete(oldest);
      verdicts.delete(name);
      verdicts.set(name, { good, until: now + VERDICT_MS });
      return good;
    },
  };
}
