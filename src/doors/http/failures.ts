/** Which failures an operation can answer with: most of them any can, so no route says them itself. */
import type { RouteOptions } from 'fastify';
import { z } from 'zod';
import { Problem } from './shapes.ts';

const MEANINGS = {
  400: 'Something that was given is wrong: errors says what and where.',
  401: 'A token is needed, and none that counts was given.',
  403: 'The token may not do this.',
  404: 'What was asked for is not there.',
  409: 'The state of things forbids it.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  422: 'The Idempotency-Key belongs to a request with another path, query or body.',
  421: 'The Host of the request is not ours.',
  429: 'Too many requests: Retry-After says when to come back.',
  500: 'strandline itself failed: its log says why, under the number in instance.',
  502: 'The call of the service ended amiss: type says how.',
  503: 'Something that is needed cannot be reached now.',
  504: 'The service did not answer in time.',
} as const;

type Failure = keyof typeof MEANINGS;

const ALWAYS: readonly Failure[] = [400, 401, 403, 421, 429, 500, 503];

/** Of routes that honor `Idempotency-Key`. */
const IN_PROGRESS = `${MEANINGS[409]} Or the first request with this Idempotency-Key is still in progress: Retry-After says when to come back.`;

type Route = Pick<RouteOptions, 'url' | 'method' | 'schema' | 'config'>;

/** Replies of a route that is asked for something that is wrong, by status. */
export function failuresOf({ url, method, schema, config }: Route) {
  const keyed = config?.idempotent !== undefined;
  const statuses = [
    ...ALWAYS,
    ...(url.includes('/:') || namesThings(schema?.querystring) ? [404 as const] : []),
    ...(method === 'GET' ? [] : [409 as const]),
    ...(schema?.body === undefined ? [] : [404 as const, 413 as const, 415 as const]),
    ...(keyed ? [422 as const] : []),
  ];
  return repliesOf(statuses, keyed ? { 409: IN_PROGRESS } : {});
}

/** Replies of an operation that ends as a call of a service did; it names them itself. */
export const CALL_FAILURES = repliesOf([502, 504]);

function repliesOf(statuses: readonly Failure[], words: Partial<Record<Failure, string>> = {}) {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: words[status] ?? MEANINGS[status],
        content: { 'application/problem+json': { schema: Problem } },
      },
    ]),
  );
}

/** A filter by a topic or search that is not there is refused: silence would look like an empty list. */
function namesThings(query: unknown): boolean {
  return query instanceof z.ZodObject && ['topic', 'topics', 'search'].some((name) => name in query.shape);
}
