/** What is answered when no operation answers: the documented bodies, never a stack or a cause. */
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
