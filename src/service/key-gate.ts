/** Checks the key of every call, and the rate limit of that key, before the body is read. */

import { MINUTE, SECOND } from '../lib/time.ts';
import { buildCacheTime, type Clock } from '../platform/clock.ts';
import { hashKey, isKeyOf, keyIdOf, keyOfHeader } from '../platform/keys.ts';
import { readClientAddress } from '../platform/client-address.ts';
import { extractNetwork } from '../platform/network.ts';
import { tooManyRequestsBody, unauthorizedBody } from '../protocol/error-body.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { BlockList } from 'node:net';

/** Whether a request has the key of the process that runs the service: its monitor's. */
type OwnKeyTest = (request: FastifyRequest) => boolean;

export function createOwnKeyTest(ownKey: string | undefined): OwnKeyTest {
  if (ownKey === undefined) return () => false;
  const own = hashKey(ownKey);
  return ({ headers }) => {
    const key = keyOfHeader(headers.authorization);
    return key !== undefined && isKeyOf(key, own);
  };
}

/** Unknown keys of one network that get 401; further ones get 429. */
const UNKNOWN_KEY_RATE: RateLimit = { perMinute: 600, burst: 100 };

/** Whether a key may call: `refused` is missing or wrong, and a number of seconds is to be waited. */
type KeyVerdict = 'accepted' | 'refused' | { waitSeconds: number };

/** @param key as in the header or a form, without a scheme */
export type KeyCheck = (request: FastifyRequest, key: string | undefined) => Promise<KeyVerdict>;

/**
 * Missing and invalid keys get the same verdict, which does not reveal the difference. A network that shows
 * many unknown keys has to wait with them, but never with a valid key: behind a proxy, all clients may share one address.
 * @param trustedProxies networks whose `X-Forwarded-For` names the client
 * @param isOwn requests without a rate limit: the monitor asks as often as its searches want
 */
export function createKeyCheck(
  keys: KeyVerifier,
  takeCall: RateLimiter,
  isOwn: OwnKeyTest,
  { clock, trustedProxies }: { clock: Clock; trustedProxies?: BlockList | undefined },
): KeyCheck {
  const takeUnknown = createRateLimiter(UNKNOWN_KEY_RATE, clock);
  return async (request, key) => {
    if (key === undefined) return 'refused';
    if (!(await keys.verify(key))) {
      if (keyIdOf(key, 'sk') === undefined) return 'refused';
      const waitSeconds = takeUnknown(extractNetwork(readClientAddress(request.raw, trustedProxies)));
      return waitSeconds > 0 ? { waitSeconds } : 'refused';
    }
    if (isOwn(request)) return 'accepted';
    const waitSeconds = takeCall(hashKey(key).toString('base64'));
    return waitSeconds === 0 ? 'accepted' : { waitSeconds };
  };
}

/** Refuses calls without a key that may call: 401 as documented, 429 with the time to wait. */
export function createKeyGate(check: KeyCheck) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const verdict = await check(request, keyOfHeader(request.headers.authorization));
    if (verdict === 'accepted') return undefined;
    if (verdict === 'refused') return reply.code(401).send(unauthorizedBody());
    const { waitSeconds } = verdict;
    return reply.code(429).header('retry-after', String(waitSeconds)).send(tooManyRequestsBody(waitSeconds));
  };
}

/** Decides whether a key may call this service. */
export type KeyVerifier = {
  verify(raw: string): Promise<boolean>;
};

/** How long a verdict holds: a revoked key works this long at most. */
const KEY_VERDICT_TTL_MS = 10 * SECOND;
const MAX_VERDICTS = 10_000;

/**
 * @param rawKeys keys from the configuration, in any form (`SERVICE_API_KEYS`)
 * @param findKeyHashes looks up the SHA-256 of the keys of our own making that have this id: one, or two while it is rotated;
 *   none when it is unknown or revoked
 * @param onKeyUsed called with the id of such a key when the whole of it was shown, once for each verdict
 */
export function createKeyVerifier({
  rawKeys,
  findKeyHashes,
  onKeyUsed,
  clock,
}: {
  rawKeys: readonly string[];
  findKeyHashes: (id: string) => Promise<readonly Uint8Array[]>;
  onKeyUsed?: (id: string) => void;
  clock: Clock;
}): KeyVerifier {
  const configured = rawKeys.map(hashKey);
  // By hash: raw keys stay in memory no longer than their request.
  const verdicts = new LRUCache<string, boolean>({
    max: MAX_VERDICTS,
    ttl: KEY_VERDICT_TTL_MS,
    ...buildCacheTime(clock),
  });
  const nameOf = (raw: string) => hashKey(raw).toString('base64');

  function recall(raw: string): boolean | undefined {
    // Every configured key is compared, so that the time says nothing about which key matched.
    if (configured.filter((hash) => isKeyOf(raw, hash)).length > 0) return true;
    return keyIdOf(raw, 'sk') === undefined ? false : verdicts.get(nameOf(raw));
  }

  return {
    async verify(raw) {
      const known = recall(raw);
      const id = keyIdOf(raw, 'sk');
      if (known !== undefined || id === undefined) return known ?? false;
      const hashes = await findKeyHashes(id);
      const isGood = hashes.some((hash) => isKeyOf(raw, hash));
      if (isGood) onKeyUsed?.(id);
      verdicts.set(nameOf(raw), isGood);
      return isGood;
    },
  };
}

/** Of a key, by token buckets: a burst is fine, a flood waits. */
export type RateLimit = { perMinute: number; burst: number };
export const DEFAULT_KEY_RATE: RateLimit = { perMinute: 1_200, burst: 300 };

const MAX_TRACKED_KEYS = 10_000;

/** Takes one call of a key; returns the whole seconds to wait, 0 when it may go on. */
type RateLimiter = (key: string) => number;

export function createRateLimiter(rate: RateLimit, clock: Clock): RateLimiter {
  const buckets = new LRUCache<string, TokenBucket>({
    max: MAX_TRACKED_KEYS,
    memoMethod: () => createTokenBucket(rate, clock),
  });
  return (key) => {
    const bucket = buckets.memo(key);
    return bucket.take(0) === undefined ? Math.ceil(bucket.waitMs() / SECOND) : 0;
  };
}

/** A bucket whose tokens can be reserved in advance, by waiting. */
type TokenBucket = {
  /** Takes a token and says in how many milliseconds it is there; undefined, and none is taken, beyond `maxWaitMs`. */
  take(maxWaitMs: number): number | undefined;
  /** In how many milliseconds a token is there, at least; 0: now. */
  waitMs(): number;
  /** Returns a token that was not used. */
  refund(): void;
};

export function createTokenBucket(
  { perMinute, burst }: { perMinute: number; burst: number },
  clock: Clock,
): TokenBucket {
  const msEach = MINUTE / perMinute;
  let tokens = burst; // below zero: that many are promised to those who wait
  let at = clock.now().getTime();

  function waitMs(): number {
    const now = clock.now().getTime();
    tokens = Math.min(burst, tokens + Math.max(0, now - at) / msEach);
    at = now;
    return Math.max(0, Math.ceil((1 - tokens) * msEach));
  }

  return {
    waitMs,
    take(maxWaitMs) {
      const ms = waitMs();
      if (ms > maxWaitMs) return undefined;
      tokens -= 1;
      return ms;
    },
    refund() {
      tokens = Math.min(burst, tokens + 1);
    },
  };
}
