/** What is answered when no operation answers: the documented bodies, never a stack or a cause. */
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance } from 'fastify';
import { internalErrorBody } from '../contract/error-bodies.ts';
import type { Logger } from '../engine/logger.ts';
import { ClientGone } from './client-gone.ts';

/** Words for the refusals that come from HTTP itself. */
const REFUSALS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  413: 'Request Entity Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  431: 'Request Header Fields Too Large',
};

export function answerErrors(app: FastifyInstance, log: Logger): void {
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ detail: 'Not Found' }));
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    if (error instanceof ClientGone) {
      log.debug({ request: request.id }, 'the client went away');
      return reply.code(499).send(); // goes nowhere
    }
    const words = REFUSALS[error.statusCode ?? 500];
    if (words !== undefined) return reply.code(error.statusCode ?? 400).send({ detail: words });
    log.error({ err: error, request: request.id }, 'a request failed');
    return reply.code(500).send(internalErrorBody());
  });
}

/** What Node calls a request that never became one, as a status. */
const CONNECTION_STATUS: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/** Answers a connection whose request could not even be read: too slow, too long, no HTTP. */
export function refuseConnection(error: { code: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status = CONNECTION_STATUS[error.code] ?? 400;
  const words = REFUSALS[status] ?? '';
  const body = JSON.stringify({ detail: words });
  const head = [
    `HTTP/1.1 ${status} ${words}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${body.length}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
