/** Parts of the document that operations share: failures, headers of replies, and messages of webhooks. */

import { DiscoveriesMessage, TestMessage } from '../../monitor/alerts/message.ts';
import { LIMITS } from '../../monitor/http/server-limits.ts';
import { SECOND } from '../../domain/time.ts';
import type { RouteOptions } from 'fastify';
import { z } from 'zod';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Headers of a success beside those of every reply, for the document. */
    sends?: readonly ('Location' | 'Content-Disposition')[];
    /** The handler calls a search service; a failure of that call decides the status of the reply. */
    callsService?: true;
  }
}

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

type FailureStatus = keyof typeof FAILURES;

const COMMON_FAILURES: readonly FailureStatus[] = [400, 401, 403, 408, 421, 429, 431, 500, 503];

type DocumentedRoute = Pick<RouteOptions, 'url' | 'method' | 'schema' | 'config'>;

/**
 * Statuses of the failures that a route can answer with, in order. Most are common to all routes, so no route lists its
 * own.
 */
export function listFailures({ url, method, schema, config }: DocumentedRoute): FailureStatus[] {
  const reads = method === 'GET';
  const changes = !reads && config?.scope !== 'read';
  return [
    ...COMMON_FAILURES,
    ...(url.includes('/:') ? [404 as const, 414 as const] : []),
    ...(hasNameFilter(schema?.querystring) || schema?.body !== undefined ? [404 as const] : []),
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
function hasNameFilter(query: unknown): boolean {
  return query instanceof z.ZodObject && ['topic', 'topics', 'search'].some((name) => name in query.shape);
}

const defineTextHeader = (description: string, example: string) => ({
  description,
  schema: { type: 'string' },
  example,
});
const defineCountHeader = (description: string) => ({ description, schema: { type: 'integer' } });

/** Every header that a program may want to read, by name; tests compare them with those of real replies. */
export const REPLY_HEADERS = {
  Location: defineTextHeader('Path of what was created.', '/api/v1/topics/harbour-ferry'),
  'Content-Disposition': defineTextHeader(
    'Name for the file.',
    'attachment; filename="strandline-posts.csv"',
  ),
  'Retry-After': defineCountHeader('Seconds after which to try again.'),
  'WWW-Authenticate': defineTextHeader('How to authenticate.', 'Bearer realm="strandline"'),
  Allow: defineTextHeader('Methods of this path.', 'GET, HEAD, POST'),
  'Idempotency-Replayed': {
    description:
      '`true` where this is the stored reply to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Idempotency-Omitted': defineTextHeader(
    'Member that was shown once in the first reply, and is null in this repetition of it.',
    'secret',
  ),
  'X-RateLimit-Limit': defineCountHeader('Requests that this visitor may make in a minute.'),
  'X-RateLimit-Remaining': defineCountHeader('How many of them are left.'),
  'X-RateLimit-Reset': defineCountHeader('Seconds until the count begins again.'),
} as const;

type HeaderName = keyof typeof REPLY_HEADERS;

const RATE_LIMIT_HEADERS: readonly HeaderName[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];
/** Refused before requests are counted for their route. */
const UNCOUNTED_STATUSES = new Set([401, 403, 405, 408, 414, 421, 431]);
/** Failures that may be stored with an `Idempotency-Key`. */
const REPLAYED_STATUSES = new Set([400, 404, 409]);

/** Headers that a failure may have, whichever operation it is of. */
export function listFailureHeaders(status: keyof typeof FAILURES): object {
  const { headers = [] }: { name: string; headers?: readonly HeaderName[] } = FAILURES[status];
  return buildHeaderRefs([
    ...headers,
    ...(REPLAYED_STATUSES.has(status) ? (['Idempotency-Replayed'] as const) : []),
    ...(UNCOUNTED_STATUSES.has(status) ? [] : RATE_LIMIT_HEADERS),
  ]);
}

/** Headers that a success of a route may have. */
export function listSuccessHeaders({ config }: Pick<RouteOptions, 'config'>): object {
  const { sends = [], idempotent } = config ?? {};
  return buildHeaderRefs([
    ...sends,
    ...(idempotent === undefined ? [] : (['Idempotency-Replayed'] as const)),
    ...(typeof idempotent === 'object' ? (['Idempotency-Omitted'] as const) : []),
    ...RATE_LIMIT_HEADERS,
  ]);
}

function buildHeaderRefs(names: readonly HeaderName[]): object {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const WEBHOOK_HEADERS = [
  [
    'webhook-id',
    'Id of the message, the same at each attempt: what came before under it may be ignored.',
    'msg_1',
  ],
  ['webhook-timestamp', 'When this attempt was made, in seconds since 1970.', '1795262400'],
  [
    'webhook-signature',
    '`v1,` and the base64 of HMAC-SHA-256 over `id.timestamp.body`; several with spaces between them while a secret is rotated.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ],
] as const;

function describeWebhook(
  name: { operationId: string; summary: string; description: string },
  message: z.core.$ZodType & { meta(): { id?: string | undefined } | undefined },
) {
  return {
    post: {
      ...name,
      tags: ['alerts'],
      parameters: WEBHOOK_HEADERS.map(([header, description, example]) => ({
        name: header,
        in: 'header',
        required: true,
        description,
        schema: { type: 'string' },
        example,
      })),
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${message.meta()?.id}` } } },
      },
      responses: {
        '2XX': { description: 'Delivered. The body is not read beyond 64 kB.' },
        '410': { description: 'Not delivered; the channel is disabled until somebody resumes it.' },
        default: { description: 'Not delivered; sent again later, under the same id.' },
      },
      security: [],
    },
  };
}

/** Messages that channels send, by their `type`, as the document describes them to receivers. */
export const WEBHOOKS = {
  'strandline.discoveries': describeWebhook(
    {
      operationId: 'receiveDiscoveries',
      summary: 'What a rule reports',
      description:
        'Sent at least once, signed as Standard Webhooks has it, to each channel of a rule that matches new discoveries.',
    },
    DiscoveriesMessage,
  ),
  'strandline.test': describeWebhook(
    {
      operationId: 'receiveTest',
      summary: 'A test of a channel',
      description: 'Sent once when somebody tests a channel. It reports nothing.',
    },
    TestMessage,
  ),
};
