/** Errors as problem details (RFC 9457), including those of malformed HTTP requests. */

import { collectProblems, InvalidInput, type Problem } from '../model/errors.ts';
import { isPlain, toJson } from '../lib/json-values.ts';
import {
  CONNECTION_REFUSALS,
  type Failure,
  formatProblemType,
  mapErrorToFailure,
} from '../monitor/http/error-statuses.ts';
import { decodeInput, readRequestProblems } from '../monitor/http/request-problems.ts';
import type { Logger } from '../platform/logger.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { z } from 'zod';

/** The reply body of a failure. `errors` is present only if the request has problems. */
function buildProblemDetails(failure: Failure, instance: string) {
  const { status, code, title, detail, errors } = failure;
  return {
    type: formatProblemType(code),
    title,
    status,
    detail,
    instance,
    ...(errors.length === 0
      ? {}
      : {
          errors: errors.map(({ path, given: value, expected }) => ({
            path,
            given: value ?? null,
            expected,
          })),
        }),
  };
}

/** Replies with the failure that {@link mapErrorToFailure} returns, and logs internal errors. */
export function createProblemHandler(
  log: Logger,
): (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  return (error, request, reply) => {
    const failure = mapErrorToFailure(
      readAllProblems(error, request) ?? prefixPaths(error, request),
      request,
    );
    if (failure.status >= 500) log.error({ err: error, request: request.id }, 'request failed');
    if (failure.status === 401) reply.header('www-authenticate', 'Bearer realm="strandline"');
    return sendFailure(failure, request, reply);
  };
}

/** Replies with a failure without logging it. */
export function sendFailure(failure: Failure, { id }: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (failure.retryAfterSeconds !== undefined) reply.header('retry-after', failure.retryAfterSeconds);
  return (
    reply
      .code(failure.status)
      .type('application/problem+json')
      // Fastify refuses an unreadable URL before any hook runs, so the header is also set here.
      .header('x-content-type-options', 'nosniff')
      .serializer((payload: unknown) => toJson(payload))
      .send(buildProblemDetails(failure, `urn:strandline:request:${id}`))
  );
}

/** The server stops at the first part of a request that is invalid; a person corrects all of them at once. */
function readAllProblems(error: unknown, request: FastifyRequest): InvalidInput | undefined {
  const first = readRequestProblems(error, request);
  const failed = REQUEST_PARTS.findIndex(
    ({ context }) => isPlain(error) && error['validationContext'] === context,
  );
  if (first === undefined || failed === -1) return undefined;
  const { schema = {} } = request.routeOptions;
  const others = REQUEST_PARTS.slice(failed + 1).flatMap(({ context, sent }) => {
    const type = schema[context];
    const problems: Problem[] = [];
    if (type instanceof z.ZodType)
      collectProblems(problems, () => decodeInput(type, request[sent], sent), undefined);
    return problems;
  });
  return new InvalidInput([...first, ...others]);
}

/** In the order in which the server checks them. */
const REQUEST_PARTS = [
  { context: 'params', sent: 'params' },
  { context: 'body', sent: 'body' },
  { context: 'querystring', sent: 'query' },
] as const;

type RequestParts = Pick<FastifyRequest, 'body' | 'params' | 'query'>;

/** The monitor names the invalid member; this adds where it is in the request. */
function prefixPaths(error: unknown, request: RequestParts): unknown {
  if (!(error instanceof InvalidInput)) return error;
  return new InvalidInput(
    error.problems.map((problem) => ({ ...problem, path: prefixPath(problem.path, request) })),
  );
}

/** Paths that already have a prefix; a member of a body may have such a name, too. */
const PREFIXED_PATH = /^(?:body|query|params|headers|address)(?:\.|$)/;

/** @returns `body.searches.0.prompt` for `searches[0].prompt` */
function prefixPath(path: string, { body, params, query }: RequestParts): string {
  if (PREFIXED_PATH.test(path) && !hasMember(body, path)) return path;
  const steps = path.replaceAll(/\[(\d+)\]/g, '.$1');
  const [first = ''] = steps.split('.');
  if (hasMember(params, first)) return `params.${steps}`;
  const inBody = typeof body === 'object' && body !== null && !hasMember(query, first);
  return `${inBody ? 'body' : 'query'}.${steps}`;
}

function hasMember(part: unknown, member: string): boolean {
  return typeof part === 'object' && part !== null && Object.hasOwn(part, member);
}

const NOT_HTTP: [status: number, code: string, detail: string] = [
  400,
  'bad_request',
  'not an HTTP/1.1 request',
];

/** Replies to a malformed or incomplete request with problem details and closes the connection. */
export function refuseMalformedRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, code, detail] = CONNECTION_REFUSALS[error.code ?? ''] ?? NOT_HTTP;
  const title = STATUS_CODES[status] ?? 'Refused';
  const failure = { status, code, title, detail, errors: [], retryAfterSeconds: undefined };
  const body = toJson(buildProblemDetails(failure, `urn:strandline:request:${randomUUID()}`));
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    'x-content-type-options: nosniff',
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroySoon();
}
