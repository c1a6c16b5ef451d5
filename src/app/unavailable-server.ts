/**
 * The server that `up` and `serve` start while the database is unavailable: alive, not ready, and 503 for everything else.
 */
import { randomUUID } from 'node:crypto';
import fastify from 'fastify';
import { formatAddress, listenAt } from '../platform/listen.ts';
import { SECOND } from '../lib/time.ts';
import { Refused } from '../model/errors.ts';
import { mapErrorToFailure } from '../monitor/http/error-statuses.ts';
import { sendFailure } from '../api/problem-details.ts';
import type { WebServer } from './http-server.ts';

export type ListenOptions = { host: string; port: number; portAsked: boolean; portVariable: string };

/** Slower requests are dropped. */
const REQUEST_TIMEOUT_MS = 10 * SECOND;

/**
 * Replaces the server while its database is unavailable. It has no data and needs no authentication.
 * @throws Refused `unavailable` when it cannot listen
 */
export async function startWaiting(at: ListenOptions): Promise<WebServer> {
  const { app, port } = await listenAt(buildUnavailableServer, { what: 'the dashboard', ...at });
  return { url: formatAddress(at.host, port), port, close: () => app.close() };
}

async function buildUnavailableServer() {
  const app = fastify({
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: true,
    genReqId: () => randomUUID(),
  });
  // Before anything of the request is read.
  app.addHook('onRequest', async (request, reply) => {
    const [address] = request.url.split('?');
    // Close the connection, so that the next request reaches the real server.
    reply.headers({ connection: 'close', 'x-content-type-options': 'nosniff' });
    if (address === '/livez') return reply.send('');
    if (address === '/readyz') return reply.code(503).send({ ready: false });
    const away = new Refused('unavailable', 'the database is unavailable');
    return sendFailure(mapErrorToFailure(away), request, reply);
  });
  return Promise.resolve(app);
}
