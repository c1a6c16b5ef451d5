/** Which failures an operation can answer with: most of them any can, so no route says them itself. */
import type { RouteOptions } from 'fastify';
import { z } from 'zod';
import { SECOND } from '../../engine/clock.ts';
import { LIMITS } from './access/limits.ts';

/** Every failure by its status: its name in the document, what it means, and headers that come with it. */
export const FAILURES = {
  400: { name: 'BadRequest', meaning: 'Something in the request is wrong: `errors` names what and where.' },
  401: {
    name: 'Unauthorized',
    meaning: 'A token is needed, and the request has none that is valid.',
    headers: ['WWW-Authenticate'],
  },
  403: {
    name: 'Forbidden',
    meaning: 'The token lacks a scope, or the request is cross-site.',
  },
  404: { name: 'NotFound', meaning: 'What the path, a filter or the body names does not exist.' },
  405: {
    name: 'MethodNotAllowed',
    meaning: 'This path has no such method; `Allow` lists those that it has.',
    headers: ['Allow'],
  },
  408: {
    name: 'RequestTimeout',
    meaning: `The request did not arrive completely within ${LIMITS.requestMs / SECOND} seconds.`,
  },
  409: {
    name: 'Conflict',
    meaning:
      'The current state does not allow it. Or the first request with this `Idempotency-Key` is still in progress, or a budget of calls is used up: then `Retry-After` says when to try again, if that helps.',
    headers: ['Retry-After'],
  },
  413: { name: 'ContentTooLarge', meaning: `The body is larger than ${LIMITS.bodyBytes / 1_000_000} MB.` },
  414: {
    name: 'UriTooLong',
    meaning: `A parameter of the path is longer than ${LIMITS.pathParameter} characters.`,
  },
  415: { name: 'UnsupportedMediaType', meaning: 'The body is not `application/json`.' },
  421: { name: 'MisdirectedRequest', meaning: 'The server is not known under the name in `Host`.' },
  422: {
    name: 'IdempotencyKeyReused',
    meaning: 'The `Idempotency-Key` belongs to a request with another path, query or body.',
  },
  429: {
    name: 'TooManyRequests',
    meaning:
      'Too many requests in a minute, or as many in progress as one visitor may have; `Retry-After` says when to try again.',
    headers: ['Retry-After'],
  },
  431: { name: 'HeadersTooLarge', meaning: `The headers are larger than ${LIMITS.headerBytes / 1_024} kB.` },
  500: {
    name: 'InternalError',
    meaning: 'strandline itself failed; its log has the reason under the number in `instance`.',
  },
  502: { name: 'CallFailed', meaning: 'The call of the search service failed; `type` says how.' },
  503: {
    name: 'Unavailable',
    meaning:
      'Something that is needed cannot be reached or is fully used; `Retry-After` says when to try again.',
    headers: ['Retry-After'],
  },
  504: { name: 'CallTimeout', meaning: 'The search service did not answer in time.' },
} as const satisfies Record<number, { name: string; meaning: string; headers?: readonly string[] }>;

type Failure = keyof typeof FAILURES;

const ALWAYS: readonly Failure[] = [400, 401, 403, 408, 421, 429, 431, 500, 503];

type Route = Pick<RouteOptions, 'url' | 'method' | 'schema' | 'config'>;

/** Statuses of the failures that a route can answer with, in order. */
export function failuresOf({ url, method, schema, config }: Route): Failure[] {
  const reads = method === 'GET';
  const changes = !reads && config?.scope !== 'read';
  return [
    ...ALWAYS,
    ...(url.includes('/:') ? [404 as const, 414 as const] : []),
    ...(namesThings(schema?.querystring) || schema?.body !== undefined ? [404 as const] : []),
    ...(changes ? [409 as const] : []),
    // A body is read wherever one may stand, also where a route takes none.
    ...(reads ? [] : [413 as const, 415 as const]),
    ...(config?.idempotent === undefined ? [] : [422 as const]),
    ...(config?.callsService === true ? [502 as const, 504 as const] : []),
  ]
    .filter((status, i, all) => all.indexOf(status) === i)
    .toSorted((a, b) => a - b);
}

/** A filter by a topic or search that is not there is refused: silence would look like an empty list. */
function namesThings(query: unknown): boolean {
  return query instanceof z.ZodObject && ['topic', 'topics', 'search'].some((name) => name in query.shape);
}
