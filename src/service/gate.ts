/** What every call passes before its body is read: a key, and the key's rate. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { tooManyRequestsBody, unauthorizedBody } from '../contract/error-bodies.ts';
import type { KeyVerifier } from './key-verifier.ts';
import { hashKey, isKeyOf, keyOfHeader } from '../engine/keys.ts';
import type { Limiter } from './rate-limit.ts';

/**
 * A missing and a wrong key are answered alike (401, as documented): the answer tells nobody which it was.
 * @param ownKey of the process that runs the service: the monitor asks as often as its searches want
 */
export function createGate(keys: KeyVerifier, limiter: Limiter, ownKey: string | undefined) {
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
