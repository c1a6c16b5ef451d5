/** Errors as problem details (RFC 9457). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../engine/logger.ts';
import { type Failure, failureOf } from '../failure.ts';
import { toJson } from '../json.ts';

/** An error as it is sent; `errors` only where something that was sent is wrong. */
export function problemOf(failure: Failure, instance: string) {
  const { status, code, title, detail, errors } = failure;
  return {
    type: `urn:strandline:problem:${code.toLowerCase()}`,
    title,
    status,
    detail,
    instance,
    ...(errors.length === 0
      ? {}
      : { errors: errors.map(({ path, given, expected }) => ({ path, given: given ?? null, expected })) }),
  };
}

/** Answers an error in the words of {@link failureOf}; what is our fault is written to the log. */
export function sendProblem(
  log: Logger,
): (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  return (error, request, reply) => {
    const failure = failureOf(error, request);
    if (failure.status >= 500) log.error({ err: error, request: request.id }, 'a request failed');
    if (failure.status === 401) reply.header('www-authenticate', 'Bearer realm="strandline"');
    if (failure.retryAfterSeconds !== undefined) reply.header('retry-after', failure.retryAfterSeconds);
    return (
      reply
        .code(failure.status)
        .type('application/problem+json')
        // An address that cannot be read is refused before any hook sees it.
        .header('x-content-type-options', 'nosniff')
        .serializer((payload: unknown) => toJson(payload))
        .send(problemOf(failure, `urn:strandline:request:${request.id}`))
    );
  };
}
