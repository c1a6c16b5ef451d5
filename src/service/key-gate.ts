/** What every call passes before its body is read: a key, and the key's rate. */

import { SECOND } from '../domain/time.ts';
import type { Clock } from '../platform/clock.ts';
import { hashKey, isKeyOf, keyIdOf, keyOfHeader } from '../platform/keys.ts';
import { tooManyRequestsBody, unauthorizedBody } from '../protocol/error-body.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * A missing and a wrong key are answered alike (401, as documented): the answer tells nobody which it was.
 * @param ownKey of the process that runs the service: the monitor asks as often as its searches want
 */
export function createKeyGate(keys: KeyVerifier, limiter: RateLimiter, ownKey: string | undefined) {
  const own = ownKey === undefined ? undefined : hashKey(ownKey);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const key = keyOfHeader(request.headers.authorization);
    if (key === undefined || !(await keys.verify(key))) return reply.code(401).send(unauthorizedBody());
    if (own !== undefined && isKeyOf(key, own)) return undefined;
    const waitSeconds = limiter.take(hashKey(key).toString('base64'));
    if (waitSeconds === 0) return undefined;
    return reply.code(429).header('retry-after', String(waitSeconds)).send(tooManyRequestsBody(waitSeconds));
  };
}

/** Decides whether a key may call this service. */

export type KeyVerifier = { verify(raw: string): Promise<boolean> };

/** How long a verdict holds: a revoked key works this long at most. */
export const KEY_VERDICT_TTL_MS = 10 * SECOND;
const MAX_VERDICTS = 10_000;

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
      const [oldest] = verdicts.size < MAX_VERDICTS ? [] : verdicts.keys();
      if (oldest !== undefined) verdicts.delete(oldest);
      verdicts.delete(name);
      verdicts.set(name, { good, until: now + KEY_VERDICT_TTL_MS });
      return good;
    },
  };
}
