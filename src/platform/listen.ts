/** Finds a port for the program's servers. */
import type { FastifyInstance } from 'fastify';
import { readErrorCode, Refused } from '../model/errors.ts';

/** How many ports after the default one are tried. */
const MAX_PORTS_TRIED = 100;

type ListenPlace = {
  what: string;
  host: string;
  port: number;
  portAsked: boolean;
  /** The variable that sets the port: `PORT`. */
  portVariable: string;
};

/**
 * Listens on the port, or on the next free one if the port is only a default. Each attempt builds a new server: one that
 * failed to listen cannot retry.
 * @param at.what name of the server for error messages, such as `the search service`
 * @throws Refused `unavailable` if the configured port is in use, or no port is free
 */
export async function listenAt(
  build: () => Promise<FastifyInstance>,
  at: ListenPlace,
): Promise<{ app: FastifyInstance; port: number }> {
  const { host, port, portAsked } = at;
  const last = portAsked || port === 0 ? port : Math.min(65_535, port + MAX_PORTS_TRIED);
  for (let next = port; ; next++) {
    const app = await build();
    try {
      await app.listen({ host, port: next });
      const address = app.server.address();
      return { app, port: typeof address === 'object' && address !== null ? address.port : next };
    } catch (error) {
      await app.close();
      const code = readErrorCode(error) ?? 'unknown';
      if (code === 'EADDRINUSE' && next < last) continue;
      throw new Refused('unavailable', describeListenFailure(code, at));
    }
  }
}

function describeListenFailure(code: string, at: ListenPlace): string {
  const { what, host, port, portAsked, portVariable } = at;
  const other = `${portVariable}=${port + 10 <= 65_535 ? port + 10 : port - 10}`;
  const failed = `${what} cannot listen on ${host}:${port} (${code})`;
  switch (code) {
    case 'EADDRINUSE':
      return portAsked
        ? `port ${port} on ${host} is in use; stop the other program, or set another port for ${what}, such as ${other}`
        : `no free port for ${what} on ${host} from ${port} up; set ${portVariable} to a free port`;
    case 'EACCES':
      return `${failed}: ports below 1024 need a privilege; set a higher one, such as ${portVariable}=${port + 8_000}`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${failed}: ${host} is no address of this machine; set ${portVariable === 'METRICS_PORT' ? 'METRICS_HOST' : 'HOST'}`;
    default:
      return failed;
  }
}

/** The URL for a client on this machine. */
export function formatAddress(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
