/** Errors as problem details (RFC 9457). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../engine/logger.ts';
import { InvalidInput } from '../../errors.ts';
import { type Failure, failureOf, problemType, WrongMethod } from '../failure.ts';
import { toJson } from '../json.ts';

/** An error as it is sent; `errors` only where something that was sent is wrong. */
export function problemOf(failure: Failure, instance: string) {
  const { status, code, title, detail, errors } = failure;
  return {
    type: problemType(code),
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
    const failure = failureOf(placed(error, request), request);
    if (failure.status >= 500) log.error({ err: error, request: request.id }, 'a request failed');
    if (failure.status === 401) reply.header('www-authenticate', 'Bearer realm="strandline"');
    if (error instanceof WrongMethod) reply.header('allow', error.allowed.join(', '));
    return sendFailure(failure, request, reply);
  };
}

/** Answers a failure, of which nobody but the asker is told. */
export function sendFailure(failure: Failure, { id }: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (failure.retryAfterSeconds !== undefined) reply.header('retry-after', failure.retryAfterSeconds);
  return (
    reply
      .code(failure.status)
      .type('application/problem+json')
      // An address that cannot be read is refused before any hook sees it.
      .header('x-content-type-options', 'nosniff')
      .serializer((payload: unknown) => toJson(payload))
      .send(problemOf(failure, `urn:strandline:request:${id}`))
  );
}

type Given = Pick<FastifyRequest, 'body' | 'params' | 'query'>;

/** A verb names the member that it refuses; whoever sent the request is told where in it that member stood, or would stand. */
function placed(error: unknown, request: Given): unknown {
  if (!(error instanceof InvalidInput)) return error;
  return new InvalidInput(
    error.problems.map((problem) => ({ ...problem, path: placeOf(problem.path, request) })),
  );
}

/** Paths that say already where they begin. */
const PLACED = /^(?:body|query|params|headers|address)(?:\.|$)/;

/** @returns `body.searches.0.prompt` for `searches[0].prompt` */
function placeOf(path: string, { body, params, query }: Given): string {
  if (PLACED.test(path)) return path;
  const steps = path.replaceAll(/\[(\d+)\]/g, '.$1');
  const [first = ''] = steps.split('.');
  if (holds(params, first)) return `params.${steps}`;
  const inBody = typeof body === 'object' && body !== null && !holds(query, first);
  return `${inBody ? 'body' : 'query'}.${steps}`;
}

function holds(part: unknown, member: string): boolean {
  return typeof part === 'object' && part !== null && Object.hasOwn(part, member);
}
