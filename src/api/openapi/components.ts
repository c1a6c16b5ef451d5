/** Shared parts of the OpenAPI document: failures, reply headers and webhook messages. */

import {
  DigestMessage,
  DiscoveriesMessage,
  SystemMessage,
  TestMessage,
} from '../../monitor/alerts/message.ts';
import { LIMITS } from '../../monitor/http/server-limits.ts';
import { SECOND } from '../../lib/time.ts';
import type { RouteOptions } from 'fastify';
import { z } from 'zod';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Additional headers of successful replies, for the document. */
    sends?: readonly ('Location' | 'Content-Disposition')[];
    /** The handler calls a search service or parses its response; a failure determines the status of the reply. */
    callsService?: true;
  }
}

/** Every failure by status, with its name in the document, its meaning and its headers. */
export const FAILURES = {
  400: { name: 'BadRequest', meaning: 'The request is invalid. `errors` lists what is wrong and where.' },
  401: {
    name: 'Unauthorized',
    meaning: 'The request needs a valid token.',
    headers: ['WWW-Authenticate'],
  },
  403: {
    name: 'Forbidden',
    meaning: 'The token lacks a scope, or the request is cross-site.',
  },
  404: { name: 'NotFound', meaning: 'The path, a filter or the body names something that does not exist.' },
  405: {
    name: 'MethodNotAllowed',
    meaning: 'The path does not support this method. `Allow` lists the methods that it supports.',
    headers: ['Allow'],
  },
  408: {
    name: 'RequestTimeout',
    meaning: `The complete request did not arrive within ${LIMITS.requestMs / SECOND} seconds.`,
  },
  409: {
    name: 'Conflict',
    meaning:
      'The current state does not allow the request, the first request with this `Idempotency-Key` is still in progress, or a call limit is reached. `Retry-After`, if present, says when to retry.',
    headers: ['Retry-After'],
  },
  412: {
    name: 'PreconditionFailed',
    meaning: 'Something has this slug, and `If-None-Match: *` allows only to create.',
  },
  413: { name: 'ContentTooLarge', meaning: `The body is larger than ${LIMITS.bodyBytes / 1_000_000} MB.` },
  414: {
    name: 'UriTooLong',
    meaning: `A path parameter is longer than ${LIMITS.pathParameter} characters.`,
  },
  415: { name: 'UnsupportedMediaType', meaning: 'The body is not `application/json`.' },
  421: { name: 'MisdirectedRequest', meaning: '`Host` is not a name of this server.' },
  422: {
    name: 'IdempotencyKeyReused',
    meaning: 'The `Idempotency-Key` was used for a request with another path, query or body.',
  },
  429: {
    name: 'TooManyRequests',
    meaning:
      'Too many requests per minute, or too many requests in progress. `Retry-After` says when to retry.',
    headers: ['Retry-After'],
  },
  431: { name: 'HeadersTooLarge', meaning: `The headers are larger than ${LIMITS.headerBytes / 1_024} kB.` },
  500: {
    name: 'InternalError',
    meaning: 'strandline failed. Its log has the reason under the id in `instance`.',
  },
  502: { name: 'CallFailed', meaning: 'The call to the search service failed. `type` contains the code.' },
  503: {
    name: 'Unavailable',
    meaning: 'A required service is unreachable or at capacity. `Retry-After` says when to retry.',
    headers: ['Retry-After'],
  },
  504: { name: 'CallTimeout', meaning: 'The search service did not respond in time.' },
} as const satisfies Record<number, { name: string; meaning: string; headers?: readonly string[] }>;

type FailureStatus = keyof typeof FAILURES;

const COMMON_FAILURES: readonly FailureStatus[] = [400, 401, 403, 408, 421, 429, 431, 500, 503];

type DocumentedRoute = Pick<RouteOptions, 'url' | 'method' | 'schema' | 'config'>;

/**
 * Statuses of the failures that a route can return, in order. Most are common to all routes, so no route lists its own.
 */
export function listFailures({ url, method, schema, config }: DocumentedRoute): FailureStatus[] {
  const reads = method === 'GET';
  const changes = !reads && config?.scope !== 'read';
  return [
    ...COMMON_FAILURES,
    ...(url.includes('/:') ? [404 as const, 414 as const] : []),
    ...(hasNameFilter(schema?.querystring) || schema?.body !== undefined ? [404 as const] : []),
    ...(changes ? [409 as const] : []),
    ...(method === 'PUT' ? [412 as const] : []),
    // Bodies are parsed for every other method, even if the route takes none.
    ...(reads ? [] : [413 as const, 415 as const]),
    ...(config?.idempotent === undefined ? [] : [422 as const]),
    ...(config?.callsService === true ? [502 as const, 504 as const] : []),
  ]
    .filter((status, i, all) => all.indexOf(status) === i)
    .toSorted((a, b) => a - b);
}

/** A filter by an unknown topic, search, rule or service is refused: an empty list would hide the mistake. */
function hasNameFilter(query: unknown): boolean {
  return (
    query instanceof z.ZodObject &&
    ['topic', 'topics', 'search', 'rule', 'service'].some((name) => name in query.shape)
  );
}

const defineTextHeader = (description: string, example: string) => ({
  description,
  schema: { type: 'string' },
  example,
});
const defineCountHeader = (description: string) => ({ description, schema: { type: 'integer' } });

/** Every documented reply header, by name. Tests compare them with those of real replies. */
export const REPLY_HEADERS = {
  Location: defineTextHeader('Path of the created resource.', '/api/v1/topics/harbour-ferry'),
  'Content-Disposition': defineTextHeader('File name.', 'attachment; filename="strandline-posts.csv"'),
  'Retry-After': defineCountHeader('Seconds to wait before retrying.'),
  'WWW-Authenticate': defineTextHeader('How to authenticate.', 'Bearer realm="strandline"'),
  Allow: defineTextHeader('Methods of this path.', 'GET, HEAD, POST'),
  'Idempotency-Replayed': {
    description: '`true` if this is the stored reply to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Idempotency-Omitted': defineTextHeader(
    'Member that was shown once in the first reply and is null in this replay.',
    'secret',
  ),
  'X-RateLimit-Limit': defineCountHeader('Requests allowed per minute.'),
  'X-RateLimit-Remaining': defineCountHeader('Requests left in this minute.'),
  'X-RateLimit-Reset': defineCountHeader('Seconds until the limit resets.'),
} as const;

type HeaderName = keyof typeof REPLY_HEADERS;

const RATE_LIMIT_HEADERS: readonly HeaderName[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];
/** Refused before the rate limit of the route counts them. */
const UNCOUNTED_STATUSES = new Set([401, 403, 405, 408, 414, 421, 431]);
/** Failures that are stored with an `Idempotency-Key`. */
const REPLAYED_STATUSES = new Set([400, 404, 409]);

/** Headers that a failure of any operation may have. */
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
    'Id of the message, the same for each attempt. Ignore ids that you have already processed.',
    'msg_1',
  ],
  ['webhook-timestamp', 'Time of this attempt, in seconds since 1970.', '1795262400'],
  [
    'webhook-signature',
    '`v1,` followed by the base64 HMAC-SHA-256 of `id.timestamp.body`; while a secret is rotated, several, separated by spaces.',
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
        '2XX': { description: 'Delivered. At most 64 kB of the body are read.' },
        '410': { description: 'Not delivered. The channel is disabled until somebody resumes it.' },
        default: { description: 'Not delivered. Retried later with the same id.' },
      },
      security: [],
    },
  };
}

/** Messages that channels send, by their `type`. */
export const WEBHOOKS = {
  'strandline.discoveries': describeWebhook(
    {
      operationId: 'receiveDiscoveries',
      summary: 'Discoveries reported by a rule',
      description:
        'Sent at least once to each channel of a rule that matches new discoveries. Signed according to Standard Webhooks.',
    },
    DiscoveriesMessage,
  ),
  'strandline.digest': describeWebhook(
    {
      operationId: 'receiveDigest',
      summary: 'Digest of a rule with a schedule',
      description:
        'Sent when it is due, at least once to each active channel of the rule, unless nothing is new. Signed according to Standard Webhooks.',
    },
    DigestMessage,
  ),
  'strandline.system': describeWebhook(
    {
      operationId: 'receiveProblems',
      summary: 'Problems of strandline itself',
      description:
        'Sent at least once to each channel of the rule `system`: when a search, a source, a channel, a worker or the budget of calls has a problem, and when it is over. Signed according to Standard Webhooks.',
    },
    SystemMessage,
  ),
  'strandline.test': describeWebhook(
    {
      operationId: 'receiveTest',
      summary: 'Test message',
      description: 'Sent once when somebody tests a channel.',
    },
    TestMessage,
  ),
};
