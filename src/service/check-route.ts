/** `/sources/check`: what an address is, for who adds it to sources of their own. */
import type { FastifyInstance, onRequestAsyncHookHandler, onRequestHookHandler } from 'fastify';
import { loadDialect } from '../protocol/dialect.ts';
import { validationBody } from '../protocol/error-body.ts';
import { CHECK_PATH, checkRequest } from '../protocol/own-sources.ts';
import { parseBody, parseRequest } from './request-parser.ts';
import type { OwnSourceReader } from './sources/feeds/own-sources.ts';

/** Registers the route at the root and below the base address of live sources. */
export function registerCheckRoute(
  app: FastifyInstance,
  {
    gate,
    own,
    below,
  }: { gate: onRequestHookHandler | onRequestAsyncHookHandler; own: OwnSourceReader; below: string },
): void {
  const dialect = loadDialect('neutral');
  for (const base of ['', below])
    app.post(`${base}${CHECK_PATH}`, { onRequest: gate }, async (request, reply) => {
      const body = parseBody(request.body);
      const parsed = body.ok ? parseRequest(checkRequest, dialect, body.request) : body;
      if (!parsed.ok) return reply.code(422).send(validationBody(parsed.problems));
      return own.check(parsed.request.address);
    });
}
