/** Error responses: documented bodies, never a stack or cause. */

import type { Logger } from '../platform/logger.ts';
import { internalErrorBody } from '../protocol/error-body.ts';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Socket } from 'node:net';

const HTTP_ERROR_TEXTS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  413: 'Request Entity Too Large',
  414: 'URI Too Long',
  417: 'Expectation Failed',
  431: 'Request Header Fields Too Large',
};

const ROUTED_METHODS = ['GET', 'HEAD', 'POST'];

export function registerErrorHandlers(app: FastifyInstance, log: Logger): void {
  app.setNotFoundHandler(({ url }, reply) => {
    const [path = ''] = url.split('?', 1);
    const allowed = ROUTED_METHODS.filter((method) => app.hasRoute({ method, url: path }));
    if (allowed.length === 0) return reply.code(404).send({ detail: 'Not Found' });
    return reply.code(405).header('allow', allowed.join(', ')).send({ detail: 'Method Not Allowed' });
  });
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    if (error instanceof ClientGone) {
      log.debug({ request: request.id }, 'client disconnected');
      return reply.code(499).send(); // not delivered
    }
    const words = HTTP_ERROR_TEXTS[error.statusCode ?? 500];
    if (words !== undefined) return reply.code(error.statusCode ?? 400).send({ detail: words });
    log.error({ err: error, request: request.id }, 'request failed');
    return reply.code(500).send(internalErrorBody());
  });
}

/** Rejects an unparsable URL, which reaches no route or hook. */
export function rejectUnreadableUrl(
  _error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  void reply.code(400).header('x-request-id', request.id).send({ detail: HTTP_ERROR_TEXTS[400] });
}

/** Rejects invalid HTTP headers; undefined: continue. */
export async function rejectInvalidHead(
  { raw, headers }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  if (headers.host === undefined && raw.httpVersion === '1.1') {
    return reply.code(400).send({ detail: HTTP_ERROR_TEXTS[400] });
  }
  if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect)) {
    return reply.code(417).send({ detail: HTTP_ERROR_TEXTS[417] });
  }
  return undefined;
}

/** HTTP status for Node's parser errors. */
const CONNECTION_ERROR_STATUS: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/** Responds to requests that could not be parsed: too slow, too large, not HTTP. */
export function rejectUnreadableRequest(error: { code: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status = CONNECTION_ERROR_STATUS[error.code] ?? 400;
  const words = HTTP_ERROR_TEXTS[status] ?? '';
  const body = JSON.stringify({ detail: words });
  const head = [
    `HTTP/1.1 ${status} ${words}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${body.length}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** The client closed its connection before the response was complete. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
  constructor() {
    super('the client closed the connection');
  }
}
