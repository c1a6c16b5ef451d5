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
  421: 'The Host of the request is not ours.',
  429: 'Too many requests: Retry-After says when to come back.',
  500: 'strandline itself failed: its log says why, under the number in instance.',
  502: 'The call of the service ended amiss: type says how.',
  503: 'Something that is needed cannot be reached now.',
  504: 'The service did not answer in time.',
} as const;

type Failure = keyof typeof MEANINGS;

const ALWAYS: readonly Failure[] = [400, 401, 403, 421, 429, 500, 503];

/** Replies of a route that is asked for something that is wrong, by status. */
export function failuresOf({ url, method, schema }: Pick<RouteOptions, 'url' | 'method' | 'schema'>) {
  const statuses = [
    ...ALWAYS,
    ...(url.includes('/:') || namesThings(schema?.querystring) ? [404 as const] : []),
    ...(method === 'GET' ? [] : [409 as const]),
    ...(schema?.body === undefined ? [] : [404 as const, 413 as const, 415 as const]),
  ];
  return repliesOf(statuses);
}

/** Replies of an operation that ends as a call of a service did; it names them itself. */
export const CALL_FAILURES = repliesOf([502, 504]);

function repliesOf(statuses: readonly Failure[]) {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      { description: MEANINGS[status], content: { 'application/problem+json': { schema: Problem } } },
    ]),
  );
}

/** A filter by a topic or search that is not there is refused: silence would look like an empty list. */
function namesThings(query: unknown): boolean {
  return query instanceof z.ZodObject && ['topic', 'topics', 'search'].some((name) => name in query.shape);
}
