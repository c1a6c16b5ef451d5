/** The tools of AI assistants over Streamable HTTP: `/mcp`, with the gate, limits and audit of the API. */
import { InvalidInput } from '../model/errors.ts';
import { readPublicBase } from '../monitor/http/public-address.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { abortOnClose } from '../platform/http/raw-reply.ts';
import type { ToolCall } from './tool.ts';
import type { FastifyRequest } from 'fastify';

/** Headers of the protocol; the others are not its business. */
const PROTOCOL_HEADERS = /^(?:mcp-.*|accept|content-type)$/;

export function mcpRoutes(app: App, home: RouteContext): void {
  app.post('/mcp', { config: { scope: 'read' }, schema: { hide: true } }, async (request, reply) => {
    const { body: message } = request;
    // Each message of a batch would be a call that no limit counts.
    if (Array.isArray(message))
      throw new InvalidInput([
        { path: 'body', given: undefined, expected: 'one message; send them one by one' },
      ]);
    const { respond } = await import('./tool-server.ts');
    const base = readPublicBase(request, home);
    const signal = abortOnClose(reply);
    const response = await respond({ headers: pickHeaders(request), message, signal }, (stopping) => ({
      ...openCall(app, home, request, base),
      stopping,
      askSql: async (sql) => app.statements.ask(request, { sql, form: 'json', signal: stopping }),
    }));
    const type = response.headers.get('content-type');
    if (type !== null) void reply.type(type);
    return reply.code(response.status).send(await response.text());
  });
}

function openCall(
  app: App,
  { embedded }: RouteContext,
  request: FastifyRequest,
  base: string,
): Omit<ToolCall, 'askSql' | 'stopping'> {
  return {
    ctx: request.acting,
    visitor: request.visitor,
    page: { limit: 0, after: undefined },
    findPublicBase: () => base,
    base,
    embedded,
    takeFind: () => app.shares.finds.take(request),
    countRun: async () => app.countRun(request),
  };
}

function pickHeaders({ headers }: FastifyRequest): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' && PROTOCOL_HEADERS.test(name) ? [[name, value]] : [],
    ),
  );
}
