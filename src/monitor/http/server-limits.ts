/**
 * Limits of the HTTP server: requests per minute, sizes, times and open connections. Each process counts on its own, in
 * memory.
 */

import { MINUTE, SECOND } from '../../lib/time.ts';
import { extractNetwork } from '../../platform/network.ts';
import { Denied } from '../access/visitor-scopes.ts';
import type { App } from './route-types.ts';
import { getVisitorKey } from './visitor-shares.ts';
import type { RateLimitPluginOptions } from '@fastify/rate-limit';
import type { FastifyRequest } from 'fastify';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export const LIMITS = {
  /** Requests per minute to routes that make calls, which may cost money; all such routes together. */
  runsPerMinute: 60,
  bodyBytes: 1_000_000,
  /** For forms of pages; the longest is a SQL statement. */
  formBytes: 100_000,
  headerBytes: 16 * 1_024,
  /** Characters of one path parameter. */
  pathParameter: 100,
  /** A request that is not complete by then is refused. */
  requestMs: 30 * SECOND,
  /** Open connections, including event streams. */
  connections: 2_000,
};
export type Limits = typeof LIMITS & {
  /** Requests per minute of one token, or of one address without a token: `REQUESTS_PER_MINUTE`. */
  perMinute: number;
};

export function buildRateLimit({ perMinute: max }: Limits): RateLimitPluginOptions {
  return {
    max,
    timeWindow: MINUTE,
    keyGenerator: getVisitorKey,
    errorResponseBuilder: (_request, { ttl }) => createTooManyError(ttl),
  };
}

/** Counts unauthenticated requests, before any limit of a route applies. @throws Denied */
export function countRefusedRequests(app: App, limits: Limits): (request: FastifyRequest) => Promise<void> {
  return countWith(app.createRateLimit(buildRateLimit(limits)));
}

/**
 * Counts requests that may cost something, of all routes together, by visitor. The plugin counts each route by itself, whatever
 * group its limit names, so there is one counter.
 * @throws Denied
 */
export function countRuns(app: App, limits: Limits): (request: FastifyRequest) => Promise<void> {
  return countWith(app.createRateLimit({ ...buildRateLimit(limits), max: limits.runsPerMinute }));
}

function countWith(count: ReturnType<App['createRateLimit']>): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const counted = await count(request);
    if (!counted.isAllowed && counted.isExceeded) throw createTooManyError(counted.ttl);
  };
}

function createTooManyError(ms: number): Denied {
  return new Denied('too_many', 'too many requests per minute', Math.ceil(ms / SECOND));
}

/** Connections of one network. Idle ones are in the order in which they became idle. */
type Network = { open: number; idle: Set<Connection> };
type Connection = { socket: Socket; network: Network; requests: number; leave(): void };

/**
 * Limits open connections. At the limit, a new connection closes the longest idle one of the network with the most
 * connections. So clients that open thousands close their own, not those of others. Connections with a request in progress
 * are never closed; the shares of requests bound them.
 * @param max open connections, including event streams
 */
export function limitConnections(server: Server, max: number): void {
  const networks = new Map<string, Network>();
  const connections = new WeakMap<Socket, Connection>();
  let open = 0;
  // Node still counts a closed connection until the current turn of the event loop ends.
  server.maxConnections = 2 * max;

  server.on('connection', (socket: Socket) => {
    if (open >= max && !closeIdleConnection(networks)) {
      socket.destroy();
      return;
    }
    const name = extractNetwork(socket.remoteAddress ?? '');
    const network = networks.get(name) ?? { open: 0, idle: new Set() };
    networks.set(name, network);
    let isOpen = true;
    const leave = () => {
      if (!isOpen) return;
      isOpen = false;
      open -= 1;
      network.open -= 1;
      network.idle.delete(connection);
      if (network.open === 0) networks.delete(name);
    };
    const connection: Connection = { socket, network, requests: 0, leave };
    open += 1;
    network.open += 1;
    network.idle.add(connection);
    connections.set(socket, connection);
    socket.once('close', leave);
  });

  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.requests += 1;
    connection.network.idle.delete(connection);
    response.once('close', () => {
      connection.requests -= 1;
      if (connection.requests === 0 && !socket.destroyed) connection.network.idle.add(connection);
    });
  });
}

/** @returns false if every connection has a request in progress */
function closeIdleConnection(networks: ReadonlyMap<string, Network>): boolean {
  let largest: Network | undefined;
  for (const network of networks.values())
    if (network.idle.size > 0 && network.open > (largest?.open ?? 0)) largest = network;
  const [longest] = largest?.idle ?? [];
  longest?.leave();
  longest?.socket.destroy();
  return longest !== undefined;
}
