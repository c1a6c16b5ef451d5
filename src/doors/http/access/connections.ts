/**
 * Open connections. When there are as many as there may be, one that rests makes room for the next: the longest resting
 * of the network that holds the most. So whoever opens thousands closes their own, and not those of others; what carries
 * a request is never closed for another, and is bounded by the shares of requests.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../../../monitor/access/network.ts';

/** Of one network; those that rest in the order in which they began to. */
type Network = { open: number; resting: Set<Connection> };
type Connection = { socket: Socket; network: Network; requests: number; leave(): void };

/** @param most open connections, streams of events among them */
export function boundConnections(server: Server, most: number): void {
  const networks = new Map<string, Network>();
  const connections = new WeakMap<Socket, Connection>();
  let open = 0;
  // Node counts one that was closed to make room until its turn ends: this is for when thousands come in one turn.
  server.maxConnections = 2 * most;

  server.on('connection', (socket: Socket) => {
    if (open >= most && !makeRoom(networks)) {
      socket.destroy();
      return;
    }
    const name = networkOf(socket.remoteAddress ?? '');
    const network = networks.get(name) ?? { open: 0, resting: new Set() };
    networks.set(name, network);
    let there = true;
    const leave = () => {
      if (!there) return;
      there = false;
      open -= 1;
      network.open -= 1;
      network.resting.delete(connection);
      if (network.open === 0) networks.delete(name);
    };
    const connection: Connection = { socket, network, requests: 0, leave };
    open += 1;
    network.open += 1;
    network.resting.add(connection);
    connections.set(socket, connection);
    socket.once('close', leave);
  });

  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.requests += 1;
    connection.network.resting.delete(connection);
    response.once('close', () => {
      connection.requests -= 1;
      if (connection.requests === 0 && !socket.destroyed) connection.network.resting.add(connection);
    });
  });
}

/** @returns false where every connection carries a request */
function makeRoom(networks: ReadonlyMap<string, Network>): boolean {
  let largest: Network | undefined;
  for (const network of networks.values())
    if (network.resting.size > 0 && network.open > (largest?.open ?? 0)) largest = network;
  const [longest] = largest?.resting ?? [];
  longest?.leave();
  longest?.socket.destroy();
  return longest !== undefined;
}
