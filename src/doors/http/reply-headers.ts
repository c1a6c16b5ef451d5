/** Headers of replies as the document describes them; tests compare them with those of real replies. */
import type { RouteOptions } from 'fastify';
import { FAILURES } from './failures.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Headers of a success beside those of every reply, for the document. */
    sends?: readonly ('Location' | 'Content-Disposition')[];
    /** The handler calls a search service; a failure of that call decides the status of the reply. */
    callsService?: true;
  }
}

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });
const count = (description: string) => ({ description, schema: { type: 'integer' } });

/** Every header that a program may want to read, by name. */
export const REPLY_HEADERS = {
  Location: text('Path of what was created.', '/api/v1/topics/harbour-ferry'),
  'Content-Disposition': text('Name for the file.', 'attachment; filename="strandline-posts.csv"'),
  'Retry-After': count('Seconds after which to try again.'),
  'WWW-Authenticate': text('How to authenticate.', 'Bearer realm="strandline"'),
  Allow: text('Methods of this path.', 'GET, HEAD, POST'),
  'Idempotency-Replayed': {
    description:
      '`true` where this is the stored reply to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Idempotency-Omitted': text(
    'Member that was shown once in the first reply, and is null in this repetition of it.',
    'secret',
  ),
  'X-RateLimit-Limit': count('Requests that this visitor may make in a minute.'),
  'X-RateLimit-Remaining': count('How many of them are left.'),
  'X-RateLimit-Reset': count('Seconds until the count begins again.'),
} as const;

type Name = keyof typeof REPLY_HEADERS;

const RATE: readonly Name[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
/** Refused before requests are counted for their route. */
const UNCOUNTED = new Set([401, 403, 405, 408, 414, 421, 431]);
/** Failures that may be stored with an `Idempotency-Key`. */
const REPLAYED = new Set([400, 404, 409]);

/** Headers that a failure may have, whichever operation it is of. */
export function headersOfFailure(status: keyof typeof FAILURES): object {
  const { headers = [] }: { name: string; headers?: readonly Name[] } = FAILURES[status];
  return refsTo([
    ...headers,
    ...(REPLAYED.has(status) ? (['Idempotency-Replayed'] as const) : []),
    ...(UNCOUNTED.has(status) ? [] : RATE),
  ]);
}

/** Headers that a success of a route may have. */
export function headersOfSuccess({ config }: Pick<RouteOptions, 'config'>): object {
  const { sends = [], idempotent } = config ?? {};
  return refsTo([
    ...sends,
    ...(idempotent === undefined ? [] : (['Idempotency-Replayed'] as const)),
    ...(typeof idempotent === 'object' ? (['Idempotency-Omitted'] as const) : []),
    ...RATE,
  ]);
}

function refsTo(names: readonly Name[]): object {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
